"""Starts a workspace: the first program first, everything heavy after it.

It is shown on the terminal that it was called from, or serves terminals that attach.

Has a workspace saved, where this user's things are saved. Imports what that needs, so it is loaded late.
"""

import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fugue_tui import private_log
from fugue_tui.attach_protocol import OUTPUT, Bye, Hello, frame
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.config.model import Config
from fugue_tui.control.commands import windows
from fugue_tui.control.core.command import USER, Origin
from fugue_tui.errors import FugueError
from fugue_tui.geometry import Size
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.sanitize import clean_text
from fugue_tui.store.paths import ran_before
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.tui.clients.handshake import Handshake
from fugue_tui.tui.main_thread_queue import MainThreadQueue
from fugue_tui.tui.startup_painter import StartupPainter
from fugue_tui.tui.vt_output.color_depth import Depth, depth_of
from fugue_tui.workspace.model import OnExit

if TYPE_CHECKING:
    from fugue_tui.tui.app import FugueApp
    from fugue_tui.tui.ui.restore_prompt import RestorePrompt
    from fugue_tui_mcp.listener import Listener
    from fugue_tui_mcp.socket_server import SocketServer
from fugue_tui.config.model import SessionSettings
from fugue_tui.multiplexer.autosave.saver import Saver
from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
from fugue_tui.store.store import Store, state_dir


def keep(mux: Multiplexer, settings: SessionSettings, inform: Callable[[str], None]) -> Saver:
    """Give a workspace what saves it, which has not begun yet; what goes wrong with that is told by `inform`."""
    mux.saver = saver = Saver(mux, SnapshotWriter(Store(state_dir()), settings, _resume), settings)
    saver.on_message.connect(inform)
    return saver


def _resume(argv: tuple[str, ...], pid: int, cwd: str) -> tuple[str, ...]:
    from fugue_tui.control.restore.agent_resume import (
        resume_argv,  # It takes 10 ms to load, which the saver's thread has.
    )

    return resume_argv(argv, pid, cwd)


_SWITCH_SECONDS: Final = 0.0002
"""How long a busy thread keeps the interpreter from the pump, which brings echoes."""
_UNSEEN: Final = Size(80, 24)
"""The size of a workspace before any terminal was attached."""


@dataclass(slots=True)
class _Start:
    """What a workspace starts with."""

    workspace: str
    config: Config
    listener: "Listener | None"
    config_file: Path | None
    faults: Sequence[str]
    host: HostTerminal | None
    """The terminal of the program itself; None for a server."""
    first: Handshake | None
    """The client that comes with a server."""
    mailbox: MainThreadQueue = field(default_factory=MainThreadQueue)
    pump: IOLoop = field(default_factory=IOLoop)
    app: "FugueApp | None" = None
    """What shows it, from the moment on when it is loaded."""
    home: "RestorePrompt | None" = None
    """What was saved of the workspace and may come back."""
    asks: bool = False
    """Whether the person is asked for that."""
    bye: Bye = field(default_factory=lambda: Bye("error", "a bug in fugue-tui; its log has the details", 1))
    """What the first client is told if nothing could be shown."""

    @property
    def size(self) -> Size:
        """The size to begin with."""
        if self.host is not None:
            return self.host.size
        hello = self.first.hello if self.first is not None else None
        return _UNSEEN if hello is None else Size(max(hello.cols, 1), max(hello.rows, 1))


