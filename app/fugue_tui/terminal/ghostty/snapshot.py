"""Saves a terminal of libghostty-vt whole, and brings one back.

The engine's snapshot format, version 1: as much as is needed to check a file before the engine parses
it, and to put old text into a fresh terminal.

A snapshot is an envelope and records: TERMINAL; for each screen SCREEN and its PAGEs; CONTINUATION; READY; for each
screen HISTORY and its PAGEs; FINISH. A record is a tag, a length, a CRC-32C and a payload, all little-endian. Source:
Ghostty's `src/terminal/snapshot`. Pure; the records' checksums are the engine's to check.
"""

import struct
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fugue_tui.errors import SaveError
from fugue_tui.terminal.ghostty.binding import Binding

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import GhosttyTerminal, Pointer

_ENVELOPE: Final = b"GHOSTSNP\x01\x00"
_FRAME: Final = struct.Struct("<HII")
_TERMINAL, _SCREEN, _PAGE, _HISTORY, _READY, _FINISH, _CONTINUATION = range(1, 8)
_SIZE: Final = struct.Struct("<HH")
_SCREENS: Final = struct.Struct("<HH")
_SCREENS_AT: Final = 21
"""Where TERMINAL has the active screen, and the number of screens."""
_MANIFEST: Final = struct.Struct("<HHQ")
"""What SCREEN begins with: which screen it is, its pages, its lines of history."""
_OLDER: Final = struct.Struct("<HI")
_PAGE_HEAD: Final = struct.Struct("<HHHHHHII")
_ALTERNATE: Final = 1
_MOST_MEMORY: Final = 1 << 30
"""Bytes that the pages of one terminal may claim."""
_MOST_PAGES: Final = 65_535
_BAD: Final = "the saved text of a pane cannot be read by this terminal engine"


class ScreenText(Struct, frozen=True):
    """The text of one screen: its pages as records, which nothing else refers to."""

    screen: bytes
    """The payload of SCREEN."""
    pages: bytes
    page_count: int
    older: bytes = b""
    older_count: int = 0


class Snapshot(Struct, frozen=True):
    """What a snapshot holds."""

    terminal: bytes
    """The payload of TERMINAL."""
    primary: ScreenText
    alternate: ScreenText | None
    """The alternate screen, if it was in front."""


class _Reader:
    """Takes records off the front."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = len(_ENVELOPE)
        self._claimed = 0

    def take(self, tag: int) -> bytes:
        """The payload of the next record, which must be of that kind."""
        found, length, _ = self._unpack(_FRAME, self.at)
        start = self.at + _FRAME.size
        if found != tag or start + length > len(self._data):
            raise SaveError(_BAD)
        self.at = start + length
        return self._data[start : self.at]

    def pages(self, count: int) -> bytes:
        """That many PAGE records, whole."""
        first = self.at
        for _ in range(count):
            head = self.at + _FRAME.size
            self.take(_PAGE)
            cols, rows, _, _, styles, links, graphemes, strings = self._unpack(_PAGE_HEAD, head)
            self._claimed += 8 * rows * (cols + 1) + 32 * styles + 32 * links + graphemes + strings
            if self._claimed > _MOST_MEMORY:
                raise SaveError("the saved text of a pane claims too much memory")
        return self._data[first : self.at]

    def _unpack(self, what: struct.Struct, at: int) -> tuple[int, ...]:
        if at + what.size > len(self._data):
            raise SaveError(_BAD)
        return what.unpack_from(self._data, at)


def read(data: bytes) -> Snapshot:
    """A snapshot, taken apart. Raises SaveError for another version, and for claims that are no snapshot's."""
    if not data.startswith(_ENVELOPE):
        raise SaveError(_BAD)
    reader = _Reader(data)
    terminal = reader.take(_TERMINAL)
    if len(terminal) < _SCREENS_AT + _SCREENS.size:
        raise SaveError(_BAD)
    front, count = _SCREENS.unpack_from(terminal, _SCREENS_AT)
    sheets = dict(_screen(reader) for _ in range(min(count, 2)))
    reader.take(_CONTINUATION)
    reader.take(_READY)
    histories = dict(_history(reader) for _ in range(min(count, 2)))
    reader.take(_FINISH)
    if 0 not in sheets or 0 not in histories or front not in sheets:
        raise SaveError(_BAD)
    screen, pages, pages_count = sheets[0]
    primary = ScreenText(screen, pages, pages_count, *histories[0])
    return Snapshot(terminal, primary, ScreenText(*sheets[_ALTERNATE]) if front == _ALTERNATE else None)


def _screen(reader: _Reader) -> tuple[int, tuple[bytes, bytes, int]]:
    payload = reader.take(_SCREEN)
    if len(payload) < _MANIFEST.size:
        raise SaveError(_BAD)
    key, count, _ = _MANIFEST.unpack_from(payload)
    return key, (payload, reader.pages(count), count)


