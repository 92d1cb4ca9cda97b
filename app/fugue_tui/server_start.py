"""Starts a workspace: loads its configuration, claims its name and socket, opens its log, and runs its server or its
UI.

The server is forked first, before there are threads. The parent becomes its first client and receives any start-up
error; it stays small, as all expensive imports are the server's.
"""

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress

from fugue_tui import daemonize, sockets
from fugue_tui.attach_protocol import BYE, RUNNING, Bye, Hello, frame
from fugue_tui.cli.attach_client import here, join, unreachable
from fugue_tui.client.attach import attach, started
from fugue_tui.errors import AlreadyRunning, ConfigError, FugueError, NotRunning, SocketError
from fugue_tui.records import Record, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

    from fugue_tui.config.model import Config, ConfigResult
    from fugue_tui.control.core.command import Origin
    from fugue_tui.multiplexer import Multiplexer
    from fugue_tui.store.name_lock import NameLock
    from fugue_tui_mcp.listener import Listener

MOST = 99
"""Most workspaces without a name: `main`, `main-2` and so on."""
ENDINGS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end the program."""
PATIENCE = 5.0
"""Seconds after a signal during which further signals are ignored."""
CLAIM_SECONDS = 10.0
"""How long to wait for a workspace that runs but rejects clients: it was just started, or is about to end."""
START_SECONDS = 30.0
"""How long to wait for a server that is started without a client."""
RETRY_SECONDS = 0.02
GONE_SECONDS = 0.2
"""The same for one whose socket is gone, which it makes again within seconds."""


@record(frozen=True, slots=True)
class StartOptions(Record):
    """The options of the command line; empty means not given."""

    workspace: str = ""
    socket: str = ""
    config: str = ""
    command: tuple[str, ...] | str = ()
    """What the first pane runs: a program and its arguments, or a line for the shell."""
    opening: "Callable[[Multiplexer, Origin], object] | None" = None
    """Opens the first panes of a new workspace instead of `command`; not called for a running one."""
    engine: str = ""
    prefix: str = ""
    """A prefix key for this terminal alone."""


def start(options: StartOptions) -> int:
    """Start a workspace's server and attach to it, or attach to the running one; the exit status. Raises FugueError."""
    hello = here(prefix=options.prefix)
    until = time.monotonic() + CLAIM_SECONDS
    while True:
        try:
            return _launch(options, hello)
        except AlreadyRunning as error:
            path = error.path
            wanted = options.workspace or (sockets.DEFAULT if path == sockets.path_of(sockets.DEFAULT) else "")
            try:
                return join(path, hello, wanted, options.command)
            except NotRunning:
                if time.monotonic() > until:
                    raise unreachable(wanted) or error from None
            time.sleep(RETRY_SECONDS if os.path.lexists(path) else GONE_SECONDS)


def start_detached(options: StartOptions) -> int:
    """Start a workspace's server in the background with no client attached; the exit status once it answers or has
    failed. Raises AlreadyRunning or SocketError."""
    ours, theirs = socket.socketpair()
    if daemonize.split({theirs.fileno()}):
        ours.detach()
        os._exit(_be_server(options, theirs))
    theirs.close()
    ours.settimeout(START_SECONDS)
    return started(ours, options.workspace or sockets.DEFAULT)


def show(options: StartOptions) -> int:
    """Run a workspace without a server on this terminal until it ends; the exit status. Raises FugueError if it
    cannot start."""
    here()
    file, reading = _configuration(options)
    workspace, listener, lock = claim_for_show(options, reading.config)
    try:
        with ended_by_signals():
            status = _run(options, workspace, listener, file, reading, foreground=True, lock=lock)
    except SystemExit as ended:
        status = _status(ended)
    finally:
        if listener is not None:
            listener.close()
        if lock is not None:
            lock.release()
    return exit_despite_threads(status)


def serve(options: StartOptions) -> int:
    """Run a workspace's server with no client attached; the exit status, 0 also if a signal ended it."""
    file, reading = _configuration(options)
    workspace, listener = claim(options, reading.config)
    daemonize.call("fugue: server")
    if "NOTIFY_SOCKET" in os.environ:
        _once_it_answers(listener.path, lambda: daemonize.notify("READY=1"))
    try:
        with ended_by_signals((*ENDINGS, signal.SIGINT)):
            status = _run(options, workspace, listener, file, reading)
    except SystemExit as ended:
        status = _status(ended)
    finally:
        daemonize.notify("STOPPING=1")
        listener.close()
    return exit_despite_threads(0 if status in (128 + signal.SIGTERM, 128 + signal.SIGINT) else status)


def exit_despite_threads(status: int) -> int:
    """The exit status; ends the program here if a job still runs in a thread, as on a disk that hangs: Python would
    wait for it."""
    import threading

    if any(not thread.daemon and thread is not threading.current_thread() for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status


def _status(ended: SystemExit) -> int:
    return ended.code if isinstance(ended.code, int) else 1


@contextmanager
def ended_by_signals(endings: Sequence[signal.Signals] = ENDINGS) -> Generator[None]:
    """Within this context SIGTERM and SIGHUP raise SystemExit, so that the terminal and the panes are cleaned up.

    A second signal within a few seconds is ignored; a later one raises again.
    """
    asked = -PATIENCE

    def leave(number: int, frame: "FrameType | None") -> None:
        nonlocal asked
        if time.monotonic() >= asked + PATIENCE:
            asked = time.monotonic()
            raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in endings}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def claim(options: StartOptions, settings: "Config") -> tuple[str, "Listener"]:
    """The workspace's name, and its listening socket. Raises AlreadyRunning or SocketError."""
    from fugue_tui_mcp.listener import listen, listen_as

    workspace = sockets.check_name(options.workspace or sockets.DEFAULT)
    path = options.socket or settings.mcp.socket
    return workspace, listen(sockets.check_path(path), workspace) if path else listen_as(workspace)


