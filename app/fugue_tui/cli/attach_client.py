"""Attaches this terminal to a running workspace. Few and cheap imports: the user waits for them."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress

from fugue_tui import sockets
from fugue_tui.attach_protocol import Hello, request
from fugue_tui.client.attach import attach, introduce
from fugue_tui.daemonize import call
from fugue_tui.errors import NotRunning, SocketError, TerminalError

AGAIN_SECONDS = 8.0
"""How long to wait for a workspace that has lost its socket."""
RETRY_SECONDS = 0.05
ANSWER_SECONDS = 20.0
"""How long a workspace may take to answer an attach request; one that was just started is still loading."""


def join(path: str, hello: Hello, wanted: str = "", program: tuple[str, ...] | str = ()) -> int:
    """Attach to the workspace at a path until either side disconnects; the exit status. `wanted` is the name it must
    have, empty for any.

    A `program` is run in a new window first. Raises NotRunning if nothing listens there, and SocketError.
    """
    refuse_itself(path)
    if program:
        _open(path, program)
    link = sockets.connect(path)
    link.settimeout(ANSWER_SECONDS)
    with suppress(OSError):  # If it has just ended, reading its answer shows it.
        link.sendall(request(hello))
    call("fugue: client")
    return attach(link, hello, wanted)


def join_again(path: str, hello: Hello, name: str) -> int:
    """Attach to a workspace whose server runs, but not at this path: where it listens, or once it listens again.
    Raises NotRunning if no server has the name, or it cannot be reached for a while."""
    from fugue_tui.store import server_records

    until = time.monotonic() + AGAIN_SECONDS
    while found := server_records.holder(name):
        with suppress(NotRunning):
            return join(found.socket or path, hello, name)
        if not found.socket or time.monotonic() > until:
            break
        time.sleep(RETRY_SECONDS)
    raise unreachable(name) or NotRunning(f"no workspace {name} runs")


def unreachable(name: str) -> NotRunning | None:
    """The error that a workspace's server runs but cannot be reached; None if none runs."""
    from fugue_tui.store import server_records

    found = server_records.holder(name) if name else None
    if found is None:
        return None
    if not found.socket:
        return NotRunning(f"workspace {name} runs as process {found.pid or 'unknown'}, without a socket to attach to")
    return NotRunning(
        f"workspace {name} runs as process {found.pid}, but its socket {found.socket} is gone; it makes it again "
        f"as soon as it can, or kill {found.pid} ends it, saved"
    )


def here(*, read_only: bool = False, prefix: str = "", mirror: str = "") -> Hello:
    """The attach request of the terminal that this process runs in. Raises TerminalError if stdin is no terminal, or
    ConfigError."""
    if not os.isatty(0):
        raise TerminalError("a workspace is shown on a terminal, and stdin is none; fugue-tui serve runs one without")
    if prefix:
        _check_key(prefix)
    return introduce(read_only=read_only, prefix=prefix, mirror=mirror)


def refuse_itself(path: str, env: Mapping[str, str] = os.environ) -> None:
    """Raise SocketError in a pane of the workspace at that path, which would display itself recursively."""
    around = env.get("FUGUE_SOCKET", "")
    if around and sockets.same(around, path):
        name = sockets.name_of(path) or env.get("FUGUE_WORKSPACE", "") or "this"
        raise SocketError(
            f"this is a pane of {name}, which cannot be shown inside itself; fugue-tui new NAME opens another workspace"
        )


def _open(path: str, program: tuple[str, ...] | str) -> None:
    """Run a program in a new window of the workspace at a path, in the current directory."""
    from fugue_tui.client import command_request

    words = ["--", *program] if isinstance(program, tuple) else ["--command", program]
    answer = command_request.ask(path, ["create-window", "--focus", "--cwd", os.getcwd(), *words])
    if answer.get("exit"):
        raise SocketError(str(answer.get("text")))


def _check_key(key: str) -> None:
    from fugue_tui.config.values import key_fault
    from fugue_tui.errors import ConfigError

    if fault := key_fault(key):
        raise ConfigError(f"--prefix: {fault}")