def _history(reader: _Reader) -> tuple[int, tuple[bytes, int]]:
    payload = reader.take(_HISTORY)
    if len(payload) != _OLDER.size:
        raise SaveError(_BAD)
    key, count = _OLDER.unpack(payload)
    if count > _MOST_PAGES:
        raise SaveError(_BAD)
    return key, (reader.pages(count), count)


def size(snapshot: Snapshot) -> tuple[int, int]:
    """Columns and rows."""
    cols, rows = _SIZE.unpack_from(snapshot.terminal)
    return cols, rows


def older_lines(sheet: ScreenText) -> int:
    """The lines of history that a sheet declares."""
    return _MANIFEST.unpack_from(sheet.screen)[2]


def put(sheet: ScreenText, into: Snapshot) -> bytes:
    """A snapshot of the terminal `into`, which has one screen, with the text of a sheet instead of its own.

    Modes, colours, cursor and all else are those of `into`."""
    _, _, lines = _MANIFEST.unpack_from(sheet.screen)
    manifest = _MANIFEST.pack(0, sheet.page_count, lines)
    parts = (
        _ENVELOPE,
        _record(_TERMINAL, into.terminal),
        _record(_SCREEN, manifest + into.primary.screen[_MANIFEST.size :]),
        sheet.pages,
        _record(_CONTINUATION, b""),
        _record(_READY, b""),
        _record(_HISTORY, _OLDER.pack(0, sheet.older_count)),
        sheet.older,
        _record(_FINISH, b""),
    )
    return b"".join(parts)


def _record(tag: int, payload: bytes) -> bytes:
    covered = struct.pack("<HI", tag, len(payload)) + payload
    return _FRAME.pack(tag, len(payload), crc32c(covered)) + payload


def crc32c(data: bytes) -> int:
    """The CRC-32C (Castagnoli) of a little data."""
    table, crc = _table(), 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


@cache
def _table() -> tuple[int, ...]:
    table: list[int] = []
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


UNFINISHED: Final = 65_536
"""Bytes of a sequence that has begun and not ended, which a snapshot can hold; beyond that it has to wait."""
_MEMORY_PAGE: Final = 4_096
"""Bytes of memory that are touched together, or less."""


class Snapshots:
    """Takes snapshots of one terminal.

    Most of the time goes to memory that is touched for the first time: with room that was made before, a large history
    takes half as long."""

    def __init__(self, binding: Binding, terminal: "GhosttyTerminal") -> None:
        self._ffi, self._lib, self._terminal = binding.ffi, binding.lib, terminal
        self._last = 0
        self._room: bytearray | None = None

    def prepare(self) -> None:
        """Make room for a snapshot that is as large as the last one, or a little larger. Needs no terminal."""
        room = bytearray(self._last + self._last // 16)
        room[::_MEMORY_PAGE] = bytes(len(range(0, len(room), _MEMORY_PAGE)))
        self._room = room

    def take(self) -> Callable[[], bytes] | None:
        """What gives the snapshot of now, without the terminal; None if the engine cannot take one."""
        room, self._room = self._room, None
        return (self._into(room) if room else None) or self._anywhere()

    def _into(self, room: bytearray) -> Callable[[], bytes] | None:
        written = self._ffi.new("size_t *")
        with self._ffi.from_buffer("uint8_t[]", room) as buffer:
            if self._lib.ghostty_snapshot_encode_buf(self._terminal, buffer, len(room), written):
                return None
        size = self._last = int(written[0])
        return lambda: bytes(memoryview(room)[:size])

    def _anywhere(self) -> Callable[[], bytes] | None:
        ffi, lib = self._ffi, self._lib
        data, length = ffi.new("uint8_t **"), ffi.new("size_t *")
        if lib.ghostty_snapshot_encode_alloc(self._terminal, ffi.NULL, data, length):
            return None
        start, size = data[0], length[0]
        self._last = int(size)

        def free(start: "Pointer[int]") -> None:
            lib.ghostty_free(ffi.NULL, start, size)

        held = ffi.gc(start, free, size)
        return lambda: ffi.buffer(held, size)[:]


def snapshot(binding: Binding, terminal: "GhosttyTerminal") -> bytes:
    """The snapshot of now; empty if the engine cannot take one."""
    native = Snapshots(binding, terminal).take()
    return native() if native else b""


def decode(binding: Binding, data: bytes) -> "GhosttyTerminal":
    """The terminal of a snapshot, which is freed with its last reference. Raises SaveError."""
    ffi, lib = binding.ffi, binding.lib
    decoder, terminal = ffi.new("GhosttySnapshotDecoder *"), ffi.new("GhosttyTerminal *")
    with ffi.from_buffer("uint8_t[]", data) as source:
        if lib.ghostty_snapshot_decoder_new_buf(ffi.NULL, decoder, source, len(data)):
            raise SaveError("no memory for the saved text of a pane")
        try:
            failed = lib.ghostty_snapshot_decoder_decode(decoder[0], terminal)
        finally:
            lib.ghostty_snapshot_decoder_free(decoder[0])
    if failed:
        raise SaveError("the saved text of a pane is damaged")
    return ffi.gc(terminal[0], lib.ghostty_terminal_free)
