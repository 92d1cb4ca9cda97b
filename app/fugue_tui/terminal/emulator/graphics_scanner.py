"""Finds images in a program's output, wherever it is cut: commands of the kitty graphics protocol (APC G), sixel images
(DCS q) and inline files (OSC 1337).

Graphics commands are left to the engine, which accepts images of 400 MB: here the data of each is counted, inflated if
it is compressed, and what is too large is left out. Sources: kitty's graphics protocol; DEC's VT330/VT340 manual,
chapter 14; iTerm2's "Inline Images Protocol".
"""

import re
import zlib
from binascii import Error, a2b_base64
from collections.abc import Generator, Iterator
from typing import Final, TypeAlias

from msgspec import Struct

_STARTS: Final = (b"\x1b_G", b"\x1bP", b"\x1b]1337;")
_START: Final = re.compile(rb"\x1b(?:_G|P(?=[0-9;]{0,16}q)|\]1337;(?:File|MultipartFile|FilePart|FileEnd)\b)")
_UNDECIDED: Final = re.compile(rb"\x1b(?:\Z|_\Z|P[0-9;]{0,16}\Z|\](?:1(?:3(?:3(?:7(?:;[A-Za-z]{0,13})?)?)?)?)?\Z)")
"""The end of the output may be the beginning of one."""
_END: Final = re.compile(rb"[\x18\x1a\x1b]|\x07")
_APC, _OSC, _BACKSLASH = b"_]\\"
_LONGEST_COMMAND: Final = 1 << 20
"""Bytes of one graphics command."""
_LONGEST_IMAGE: Final = 8 << 20
"""Bytes of one sixel image or inline file, as they are sent."""
_TRANSMITS: Final = (b"t", b"T", b"f", b"q")


class Sixel(Struct, frozen=True):
    """A sixel image: the parameters and the data of the DCS string."""

    data: bytes


class InlineFile(Struct, frozen=True):
    """An image file: its arguments, such as `width`, and the base64 of its bytes."""

    arguments: dict[str, str]
    data: bytes


Piece: TypeAlias = bytes | Sixel | InlineFile


class GraphicsScanner:
    """Remembers what a chunk left unfinished."""

    __slots__ = ("_at", "_is_string", "_load", "_rest", "_too_long")

    def __init__(self, limit: int) -> None:
        """`limit` is the number of bytes that one decoded image may have."""
        self._rest = bytearray()
        self._is_string = self._too_long = False
        """Whether the rest is the beginning of a string that is none of the engine's business before it is complete,
        and whether that is too long already."""
        self._at = 0
        """Up to where the rest was searched for its end."""
        self._load = _Load(limit)

    def split(self, data: bytes) -> Iterator[Piece]:
        """The output without images that the engine does not parse, and those, in order."""
        if not self._rest and not _may_have_images(data):
            yield data
            return
        self._rest += data
        while self._rest:
            if not self._is_string and not (yield from self._text()):
                return
            if not (yield from self._string()):
                return

    def _text(self) -> Generator[Piece, None, bool]:
        """Take text off the rest; whether a string follows."""
        rest = self._rest
        found = _START.search(rest)
        end = found.start() if found else _undecided(rest, 0)
        end = end if end >= 0 else len(rest)
        if end:
            yield bytes(rest[:end])
            del rest[:end]
        self._is_string, self._too_long, self._at = found is not None, False, 3
        return found is not None

    def _string(self) -> Generator[Piece, None, bool]:
        """Take a string off the rest; False if it is not complete."""
        rest = self._rest
        bounds = _end(rest, self._at, bell=rest[1] == _OSC)
        if bounds is None:
            if len(rest) > (_LONGEST_COMMAND if rest[1] == _APC else _LONGEST_IMAGE):
                self._too_long = True
                del rest[3:-1]
            self._at = max(3, len(rest) - 1)
            return False
        if not self._too_long:
            yield from self._piece(bytes(rest[: bounds[1]]), bounds[0])
        del rest[: bounds[1]]
        self._is_string = False
        return True

    def _piece(self, text: bytes, end: int) -> Iterator[Piece]:
        kind, whole = text[1], len(text) > end
        if kind == _APC:
            if not whole or self._load.admits(text[3:end]):
                yield text
            elif self._load.ending:
                yield self._load.ending
        elif whole and kind == _OSC:
            file = _inline_file(text[7:end])
            if file is not None:
                yield file
        elif whole:
            yield Sixel(text[2:end])


def _end(text: bytearray, at: int, *, bell: bool) -> tuple[int, int] | None:
    """Where a string ends, and where what follows it begins, which is there too if the string was broken off; None if
    it is not complete."""
    while (found := _END.search(text, at)) is not None:
        at, mark = found.start(), found[0]
        if mark == b"\x07" and not bell:
            at += 1
        elif mark == b"\x07":
            return at, at + 1
        elif mark != b"\x1b":
            return at, at
        elif at + 1 == len(text):
            return None
        else:
            return at, at + 2 if text[at + 1] == _BACKSLASH else at
    return None


def _may_have_images(data: bytes) -> bool:
    """Whether there may be images, or the beginning of one at the end."""
    if b"\x1b" not in data:
        return False
    # Most output has not even the second byte, and one byte is found several times as fast as two.
    return any(start[1:2] in data and start in data for start in _STARTS) or _undecided(data, 0) >= 0


def _undecided(text: bytes | bytearray, at: int) -> int:
    """Where the end of the output may be the beginning of an image; -1 if it is none."""
    escape = text.rfind(b"\x1b", max(at, len(text) - 32))
    return escape if escape >= 0 and _UNDECIDED.match(text, escape) else -1


def _inline_file(payload: bytes) -> InlineFile | None:
    head, colon, data = payload.partition(b":")
    if not colon or not head.startswith(b"File="):
        return None
    pairs = (pair.partition("=") for pair in head[5:].decode("ascii", "replace").split(";"))
    arguments = {key: value for key, _, value in pairs}
    return InlineFile(arguments, data) if arguments.get("inline") == "1" else None


class _Load:
    """The image that a program is transmitting in graphics commands."""

    __slots__ = ("_inflate", "_limit", "_open", "_refused", "_size", "ending")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open = self._refused = False
        self._size = 0
        self._inflate: zlib._Decompress | None = None  # pyright: ignore[reportPrivateUsage]
        self.ending: bytes | None = None
        """What ends a transmission that the engine has begun and that was just refused."""

    def admits(self, command: bytes) -> bool:
        """Whether the engine may have a command."""
        self.ending = None
        head, _, payload = command.partition(b";")
        keys = {key: value for key, _, value in (pair.partition(b"=") for pair in head.split(b","))}
        if not self._open:
            if keys.get(b"a", b"t") not in _TRANSMITS:
                return True
            self._size, self._refused = 0, False
            self._inflate = zlib.decompressobj() if keys.get(b"o") == b"z" else None
        was_open, self._open = self._open, keys.get(b"m") == b"1"
        if self._refused:
            return False
        self._count(payload)
        self._refused = self._size > self._limit
        if self._refused and was_open:
            self.ending = b"\x1b_Gm=0;\x1b\\"
        return not self._refused

    def _count(self, payload: bytes) -> None:
        if self._inflate is None:
            self._size += len(payload) * 3 // 4
            return
        try:
            data = a2b_base64(payload)
            room = max(self._limit - self._size, 0) + 1
            self._size += len(self._inflate.decompress(data, room)) if not self._inflate.eof else 0
            if self._inflate.unconsumed_tail:
                self._size = self._limit + 1
        except (Error, zlib.error):
            self._inflate = None  # The engine refuses it.