def run(
    workspace: str,
    config: Config,
    *,
    listener: "Listener | None" = None,
    foreground: bool = True,
    first: tuple[socket.socket, Hello] | None = None,
    config_file: Path | None = None,
    faults: Sequence[str] = (),
    command: tuple[str, ...] | str = (),
    opening: Callable[[Multiplexer, Origin], object] | None = None,
    engine: str = "",
) -> int:
    """Run a workspace until it is left; the exit status. Raises FugueError if it cannot start.

    In the foreground it is shown on stdin's terminal; otherwise it serves, `first` being the client that it starts
    with. `listener` is where further clients, agents and the command line come in; `config_file` is followed.
    `opening` opens the first panes; without it one does, with `command`.
    """
    logging.getLogger().addHandler(logging.NullHandler())
    host = HostTerminal(config.ui.mouse, f"fugue-tui {workspace}") if foreground else None
    arrival = Handshake(*first) if first is not None else None
    start = _Start(workspace, config, listener, config_file, faults, host, arrival)
    launcher = _launcher(start, engine)
    mux = _multiplexer(start, launcher)
    try:
        _open(mux, start, command, opening)
        return _show(mux, launcher, start)
    except FugueError as error:
        start.bye = Bye("error", clean_text(str(error)), 1)
        raise
    except SystemExit as error:
        start.bye = Bye("ended", "", error.code if isinstance(error.code, int) else 1)
        raise
    finally:
        mux.close()
        start.pump.stop()
        _part(start)


def _launcher(start: _Start, engine: str) -> Launcher:
    """What starts programs, with the pump that reads what they print at work."""
    start.pump.start()
    sys.setswitchinterval(_SWITCH_SECONDS)
    launcher = Launcher(start.pump)
    launcher.configure(start.config.terminal, engine)
    return launcher


def _multiplexer(start: _Start, launcher: Launcher) -> Multiplexer:
    """An empty workspace that does as the configuration says."""
    config, listener = start.config, start.listener
    told, area = str(listener.path) if listener is not None else "", _area(start.size, config)
    mux = Multiplexer(start.workspace, spawner=launcher, post=start.mailbox.post, area=area, socket=told)
    mux.on_exit = OnExit(config.terminal.on_exit)
    mux.secrets, mux.rerun = config.session.secrets, config.session.rerun
    if listener is not None:
        mux.move = partial(_move, listener)
    return mux


def _move(listener: "Listener", name: str) -> None:
    """Have a workspace be found under another name, and its log with it. Raises SocketError."""
    listener.rename(name)
    private_log.move(listener.log)


def _open(
    mux: Multiplexer,
    start: _Start,
    command: tuple[str, ...] | str,
    opening: Callable[[Multiplexer, Origin], object] | None,
) -> None:
    """Have the first panes: those of the last time if that is always wanted, else fresh ones."""
    start.home, wanted = _home(mux, start), command or opening is not None
    home, always = start.home, start.config.session.restore == "always"
    if home is not None and not home.ended and always and not wanted:
        home.at_once()
        return
    (opening or windows.CreateWindow(command=command).run)(mux, USER)
    start.asks = not wanted and home is not None and not home.ended


def _show(mux: Multiplexer, launcher: Launcher, start: _Start) -> int:
    curtain = _curtain(mux, start)
    if curtain is not None and len(mux.terminals) == 1:  # One of several would show where it is not.
        start.mailbox.on_early = curtain.news
        curtain.drop()
    doors: SocketServer | None = None
    app: FugueApp | None = None
    status: int | None = None
    try:
        app = start.app = _app(mux, launcher, start, curtain)
        app.config_applier.follow(start.config_file, start.faults)
        _keep(app)
        if start.listener is not None:
            doors = _doors(app, start.listener)
        _greet(app, start)
        size = start.size
        status = app.run(mouse=start.config.ui.mouse, size=(size.cols, size.rows))
        return status or app.return_code or 0
    finally:
        # Every pane is still open here, and every attached terminal still shows the last of them.
        if curtain is not None:
            curtain.lift()
        if app is not None:
            app.dispatcher.leave()
        if mux.saver is not None:
            mux.saver.finish(ended=status == 0)
        if doors is not None:
            doors.stop()


