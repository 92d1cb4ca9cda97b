"""What a team did, from the entries of the audit log. Pure.

A team begins when its first member joins, and ends when the last one has left; a team of the same name that begins
after that is another. Members are known by their mailboxes, which stay the same over a restart.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct, field

from fugue_tui.control.dispatch.audit_entry import AuditEntry

MOST: Final = 500
"""Commands and interventions of one member that are kept: the newest."""
_STATES: Final = {"working": "working", "blocked": "blocked", "idle": "idle", "done": "idle", "error": "idle"}


class RanCommand(Struct, frozen=True):
    """A command that has ended in a pane of a member."""

    command: str
    """The line, without secrets; empty if the user has typed it. Untrusted."""
    at: float
    """When it ended, in seconds since the epoch."""
    exit_code: int | None
    """Its exit status, negative for a signal; null if unknown."""
    seconds: float | None
    """How long it took; null if unknown."""
    tests: str = ""
    """test_success or test_failure; empty if it ran no tests."""
    passed: int | None = None
    """The tests that passed; null if unknown."""
    failed: int | None = None
    """Those that failed; null if unknown."""


class Intervention(Struct, frozen=True):
    """What the monitor has done about a member."""

    at: float
    """Seconds since the epoch."""
    condition: str
    """Why: idle, blocked, gone, looping or budget."""
    action: str
    """What: tell, nudge, restart, escalate or stop."""
    outcome: str
    """done, or the code of the error."""


class MemberSummary(Struct):
    """What a member did."""

    box: str
    """The key of its mailbox."""
    name: str
    role: str
    cwd: str
    joined: float
    """Seconds since the epoch."""
    pane: str = ""
    """Its pane; of one that has left, the last one."""
    left: float | None = None
    """When it has left; None if it has not."""
    head: str = ""
    """The commit that was checked out when it joined; empty if there was none."""
    seconds: dict[str, float] = field(default_factory=lambda: {"working": 0.0, "idle": 0.0, "blocked": 0.0})
    """How long it was in which state."""
    calls: int = 0
    """Commands of Fugue that it has called."""
    commands: list[RanCommand] = field(default_factory=list[RanCommand])
    commits: tuple[str, ...] = ()
    """What it has committed, as of when it was stopped."""
    files: tuple[str, ...] = ()
    """What it has changed, likewise."""
    changes_kept: bool = False
    """Whether those are known."""
    asked: int = 0
    """Calls for which the user was asked."""
    approved: int = 0
    denied: int = 0
    interventions: list[Intervention] = field(default_factory=list[Intervention])
    spent: float | None = None
    """US dollars of its programs that have ended; None if unknown."""
    cost: float | None = None
    """US dollars of the one that runs."""
    state: str = ""
    state_at: float = 0.0

    def enter(self, state: str, at: float) -> None:
        """It is in another state from now on."""
        if self.state in self.seconds:
            self.seconds[self.state] += max(0.0, at - self.state_at)
        self.state, self.state_at = _STATES.get(state, ""), at

    def add_cost(self, cost: float | None) -> None:
        """What its program has cost so far; less than before is another program's."""
        if cost is None:
            return
        if self.cost is not None and cost < self.cost:
            self.spent = (self.spent or 0.0) + self.cost
        self.cost = cost

    @property
    def dollars(self) -> float | None:
        """What it has cost; None if unknown."""
        return None if self.cost is None else round((self.spent or 0.0) + self.cost, 6)


class TeamSummary:
    """What the last team of a name did."""

    def __init__(self, team: str) -> None:
        self._team = team
        self.members: dict[str, MemberSummary] = {}
        """By the keys of their mailboxes, in the order in which they joined."""
        self._panes: dict[str, MemberSummary] = {}
        """The members that have not left, by pane."""

    def add(self, entries: Iterable[AuditEntry]) -> None:
        """Take in entries, oldest first."""
        last = 0.0
        for entry in entries:
            facts = entry.facts or {}
            if entry.kind == "start":
                self._interrupt(last)
            elif facts.get("team") == self._team:
                self._add_own(entry, facts)
            elif self._panes:
                self._add_other(entry, facts)
            last = entry.time

    def finish(self, now: float) -> None:
        """Count the time of those that are there up to now."""
        for member in self._panes.values():
            member.enter(member.state, now)

    def _interrupt(self, at: float) -> None:
        """The workspace ended at some time; who comes back joins again."""
        for member in self._panes.values():
            member.enter("", at)
            member.left = at
        self._panes.clear()

    def _add_own(self, entry: AuditEntry, facts: Mapping[str, Any]) -> None:
        pane = next(iter(entry.panes), "")
        if entry.kind == "team" and entry.command == "joined":
            self._join(entry.time, pane, facts)
        member = self._panes.get(str(facts.get("member", pane)))
        if member is None:
            return
        match entry.kind:
            case "command":
                ran = _command(entry, facts)
                member.commands = sorted([*member.commands, ran], key=lambda each: each.at)[-MOST:]
            case "agent":
                member.enter(entry.command, entry.time)
                member.add_cost(_number(facts.get("cost")))
            case "team":
                self._add_change(entry, member, facts)
            case _:
                pass

    def _add_change(self, entry: AuditEntry, member: MemberSummary, facts: Mapping[str, Any]) -> None:
        match entry.command:
            case "based":
                member.head = member.head or str(facts.get("head", ""))
            case "changed":
                member.commits, member.files = _texts(facts.get("commits")), _texts(facts.get("files"))
                member.changes_kept = True
            case "left":
                member.enter("", entry.time)
                member.left = entry.time
                self._panes.pop(member.pane, None)
            case _:
                pass

    def _join(self, at: float, pane: str, facts: Mapping[str, Any]) -> None:
        box = str(facts.get("box", "")) or pane
        if not self._panes and box not in self.members:
            self.members.clear()
        member = self.members.get(box)
        if member is None:
            name, role, cwd = (str(facts.get(each, "")) for each in ("name", "role", "cwd"))
            member = self.members[box] = MemberSummary(box, name, role, cwd, at)
        member.pane, member.left = pane, None
        self._panes[pane] = member

    def _add_other(self, entry: AuditEntry, facts: Mapping[str, Any]) -> None:
        if entry.kind == "monitor":
            words = (str(facts.get("condition", "")), str(facts.get("action", "")))
            for member in filter(None, map(self._panes.get, entry.panes)):
                member.interventions = [*member.interventions, Intervention(entry.time, *words, entry.outcome)][-MOST:]
        elif entry.kind == "call" and (member := self._panes.get(entry.pane)) is not None:
            member.calls += not entry.id or entry.outcome == "started"
            member.asked += entry.decision == "ask" and entry.outcome == "started"
            member.approved += entry.outcome == "approved"
            member.denied += entry.outcome in ("denied", "unanswered")


def _command(entry: AuditEntry, facts: Mapping[str, Any]) -> RanCommand:
    code, passed, failed = (facts.get(name) for name in ("exit_code", "passed", "failed"))
    return RanCommand(
        entry.command,
        _number(facts.get("ended")) or entry.time,
        code if isinstance(code, int) else None,
        _number(facts.get("taken")),
        str(facts.get("tests", "")),
        passed if isinstance(passed, int) else None,
        failed if isinstance(failed, int) else None,
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
