"""Records in the audit log what teams do, for team-report: who joins and leaves, what each does, the commands that end
in their panes. Main thread only; without teams it does nothing.

Of commands that the user has typed there only the end is recorded.
"""

import asyncio
import shlex
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, Final

from fugue_tui.control.agents import git_changes
from fugue_tui.control.agents.receivers import ROLE, TEAM
from fugue_tui.control.dispatch.audit import Audit
from fugue_tui.control.dispatch.policy import is_made_by
from fugue_tui.control.output.analysis import verdict_of
from fugue_tui.control.output.last_command import printed
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.mailboxes import box_of
from fugue_tui.multiplexer.agents.state import AgentStatus
from fugue_tui.multiplexer.author import Kind
from fugue_tui.multiplexer.events.pane_events import Ended, PaneEvent
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.sanitize import clean, clean_path
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished
from fugue_tui.workspace.model import Pane, Workspace

_COUNTS: Final = ("passed", "failed")
_TESTS: Final = (Meaning.TEST_SUCCESS, Meaning.TEST_FAILURE)


class TeamLog:
    """The record of a workspace's teams."""

    def __init__(self, mux: Multiplexer, audit: Audit) -> None:
        self._mux, self._audit = mux, audit
        self._teams: dict[PaneId, str] = {}
        self._bases: dict[PaneId, asyncio.Task[str]] = {}
        self._tasks = set[asyncio.Task[Any]]()

    def start(self) -> None:
        """Begin to record."""
        self._mux.on_change.connect(self._on_change)
        self._mux.agents.on_change.connect(self._on_status)
        self._mux.on_event.connect(self._on_event)
        self._mux.agents.keep_changes = self.keep_changes
        self._on_change(Workspace(""), self._mux.workspace)

    async def keep_changes(self, pane: PaneId) -> None:
        """Record what a member has changed, before its worktree is removed."""
        if pane in self._teams and pane in self._mux.workspace.panes:
            cwd, base = self._directory(pane), await self._bases[pane]
            found = await asyncio.to_thread(git_changes.changes, cwd, base)
            self._record("changed", pane, commits=found.commits, files=found.files)

    def _on_change(self, old: Workspace, new: Workspace) -> None:
        if old.panes is new.panes:
            return
        for pane in self._teams.keys() - new.panes.keys():
            self._record("left", pane)
            del self._teams[pane]
            self._bases.pop(pane).cancel()
        for record in new.panes.values():
            team = record.metadata.get(TEAM)
            if isinstance(team, str) and team and record.id not in self._teams:
                self._teams[record.id] = team
                self._join(record)

    def _join(self, record: Pane) -> None:
        pane, role, status = (
            record.id,
            clean(str(record.metadata.get(ROLE, ""))),
            self._mux.agents.statuses.get(record.id),
        )
        facts = {"name": clean(record.name), "role": role, "box": box_of(record), "cwd": clean_path(record.cwd)}
        self._record("joined", pane, **facts)
        self._on_status(pane, None, status)
        self._bases[pane] = self._begin(self._find_base(pane, record.cwd))

    async def _find_base(self, pane: PaneId, cwd: str) -> str:
        base = await asyncio.to_thread(git_changes.head, cwd)
        if pane in self._teams:
            self._record("based", pane, head=base)
        return base

    def _on_status(self, pane: PaneId, before: AgentStatus | None, after: AgentStatus | None) -> None:
        if pane not in self._teams:
            return
        was, now = (each and (each.state, each.usage.cost) for each in (before, after))
        if was != now:
            state = after.state.value if after is not None else "none"
            self._record(state, pane, kind="agent", cost=after.usage.cost if after is not None else None)

    def _on_event(self, pane: PaneId, event: PaneEvent) -> None:
        if not self._teams:
            return
        match event:
            case CommandFinished(command) if not command.own and (member := self._member(pane)) is not None:
                self._begin(self._add_command(pane, member, command))
            case Ended(exit) if (member := self._member(pane)) is not None and member != pane:
                code = exit.code if exit.signal is None else -exit.signal
                self._add(pane, member, shlex.join(self._mux.workspace.panes[pane].argv), exit_code=code)
            case _:
                pass

    def _member(self, pane: PaneId) -> PaneId | None:
        """The member whose pane it is, or that has opened it."""
        if pane in self._teams:
            return pane
        return next((each for each in self._teams if is_made_by(self._mux, pane, str(each))), None)

    async def _add_command(self, pane: PaneId, member: PaneId, command: CommandRecord) -> None:
        reports = self._mux.pane_reports.get(pane)
        typed = reports.input.last if reports is not None else None
        by_user = typed is None or typed.kind is Kind.USER
        tests = {} if by_user or pane not in self._mux.terminals else await self._tests(pane, command)
        line = "" if by_user else command.line
        ended = {} if command.ended_at is None else {"ended": round(command.ended_at, 3)}
        taken = None if command.seconds is None else round(command.seconds, 3)
        self._add(pane, member, line, exit_code=command.confirmed_exit_code, taken=taken, **ended, **tests)

    async def _tests(self, pane: PaneId, command: CommandRecord) -> dict[str, Any]:
        """How the tests of a command ended; nothing if it ran none, or its output is there no more."""
        read = printed(self._mux, pane, end=True)
        verdict = await asyncio.to_thread(lambda: verdict_of(read()))
        if verdict.intent not in _TESTS or verdict.command != clean(command.line):
            return {}
        counts = verdict.context.counts
        return {"tests": verdict.intent.value} | {name: counts[name] for name in _COUNTS if name in counts}

    def _add(self, pane: PaneId, member: PaneId, line: str, **facts: Any) -> None:
        if team := self._teams.get(member):
            self._audit.record_event("command", None, line, panes=(str(pane),), team=team, member=str(member), **facts)

    def _record(self, text: str, pane: PaneId, *, kind: str = "team", **facts: Any) -> None:
        self._audit.record_event(kind, None, text, panes=(str(pane),), team=self._teams[pane], **facts)

    def _directory(self, pane: PaneId) -> str:
        """Where a member was started: it may have gone elsewhere."""
        return self._mux.workspace.panes[pane].cwd

    def _begin(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work, context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
