"""The protocol between a workspace's server and the clients attached to it.

A client connects to the workspace's socket and sends one JSON line, `Hello` in a request; the server answers with one:
`Welcome`, or an error. After that both sides send frames: one byte of kind, four of length (big-endian), and the
payload. A server that exits before it could answer sends `BYE` in place of that line.

Few and cheap imports: every client starts with this, so it imports `json` only on demand.
"""

import struct
from collections.abc import Iterator

from fugue_tui import __version__
from fugue_tui.errors import SocketError
from fugue_tui.records import Record, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

PROTOCOL = 1
"""Incremented whenever two versions would misunderstand each other."""
METHOD = "fugue/attach"
LONGEST = 1 << 20
"""Most bytes of one payload; a peer that sends more is disconnected."""

INPUT = b"i"
"""Client: input from its terminal."""
SIZE = b"s"
"""Client: its terminal's size, as JSON of `Extent`; also resumes drawing after `PAUSE`."""
PAUSE = b"p"
"""Client: it has restored its terminal, to be suspended or to end; nothing is drawn until it sends its size."""
ENVIRONMENT = b"e"
"""Client: those of the variables in `Welcome.environment` that it has, as `NAME=value` with a NUL behind each."""
OUTPUT = b"o"
"""Server: bytes for the terminal."""
NAME = b"n"
"""Server: the workspace was renamed, as JSON of `Welcome`."""
BYE = b"b"
"""Server: the connection closes, as JSON of `Bye`; the last frame."""

LATEST = "latest"
"""In `Hello.mirror`, the client that was used last."""
SWITCHED = "switched"
"""The reason why a client is disconnected that is to show another workspace."""
RUNNING = "running"
"""The reason of a server that was started for nothing: the workspace runs."""
REFUSED = -32000
"""The JSON-RPC code of an error whose message is shown to the user as it is."""

_HEAD = struct.Struct(">cI")
_KINDS = frozenset({INPUT, SIZE, PAUSE, ENVIRONMENT, OUTPUT, NAME, BYE})


class _Message(Record):
    """A record that is serialized as JSON; unknown keys are ignored, so that newer versions can add some."""

    def dump(self) -> bytes:
        """As JSON."""
        return _object(self.__dict__).encode()

    @classmethod
    def load(cls, data: "bytes | dict[str, Any]") -> "Self":
        """Load from JSON bytes or a parsed object. Raises SocketError."""
        import json

        try:
            found: Any = data if isinstance(data, dict) else json.loads(data)
            given = {name: value for name, value in found.items() if name in cls.fields}
            if any(type(value) is not type(cls.fields[name]) for name, value in given.items()):
                raise ValueError
            return cls(**given)
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise SocketError(f"not a {cls.__name__.lower()}: {str(data)[:80]!a}") from None


@record(frozen=True, slots=True)
class Extent(_Message):
    """A terminal's size."""

    cols: int = 80
    rows: int = 24
    xpixel: int = 0
    """Its width in pixels; 0 if unknown."""
    ypixel: int = 0


@record(frozen=True, slots=True)
class Hello(_Message):
    """A client's attach request."""

    cols: int = 80
    rows: int = 24
    xpixel: int = 0
    ypixel: int = 0
    protocol: int = PROTOCOL
    version: str = __version__
    term: str = ""
    """TERM of the client."""
    colorterm: str = ""
    """COLORTERM of the client."""
    no_color: bool = False
    """Whether NO_COLOR is set, and not empty, at the client: it wants frames and dialogs without colour."""
    remote: bool = False
    """Whether it runs over SSH."""
    tty: str = ""
    """Its terminal's device path: untrusted."""
    tty_id: str = ""
    """Device and inode of that path; empty if unknown. The server resets the terminal of a client that was killed."""
    read_only: bool = False
    nested: str = ""
    """The multiplexer that the client runs in: `tmux`, `fugue-tui`, `screen`, `zellij`; empty if none."""
    prefix: str = ""
    """A prefix key of this client's own; empty for the workspace's."""
    mirror: str = ""
    """Whose view it shows: a client's number, `latest` for that of the client that was used last, or empty for its own
    view if the workspace is not mirrored."""


