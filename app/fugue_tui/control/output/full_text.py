"""All text of a terminal as lines, read in chunks so that the lock is held only briefly."""

import time
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from fugue_tui.multiplexer.watch.bookmarks import Bookmark, bookmark
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal

ROWS: Final = 1_000
"""Rows that are read per hold of the lock."""


class FullText(Struct, frozen=True):
    """A snapshot of a terminal's text, screen and scrollback."""

    lines: Sequence[str]
    """The lines, wrapped rows joined. Untrusted."""
    starts: Sequence[int]
    """The first row of each line."""
    last: int
    """The last row with text."""
    bookmark: Bookmark
    """The start of that row."""


class _Piece(Struct, frozen=True):
    first: int
    rows: Sequence[str]
    lines: Sequence[str]
    gap: str | None
    """The blanks between the row above and the first row, if that continues it; else None."""


def full_text(terminal: Terminal, deadline: float) -> FullText | None:
    """All text now, except what is pruned meanwhile; at the deadline, the newest part. None if the terminal is closed.
    Acquires the terminal's lock for each chunk: any thread that does not hold it."""
    with terminal.locked() as screen:
        if screen.closed:
            return None
        emulator, cols = screen.emulator, screen.size.cols
        piece = _piece(emulator, screen.end.line)
        last = max((row for row, text in enumerate(piece.rows, piece.first) if text), default=piece.first)
        mark, pin = bookmark(screen, at=Point(last)), emulator.pin(Point(piece.first))
    pieces = [piece]
    while piece.first and time.monotonic() < deadline:
        with terminal.locked() as screen:
            place = None if screen.closed else pin.found()
            if place is None or not place.line:
                break
            resized = screen.size.cols != cols
            if not resized:
                piece = _piece(emulator, place.line, pruned=piece.first - place.line)
                pin = emulator.pin(Point(place.line - len(piece.rows)))
        if resized:
            return full_text(terminal, deadline)
        pieces.append(piece)
    return FullText(*_joined(pieces[::-1], cols), last, mark)


def _piece(emulator: Emulator, stop: int, *, pruned: int = 0) -> _Piece:
    """The rows before `stop`, numbered as before pruning. The caller holds the lock."""
    first = max(0, stop - ROWS)
    rows, lines = emulator.lines(first, stop), emulator.lines(first, stop, joined=True)
    return _Piece(first + pruned, rows, lines, _gap(emulator, first) if first else None)


def _gap(emulator: Emulator, row: int) -> str | None:
    (above, below), joined = emulator.lines(row - 1, row + 1), emulator.lines(row - 1, row + 1, joined=True)
    return joined[0][len(above) : len(joined[0]) - len(below)] if joined and joined[0] != above else None


def wraps(emulator: Emulator, row: int) -> bool:
    """Whether a row's text continues in the row below. The caller holds the lock."""
    return emulator.lines(row, row + 2, joined=True)[:1] != emulator.lines(row, row + 1)[:1]


def _joined(pieces: Sequence[_Piece], cols: int) -> tuple[list[str], list[int]]:
    """The lines of all chunks, the oldest first, and their first rows."""
    lines: list[str] = []
    starts: list[int] = []
    for piece in pieces:
        begins = [piece.first + start for start in starts_of(piece.lines, piece.rows, cols)]
        cut = int(piece.gap is not None and bool(lines))
        if cut:
            lines[-1] += f"{piece.gap}{piece.lines[0]}"
        lines += piece.lines[cut:]
        starts += begins[cut:]
    return lines, starts


def starts_of(lines: Sequence[str], rows: Sequence[str], cols: int) -> list[int]:
    """The first row of each line, given the rows of which the lines were joined. Blanks are ignored, as those at the
    ends of rows are not kept."""
    bare = [row.replace(" ", "") for row in rows]
    starts: list[int] = []
    at = 0
    for line in lines:
        rest = line.replace(" ", "")
        at += _blank_rows_before(line, bare, at, cols) if rest else 0
        starts.append(at)
        while at < len(bare) and rest.startswith(bare[at]):
            rest = rest[len(bare[at]) :]
            at += 1
            if not rest:
                break
    return starts


def _blank_rows_before(line: str, bare: Sequence[str], at: int, cols: int) -> int:
    """The number of rows that hold only the trailing blanks of the line before."""
    blank = next((n for n in range(len(bare) - at) if bare[at + n]), 0)
    return max(0, blank - (len(line) - len(line.lstrip(" "))) // cols)
