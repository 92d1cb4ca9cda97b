"""Starts a workspace in the foreground or as a server: the first program first, slow imports after it."""

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
from fugue_tui.attach_server.handshake import Handshake
from fugue_tui.attach_server.output.color_depth import Depth, depth_of
from fugue_tui.attach_server.output.startup_painter import StartupPainter
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.config.model import Config, SessionSettings
from fugue_tui.control.commands import windows
from fugue_tui.control.core.command import USER, Origin
from fugue_tui.errors import FugueError
from fugue_tui.geometry import Size
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.autosave.saver import Saver
from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.sanitize import clean_text
from fugue_tui.store.paths import ran_before
from fugue_tui.store.store import Store, state_dir
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.tui.main_thread_queue import MainThreadQueue
from fugue_tui.workspace.model import OnExit

if TYPE_CHECKING:
    from fugue_tui.tui.app import FugueApp
    from fugue_tui.tui.ui.restore_prompt import RestorePrompt
    from fugue_tui_mcp.listener import Listener
    from fugue_tui_mcp.socket_server import SocketServer


def keep(mux: Multiplexer, settings: SessionSettings, inform: Callable[[str], None]) -> Saver:
    """Create the saver of a workspace, which is not started yet; `inform` gets its errors."""
    mux.saver = saver = Saver(mux, SnapshotWriter(Store(state_dir()), settings, _resume), settings)
    saver.on_message.connect(inform)
    return saver


def _resume(argv: tuple[str, ...], pid: int, cwd: str) -> tuple[str, ...]:
    from fugue_tui.control.restore.agent_resume import resume_argv  # takes 10 ms, here on the saver's thread

    return resume_argv(argv, pid, cwd)


_SWITCH_SECONDS: Final = 0.0002
"""How long a busy thread may keep the interpreter from the I/O loop, which reads echoes."""
_UNSEEN: Final = Size(80, 24)
"""The size of a workspace before any client has attached."""


@dataclass(slots=True)
class _Start:
    """The arguments and the parts of a workspace that starts."""

    workspace: str
    config: Config
    listener: "Listener | None"
    config_file: Path | None
    faults: Sequence[str]
    host: HostTerminal | None
    """The terminal that the program was started in; None for a server."""
    first: Handshake | None
    """The client that a server starts with."""
    main_queue: MainThreadQueue = field(default_factory=MainThreadQueue)
    io_loop: IOLoop = field(default_factory=IOLoop)
    app: "FugueApp | None" = None
    """None before it is loaded."""
    prompt: "RestorePrompt | None" = None
    """The saved workspace that may be restored."""
    offers_restore: bool = False
    """Whether the user is asked to restore it."""
    bye: Bye = field(default_factory=lambda: Bye("error", "a bug in fugue-tui; its log has the details", 1))
    """Sent to the first client if the app cannot start."""

    @property
    def size(self) -> Size:
        """The initial size."""
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
        start.io_loop.stop()
        _part(start)


def _launcher(start: _Start, engine: str) -> Launcher:
    """The launcher of programs, with a running I/O loop."""
    start.io_loop.start()
    sys.setswitchinterval(_SWITCH_SECONDS)
    launcher = Launcher(start.io_loop)
    launcher.configure(start.config.terminal, engine)
    return launcher


def _multiplexer(start: _Start, launcher: Launcher) -> Multiplexer:
    """An empty workspace with this configuration."""
    config, listener = start.config, start.listener
    socket_path, area = str(listener.path) if listener is not None else "", _area(start.size, config)
    mux = Multiplexer(start.workspace, spawner=launcher, post=start.main_queue.post, area=area, socket=socket_path)
    mux.on_exit = OnExit(config.terminal.on_exit)
    mux.secrets, mux.rerun = config.session.secrets, config.session.rerun
    if listener is not None:
        mux.move = partial(_move, listener)
    return mux


def _move(listener: "Listener", name: str) -> None:
    """Rename the socket of a workspace and its log. Raises SocketError."""
    listener.rename(name)
    private_log.move(listener.log)


def _open(
    mux: Multiplexer,
    start: _Start,
    command: tuple[str, ...] | str,
    opening: Callable[[Multiplexer, Origin], object] | None,
) -> None:
    """Open the first panes: the saved ones if they are always restored, else new ones."""
    start.prompt, wanted = _restore_prompt(mux, start), command or opening is not None
    prompt, always = start.prompt, start.config.session.restore == "always"
    if prompt is not None and not prompt.ended and always and not wanted:
        prompt.at_once()
        return
    (opening or windows.CreateWindow(command=command).run)(mux, USER)
    start.offers_restore = not wanted and prompt is not None and not prompt.ended


