"""Sends one command to a running workspace. Few and cheap imports: shell prompts call this."""

import json
import socket
from collections.abc import Sequence

from fugue_tui import sockets
from fugue_tui.errors import SocketError

ANSWER_SECONDS = 150.0
"""How long a command may take; longer than any command's own deadline."""
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
            line = _line(link)
        except TimeoutError:
            raise SocketError(f"the workspace at {path} did not answer for {seconds:.0f} s") from None
        except OSError as error:
            raise SocketError(f"the workspace at {path} hung up: {error.strerror or error}") from None
    answer: dict[str, dict[str, object]] = json.loads(line) if line.endswith(b"\n") else {}
    if "result" not in answer:
        raise SocketError(f"the workspace at {path} gave no answer: {answer.get('error')!a}"[:300])
    return answer["result"]


def _line(link: socket.socket) -> bytes:
    parts: list[bytes] = []
    while data := link.recv(CHUNK):
        parts.append(data)
        if data.endswith(b"\n"):
            break
    return b"".join(parts)