def claim_for_show(options: StartOptions, settings: "Config") -> "tuple[str, Listener | None, NameLock | None]":
    """The same for a workspace without a server: the first free name if none is given, and no socket but the lock of
    the name if the configuration disables it."""
    if settings.mcp.enabled and (options.workspace or options.socket or settings.mcp.socket):
        return *claim(options, settings), None
    if options.workspace:
        return _claim_by_name(sockets.check_name(options.workspace), settings)
    for number in range(1, MOST + 1):
        try:
            return _claim_by_name(sockets.DEFAULT if number == 1 else f"{sockets.DEFAULT}-{number}", settings)
        except AlreadyRunning:
            continue
    raise AlreadyRunning(f"{MOST} workspaces run already; name the one to start")


def _claim_by_name(workspace: str, settings: "Config") -> "tuple[str, Listener | None, NameLock | None]":
    from fugue_tui.store import name_lock
    from fugue_tui_mcp.listener import listen_as

    if settings.mcp.enabled:
        return workspace, listen_as(workspace), None
    return workspace, None, name_lock.take(workspace, "")


def log_path(workspace: str, listener: "Listener | None") -> str:
    """The path of a workspace's log, beside its socket or in the runtime directory; empty if that directory is not
    private."""
    if listener is not None:
        return listener.log
    directory = sockets.runtime_dir()
    try:
        sockets.make_private(directory)
    except SocketError:
        return ""
    return os.path.join(directory, f"{workspace}.log")


def _configuration(options: StartOptions) -> "tuple[Path, ConfigResult]":
    import gc

    gc.disable()  # Until the app is shown: imports leave no garbage, and looking for it takes a tenth of the start.
    from pathlib import Path

    from fugue_tui.config import model

    file = Path(options.config) if options.config else model.path()
    if options.config and not os.path.isfile(file):
        raise ConfigError(f"{file}: no such file; fugue-tui config init writes one")
    return file, model.read(file)


def _run(
    options: StartOptions,
    workspace: str,
    listener: "Listener | None",
    file: "Path",
    reading: "ConfigResult",
    *,
    foreground: bool = False,
    first: tuple[socket.socket, Hello] | None = None,
    lock: "NameLock | None" = None,
) -> int:
    """Run a workspace whose name is claimed until it ends; heavy imports happen here."""
    from fugue_tui import private_log

    private_log.keep(log_path(workspace, listener))
    from fugue_tui.tui.server_main import ServerOptions, run

    return run(
        ServerOptions(
            workspace,
            reading.config,
            listener=listener,
            lock=lock,
            foreground=foreground,
            first=first,
            config_file=file,
            faults=reading.faults,
            command=options.command,
            opening=options.opening,
            engine=options.engine,
        )
    )


def _launch(options: StartOptions, hello: Hello) -> int:
    """Fork the server and become its first client."""
    ours, theirs = socket.socketpair()
    if daemonize.split({theirs.fileno()}):
        ours.detach()
        os._exit(_be_server(options, theirs, hello))
    theirs.close()
    daemonize.call("fugue: client")
    return attach(ours, hello, options.workspace or sockets.DEFAULT)


def _be_server(options: StartOptions, theirs: socket.socket, hello: Hello | None = None) -> int:
    """Run as the forked server; an error before the first frame is sent to the first client, or whoever waits for a
    server without one."""
    listener = None
    try:
        daemonize.call("fugue: server")
        with ended_by_signals():
            file, reading = _configuration(options)
            workspace, listener = claim(options, reading.config)
            if hello is None:
                _once_it_answers(listener.path, lambda: _send_bye(theirs, Bye("detached", "")))
            first = (theirs, hello) if hello is not None else None
            return _run(options, workspace, listener, file, reading, first=first)
    except AlreadyRunning as error:
        _send_bye(theirs, Bye(RUNNING, error.path) if error.path else Bye("error", str(error), 1))
    except FugueError as error:
        _send_bye(theirs, Bye("error", str(error), 1))
    except SystemExit as ended:
        return _status(ended)
    except Exception as error:
        from logging import getLogger

        getLogger(__name__).exception("the server failed")
        message = f"internal: {type(error).__name__}: {error}; a bug, --foreground shows where"
        _send_bye(theirs, Bye("error", message, 1))
    finally:
        if listener is not None:
            listener.close()
    return 1


def _send_bye(client: socket.socket, bye: Bye) -> None:
    if client.fileno() < 0:
        return
    with suppress(OSError):
        client.settimeout(1.0)
        client.sendall(frame(BYE, bye.dump()))
    client.close()


def _once_it_answers(path: str, then: Callable[[], None]) -> None:
    """Call back in a thread once the workspace at a path answers."""
    from threading import Thread

    from fugue_tui.client import command_request

    def wait() -> None:
        with suppress(FugueError):
            command_request.ask(path, ["get-status"])
            then()

    Thread(target=wait, name="notify", daemon=True).start()