def _show(mux: Multiplexer, launcher: Launcher, start: _Start) -> int:
    painter = _painter(mux, start)
    if painter is not None and len(mux.terminals) == 1:  # One of several panes has another position.
        start.main_queue.on_early = painter.wake
        painter.start()
    server: SocketServer | None = None
    app: FugueApp | None = None
    status: int | None = None
    try:
        app = start.app = _app(mux, launcher, start, painter)
        app.config_applier.follow(start.config_file, start.faults)
        keep(app.mux, app.settings.session, app.inform)
        if start.listener is not None:
            server = _server(app, start.listener)
        _offer_restore(app, start)
        size = start.size
        status = app.run(mouse=start.config.ui.mouse, size=(size.cols, size.rows))
        return status or app.return_code or 0
    finally:
        # Every pane is still open here, and every attached terminal still shows the last of them.
        if painter is not None:
            painter.stop()
        if app is not None:
            app.dispatcher.leave()
        if mux.saver is not None:
            mux.saver.finish(ended=status == 0)
        if server is not None:
            server.stop()


def _painter(mux: Multiplexer, start: _Start) -> StartupPainter | None:
    """Paints the first pane until the app is loaded; None without a client that shows all colours."""
    terminal, cols = next(iter(mux.terminals.values())), start.size.cols
    if start.host is not None:
        os.write(start.host.output_fd, start.host.enter())
        if depth_of(os.environ.get("TERM", ""), os.environ.get("COLORTERM", "")) is not Depth.TRUE:
            return None
        return StartupPainter(start.host.output_fd, terminal, cols, bytes)
    arrival = start.first
    if arrival is None or not arrival.accept(start.workspace, start.config.ui.mouse):
        return None
    arrival.socket.setblocking(False)
    if depth_of(arrival.hello.term, arrival.hello.colorterm) is not Depth.TRUE:
        return None
    return StartupPainter(arrival.socket.fileno(), terminal, cols, lambda data: frame(OUTPUT, data))


def _app(mux: Multiplexer, launcher: Launcher, start: _Start, painter: StartupPainter | None) -> "FugueApp":
    import_module("fugue_tui.control.command_table")  # declares every command
    from fugue_tui.control.dispatch.dispatcher import Dispatcher
    from fugue_tui.tui.app import FugueApp
    from fugue_tui.tui.config_reload import policy_of

    def stop_painter() -> None:
        if painter is not None:
            painter.stop()
            if start.first is not None:
                start.first.unsent = painter.unsent

    if start.first is not None:
        start.first.pids = _peer_processes(start.first.socket)
    dispatcher = Dispatcher(mux, policy_of(start.config))
    return FugueApp(
        mux,
        dispatcher,
        start.config,
        start.main_queue,
        start.host,
        first=start.first,
        stop_painter=stop_painter,
        launcher=launcher,
    )


def _peer_processes(connected: socket.socket) -> tuple[int, ...]:
    """A client's process and its ancestors, nearest first; empty if unknown."""
    from fugue_tui_mcp.peer_credentials import ancestors, peer_of

    try:
        return ancestors(peer_of(connected).pid)
    except OSError:
        return ()


def _restore_prompt(mux: Multiplexer, start: _Start) -> "RestorePrompt | None":
    """The prompt to restore this workspace; None if nothing is saved."""
    if start.config.session.restore == "never" or not ran_before(start.workspace):
        return None
    from fugue_tui.tui.ui.restore_prompt import found

    try:
        return found(mux)
    except FugueError as error:
        start.faults = (*start.faults, f"the last workspace cannot come back: {clean_text(str(error))}")
        return None


def _offer_restore(app: "FugueApp", start: _Start) -> None:
    """Restore the saved workspace, offer it or put it aside."""
    prompt, shown = start.prompt, app.on_shown
    if prompt is None:
        return

    def asking() -> None:
        shown()
        prompt.ask()

    prompt.meet(app)
    if start.offers_restore:
        app.on_shown = asking
    elif prompt.ended or app.mux.before is not None:
        prompt.put_aside()


def _server(app: "FugueApp", listener: "Listener") -> "SocketServer":
    """The server for clients, agents and the command line, which starts when the screen is shown."""
    from fugue_tui.control.dispatch.thread_gateway import ThreadGateway
    from fugue_tui_mcp.socket_server import SocketServer

    def attach(connected: socket.socket, hello: Hello, pids: tuple[int, ...], early: bytes) -> None:
        app.main_queue.post(lambda: app.server.attach(Handshake(connected, hello, pids, early)))

    gate, agents = ThreadGateway(app.dispatcher, app.main_queue.post), app.settings.mcp.enabled
    server = SocketServer(listener, gate, attach=attach, agents=agents, settings=lambda: app.settings.mcp)
    app.on_shown = server.start
    return server


def _part(start: _Start) -> None:
    """Detach every client and restore the terminal, after the programs have exited and the socket is free."""
    if start.app is not None and start.app.clients.all():
        start.app.clients.finish(start.app.server.bye if start.app.isolates_errors else start.bye)
    elif start.first is not None:
        start.first.end(start.bye)
    if start.host is not None and start.host.entered:
        os.write(start.host.output_fd, start.host.leave())
        start.host.restore()


def _area(size: Size, config: Config) -> Size:
    """The size of the area of the panes."""
    status = int(config.ui.status and size.rows > 1)
    return Size(size.cols, max(size.rows - status, 1))