def _curtain(mux: Multiplexer, start: _Start) -> StartupPainter | None:
    """What shows the first pane until the app is loaded; None if nobody looks, or could not see it as it is."""
    terminal, cols = next(iter(mux.terminals.values())), start.size.cols
    if start.host is not None:
        os.write(start.host.output_fd, start.host.enter())
        if depth_of(os.environ.get("TERM", ""), os.environ.get("COLORTERM", "")) is not Depth.TRUE:
            return None
        return StartupPainter(start.host.output_fd, terminal, cols, bytes)
    arrival = start.first
    if arrival is None or not arrival.let_in(start.workspace, start.config.ui.mouse):
        return None
    arrival.connected.setblocking(False)
    if depth_of(arrival.hello.term, arrival.hello.colorterm) is not Depth.TRUE:
        return None
    return StartupPainter(arrival.connected.fileno(), terminal, cols, lambda data: frame(OUTPUT, data))


def _app(mux: Multiplexer, launcher: Launcher, start: _Start, curtain: StartupPainter | None) -> "FugueApp":
    import_module("fugue_tui.control.command_table")  # declares every command
    from fugue_tui.control.dispatch.dispatcher import Dispatcher
    from fugue_tui.tui.app import FugueApp
    from fugue_tui.tui.config_reload import policy_of

    def lift() -> None:
        if curtain is not None:
            curtain.lift()
            if start.first is not None:
                start.first.unsent = curtain.unsent

    dispatcher = Dispatcher(mux, policy_of(start.config))
    return FugueApp(
        mux,
        dispatcher,
        start.config,
        start.mailbox,
        start.host,
        first=start.first,
        stop_painter=lift,
        launcher=launcher,
    )


def _home(mux: Multiplexer, start: _Start) -> "RestorePrompt | None":
    """What was saved of this workspace and may come back; None if there is nothing."""
    if start.config.session.restore == "never" or not ran_before(start.workspace):
        return None
    from fugue_tui.tui.ui.restore_prompt import found

    try:
        return found(mux)
    except FugueError as error:
        start.faults = (*start.faults, f"the last workspace cannot come back: {clean_text(str(error))}")
        return None


def _greet(app: "FugueApp", start: _Start) -> None:
    """Have what was saved come back, be offered, or be put aside, now that there is an app."""
    home, shown = start.home, app.on_shown
    if home is None:
        return

    def asking() -> None:
        shown()
        home.ask()

    home.meet(app)
    if start.asks:
        app.on_shown = asking
    elif home.ended or app.mux.before is not None:
        home.put_aside()


def _keep(app: "FugueApp") -> None:
    """Have the workspace saved, once the screen is there."""
    from fugue_tui.tui.server_main import keep

    keep(app.mux, app.settings.session, app.inform)


def _doors(app: "FugueApp", listener: "Listener") -> "SocketServer":
    """Let clients, agents and the command line in, once the screen is there."""
    from fugue_tui.control.dispatch.thread_gateway import ThreadGateway
    from fugue_tui_mcp.socket_server import SocketServer

    def attach(connected: socket.socket, hello: Hello, pids: tuple[int, ...], early: bytes) -> None:
        app.main_queue.post(lambda: app.clients.admit(Handshake(connected, hello, pids, early)))

    gate, agents = ThreadGateway(app.dispatcher, app.main_queue.post), app.settings.mcp.enabled
    doors = SocketServer(listener, gate, attach=attach, agents=agents, settings=lambda: app.settings.mcp)
    app.on_shown = doors.start
    return doors


def _part(start: _Start) -> None:
    """Give every terminal back, now that the programs have ended and the name is free."""
    viewers = start.app.viewers if start.app is not None else None
    if start.app is not None and viewers is not None and viewers.all():
        viewers.part_all(start.app.clients.bye if start.app.isolates_errors else start.bye)
    elif start.first is not None:
        start.first.end(start.bye)
    if start.host is not None and start.host.entered:
        os.write(start.host.output_fd, start.host.leave())
        start.host.restore()


def _area(size: Size, config: Config) -> Size:
    """The cells that the panes will have."""
    status = int(config.ui.status and size.rows > 1)
    return Size(size.cols, max(size.rows - status, 1))
