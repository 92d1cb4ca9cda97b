"""The fallback engine's grid of cells: history, scrolling, inserting, deleting, erasing, resizing, the two screens.

Under it is pyte's Screen, for its cursor, its tab stops and its dirty set. What writes cells is here, because pyte's
cells hold no palette index, no link and no curly underline, and because pyte raises where a terminal shrugs.
"""

# pyright: reportIncompatibleVariableOverride=false, reportIncompatibleMethodOverride=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections import deque
from dataclasses import replace
from itertools import islice

import pyte
from pyte import modes as mode

from fugue_tui.geometry import Size
from fugue_tui.terminal.pyte.cells import BLANK, Cell, Line
from fugue_tui.terminal.screen.cells import PLAIN, Row


class Grid(pyte.Screen):
    """Cells and a cursor. No method raises, whatever its numbers."""

    buffer: list[Line]
    tabstops: set[int]

    def __init__(self, size: Size, scrollback: int) -> None:
        self.history: deque[Row] = deque(maxlen=max(0, scrollback))
        self.pushed = 0
        """Lines that ever went into the history, less those that came back."""
        super().__init__(size.cols, size.rows)

    def reset(self) -> None:
        """Blank everything but the history."""
        super().reset()
        self.mode = {mode.DECAWM, mode.DECTCEM}
        self.buffer = [Line() for _ in range(self.lines)]
        self.alternate = False
        self._behind = [Line() for _ in range(self.lines)]
        self.set_pen(BLANK)

    def set_pen(self, pen: Cell) -> None:
        """Write with this look from now on; what is erased takes its background."""
        self.pen = pen
        self._fill = Cell(" ", replace(PLAIN, bg=pen.style.bg)) if pen.style.bg != PLAIN.bg else BLANK

    @property
    def region(self) -> tuple[int, int]:
        """The first and last line that scroll."""
        return self.margins or (0, self.lines - 1)

    def settle(self) -> None:
        """Give up a wrap that is due: the cursor is on the last column."""
        self.cursor.x = min(self.cursor.x, self.columns - 1)

    # Lines

    def index(self) -> None:
        """Go down one line, scrolling at the bottom margin."""
        self.settle()
        if self.cursor.y == self.region[1]:
            self.scroll_up(1)
        else:
            self.cursor.y = min(self.cursor.y + 1, self.lines - 1)

    def reverse_index(self) -> None:
        """Go up one line, scrolling at the top margin."""
        self.settle()
        if self.cursor.y == self.region[0]:
            self.scroll_down(1)
        else:
            self.cursor.y = max(self.cursor.y - 1, 0)

    def scroll_up(self, count: int) -> None:
        """Move the lines between the margins up; those that leave the primary screen at its top are history."""
        top, bottom = self.region
        count = min(count, bottom - top + 1)
        if top == 0 and not self.alternate:
            self._remember(self.buffer[:count])
        self._move(top, top, bottom, count)

    def scroll_down(self, count: int) -> None:
        """Move the lines between the margins down."""
        top, bottom = self.region
        self._move(bottom + 1 - min(count, bottom - top + 1), top, bottom, min(count, bottom - top + 1))

    def insert_lines(self, count: int = 1) -> None:
        """Push lines down from the cursor, inside the margins."""
        top, bottom = self.region
        if top <= self.cursor.y <= bottom:
            count = min(count, bottom - self.cursor.y + 1)
            self._move(bottom + 1 - count, self.cursor.y, bottom, count)
            self.carriage_return()

    def delete_lines(self, count: int = 1) -> None:
        """Pull lines up to the cursor, inside the margins."""
        top, bottom = self.region
        if top <= self.cursor.y <= bottom:
            self._move(self.cursor.y, self.cursor.y, bottom, min(count, bottom - self.cursor.y + 1))
            self.carriage_return()

    def _move(self, taken: int, first: int, last: int, count: int) -> None:
        """Take `count` lines out at `taken` and put blank ones at the other end of `first` to `last`."""
        del self.buffer[taken : taken + count]
        at = last + 1 - count if taken == first else first
        self.buffer[at:at] = [Line(self._fill) for _ in range(count)]
        self.dirty.update(range(first, last + 1))

    def _remember(self, lines: list[Line]) -> None:
        """Put lines into the history."""
        self.history.extend(line.row(self.columns) for line in lines)
        self.pushed += len(lines)

    # Characters

    def insert_characters(self, count: int = 1) -> None:
        """Push the rest of the line to the right."""
        self.settle()
        x = self.cursor.x
        line = self._edited(x)
        cells = [line[column] for column in range(self.columns)]
        count = min(count, self.columns - x)
        self._rewrite(line, [*cells[:x], *[self._fill] * count, *cells[x:]])

    def delete_characters(self, count: int = 1) -> None:
        """Pull the rest of the line to the left."""
        self.settle()
        x = self.cursor.x
        count = min(count, self.columns - x)
        line = self._edited(x, x + count)
        cells = [line[column] for column in range(self.columns)]
        self._rewrite(line, [*cells[:x], *cells[x + count :], *[self._fill] * count])

    def _rewrite(self, line: Line, cells: list[Cell]) -> None:
        """Store a whole line; a wide character cut by the edge is blanked."""
        line.update(enumerate(cells[: self.columns]))
        if len(cells) > self.columns and cells[self.columns].data == "":
            line[self.columns - 1] = self._fill
        line.wrapped = False

    def erase_characters(self, count: int = 1) -> None:
        """Blank cells from the cursor on."""
        self.settle()
        self._erase(self.cursor.x, min(self.cursor.x + count, self.columns))

    def erase_in_line(self, how: int = 0) -> None:
        """Blank from the cursor to the end (0), from the start through the cursor (1), or the line (2)."""
        self.settle()
        if how == 0:
            self._erase(self.cursor.x, self.columns)
        elif how == 1:
            self._erase(0, self.cursor.x + 1)
        elif how == 2:
            self._erase_lines(self.cursor.y, self.cursor.y + 1)

    def erase_in_display(self, how: int = 0) -> None:
        """Blank to the end (0), from the start through the cursor (1), the screen (2), the history (3)."""
        if how in (0, 1):
            self.erase_in_line(how)
        if how == 0:
            self._erase_lines(self.cursor.y + 1, self.lines)
        elif how == 1:
            self._erase_lines(0, self.cursor.y)
        elif how == 2:
            self.settle()
            self._erase_lines(0, self.lines)
        elif how == 3:
            self.history.clear()
            self.dirty.update(range(self.lines))

    def _erase(self, start: int, stop: int) -> None:
        """Blank cells of the cursor's line."""
        line = self._edited(start, stop)
        line.update(dict.fromkeys(range(start, stop), self._fill))
        if stop == self.columns:
            line.wrapped = False

    def _erase_lines(self, first: int, stop: int) -> None:
        """Blank whole lines."""
        self.buffer[first:stop] = [Line(self._fill) for _ in range(first, stop)]
        self.dirty.update(range(first, stop))

    def _edited(self, *cuts: int) -> Line:
        """The cursor's line, dirty, with no wide character across a cut."""
        line = self.buffer[self.cursor.y]
        for cut in cuts:
            self._split_wide(line, cut)
        self.dirty.add(self.cursor.y)
        return line

    def alignment_display(self) -> None:
        """Fill the screen with E (DECALN)."""
        self.margins = None
        for line in self.buffer:
            line.update(dict.fromkeys(range(self.columns), Cell("E")))
        self.dirty.update(range(self.lines))
        self.cursor_position()

    def _split_wide(self, line: Line, x: int) -> None:
        """Blank both halves of a wide character that begins left of `x` and ends right of it."""
        if 0 < x < self.columns and line[x].data == "":
            line[x - 1] = line[x] = self._fill

    def put_mode(self, number: int, value: bool) -> None:
        """Set or reset a mode that the screen obeys, with pyte's number for it."""
        self.mode = self.mode | {number} if value else self.mode - {number}

    def history_rows(self, start: int, count: int) -> list[Row]:
        """Lines of the history from the oldest, or from the newest if `start` is negative."""
        first = start % max(1, len(self.history)) if start < 0 else start
        return list(islice(self.history, first, first + max(0, count)))

    def text_rows(self) -> list[Row]:
        """The history, the primary screen and, if it is in front, the alternate one, each without blank lines below."""
        screens = (self._behind, self.buffer) if self.alternate else (self.buffer,)
        rows = list(self.history)
        for screen in screens:
            last = max((y for y, line in enumerate(screen, 1) if not line.is_blank()), default=0)
            rows += [line.row(self.columns) for line in screen[:last]]
        return rows

    @property
    def pruned(self) -> int:
        """How many rows have left the history."""
        return self.pushed - len(self.history)

    def begin_below(self, rows: list[Row]) -> None:
        """Have older rows as history and on a fresh screen, with the cursor on the line below them."""
        kept = min(len(rows), self.lines - 1)
        first = len(rows) - kept
        self.history.extend(rows[:first])
        self.pushed += first
        self.buffer[:kept] = [Line.restore(row) for row in rows[first:]]
        if kept:
            self.buffer[kept - 1].wrapped = False
        self.cursor.y = kept
        self.dirty.update(range(self.lines))

    # The two screens

    def switch(self, alternate: bool) -> None:
        """Show the alternate or the primary screen."""
        if alternate != self.alternate:
            self.buffer, self._behind = self._behind, self.buffer
            self.alternate = alternate
            self.dirty.update(range(self.lines))

    def blank(self) -> None:
        """Erase the screen that is shown, in the default style."""
        self.buffer = [Line() for _ in range(self.lines)]
        self.dirty.update(range(self.lines))

    def resize(self, lines: int, columns: int) -> None:
        """Change the size: lines are cut at the right, and pushed into the history at the top rather than lost."""
        self.tabstops |= set(range(-(-self.columns // 8) * 8, columns, 8))
        self.lines, self.columns, self.margins = lines, columns, None
        for line in (*self.buffer, *self._behind):
            line.cut(columns)
        self.cursor.y += self._fit(self.buffer, self.cursor.y, keep=not self.alternate)
        self._fit(self._behind, len(self._behind) - 1, keep=self.alternate)
        self.cursor.y = min(max(self.cursor.y, 0), lines - 1)
        self.cursor.x = min(self.cursor.x, columns)
        self.dirty = set(range(lines))

    def _fit(self, buffer: list[Line], cursor: int, *, keep: bool) -> int:
        """Give a buffer as many lines as the screen has; tells how far its text moved down."""
        while len(buffer) > max(self.lines, cursor + 1) and buffer[-1].is_blank():
            del buffer[-1]
        excess = len(buffer) - self.lines
        if excess > 0:
            if keep:
                self._remember(buffer[:excess])
            del buffer[:excess]
            return -excess
        back = min(-excess, len(self.history)) if keep and cursor == len(buffer) - 1 else 0
        buffer[0:0] = reversed([Line.restore(self.history.pop()) for _ in range(back)])
        self.pushed -= back
        buffer.extend(Line() for _ in range(self.lines - len(buffer)))
        return back
