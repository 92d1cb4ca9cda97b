"""Starts the workspace in the terminal that it was called from: the first program first, everything heavy after it."""

import logging
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fugue_tui.config import Config
from fugue_tui.control import windows
from fugue_tui.control.command import PERSON, Origin
from fugue_tui.geometry import Size
from fugue_tui.host_terminal import HostTerminal
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.launch import Launcher
from fugue_tui.terminal.pump import Pump
from fugue_tui.tui.curtain import Curtain
from fugue_tui.tui.mailbox import Mailbox
from fugue_tui.workspace.model import OnExit

if TYPE_CHECKING:
    from fugue_tui.tui.app import FugueApp
    from fugue_tui_mcp.listener import Listener
    from fugue_tui_mcp.transport import Doors

_SWITCH_SECONDS: Final = 0.0002
"""How long a busy thread keeps the interpreter from the pump, which brings echoes."""


def run(
    workspace: str,
    config: Config,
    *,
    listener: "Listener | None" = None,
    config_file: Path | None = None,
    faults: Sequence[str] = (),
    command: tuple[str, ...] | str = (),
    opening: Callable[[Multiplexer, Origin], object] | None = None,
    engine: str = "",
) -> int:
    """Show a workspace until it is left; the exit status. Raises FugueError if it cannot start.

    `listener` is where agents and the command line come in; `config_file` is followed while the workspace runs.
    `opening` opens the first panes; without it one does, with `command`.
    """
    logging.getLogger().addHandler(logging.NullHandler())
    mailbox, pump, host = Mailbox(), Pump(), HostTerminal(config.ui.mouse, f"fugue-tui {workspace}")
    pump.start()
    sys.setswitchinterval(_SWITCH_SECONDS)
    launcher = Launcher(pump)
    launcher.equip(config.terminal, engine)
    socket = str(listener.path) if listener is not None else ""
    mux = Multiplexer(workspace, spawner=launcher, post=mailbox.post, area=_area(host.size, config), socket=socket)
    mux.on_exit = OnExit(config.terminal.on_exit)
    mux.secrets = config.session.secrets
    try:
        (opening or windows.CreateWindow(command=command).run)(mux, PERSON)
        return _show(mux, launcher, config, mailbox, host, listener, config_file, faults)
    finally:
        mux.close()
        pump.stop()
        if host.entered:
            os.write(host.output_fd, host.leave())
            host.restore()


def _show(
    mux: Multiplexer,
    launcher: Launcher,
    config: Config,
    mailbox: Mailbox,
    host: HostTerminal,
    listener: "Listener | None",
    config_file: Path | None,
    faults: Sequence[str],
) -> int:
    curtain = Curtain(host, next(iter(mux.terminals.values())))
    mailbox.on_early = curtain.news
    os.write(host.output_fd, host.enter())
    curtain.drop()
    doors: Doors | None = None
    try:
        app = _app(mux, launcher, config, mailbox, host, curtain)
        app.outfit.follow(config_file, faults)
        if listener is not None:
            doors = _doors(app, listener)
        return app.run(mouse=config.ui.mouse) or app.return_code or 0
    finally:
        curtain.lift()
        if doors is not None:
            doors.stop()


def _app(
    mux: Multiplexer, launcher: Launcher, config: Config, mailbox: Mailbox, host: HostTerminal, curtain: Curtain
) -> "FugueApp":
    import_module("fugue_tui.control.commands")  # declares every command
    from fugue_tui.control.dispatch import Dispatcher
    from fugue_tui.tui.app import FugueApp
    from fugue_tui.tui.outfit import policy_of

    return FugueApp(
        mux, Dispatcher(mux, policy_of(config)), config, mailbox, host, lift=curtain.lift, launcher=launcher
    )


def _doors(app: "FugueApp", listener: "Listener") -> "Doors":
    """Let agents and the command line in, once the screen is there."""
    from fugue_tui.control.gate import Gate
    from fugue_tui_mcp.transport import Doors

    doors = Doors(listener, Gate(app.dispatcher, app.mailbox.post))
    app.when_shown = doors.start
    return doors


def _area(size: Size, config: Config) -> Size:
    """The cells that the panes will have."""
    status = int(config.ui.status and size.rows > 1)
    return Size(size.cols, max(size.rows - status, 1))
