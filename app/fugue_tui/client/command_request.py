"""Sends one command to a running workspace. Few and cheap imports: shell prompts call this."""

import json
import socket
import time
from collections.abc import Sequence

from fugue_tui import sockets
from fugue_tui.client.unread import unread
from fugue_tui.errors import SocketError

ANSWER_SECONDS = 150.0
"""How long a command may take; longer than any command's own deadline."""
STUCK_SECONDS = 10.0
"""How long a workspace may take to read a request: one that was just started is still loading."""
CHUNK = 1 << 16


def ask(path: str, words: Sequence[str], seconds: float = ANSWER_SECONDS) -> dict[str, object]:
    """Run a command in the workspace at a socket; its `text`, `json` and `exit`. Raises NotRunning or SocketError."""
    return call(path, "fugue/cli", {"words": list(words)}, seconds)


def call(path: str, method: str, params: dict[str, object], seconds: float) -> dict[str, object]:
    """The result of a request to the workspace at a socket. Raises NotRunning or SocketError."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with sockets.connect(path, min(seconds, sockets.CONNECT_SECONDS)) as link:
        link.settimeout(seconds)
        try:
            link.sendall(json.dumps(request).encode() + b"\n")
            line = _line(link, path, time.monotonic() + seconds)
        except TimeoutError:
            raise SocketError(f"the workspace at {path} did not answer for {seconds:.0f} s") from None
        except OSError as error:
            raise SocketError(f"the workspace at {path} hung up: {error.strerror or error}") from None
    answer: dict[str, dict[str, object]] = json.loads(line) if line.endswith(b"\n") else {}
    if "result" not in answer:
        raise SocketError(f"the workspace at {path} gave no answer: {answer.get('error')!a}"[:300])
    return answer["result"]


def _line(link: socket.socket, path: str, until: float) -> bytes:
    """The answer, which a command may take long to give. Raises TimeoutError, SocketError if the request is not even
    read, or OSError."""
    parts: list[bytes] = []
    while True:
        link.settimeout(max(min(until - time.monotonic(), STUCK_SECONDS), 0.001))
        try:
            data = link.recv(CHUNK)
        except TimeoutError:
            if unread(link):
                raise _stuck(path) from None
            if time.monotonic() >= until:
                raise
            continue
        parts.append(data)
        if not data or data.endswith(b"\n"):
            return b"".join(parts)


def _stuck(path: str) -> SocketError:
    """The error that a workspace reads no requests, with the ways out."""
    from fugue_tui.store import server_records

    found = next((each for each in server_records.servers()[0] if each.socket == path), None)
    if found is None:
        return SocketError(f"the workspace at {path} does not answer")
    return SocketError(
        f"the workspace {found.name} does not answer: kill -CONT {found.pid} continues it if it was stopped, "
        f"fugue-tui kill-server {found.name} ends it"
    )