@record(frozen=True, slots=True)
class Welcome(_Message):
    """What a client needs to set up its terminal."""

    workspace: str = ""
    version: str = __version__
    mouse: bool = True
    title: str = ""
    """The title of the terminal's window: sanitized."""
    environment: str = ""
    """The names of the variables that the client sends, separated by spaces; empty for none."""


@record(frozen=True, slots=True)
class Bye(_Message):
    """Why a client is disconnected."""

    reason: str = "ended"
    """`detached`, `ended` (the workspace ended), `replaced`, `error`, RUNNING, or SWITCHED."""
    message: str = ""
    """For the user, sanitized; empty if there is nothing to add. The socket's path if it is RUNNING, and the name of
    another workspace if it is SWITCHED."""
    status: int = 0
    """The client's exit status."""


def request(hello: Hello) -> bytes:
    """The request line of a client."""
    return b'{"jsonrpc": "2.0", "id": 1, "method": "%s", "params": %s}\n' % (METHOD.encode(), hello.dump())


def answer(welcome: Welcome) -> bytes:
    """The answer that accepts a client."""
    return b'{"jsonrpc": "2.0", "id": 1, "result": %s}\n' % welcome.dump()


def refusal(message: str) -> bytes:
    """The answer that rejects a client; `message` is sanitized and gives the reason and a way out."""
    error = f'{{"code": {REFUSED}, "message": {_value(message)}}}'
    return f'{{"jsonrpc": "2.0", "id": 1, "error": {error}}}\n'.encode()


def protocol_fault(hello: Hello) -> str:
    """Why this version cannot serve that client, with a way out; empty if it can."""
    if hello.protocol == PROTOCOL:
        return ""
    theirs = hello.version[:20] if hello.version.isascii() and hello.version.isprintable() else "unknown"
    return (
        f"it is run by fugue-tui {__version__} (protocol {PROTOCOL}), and this is fugue-tui {theirs} "
        f"(protocol {hello.protocol}); attach with the other version, or end it with fugue-tui kill-server"
    )


def welcome(line: bytes) -> Welcome:
    """Parse the server's answer. Raises SocketError with the reason if it rejected the client."""
    import json

    try:
        found: Any = json.loads(line)
        if "result" in found:
            return Welcome.load(found["result"])
        error: dict[str, Any] = dict(found["error"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise SocketError(f"it gave no answer that makes sense: {line[:80]!a}") from None
    if error.get("code") == REFUSED:
        raise SocketError(str(error.get("message")))
    raise SocketError(
        f"it is run by another version of fugue-tui, to which fugue-tui {__version__} cannot attach; "
        "attach with that version, or end it with fugue-tui kill-server"
    )


def frame(kind: bytes, payload: bytes | bytearray | memoryview) -> bytes:
    """One frame."""
    return b"".join((_HEAD.pack(kind, len(payload)), payload))


class Frames:
    """Parses frames from a byte stream, independently of how it is split."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The frames that are complete now, as (kind, payload). Raises SocketError for an invalid frame."""
        self._held += data
        while len(self._held) >= _HEAD.size:
            kind, length = _HEAD.unpack_from(self._held)
            if kind not in _KINDS or length > LONGEST:
                raise SocketError("the other side does not speak this protocol")
            end = _HEAD.size + length
            if len(self._held) < end:
                return
            payload = bytes(self._held[_HEAD.size : end])
            del self._held[:end]
            yield kind, payload


def _object(fields: "dict[str, Any]") -> str:
    return "{" + ", ".join(f'"{name}": {_value(value)}' for name, value in fields.items()) + "}"


def _value(value: "str | int") -> str:
    if isinstance(value, str):
        return _string(value)
    return str(value).lower()


def _string(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    import json

    return json.dumps(text)
