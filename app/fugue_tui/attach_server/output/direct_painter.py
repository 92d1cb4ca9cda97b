"""Paints panes directly on the host terminal while nothing covers them.

Textual's compositor draws the same rows from the same snapshots whenever something overlaps a pane, when the layout
changes and for screenshots, so the two ways always agree on what a row shows.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Final

from fugue_tui.attach_server.output.row_diff import Delta
from fugue_tui.geometry import Rect
from fugue_tui.terminal.screen.cells import Cursor, CursorShape, Damage
from fugue_tui.terminal.screen_view import ScreenView

_DIFF_ROWS: Final = 16
"""Rows up to which a frame is compared cell by cell; a frame that changes more is written whole."""
_SHAPES: Final = {CursorShape.BLOCK: 2, CursorShape.UNDERLINE: 4, CursorShape.BAR: 6}


class DirectPainter:
    """Paints frames of terminals in rectangles of the host's screen. Used by one thread."""

    def __init__(self, write: Callable[[bytes | bytearray], None]) -> None:
        """`write` sends output to the host."""
        self._write = write
        self._delta = Delta()
        self._painted: dict[ScreenView, list[bytes | None]] = {}
        self._cursor: tuple[int, int] | None = None
        self._shape = b""
        self._cursor_shown: bool | None = False
        self.synchronized: Callable[[], bool] = lambda: False
        """Whether the host supports synchronized output (mode 2026)."""
        self.width: Callable[[], int] = lambda: 0
        """The host's width in cells."""
        self.scrolls: Callable[[ScreenView], bool] = lambda seen: True
        """Whether hosts may scroll a pane's rows by themselves: images on them would stay, or move too."""

    def forget(self, seen: ScreenView | None = None) -> None:
        """Something else painted the rows of this view (None: all rows): what the host's cells show is unknown."""
        if seen is None:
            self._painted.clear()
        else:
            self._painted.pop(seen, None)
        self._cursor = None

    def mirror_added(self) -> None:
        """Output goes to a further host with the same rows, whose cursor is unknown."""
        self._cursor, self._shape, self._cursor_shown = None, b"", None

    def paint(self, seen: ScreenView, rect: Rect) -> Damage:
        """Paint what changed in what a view shows of a terminal; returns that."""
        changed, rows, _ = seen.frame()
        damage = changed
        known = self._painted.get(seen)
        if known is None or len(known) != rect.rows:
            known = self._painted[seen] = [None] * rect.rows
        out = bytearray()
        if damage.shift:
            damage, rows = self._scrolled(out, seen, rect, known, damage, rows)
        pieces = self._rows(out, rect, known, damage, rows)
        if not out:
            return changed
        if pieces > 1 and self.synchronized():
            out[:0] = b"\x1b[?2026h"
            out += b"\x1b[?2026l"
        elif pieces > 1 and self._cursor_shown:
            out[:0] = b"\x1b[?25l"
            self._cursor_shown = False
        self._write(out)
        return changed

    def rows(self, seen: ScreenView) -> Sequence[bytes | None]:
        """The rows that the hosts show of a view that was painted, which change with it; None where that is unknown."""
        return self._painted[seen]

    def rewrite(self, seen: ScreenView, rect: Rect, rows: Collection[int]) -> None:
        """Write the text of some rows of the last snapshot again."""
        out = bytearray()
        for y, row in enumerate(seen.paint()[: rect.rows]):
            if y in rows:
                self._whole(out, rect, y, row)
        self._write(out)

    def _scrolled(
        self,
        out: bytearray,
        seen: ScreenView,
        rect: Rect,
        known: list[bytes | None],
        damage: Damage,
        rows: list[bytes],
    ) -> tuple[Damage, list[bytes]]:
        """Move the old rows up on the host if it can scroll just them; otherwise every row is due."""
        shift = damage.shift
        fresh = dict(zip(damage.rows, rows, strict=True))
        moved = known[shift:] + [b""] * shift
        if rect.x == 0 and rect.cols == self.width() and self.scrolls(seen):
            out += b"\x1b[m\x1b[%d;%dr\x1b[%dS\x1b[r" % (rect.y + 1, rect.bottom, shift)
            self._cursor = None
            known[:] = moved
            return damage, rows
        if any(row is None for y, row in enumerate(moved) if y not in fresh):
            every = seen.paint()
            return Damage(rows=tuple(range(len(every)))), every
        target = [fresh.get(y, moved[y]) or b"" for y in range(rect.rows)]
        due = tuple(y for y in range(rect.rows) if target[y] != known[y])
        return Damage(rows=due, shift=shift), [target[y] for y in due]

    def _rows(self, out: bytearray, rect: Rect, known: list[bytes | None], damage: Damage, rows: list[bytes]) -> int:
        """Append the damaged rows; how many pieces of text were written."""
        pieces = 0
        compare = bool(damage.shift) or len(rows) <= _DIFF_ROWS
        for y, row in zip(damage.rows, rows, strict=True):
            if y >= rect.rows:
                break
            old = known[y]
            if old == row:
                continue
            known[y] = row
            parts = self._delta.spans(old, row, rect.cols) if compare and old is not None else None
            pieces += self._whole(out, rect, y, row) if parts is None else self._parts(out, rect, y, parts)
        return pieces

    def _whole(self, out: bytearray, rect: Rect, y: int, row: bytes) -> int:
        at = b"\x1b[%d;%dH" % (rect.y + y + 1, rect.x + 1)
        clear = b"\x1b[K" if rect.x + rect.cols >= self.width() else b"\x1b[%dX" % rect.cols
        out += at + clear + row
        self._cursor = None
        return 2

    def _parts(self, out: bytearray, rect: Rect, y: int, parts: list[tuple[int, bytes, int]]) -> int:
        for column, text, width in parts:
            here = (rect.x + column, rect.y + y)
            if self._cursor != here:
                out += b"\x1b[%d;%dH" % (here[1] + 1, here[0] + 1)
            out += text
            end = here[0] + width
            self._cursor = (end, here[1]) if end < self.width() else None
        return len(parts)

    # The cursor

    def cursor(self, cursor: Cursor | None, rect: Rect | None) -> tuple[int, int] | None:
        """Put the host's cursor where the focused terminal's is, or hide it; the host cell, if it is shown."""
        out = bytearray()
        if cursor is None or rect is None or not cursor.visible or cursor.x > rect.cols or cursor.y >= rect.rows:
            if self._cursor_shown is not False:
                out += b"\x1b[?25l"
            self._cursor_shown = False
            self._write(out)
            return None
        here = (rect.x + min(cursor.x, rect.cols - 1), rect.y + cursor.y)
        if self._cursor != here:
            out += b"\x1b[%d;%dH" % (here[1] + 1, here[0] + 1)
            self._cursor = here
        shape = shape_of(cursor)
        if shape != self._shape:
            out += shape
            self._shape = shape
        if not self._cursor_shown:
            out += b"\x1b[?25h"
            self._cursor_shown = True
        self._write(out)
        return here

    def cursor_lost(self) -> None:
        """Something else moved the host's cursor."""
        self._cursor = None


def shape_of(cursor: Cursor) -> bytes:
    """The sequence that gives the host's cursor a shape."""
    return b"\x1b[%d q" % (_SHAPES[cursor.shape] - cursor.blinking if cursor.styled else 0)
