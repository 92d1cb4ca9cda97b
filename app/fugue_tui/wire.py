"""What a workspace's server and the terminals attached to it say to each other.

A client connects to the workspace's socket and sends one JSON line, `Hello`; the server answers with one: `Welcome`, or
an error. From then on both sides send frames: one byte of kind, four of length (big-endian), and the payload. Few and
cheap imports: every attaching terminal starts with this.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Self

from fugue_tui import __version__
from fugue_tui.errors import SocketError

PROTOCOL: Final = 1
"""Raised whenever the two sides of different versions would misunderstand each other."""
METHOD: Final = "fugue/attach"
LONGEST: Final = 1 << 20
"""Bytes of one payload; whoever sends more is dropped."""

INPUT: Final = b"i"
"""Client: what its terminal sent."""
SIZE: Final = b"s"
"""Client: its terminal's size, as JSON of `Extent`; also says that it can be drawn on (again)."""
PAUSE: Final = b"p"
"""Client: it was stopped and must not be drawn on until it sends its size."""
OUTPUT: Final = b"o"
"""Server: bytes for the terminal."""
BYE: Final = b"b"
"""Server: the end, as JSON of `Bye`; the connection closes after it."""

_HEAD: Final = struct.Struct(">cI")
_KINDS: Final = frozenset({INPUT, SIZE, PAUSE, OUTPUT, BYE})


class _Record:
    """A dataclass that travels as JSON; unknown keys are passed over, so that newer sides can say more."""

    def dump(self) -> bytes:
        """As JSON."""
        return json.dumps(asdict(self)).encode()  # pyright: ignore[reportArgumentType]

    @classmethod
    def load(cls, data: bytes | dict[str, Any]) -> Self:
        """From JSON, or what was read from it. Raises SocketError."""
        try:
            found: Any = data if isinstance(data, dict) else json.loads(data)
            known = {entry.name: entry.type for entry in fields(cls)}  # pyright: ignore[reportArgumentType]
            given = {name: value for name, value in found.items() if name in known}
            if any(type(value) is not known[name] for name, value in given.items()):
                raise ValueError
            return cls(**given)
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise SocketError(f"not a {cls.__name__.lower()}: {str(data)[:80]!a}") from None


@dataclass(frozen=True, slots=True)
class Extent(_Record):
    """A terminal's size."""

    cols: int = 80
    rows: int = 24
    xpixel: int = 0
    """Its width in pixels; 0 if it does not tell."""
    ypixel: int = 0


@dataclass(frozen=True, slots=True)
class Hello(_Record):
    """Who attaches."""

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
    tty: str = ""
    """The name of its terminal's device: untrusted."""
    read_only: bool = False
    nested: str = ""
    """The multiplexer that the client runs in: `tmux`, `fugue-tui`, `screen`, `zellij`; empty if none."""
    prefix: str = ""
    """A prefix key of this client's own; empty for the workspace's."""


@dataclass(frozen=True, slots=True)
class Welcome(_Record):
    """What a client must know to take over its terminal."""

    workspace: str = ""
    version: str = __version__
    mouse: bool = True
    title: str = ""
    """What to call the terminal's window: clean."""


@dataclass(frozen=True, slots=True)
class Bye(_Record):
    """Why a client is sent away."""

    reason: str = "ended"
    """`detached`, `ended` (the workspace is over), `replaced`, `error`."""
    message: str = ""
    """For the person, clean; empty if there is nothing to add."""
    status: int = 0
    """The client's exit status."""


def request(hello: Hello) -> bytes:
    """The line with which a client begins."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": METHOD, "params": asdict(hello)}).encode() + b"\n"


def frame(kind: bytes, payload: bytes | bytearray | memoryview) -> bytes:
    """One frame."""
    return b"".join((_HEAD.pack(kind, len(payload)), payload))


class Frames:
    """Bytes in, whole frames out, wherever they are cut."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The frames that are whole now, as (kind, payload). Raises SocketError for what is no frame."""
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
