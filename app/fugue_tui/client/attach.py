"""The client: requests to attach, shows the workspace on this terminal, and prints why it was detached.

Few and cheap imports: the user waits for them.
"""

import os
import socket
from collections.abc import Mapping, Sequence

from fugue_tui import attach_protocol, sockets
from fugue_tui.attach_protocol import Bye, Frames, Hello, Welcome
from fugue_tui.client.host_terminal import HostTerminal, extent_of, terminal_id
from fugue_tui.client.relay import CHUNK, Relay
from fugue_tui.errors import NotRunning, SocketError, Switched

LONGEST = 1_024
"""Most bytes of a variable that is sent to the server; 64 of them at most."""
MULTIPLEXERS = (("TMUX", "tmux"), ("ZELLIJ", "zellij"), ("STY", "screen"), ("FUGUE_SOCKET", "fugue-tui"))
"""The environment variable that identifies each multiplexer, innermost first: our panes hide the others' variables."""


def introduce(
    *, read_only: bool = False, prefix: str = "", mirror: str = "", env: Mapping[str, str] = os.environ
) -> Hello:
    """The attach request of this terminal."""
    cols, rows, xpixel, ypixel = extent_of(0)
    return Hello(
        cols=cols,
        rows=rows,
        xpixel=xpixel,
        ypixel=ypixel,
        term=env.get("TERM", ""),
        colorterm=env.get("COLORTERM", ""),
        no_color=bool(env.get("NO_COLOR")),
        remote=bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY")),
        tty=_tty(),
        tty_id=terminal_id(0),
        read_only=read_only,
        nested=next((name for variable, name in MULTIPLEXERS if env.get(variable)), ""),
        prefix=prefix,
        mirror=mirror,
    )


def attach(link: socket.socket, hello: Hello, wanted: str = "") -> int:
    """Show what the server draws, until either side disconnects; the exit status. Closes `link`.

    The server must have received this `hello`. Raises NotRunning if it exits before it answers, AlreadyRunning if
    another serves the workspace, and SocketError if it rejects the client, is not the `wanted` workspace, or ends
    unexpectedly, and Switched if the terminal is to show another workspace.
    """
    with link:
        welcome, rest = welcomed(link, wanted)
        if isinstance(welcome, Bye):
            return print_end(welcome, wanted)
        if wanted and welcome.workspace != wanted:
            raise SocketError(f"the workspace that listens there is called {welcome.workspace!a}")
        host = HostTerminal(welcome.mouse, welcome.title if welcome.title.isprintable() else "")
        relay = Relay(link, host, hello, welcome.workspace, environment(welcome.environment.split()))
        try:
            end = relay.run(rest)
        finally:
            host.close()
        name = relay.workspace
        if isinstance(end, Bye) and end.reason == attach_protocol.SWITCHED:
            raise Switched(end.message, prefix=hello.prefix, read_only=hello.read_only)
        if end is None:
            raise SocketError(f"the workspace {name} ended unexpectedly; {_way_back(name)}")
        return end if isinstance(end, int) else print_end(end, name)


def started(link: socket.socket, workspace: str) -> int:
    """The exit status of starting a server with no client, once it answers or has failed. Closes `link`. Raises
    NotRunning, AlreadyRunning or SocketError."""
    with link:
        answer, _ = welcomed(link, workspace)
    return print_end(answer, workspace) if isinstance(answer, Bye) and answer.reason == "error" else 0


def welcomed(link: socket.socket, wanted: str) -> tuple[Welcome | Bye, bytes]:
    """The server's answer and the bytes after it. Raises NotRunning, AlreadyRunning or SocketError."""
    try:
        welcome, rest = _answer(link)
    except SocketError as error:
        raise type(error)(f"{f'workspace {wanted}' if wanted else 'the workspace'}: {error}") from None
    if isinstance(welcome, Bye) and welcome.reason == attach_protocol.RUNNING:
        raise sockets.already_running(welcome.message)
    return welcome, rest


def environment(names: Sequence[str], env: Mapping[str, str] = os.environ) -> bytes:
    """The frame with those variables that this process has; empty if the server asks for none. What is too long, or
    more than 64 variables, is left out."""
    if not names:
        return b""
    pairs = (os.fsencode(f"{name}={env[name]}\0") for name in names[:64] if name in env)
    return attach_protocol.frame(attach_protocol.ENVIRONMENT, b"".join(each for each in pairs if len(each) <= LONGEST))


def print_end(bye: Bye, workspace: str) -> int:
    """Print why the server closed the connection; the exit status."""
    from fugue_tui.sanitize import clean_text

    message = clean_text(bye.message)
    if bye.reason == "error":
        os.write(2, f"fugue-tui: {message}\n".encode("ascii", "backslashreplace"))
        return bye.status
    words = {"detached": f"detached from {workspace}", "replaced": f"{workspace}: another terminal took over"}
    lines = [f"[{words.get(bye.reason, f'{workspace} ended')}]", *([message] if message else [])]
    os.write(1, "".join(f"{line}\n" for line in lines).encode())
    return bye.status


def _way_back(name: str) -> str:
    from fugue_tui.client.workspaces import is_saved

    return f"fugue-tui {name} restores it" if is_saved(name) else "nothing of it was saved yet"


def _answer(link: socket.socket) -> tuple[Welcome | Bye, bytes]:
    """The server's answer, and the bytes that follow it. Raises NotRunning, or SocketError."""
    held = b""
    while b"\n" not in held:
        try:
            data = link.recv(CHUNK)
        except TimeoutError:
            raise SocketError(f"it did not answer for {link.gettimeout():.0f} s") from None
        except OSError:
            data = b""
        held += data
        for _, payload in Frames().feed(held) if held[:1] == attach_protocol.BYE else ():
            return Bye.load(payload), b""
        if not data:
            raise NotRunning("it ended before it answered")
        if len(held) > attach_protocol.LONGEST:
            raise SocketError("it does not speak this protocol")
    line, _, rest = held.partition(b"\n")
    return attach_protocol.welcome(line), rest


def _tty() -> str:
    try:
        return os.ttyname(0)
    except OSError:
        return ""
