"""Starts the workspace in the terminal that it was called from: the first program first, everything heavy after it."""

import os
from pathlib import Path

from fugue_tui.config import Config
from fugue_tui.control.command import PERSON
from fugue_tui.control.commands import windows
from fugue_tui.geometry import Size
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.launch import Launcher
from fugue_tui.terminal.pump import Pump
from fugue_tui.tui.mailbox import Mailbox


def run(workspace: str, config: Config, *, socket: Path | None, command: tuple[str, ...] = (), engine: str = "") -> int:
    """Show a workspace until it is left; the exit status. Raises FugueError if it cannot start."""
    mailbox, pump = Mailbox(), Pump()
    pump.start()
    launcher = Launcher(pump, engine or config.terminal.engine, config.terminal.scrollback)
    mux = Multiplexer(workspace, spawner=launcher, post=mailbox.post, area=_area(config), socket=str(socket or ""))
    try:
        windows.CreateWindow(command=command).run(mux, PERSON)
        from fugue_tui.control.dispatch import Dispatcher
        from fugue_tui.control.keymap import keymap
        from fugue_tui.tui.app import FugueApp

        keys, faults = keymap(config.keys)
        app = FugueApp(mux, Dispatcher(mux), config, keys, mailbox)
        app.tell_at_start(faults)
        return app.run() or 0
    finally:
        mux.close()
        pump.stop()


def _area(config: Config) -> Size:
    """The cells that the panes will have."""
    try:
        cols, rows = os.get_terminal_size(0)
    except OSError:
        cols, rows = 80, 24
    status = int(config.ui.status and rows > 1)
    return Size(max(cols, 1), max(rows - status, 1))
