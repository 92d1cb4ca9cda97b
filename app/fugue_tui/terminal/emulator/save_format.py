"""What is kept of a terminal so that its text can be brought back: one checked value around what the engine wrote.

The engine's own form brings everything back, with reflow. Beside it is VT text of at least the newest lines, for when
another engine, or a later version of the same, has to show them.
"""

import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from fugue_tui.errors import SaveError
from fugue_tui.geometry import Size
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.screen.sgr import write_row

VERSION: Final = 2
"""Raised when an older version of this module would misread what a newer one wrote."""
READABLE: Final = (1, VERSION)
"""The versions that `unpack` reads; in the first there was no `past`."""
PORTABLE_LINES: Final = 500
"""Lines that are kept as VT text beside the engine's own form."""

_HEAD: Final = struct.Struct("<8sHHII")
_MAGIC: Final = b"FUGUETXT"
_LONGEST_HEAD: Final = 65_536
_LONGEST_SIDE: Final = 10_000
_MOST_CELLS: Final = 4_000_000
_WORDS: Final = 4_096
"""Characters kept of a title or a directory."""


class Save(Struct, frozen=True):
    """A snapshot of a terminal's text."""

    engine: str
    """Which engine wrote `native`."""
    size: Size
    title: str = ""
    """Untrusted, like `cwd`."""
    cwd: str = ""
    native: bytes = b""
    """Everything, as the engine writes it; empty if it could not."""
    portable: bytes = b""
    """VT text of the newest lines, or of all where `native` is empty; lines that wrapped softly are whole."""
    past: bytes = b""
    """What else is known of the text, as `remembered` writes it."""
    lines: int = 0
    """How many lines `portable` has, counted when it was written; 0 if unknown."""


def pack(save: Save) -> bytes:
    """The save as bytes with a checksum."""
    about = {
        "engine": save.engine,
        "cols": save.size.cols,
        "rows": save.size.rows,
        "title": save.title[:_WORDS],
        "cwd": save.cwd[:_WORDS],
        "native": len(save.native),
        "portable": len(save.portable),
        "past": len(save.past),
        "lines": save.lines,
    }
    parts, check = (json.dumps(about).encode(), save.native, save.portable, save.past), 0
    for part in parts:
        check = zlib.crc32(part, check)
    return b"".join((_HEAD.pack(_MAGIC, VERSION, 0, len(parts[0]), check), *parts))


def unpack(data: bytes) -> Save:
    """What `pack` wrote. Raises SaveError if a byte of it is missing or wrong, or a newer version wrote it."""
    if len(data) < _HEAD.size or data[:8] != _MAGIC:
        raise SaveError("not the saved text of a pane")
    _, version, _, length, check = _HEAD.unpack_from(data)
    if version not in READABLE:
        raise SaveError(f"the text of a pane was saved in version {version}, and this Fugue reads {VERSION}")
    body = memoryview(data)[_HEAD.size :]
    if length > _LONGEST_HEAD or zlib.crc32(body) != check:
        raise SaveError("the saved text of a pane is damaged")
    try:
        return _read(json.loads(bytes(body[:length])), body[length:])
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        raise SaveError("the saved text of a pane makes no sense") from None


def _read(about: dict[str, Any], body: memoryview) -> Save:
    size = Size(int(about["cols"]), int(about["rows"]))
    native, portable, past = (int(about.get(key, 0)) for key in ("native", "portable", "past"))
    if not 0 < min(size.cols, size.rows) <= max(size.cols, size.rows) <= _LONGEST_SIDE:
        raise ValueError
    if size.cols * size.rows > _MOST_CELLS or min(native, portable, past) < 0:
        raise ValueError
    if native + portable + past != len(body):
        raise ValueError
    engine, title, cwd = (str(about[key])[:_WORDS] for key in ("engine", "title", "cwd"))
    parts = body[:native], body[native : native + portable], body[native + portable :]
    return Save(engine, size, title, cwd, *map(bytes, parts), lines=int(about.get("lines", 0)))


def write_rows(rows: Sequence[Row], cols: int) -> bytes:
    """Rows as lines of VT text that look the same on a terminal of that width; blank ones at the end are left out."""
    last = max((y + 1 for y, row in enumerate(rows) if row.text), default=0)
    parts: list[bytes] = []
    for y, row in enumerate(rows[:last]):
        parts.append(write_row(row, every_link=True))
        if row.wrapped and y + 1 < last:
            parts.append(b" " * _missing(row, rows[y + 1], cols))
        else:
            parts.append(b"\r\n")
    return b"".join(parts)


def _missing(row: Row, following: Row, cols: int) -> int:
    """How many blanks a wrapped row needs, so that the next wraps again: none before a wide character at the edge."""
    free = max(0, cols - sum(run.cols for run in row.runs))
    if not following.runs:
        return free + 1
    first = following.runs[0]
    return 0 if free == 1 and first.cols > 1 and _is_wide(first.text[:1]) else free


def _is_wide(char: str) -> bool:
    from wcwidth import wcwidth

    return wcwidth(char) == 2
