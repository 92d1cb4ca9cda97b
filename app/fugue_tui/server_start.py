"""Starts a workspace: loads its configuration, claims its name and socket, opens its log, and runs its server or its
UI.

A server is forked once its name is claimed and before there are threads; the parent becomes its first client and
receives any start-up error.
"""

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from msgspec import Struct

from fugue_tui import daemonize, private_log, sockets
from fugue_tui.attach_protocol import BYE, Bye, Hello, frame
from fugue_tui.cli.attach_client import here, join
from fugue_tui.client.attach import attach
from fugue_tui.config import model
from fugue_tui.errors import AlreadyRunning, ConfigError, FugueError, NotRunning, SocketError
from fugue_tui_mcp.listener import Listener, listen, listen_as

if TYPE_CHECKING:
    from fugue_tui.control.core.command import Origin
    from fugue_tui.multiplexer import Multiplexer

MOST = 99
"""Most workspaces without a name: `main`, `main-2` and so on."""
ENDINGS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end the program."""
PATIENCE = 5.0
"""Seconds after a signal during which further signals are ignored."""
CLAIM_SECONDS = 10.0
"""How long to wait for a workspace that runs but rejects clients: it was just started, or is about to end."""
RETRY_SECONDS = 0.02

_log = logging.getLogger(__name__)


class StartOptions(Struct, frozen=True):
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


class _Claimed(Struct, frozen=True):
    """A workspace whose name is claimed, and what it starts with."""

    options: StartOptions
    workspace: str
    listener: Listener | None
    file: Path
    reading: model.ConfigResult

    def run(self, *, foreground: bool, first: tuple[socket.socket, Hello] | None = None) -> int:
        """Run the workspace until it ends; heavy imports happen here."""
        private_log.keep(log_path(self.workspace, self.listener))
        from fugue_tui.tui.server_main import ServerOptions, run

        options = ServerOptions(
            self.workspace,
            self.reading.config,
            listener=self.listener,
            foreground=foreground,
            first=first,
            config_file=self.file,
            faults=self.reading.faults,
            command=self.options.command,
            opening=self.options.opening,
            engine=self.options.engine,
        )
        return run(options)


def start(options: StartOptions) -> int:
    """Start a workspace's server and attach to it, or attach to the running one; the exit status. Raises FugueError."""
    hello = here(prefix=options.prefix)
    file, reading = _configuration(options)
    until = time.monotonic() + CLAIM_SECONDS
    while True:
        try:
            workspace, listener = claim(options, reading.config)
        except AlreadyRunning as error:
            try:
                path, name = _where(options, reading.config)
                return join(path, hello, name, options.command)
            except NotRunning:
                if time.monotonic() > until:
                    raise error from None
            time.sleep(RETRY_SECONDS)
        else:
            return _launch(_Claimed(options, workspace, listener, file, reading), listener, hello)


def show(options: StartOptions) -> int:
    """Run a workspace without a server on this terminal until it ends; the exit status. Raises FugueError if it
    cannot start."""
    here()
    file, reading = _configuration(options)
    workspace, listener = claim_for_show(options, reading.config)
    try:
        with ended_by_signals():
            status = _Claimed(options, workspace, listener, file, reading).run(foreground=True)
    except SystemExit as ended:
        status = _status(ended)
    finally:
        if listener is not None:
            listener.close()
    return exit_despite_threads(status)


def serve(options: StartOptions) -> int:
    """Run a workspace's server with no client attached; the exit status, 0 also if a signal ended it."""
    file, reading = _configuration(options)
    workspace, listener = claim(options, reading.config)
    daemonize.call("fugue: server")
    if "NOTIFY_SOCKET" in os.environ:
        threading.Thread(target=_notify_manager, args=(listener.path,), name="notify", daemon=True).start()
    try:
        with ended_by_signals((*ENDINGS, signal.SIGINT)):
            status = _Claimed(options, workspace, listener, file, reading).run(foreground=False)
    except SystemExit as ended:
        status = _status(ended)
    finally:
        daemonize.notify("STOPPING=1")
        listener.close()
    return exit_despite_threads(0 if status in (128 + signal.SIGTERM, 128 + signal.SIGINT) else status)


