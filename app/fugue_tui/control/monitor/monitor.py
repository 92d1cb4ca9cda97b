"""Follows the agents that are monitored, and acts by their rules when it is time. Main thread only.

There is one timer for each agent that something may be done about, and none without rules. What is decided is in
`multiplexer.agents.monitored`; rules of a pane's own are in its metadata, with how often was acted.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable
from contextvars import Context
from typing import Any, Final

from fugue_tui.config.monitor import Action
from fugue_tui.control.agents.monitor_info import next_action, observe
from fugue_tui.control.agents.receivers import TEAM
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.monitor.actions import MonitorActions
from fugue_tui.control.monitor.loop_watch import LoopWatch
from fugue_tui.control.restore.agent_resume import resume_argv
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.agents.agents import AgentRun
from fugue_tui.multiplexer.agents.monitored import (
    KEY,
    LONGEST_PAUSE,
    TYPING_SECONDS,
    History,
    MonitoredPane,
    NextAction,
    loaded,
    observed,
    saved,
    unloaded,
    with_action,
    with_rules,
    worked,
)
from fugue_tui.multiplexer.agents.state import AgentStatus
from fugue_tui.multiplexer.author import Author
from fugue_tui.multiplexer.events.pane_events import Ended, PaneEvent
from fugue_tui.terminal.emulator.events import CommandFinished
from fugue_tui.terminal.pty import process
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Workspace

ASKED_SECONDS: Final = 10.0
"""A program that ends so soon after the user has typed there, or after it was interrupted, was asked to."""
RUN_SECONDS: Final = 30.0
"""Seconds between two looks for the conversation of an agent."""


class Monitor:
    """The monitoring of a workspace's agents."""

    def __init__(self, dispatcher: Dispatcher, notify: Callable[[PaneId, str], None]) -> None:
        """`notify` notifies the user about a pane."""
        self._mux = mux = dispatcher.mux
        self._actions = MonitorActions(dispatcher, notify)
        self._panes = mux.agents.monitored
        self._timers: dict[PaneId, asyncio.TimerHandle] = {}
        self._tasks = set[asyncio.Task[None]]()
        self._loops: dict[PaneId, LoopWatch] = {}
        self._noted_at: dict[PaneId, float] = {}
        self._saving = False

    def start(self) -> None:
        """Begin to follow the agents."""
        mux = self._mux
        mux.agents.on_found.connect(self._on_found)
        mux.agents.on_change.connect(self._on_status)
        mux.agents.on_rules.connect(lambda: self._enter(tuple(mux.workspace.panes)))
        mux.agents.on_end_asked.connect(self._on_end_asked)
        mux.on_change.connect(self._on_workspace)
        mux.on_event.connect(self._on_event)
        mux.on_typed.connect(self._on_typed)
        mux.lease.on_change.connect(self._on_lease)
        self._enter(tuple(mux.workspace.panes))

    # Which agents

    def _enter(self, panes: Iterable[PaneId]) -> None:
        """Take over the rules for panes as they are now."""
        for pane in panes:
            before, monitored = self._panes.get(pane), self._rules(pane)
            if monitored is None:
                self._forget(pane)
                continue
            if before is not None:
                monitored.gone_at, monitored.asked_at = before.gone_at, before.asked_at
                monitored.acting, monitored.user_typed_at = before.acting, before.user_typed_at
                monitored.progress_at = before.progress_at
                monitored.acted = monitored.acted if monitored.own else before.acted
            self._panes[pane] = monitored
            self._follow(pane)
            self._note_run(pane)
            self._schedule(pane)

    def _rules(self, pane: PaneId) -> MonitoredPane | None:
        """A pane with its own rules, or those for all agents if it has one that is in no team; None for neither."""
        record, now = self._mux.workspace.panes[pane], self._mux.clock()
        if (own := saved(record)) is not None:
            return loaded(own, now, time.time()) if own.rules.active else None
        agents, before = self._mux.agents, self._panes.get(pane)
        if not agents.rules.active or record.metadata.get(TEAM) or (pane not in agents.programs and before is None):
            return None
        return MonitoredPane(agents.rules, own=False, started=before.started if before is not None else now)

    def _forget(self, pane: PaneId) -> None:
        self._panes.pop(pane, None)
        self._stop(pane)
        self._mux.agents.runs.pop(pane, None)
        self._noted_at.pop(pane, None)

    def _stop(self, pane: PaneId) -> None:
        """Neither look at a pane's output nor wait for anything there."""
        if (timer := self._timers.pop(pane, None)) is not None:
            timer.cancel()
        if (loop := self._loops.pop(pane, None)) is not None:
            loop.stop()

    def _follow(self, pane: PaneId) -> None:
        """Look at what an agent prints, if that matters."""
        if (loop := self._loops.pop(pane, None)) is not None:
            loop.stop()
        monitored = self._panes[pane]
        if monitored.rules.looping and pane in self._mux.agents.programs:
            if monitored.progress_at == float("-inf"):
                monitored.progress_at = self._mux.clock()  # What it has shown before is not known.
            self._loops[pane] = LoopWatch(self._mux, pane, lambda: self._schedule(pane))

    # What happens

    def _on_found(self, pane: PaneId) -> None:
        if pane not in self._mux.workspace.panes:
            return
        if pane not in self._panes:
            self._enter((pane,))
        if (monitored := self._panes.get(pane)) is None:
            return
        if pane in self._mux.agents.programs:
            monitored.gone_at, monitored.asked_at = None, float("-inf")
            self._note_run(pane)
        elif not self._is_asked(pane, monitored):
            monitored.gone_at = self._mux.clock()
        self._follow(pane)
        self._schedule(pane)

    def _on_status(self, pane: PaneId, before: AgentStatus | None, after: AgentStatus | None) -> None:
        if (monitored := self._panes.get(pane)) is None:
            return
        was = observed(monitored, before, float("-inf"), paused=False)
        self._set_history(pane, monitored, worked(monitored.history, was, monitored.rules, self._mux.clock()))
        if (before and before.state) is not (after and after.state):
            if (loop := self._loops.get(pane)) is not None:
                loop.clear()
            self._note_run(pane)
        self._schedule(pane)

    def _on_event(self, pane: PaneId, event: PaneEvent) -> None:
        match event:
            case Ended():
                self._keep_open(pane)
            case CommandFinished(command) if not command.own and self._loops:
                owner = self._mux.owners.get(pane, "")
                for each, loop in self._loops.items():
                    if each == pane or str(each) == owner:
                        loop.add_command(command.line)
            case _:
                pass

    def _on_end_asked(self, pane: PaneId) -> None:
        if (monitored := self._panes.get(pane)) is not None:
            monitored.asked_at = self._mux.clock()
            if not monitored.acting:
                monitored.gone_at = None

    def _on_typed(self, pane: PaneId, author: Author, count: int) -> None:
        if author.kind.acts_for_user and (monitored := self._panes.get(pane)) is not None:
            monitored.user_typed_at = self._mux.clock()
            if monitored.acted:
                monitored.acted = 0
                self._save(pane, monitored)
                self._schedule(pane)

    def _on_lease(self) -> None:
        for pane in tuple(self._panes):
            self._schedule(pane)

    def _on_workspace(self, old: Workspace, new: Workspace) -> None:
        if old.panes is new.panes:
            return
        for pane in old.panes.keys() - new.panes.keys():
            self._forget(pane)
        if self._saving:
            return
        changed = (each for each in new.panes.values() if _rules_entry(old, each.id) is not each.metadata.get(KEY))
        self._enter([each.id for each in changed])

    def _is_asked(self, pane: PaneId, monitored: MonitoredPane) -> bool:
        """Whether the user or a command has asked the program to end."""
        typed_at = observe(self._mux, pane, monitored).typed_at
        return self._mux.clock() - max(typed_at, monitored.asked_at) < ASKED_SECONDS

    # Agents that may have to be started again

    def _note_run(self, pane: PaneId) -> None:
        """Remember how to start an agent again: once it is gone, its conversation cannot be found."""
        monitored, now = self._panes[pane], self._mux.clock()
        if Action.RESTART not in monitored.rules.gone or pane not in self._mux.agents.programs:
            return
        if now - self._noted_at.get(pane, float("-inf")) < RUN_SECONDS and pane in self._mux.agents.runs:
            return
        self._noted_at[pane] = now
        self._begin(self._find_run(pane))

    async def _find_run(self, pane: PaneId) -> None:
        terminal = self._mux.terminals[pane]
        group, cwd, own = terminal.foreground_group, self._mux.cwd(pane), terminal.foreground_group == terminal.pid
        argv = process.argv(group)
        again = await asyncio.to_thread(resume_argv, argv, group, cwd)
        if argv and pane in self._panes:
            self._mux.agents.runs[pane] = AgentRun(again or argv, own=own, resumes=bool(again))

    def _keep_open(self, pane: PaneId) -> None:
        """Keep the pane of an agent that has ended and may be started again."""
        monitored = self._panes.get(pane)
        if monitored is None or not monitored.rules.gone or self._is_asked(pane, monitored):
            return
        if monitored.gone_at is not None:
            self._mux.agents.kept_open.add(pane)

    # Acting

    def _schedule(self, pane: PaneId) -> None:
        """Look again when something may have to be done."""
        if (timer := self._timers.pop(pane, None)) is not None:
            timer.cancel()
        monitored = self._panes.get(pane)
        if monitored is None or monitored.acting or pane not in self._mux.workspace.panes:
            return
        self._review(pane, monitored)
        if (action := next_action(self._mux, pane, monitored)) is None:
            return
        seconds = max(0.0, max(action.at, monitored.not_before) - self._mux.clock())
        loop = asyncio.get_running_loop()
        self._timers[pane] = loop.call_later(seconds, self._look, pane, context=Context())

    def _review(self, pane: PaneId, monitored: MonitoredPane) -> None:
        """Take in what has changed by time alone."""
        if monitored.gone_at is not None and observe(self._mux, pane, monitored).typed_at > monitored.gone_at:
            monitored.gone_at = None  # The user has seen it.
        if (loop := self._loops.get(pane)) is not None:
            loop.review()

    def _look(self, pane: PaneId) -> None:
        """Act if it is time, else look again."""
        self._timers.pop(pane, None)
        monitored = self._panes.get(pane)
        if monitored is None or monitored.acting:
            return
        self._review(pane, monitored)
        action = next_action(self._mux, pane, monitored)
        if action is None or max(action.at, monitored.not_before) > self._mux.clock():
            self._schedule(pane)
            return
        monitored.acting = True
        self._begin(self._act(pane, monitored, action))

    async def _act(self, pane: PaneId, monitored: MonitoredPane, action: NextAction) -> None:
        if pane not in self._mux.workspace.panes:
            return  # It was closed meanwhile.
        try:
            error = await self._actions.perform(pane, monitored, action)
        finally:
            monitored.acting = False
            if (present := self._panes.get(pane)) is not None:
                present.acting = False
        if present is None:
            return
        if error is not None and "retry_after_ms" in error.data:
            pause = min(LONGEST_PAUSE, TYPING_SECONDS * 2.0**present.refused)
            present.not_before, present.refused = self._mux.clock() + pause, present.refused + 1
        elif present.rules == monitored.rules:
            present.refused = 0
            self._count(pane, present)
            self._set_history(pane, present, with_action(present.history, action.condition, self._mux.clock()))
        if action.action is Action.RESTART and pane not in self._mux.agents.programs and present.gone_at is None:
            present.gone_at = self._mux.clock()  # It was asked to end, but not to stay away.
        self._schedule(pane)

    def _count(self, pane: PaneId, monitored: MonitoredPane) -> None:
        """Count an action, and notify the user if it is the last one."""
        monitored.acted += 1
        if monitored.acted == monitored.rules.total:
            self._actions.notify_end(pane, monitored)

    def _set_history(self, pane: PaneId, monitored: MonitoredPane, history: History) -> None:
        """Keep how often was acted on each condition."""
        if history == monitored.history:
            return
        monitored.history = history
        self._save(pane, monitored)

    def _save(self, pane: PaneId, monitored: MonitoredPane) -> None:
        """Keep how often was acted with the pane, if the rules are its own."""
        record = self._mux.workspace.panes.get(pane)
        if not monitored.own or record is None:
            return
        self._saving = True
        try:
            kept = unloaded(monitored, self._mux.clock(), time.time())
            self._mux.assign(edit.update_pane(self._mux.workspace, with_rules(record, kept)))
        finally:
            self._saving = False

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine that no command's rights are passed to."""
        task = asyncio.get_running_loop().create_task(work, context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _rules_entry(workspace: Workspace, pane: PaneId) -> object:
    record = workspace.panes.get(pane)
    return record.metadata.get(KEY) if record is not None else None
