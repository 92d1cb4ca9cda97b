"""The texts of the status bar's parts: what the workspace knows, what is read now and then, and the user's commands.

Nothing is read while no terminal shows the bar: each reading is begun by a drawing, which the last has scheduled.
"""

import asyncio
import os
import socket
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

from fugue_tui.config.status import StatusCommand, StatusSettings
from fugue_tui.control.agents.git_branch import branch_of
from fugue_tui.control.core.deferred import spawn
from fugue_tui.control.output.pane_titles import agent_glyph
from fugue_tui.multiplexer.agents.state import AgentState
from fugue_tui.sanitize import clean
from fugue_tui.terminal.pty import run_program
from fugue_tui.tui.app_context import AppContext

WIDEST: Final = 40
"""Characters of a part."""
BRANCH_SECONDS: Final = 2.0
LOAD_SECONDS: Final = 5.0
_SHOWN: Final = (AgentState.BLOCKED, AgentState.ERROR, AgentState.DONE, AgentState.WORKING)


class StatusParts:
    """The parts that are not drawn from the workspace alone. Main thread only."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._read: dict[str, str] = {}
        """What was read last, by part."""
        self._due: dict[str, float] = {}
        """When a part is read again, on the monotonic clock."""
        self._reading = set[str]()
        self._commands: dict[str, StatusCommand] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._simple: dict[str, Callable[[], str]] = {
            "session": lambda: front.session if (front := app.mux.front) is not None else "",
            "title": self._title,
            "clock": lambda: time.strftime(self._settings.clock),
            "host": lambda: socket.gethostname().partition(".")[0],
            "load": lambda: f"{os.getloadavg()[0]:.2f}",
            "clients": self._clients,
            "agents": self._agents,
        }

    @property
    def _settings(self) -> StatusSettings:
        return self._app.settings.status

    def text(self, name: str) -> str:
        """The text of a part, cleaned; what has to be read is what was read last."""
        if name in self._simple:
            return clean(self._simple[name](), WIDEST)
        return clean(self._read.get(name, ""), WIDEST)

    def refresh(self) -> None:
        """Read what is due, and have the bar drawn again when the next part is; called when the bar is drawn."""
        now, shown = time.monotonic(), {*self._settings.left, *self._settings.right}
        self._drop_changed()
        for name in shown & {"branch", *self._settings.commands}:
            if name not in self._reading and self._due.get(name, 0.0) <= now:
                self._reading.add(name)
                spawn(self._read_part(name))
        waits = [self._due[name] - now for name in shown & self._due.keys() if name not in self._reading]
        waits += [60.0 - time.time() % 60.0 if "%S" not in self._settings.clock else 1.0] if "clock" in shown else []
        waits += [LOAD_SECONDS] if "load" in shown else []
        if waits and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(max(min(waits), 0.05), self._elapsed)

    def _elapsed(self) -> None:
        self._timer = None
        self._app.status_updates.request()

    def _drop_changed(self) -> None:
        """Forget what commands printed that were since changed."""
        commands = dict(self._settings.commands)
        if commands != self._commands:
            for name in self._commands.keys() | commands.keys():
                if self._commands.get(name) != commands.get(name):
                    self._read.pop(name, None)
                    self._due.pop(name, None)
            self._commands = commands

    async def _read_part(self, name: str) -> None:
        command = self._settings.commands.get(name)
        try:
            found = await (self._branch() if command is None else self._run(command))
        finally:
            self._reading.discard(name)
        if self._settings.commands.get(name) != command:
            return
        self._due[name] = time.monotonic() + (BRANCH_SECONDS if command is None else command.interval)
        if self._read.get(name) != found:
            self._read[name] = found
        self._app.status_updates.request()

    async def _branch(self) -> str:
        pane = self._app.mux.focused
        directory = self._app.mux.cwd(pane) if pane is not None else ""
        return await asyncio.to_thread(branch_of, directory) if directory else ""

    async def _run(self, command: StatusCommand) -> str:
        """The first line that a command prints; that it failed, if it did."""
        env = self._app.mux.client_environment.of_helpers()
        home = os.path.expanduser("~")
        try:
            found = await asyncio.to_thread(
                run_program.run, command.run, env=env, seconds=command.timeout, cwd=home if os.path.isdir(home) else "/"
            )
        except OSError as error:
            return f"{command.run[0]}: {error.strerror}"
        return f"{command.run[0]} failed" if found is None else next(iter(found.strip().splitlines()), "")

    def _title(self) -> str:
        mux, pane = self._app.mux, self._app.mux.focused
        return (mux.workspace.panes[pane].name or mux.terminals[pane].title) if pane is not None else ""

    def _clients(self) -> str:
        attached = len(self._app.clients.all())
        return f"{attached} attached" if attached > 1 else ""

    def _agents(self) -> str:
        ascii_only = self._app.mux.line_style() == "ascii"
        states = Counter(status.state for status in self._app.mux.agents.statuses.values())
        return " ".join(f"{agent_glyph(each, ascii_only=ascii_only)}{states[each]}" for each in _SHOWN if states[each])
