"""Runs the hooks of the configuration for the user. Main thread only."""

import asyncio
from collections import deque
from typing import Any, Final

from fugue_tui.control import hooks
from fugue_tui.control.core.command import Command, Interface, Origin
from fugue_tui.errors import FugueError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.log import LogEntry
from fugue_tui.tui.app_context import ServerContext

RUNS: Final = 20
"""How often a hook may run in PERIOD_SECONDS; further events are left out."""
PERIOD_SECONDS: Final = 10.0


class Hooks:
    """Follows events. What a hook itself causes, and panes that it opens, run no hook."""

    def __init__(self, app: ServerContext) -> None:
        self._app = app
        self._runs: dict[str, deque[float]] = {}
        self._running = False
        self._opened: set[PaneId] = set()
        """Panes that hooks have opened."""

    def start(self) -> None:
        """Begin to follow events."""
        self._app.mux.event_log.on_entry.connect(self._logged)

    def _logged(self, entry: LogEntry) -> None:
        on = self._app.settings.hooks.on
        if not on or self._running or entry.pane in self._opened:
            return
        for name in hooks.names(entry):
            if (line := on.get(name)) and self._may_run(name):
                asyncio.get_running_loop().call_soon(self._run, name, line, entry)

    def _may_run(self, name: str) -> bool:
        """Whether a hook has not run too often."""
        now, runs = self._app.mux.clock(), self._runs.setdefault(name, deque(maxlen=RUNS + 1))
        while runs and runs[0] < now - PERIOD_SECONDS:
            runs.popleft()
        if len(runs) > RUNS:
            return False
        runs.append(now)
        if len(runs) > RUNS:
            self._app.alert(f"hook {name}: more than {RUNS} events in {PERIOD_SECONDS:.0f} seconds; some are left out")
            return False
        return True

    def _run(self, name: str, line: str | tuple[str, ...], entry: LogEntry) -> None:
        try:
            commands = hooks.commands(line, entry)
        except FugueError as error:
            self._app.warn(f"hook {name}: {error}")
            return
        pane = entry.pane if entry.pane in self._app.mux.workspace.panes else None
        self._run_all(name, commands, Origin(Interface.KEY, pane))

    def _run_all(self, name: str, commands: list[Command[Any]], origin: Origin) -> None:
        """Run commands in order until one fails."""
        if not commands:
            return
        before, panes = self._running, set(self._app.mux.workspace.panes)
        self._running = True
        try:
            self._app.commands.run(
                commands[0],
                origin,
                then=lambda _: self._run_all(name, commands[1:], origin),
                failed=lambda words: self._app.alert(f"hook {name}: {words}"),
            )
        finally:
            self._running = before
            self._opened = (self._opened | (set(self._app.mux.workspace.panes) - panes)) & set(
                self._app.mux.workspace.panes
            )
