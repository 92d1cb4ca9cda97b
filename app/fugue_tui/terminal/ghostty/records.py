"""The engine's snapshot format, version 1: as much as it takes to check what a file claims before the engine believes
it, and to put old text into a fresh terminal.

A snapshot is an envelope and records: TERMINAL; for each screen SCREEN and its PAGEs; CONTINUATION; READY; for each
screen HISTORY and its PAGEs; FINISH. A record is a tag, a length, a CRC-32C and a payload, all little-endian. Source:
Ghostty's `src/terminal/snapshot`. Pure; the records' checksums are the engine's to check.
"""

import struct
from dataclasses import dataclass
from functools import cache
from typing import Final

from fugue_tui.errors import SaveError

_ENVELOPE: Final = b"GHOSTSNP\x01\x00"
_FRAME: Final = struct.Struct("<HII")
_TERMINAL, _SCREEN, _PAGE, _HISTORY, _READY, _FINISH, _CONTINUATION = range(1, 8)
_SIZE: Final = struct.Struct("<HH")
_SCREENS: Final = struct.Struct("<HH")
_SCREENS_AT: Final = 21
"""Where TERMINAL says which screen is in front, and how many there are."""
_MANIFEST: Final = struct.Struct("<HHQ")
"""What SCREEN begins with: which screen it is, its pages, its lines of history."""
_OLDER: Final = struct.Struct("<HI")
_PAGE_HEAD: Final = struct.Struct("<HHHHHHII")
_ALTERNATE: Final = 1
_MOST_MEMORY: Final = 1 << 30
"""Bytes that the pages of one terminal may claim."""
_MOST_PAGES: Final = 65_535
_BAD: Final = "the saved text of a pane cannot be read by this terminal engine"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The text of one screen: its pages as records, which nothing else refers to."""

    screen: bytes
    """The payload of SCREEN."""
    pages: bytes
    page_count: int
    older: bytes = b""
    older_count: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a snapshot holds."""

    terminal: bytes
    """The payload of TERMINAL."""
    primary: Sheet
    alternate: Sheet | None
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
    primary = Sheet(screen, pages, pages_count, *histories[0])
    return Snapshot(terminal, primary, Sheet(*sheets[_ALTERNATE]) if front == _ALTERNATE else None)


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


def older_lines(sheet: Sheet) -> int:
    """How many lines of history a sheet says that it has."""
    return _MANIFEST.unpack_from(sheet.screen)[2]


def put(sheet: Sheet, into: Snapshot) -> bytes:
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
