"""Starts a workspace: its configuration, its name, its socket and its log, and then its screen."""

import os
import signal
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from fugue_tui import config, log, sockets
from fugue_tui.errors import AlreadyRunning, ConfigError, SocketError, TerminalError
from fugue_tui_mcp.listener import Listener, listen

if TYPE_CHECKING:
    from fugue_tui.control.command import Origin
    from fugue_tui.multiplexer import Multiplexer

MOST = 99
"""Workspaces that are tried when none is named: `main`, `main-2` and so on."""
ENDINGS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that ask the program to leave."""
PATIENCE = 5.0
"""Seconds that leaving may take before a further signal counts."""


@dataclass(frozen=True, slots=True)
class StartOptions:
    """What the command line asked for; empty means not said."""

    workspace: str = ""
    socket: str = ""
    config: str = ""
    command: tuple[str, ...] | str = ()
    """What the first pane runs: a program and its arguments, or a line for the shell."""
    opening: "Callable[[Multiplexer, Origin], object] | None" = None
    """Opens the first panes of a workspace that is started, instead; one that runs already stays as it is."""
    engine: str = ""


def start(options: StartOptions) -> int:
    """Show a workspace until it is left; the exit status. Raises FugueError if it cannot start."""
    file = Path(options.config) if options.config else config.path()
    if options.config and not file.is_file():
        raise ConfigError(f"{file}: no such file; fugue-tui config init writes one")
    reading = config.read(file)
    workspace, listener = claim(options, reading.config)
    log.keep(log_path(workspace, listener))
    try:
        if not os.isatty(0):
            raise TerminalError("a workspace is shown on a terminal, and stdin is none; run fugue-tui in one")
        from fugue_tui.tui.run import run

        with ended_by_signals():
            return run(
                workspace,
                reading.config,
                listener=listener,
                config_file=file,
                faults=reading.faults,
                command=options.command,
                opening=options.opening,
                engine=options.engine,
            )
    finally:
        if listener is not None:
            listener.close()


@contextmanager
def ended_by_signals() -> Generator[None]:
    """While this holds, SIGTERM and SIGHUP raise SystemExit, so that the terminal and the panes are seen to.

    Another one within a few seconds does not disturb the leaving; a later one asks again.
    """
    asked = -PATIENCE

    def leave(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if time.monotonic() >= asked + PATIENCE:
            asked = time.monotonic()
            raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in ENDINGS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def claim(options: StartOptions, settings: config.Config) -> tuple[str, Listener | None]:
    """The workspace's name, and its socket unless the configuration wants none. Raises SocketError."""
    path = options.socket or settings.mcp.socket
    workspace = sockets.check_name(options.workspace or sockets.DEFAULT)
    if not settings.mcp.enabled:
        return workspace, None
    if path:
        return workspace, listen(sockets.check_path(path))
    if options.workspace:
        return workspace, listen(sockets.path_of(workspace))
    return _first_free()


def log_path(workspace: str, listener: Listener | None) -> str:
    """Where a workspace's log goes: beside its socket, or where that would be; empty if that place is not private."""
    if listener is not None:
        return f"{listener.path.removesuffix('.sock')}.log"
    directory = sockets.runtime_dir()
    try:
        sockets.make_private(directory)
    except SocketError:
        return ""
    return os.path.join(directory, f"{workspace}.log")


def _first_free() -> tuple[str, Listener]:
    for number in range(1, MOST + 1):
        workspace = sockets.DEFAULT if number == 1 else f"{sockets.DEFAULT}-{number}"
        try:
            return workspace, listen(sockets.path_of(workspace))
        except AlreadyRunning:
            continue
    raise AlreadyRunning(f"{MOST} workspaces run already; name the one to start")