def exit_despite_threads(status: int) -> int:
    """The exit status; ends the program here if a job still runs in a thread, as on a disk that hangs: Python would
    wait for it."""
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

    def leave(number: int, frame: FrameType | None) -> None:
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


def claim(options: StartOptions, settings: model.Config) -> tuple[str, Listener]:
    """The workspace's name, and its listening socket. Raises AlreadyRunning or SocketError."""
    workspace = sockets.check_name(options.workspace or sockets.DEFAULT)
    path = options.socket or settings.mcp.socket
    return workspace, listen(sockets.check_path(path)) if path else listen_as(workspace)


def claim_for_show(options: StartOptions, settings: model.Config) -> tuple[str, Listener | None]:
    """The same for a workspace without a server: the first free name if none is given, and no socket if the
    configuration disables it."""
    if not settings.mcp.enabled:
        return sockets.check_name(options.workspace or sockets.DEFAULT), None
    if options.workspace or options.socket or settings.mcp.socket:
        return claim(options, settings)
    for number in range(1, MOST + 1):
        workspace = sockets.DEFAULT if number == 1 else f"{sockets.DEFAULT}-{number}"
        try:
            return workspace, listen_as(workspace)
        except AlreadyRunning:
            continue
    raise AlreadyRunning(f"{MOST} workspaces run already; name the one to start")


def log_path(workspace: str, listener: Listener | None) -> str:
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


def _configuration(options: StartOptions) -> tuple[Path, model.ConfigResult]:
    file = Path(options.config) if options.config else model.path()
    if options.config and not os.path.isfile(file):
        raise ConfigError(f"{file}: no such file; fugue-tui config init writes one")
    return file, model.read(file)


def _where(options: StartOptions, settings: model.Config) -> tuple[str, str]:
    """The socket of the requested workspace, and its name if it is known."""
    path = options.socket or settings.mcp.socket
    workspace = options.workspace or ("" if path else sockets.DEFAULT)
    return sockets.check_path(path) if path else sockets.path_of(workspace), workspace


def _launch(claimed: _Claimed, listener: Listener, hello: Hello) -> int:
    """Fork the server and become its first client."""
    ours, theirs = socket.socketpair()
    try:
        server = daemonize.split({*listener.descriptors, theirs.fileno()})
    except FugueError:
        listener.close()
        raise
    if server:
        ours.detach()
        os._exit(_be_server(claimed, listener, theirs, hello))
    listener.give_up()
    theirs.close()
    daemonize.call("fugue: client")
    return attach(ours, hello, claimed.workspace)


def _be_server(claimed: _Claimed, listener: Listener, theirs: socket.socket, hello: Hello) -> int:
    """Run as the forked server; an error before the first frame is sent to the first client."""
    try:
        daemonize.call("fugue: server")
        listener.take_over()
        with ended_by_signals():
            return claimed.run(foreground=False, first=(theirs, hello))
    except FugueError as error:
        _send_error(theirs, str(error))
    except SystemExit as ended:
        return _status(ended)
    except Exception as error:  # noqa: BLE001  (a border: it would be lost)
        _log.exception("the server failed")
        _send_error(theirs, f"internal: {type(error).__name__}: {error}; a bug, --foreground shows where")
    finally:
        listener.close()
    return 1


def _send_error(client: socket.socket, message: str) -> None:
    if client.fileno() < 0:
        return
    with suppress(OSError):
        client.settimeout(1.0)
        client.sendall(frame(BYE, Bye("error", message, 1).dump()))
    client.close()


def _notify_manager(path: str) -> None:
    from fugue_tui.client import command_request

    with suppress(FugueError):
        command_request.ask(path, ["get-status"])
        daemonize.notify("READY=1")
