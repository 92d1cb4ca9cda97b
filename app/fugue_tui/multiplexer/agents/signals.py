"""What shows the state of the program in one pane, and which of it counts. Pure.

In order: what the program reports (OSC 7501), its hooks, its newest notification, its title, its screen, its silence.
A hook and a notification report a change, and may miss the next one; so they give way to a screen that shows a dialog,
to a title or screen that has shown the opposite since, and a notification also to the user's typing. A title of a
program at rest gives way to a screen that shows an error.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from fugue_tui.multiplexer.agents.state import (
    AgentState,
    AgentStatus,
    AgentUsage,
    BlockedBy,
    Reading,
    Signal,
    TaskStatus,
)
from fugue_tui.sanitize import clean
from fugue_tui.terminal.emulator.events import StatusReport

RECORDS: Final = 256
"""Records of one program at most; of more, those that were not updated for the longest time go."""
SILENT_SECONDS: Final = 2.0
"""A program that prints nothing for so long is idle, if nothing else shows its state."""
SETTLED_SECONDS: Final = 5.0
"""For so long a title or a screen shows something else than a hook before it counts."""
WORDS: Final = 200
"""Characters kept of a program's words."""
_ENDED: Final = (AgentState.DONE, AgentState.ERROR)
"""States that outlive the program."""
_EXPLAINED: Final = (AgentState.BLOCKED, AgentState.ERROR)
"""States of which the user wants to know why."""


class Seen(Struct, frozen=True):
    """A reading, and when it was first seen without a break, on the multiplexer's clock."""

    reading: Reading
    at: float


