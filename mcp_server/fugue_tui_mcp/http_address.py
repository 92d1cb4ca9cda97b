"""The address at which a workspace serves MCP over HTTP, and its token: in a private file beside the socket.

Few and cheap imports: the command line reads the file.
"""

import json
import os
from contextlib import suppress

from msgspec import Struct

from fugue_tui.errors import NotRunning, SocketError
from fugue_tui.sockets import fault, same

HOST = "127.0.0.1"
PATH = "/mcp"
LONGEST = 4_096
"""Bytes of the file that are read."""
USAGE = """\
{url}

Clients send the header Authorization: Bearer TOKEN. The token is in {file}, and
`fugue-tui mcp --token{where}` prints it; keep it out of command lines, which other users can see:

    export FUGUE_TOKEN="$(fugue-tui mcp --token{where})"
    claude mcp add --transport http fugue {url} --header 'Authorization: Bearer ${{FUGUE_TOKEN}}'

URL and token change whenever the workspace starts; tcp_port in the configuration keeps the URL."""


class HttpAddress(Struct, frozen=True):
    """Where a workspace serves MCP over HTTP."""

    url: str
    token: str
    """The bearer token of this run of the workspace."""


def file_of(socket: str) -> str:
    """The file beside a socket, of the path that stays when the workspace is renamed."""
    return f"{socket.removesuffix('.sock')}.http"


def write(file: str, address: HttpAddress) -> None:
    """Write the file, for the user alone. Raises SocketError."""
    draft = f"{file}.{os.urandom(6).hex()}"
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            json.dump({"url": address.url, "token": address.token}, stream)
        os.rename(draft, file)
    except OSError as error:
        remove(draft)
        raise SocketError(f"{file}: {error.strerror}") from None


def remove(file: str) -> None:
    """Remove the file if it exists."""
    with suppress(OSError):
        os.unlink(file)


def find(socket: str) -> tuple[str, HttpAddress]:
    """The file and the address of the workspace that listens at a socket. Raises NotRunning if it serves no HTTP, or
    SocketError if the directory is not private."""
    directory = os.path.dirname(socket)
    if os.path.lexists(socket) and (reason := fault(directory)):
        raise SocketError(f"{directory}: {reason}; a token there is not private")
    with suppress(OSError, ValueError, TypeError, KeyError):
        for name in os.listdir(directory):
            if name.endswith(".sock") and same(other := os.path.join(directory, name), socket):
                file = file_of(other)
                if os.path.lexists(file):
                    return file, _read(file)
    raise NotRunning(
        f"the workspace at {socket} serves no HTTP; set tcp = true in the section [mcp] of its configuration"
    )


def _read(file: str) -> HttpAddress:
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor) as stream:
        found = json.loads(stream.read(LONGEST))
    return HttpAddress(str(found["url"]), str(found["token"]))
