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
from fugue_tui.tui.curtain import Curtain
from fugue_tui.tui.host_terminal import HostTerminal
from fugue_tui.tui.mailbox import Mailbox


def run(workspace: str, config: Config, *, socket: Path | None, command: tuple[str, ...] = (), engine: str = "") -> int:
    """Show a workspace until it is left; the exit status. Raises FugueError if it cannot start."""
    mailbox, pump, host = Mailbox(), Pump(), HostTerminal(config.ui.mouse)
    pump.start()
    launcher = Launcher(pump, engine or config.terminal.engine, config.terminal.scrollback)
    area = _area(host.size, config)
    mux = Multiplexer(workspace, spawner=launcher, post=mailbox.post, area=area, socket=str(socket or ""))
    try:
        windows.CreateWindow(command=command).run(mux, PERSON)
        return _show(mux, config, mailbox, host)
    finally:
        mux.close()
        pump.stop()
        if host.entered:
            os.write(host.output_fd, host.leave())
            host.restore()


def _show(mux: Multiplexer, config: Config, mailbox: Mailbox, host: HostTerminal) -> int:
    curtain = Curtain(host, next(iter(mux.terminals.values())))
    mailbox.on_early = curtain.news
    os.write(host.output_fd, host.enter())
    curtain.drop()
    try:
        from fugue_tui.control.dispatch import Dispatcher
        from fugue_tui.control.keymap import keymap
        from fugue_tui.tui.app import FugueApp

        keys, faults = keymap(config.keys)
        app = FugueApp(mux, Dispatcher(mux), config, keys, mailbox, host, curtain.lift)
        app.tell_at_start(faults)
        return app.run(mouse=config.ui.mouse) or 0
    finally:
        curtain.lift()


def _area(size: Size, config: Config) -> Size:
    """The cells that the panes will have."""
    status = int(config.ui.status and size.rows > 1)
    return Size(size.cols, max(size.rows - status, 1))