class Signals(Struct):
    """What is known of the program in one pane."""

    agent: str = ""
    """The agent in the foreground; empty for none, or another program."""
    app: str = ""
    """What the program calls itself in its reports."""
    report: Seen | None = None
    tasks: dict[str, Seen] = field(default_factory=dict[str, Seen])
    """The reported tasks, the one updated last at the end."""
    hook: Seen | None = None
    notification: Seen | None = None
    title: Seen | None = None
    screen: Seen | None = None
    usage: AgentUsage = AgentUsage()
    """What the agent runs on, as its hooks report."""
    used_at: float = 0.0
    """When they last did."""
    found_at: float = 0.0
    """When the agent was found."""
    printed_at: float = 0.0
    """When the program last printed."""
    typed_at: float = float("-inf")
    """When the user or an agent last typed."""

    def add_report(self, report: StatusReport, now: float) -> None:
        """The program reports what it or a task of it does."""
        if report.state == "clear":
            below = f"{report.record}/"
            self.tasks = {
                record: seen
                for record, seen in self.tasks.items()
                if report.record and record != report.record and not record.startswith(below)
            }
            if not report.record:
                self.report, self.app = None, ""
            return
        reading = Reading(
            AgentState(report.state),
            BlockedBy(report.kind) if report.kind else None,
            clean(report.message, WORDS),
            clean(report.title, WORDS),
            report.progress,
        )
        if report.record:
            self.tasks[report.record] = seen(self.tasks.pop(report.record, None), reading, now)
            if len(self.tasks) >= RECORDS:
                del self.tasks[next(iter(self.tasks))]
        else:
            self.app, self.report = report.app or self.app, seen(self.report, reading, now)

    def add_hook(self, reading: Reading, now: float) -> None:
        """A hook of the agent reports what it does; without words, those of the same state stay."""
        before = self.hook.reading if self.hook is not None else reading
        if not reading.words and (before.state, before.kind) == (reading.state, reading.kind):
            reading = replace(reading, words=before.words)
        self.hook = seen(self.hook, reading, now)

    def add_usage(self, usage: AgentUsage, now: float) -> None:
        """A hook of the agent reports what it runs on."""
        self.usage, self.used_at = self.usage.updated(usage), now

    def find_agent(self, name: str, now: float) -> None:
        """An agent has come to the foreground."""
        if name != self.agent:
            self.usage = AgentUsage()
        self.agent, self.found_at = name, now

    def end_program(self) -> None:
        """The program has left the foreground: what it did it does no more, but that it finished or failed stays."""
        self.tasks.clear()
        if self.report is not None and self.report.reading.state not in _ENDED:
            self.report = None
        self.agent, self.hook, self.notification, self.title, self.screen = "", None, None, None, None
        self.usage = AgentUsage()

    def status(self, now: float) -> AgentStatus | None:
        """What the program does, and how that is known; None if it is no agent and reports nothing. Its `since` is when
        the signal was first seen."""
        tasks = tuple(TaskStatus(record, each.reading) for record, each in self.tasks.items())
        if found := self._reported():
            reading = self._worded(found.reading)
            return AgentStatus(self.agent or self.app, reading, Signal.REPORT, found.at, tasks, self.usage)
        if not self.agent:
            return None
        signal, found = self._observed(now)
        return AgentStatus(self.agent, found.reading, signal, found.at, tasks, self.usage)

    @property
    def needs_screen(self) -> bool:
        """Whether the screen tells something: the state, or what a program that only reports its state asks for."""
        return self.report is None or (self.report.reading.state in _EXPLAINED and not self.report.reading.words)

    def _worded(self, report: Reading) -> Reading:
        """A report, with the words of the screen if it has none of its own."""
        if report.state not in _EXPLAINED or report.words or self.screen is None:
            return report
        shown = self.screen.reading
        return replace(report, words=shown.words) if shown.state is report.state else report

    def _reported(self) -> Seen | None:
        """The program's own report, unless a task of it needs the user, or works while the program itself rests."""
        if not self.tasks:
            return self.report
        tasks = tuple(self.tasks.values())
        blocked, working = _first(tasks, AgentState.BLOCKED), _first(tasks, AgentState.WORKING)
        own = self.report
        if own is None:
            return blocked or working
        rests = own.reading.state in (AgentState.IDLE, AgentState.DONE)
        return own if own.reading.state is AgentState.BLOCKED else blocked or (working if rests else None) or own

    def _observed(self, now: float) -> tuple[Signal, Seen]:
        """What other signals show."""
        if self.screen is not None and self.screen.reading.state is AgentState.BLOCKED:
            hook = self.hook
            if hook is not None and hook.reading.state is AgentState.BLOCKED and hook.reading.words:
                return Signal.HOOK, hook  # It says more of the same dialog.
            return Signal.SCREEN, self.screen
        level = Signal.TITLE, self.title
        fails = self.screen is not None and self.screen.reading.state is AgentState.ERROR
        if self.title is None or (fails and self.title.reading.state is AgentState.IDLE):
            level = Signal.SCREEN, self.screen
        if self.hook is not None and not _contradicts(level[1], self.hook, now):
            return Signal.HOOK, self.hook
        notification = self.notification
        if notification is not None and self.typed_at < notification.at and not _follows(level[1], notification):
            return Signal.NOTIFICATION, notification
        if level[1] is not None:
            return level[0], level[1]
        return Signal.SILENCE, self._by_silence(now)

    def _by_silence(self, now: float) -> Seen:
        if self.printed_at < self.found_at:
            return Seen(Reading(AgentState.UNKNOWN), self.found_at)
        prints = now - self.printed_at < SILENT_SECONDS and self.printed_at - self.typed_at > SILENT_SECONDS
        return Seen(Reading(AgentState.WORKING if prints else AgentState.IDLE), self.printed_at)


def seen(before: Seen | None, reading: Reading, now: float) -> Seen:
    """A reading as of now, or since before if that was of the same state and kind."""
    same = before is not None and (before.reading.state, before.reading.kind) == (reading.state, reading.kind)
    return Seen(reading, before.at if before is not None and same else now)


def _first(tasks: Sequence[Seen], state: AgentState) -> Seen | None:
    return min((each for each in tasks if each.reading.state is state), key=lambda each: each.at, default=None)


def _contradicts(level: Seen | None, hook: Seen, now: float) -> bool:
    """Whether a title or a screen has shown another state than a hook for long enough since."""
    if level is None or level.reading.state is hook.reading.state:
        return False
    since = max(level.at, hook.at)
    if level.reading.state is AgentState.WORKING and hook.reading.state is AgentState.BLOCKED:
        return level.at > hook.at
    return level.reading.state in (AgentState.WORKING, AgentState.IDLE) and (
        hook.reading.state not in _ENDED and now - since >= SETTLED_SECONDS
    )


def _follows(level: Seen | None, notification: Seen) -> bool:
    """Whether the program has begun to work since."""
    return level is not None and level.reading.state is AgentState.WORKING and level.at > notification.at
