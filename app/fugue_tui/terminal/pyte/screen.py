"""The fallback engine's screen: text onto the grid, the cursor, margins, character sets."""

# pyright: reportIncompatibleMethodOverride=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import re
from dataclasses import dataclass
from typing import Final
from unicodedata import category

import pyte
from pyte import modes as mode
from wcwidth import wcwidth

from fugue_tui.geometry import Size
from fugue_tui.terminal.pyte.cells import BLANK, Cell
from fugue_tui.terminal.pyte.grid import Grid
from fugue_tui.terminal.screen.cells import Style

MOST_MARKS: Final = 16
"""Code points kept in one cell; more combining marks are dropped."""

_UNSHOWN: Final = "\xad\U0010eeee"
_PIECE: Final = re.compile(r"[\x20-\x7e]+|.", re.DOTALL)
_GRAPHICS: Final = dict(zip(range(0x5F, 0x7F), " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·", strict=True))
_CHARSETS: Final[dict[str, dict[int, str]]] = {"0": _GRAPHICS, "A": {0x23: "£"}}


def _joins(mark: str) -> bool:
    """Whether a character without width belongs to the one before it; controls, bidi overrides and tags do not."""
    return mark == "\u200d" or (category(mark)[0] in "ML" and mark < "\U000e0000")


class _Pen(dict[str, Cell]):
    """Cells of one look, made once a character."""

    def __init__(self, style: Style, link: str | None) -> None:
        super().__init__()
        self._look = (style, link)

    def __missing__(self, char: str) -> Cell:
        cell = self[char] = Cell(char, *self._look)
        return cell


@dataclass(frozen=True, slots=True)
class Saved:
    """What DECSC keeps."""

    x: int
    y: int
    pen: Cell
    charsets: tuple[str, str]
    charset: int
    origin: bool


class Screen(Grid):
    """One terminal's screen. No method raises, whatever its numbers."""

    def __init__(self, size: Size, scrollback: int) -> None:
        self._pens: dict[tuple[Style, str | None], _Pen] = {}
        super().__init__(size, scrollback)

    def reset(self) -> None:
        """Blank everything but the history."""
        super().reset()
        self._saved: dict[bool, Saved] = {}
        self._charsets = ["B", "B"]
        self._last = ""

    def set_pen(self, pen: Cell) -> None:
        """Write with this look from now on."""
        super().set_pen(pen)
        if len(self._pens) > 512:
            self._pens.clear()
        look = (pen.style, pen.link)
        self._cells = self._pens.get(look) or self._pens.setdefault(look, _Pen(*look))

    def draw(self, data: str) -> None:
        """Write printable text at the cursor, wrapping where that is on."""
        table = _CHARSETS.get(self._charsets[self.charset])
        if table:
            data = data.translate(table)
        if data.isascii() and mode.IRM not in self.mode:
            self._draw_narrow(data)
            return
        for piece in _PIECE.findall(data):
            if piece.isascii() and mode.IRM not in self.mode:
                self._draw_narrow(piece)
            else:
                for char in piece:
                    self._draw_character(char, wcwidth(char))

    def repeat(self, count: int) -> None:
        """Write the last character again; more than a screenful is a screenful."""
        if self._last:
            self.draw(self._last * min(count, self.columns * self.lines))

    def _draw_narrow(self, text: str) -> None:
        """Write text whose every character takes one cell."""
        self._last = text[-1]
        at = 0
        while at < len(text):
            self._wrap_if_due()
            room = self.columns - self.cursor.x
            piece = text[at : at + room]
            if len(text) - at > room and mode.DECAWM not in self.mode:
                piece = piece[:-1] + text[-1]
                at = len(text)
            self._put(map(self._cells.__getitem__, piece), len(piece))
            at += len(piece)

    def _put(self, cells: "map[Cell] | tuple[Cell, ...]", count: int) -> None:
        """Store cells at the cursor, which fit the line, and move past them."""
        x, y = self.cursor.x, self.cursor.y
        line = self.buffer[y]
        self._split_wide(line, x)
        self._split_wide(line, x + count)
        line.update(zip(range(x, x + count), cells, strict=True))
        self.cursor.x = x + count
        if self.cursor.x == self.columns:
            line.wrapped = False
        self.dirty.add(y)

    def _draw_character(self, char: str, width: int) -> None:
        """Write one character of any width."""
        if width <= 0:
            self._combine(char)
            return
        self._wrap_if_due()
        if width > self.columns - self.cursor.x:
            if mode.DECAWM not in self.mode or width > self.columns:
                return
            self._edited(self.cursor.x).pop(self.cursor.x, None)
            self.cursor.x = self.columns
            self._wrap_if_due()
        if mode.IRM in self.mode:
            self.insert_characters(width)
        self._last = char
        char = " " if char in _UNSHOWN else char
        self._put((self._cells[char], self._cells[""])[:width], width)

    def _combine(self, mark: str) -> None:
        """Add a mark to the character before the cursor; format characters, such as bidi overrides, are dropped."""
        line = self.buffer[self.cursor.y]
        x = min(self.cursor.x, self.columns) - 1
        if x > 0 and line[x].data == "":
            x -= 1
        if x >= 0 and 0 < len(line[x].data) < MOST_MARKS and _joins(mark):
            line[x] = line[x]._replace(data=line[x].data + mark)
            self.dirty.add(self.cursor.y)

    def _wrap_if_due(self) -> None:
        """Go to the next line if the last one is full."""
        if self.cursor.x < self.columns:
            return
        if mode.DECAWM not in self.mode:
            self.cursor.x = self.columns - 1
            return
        self.buffer[self.cursor.y].wrapped = True
        self.index()
        self.cursor.x = 0

    # Cursor

    def cursor_up(self, count: int = 1) -> None:
        """Move up, not past the top margin from inside."""
        self.settle()
        top = self.region[0] if self.cursor.y >= self.region[0] else 0
        self.cursor.y = max(self.cursor.y - count, top)

    def cursor_down(self, count: int = 1) -> None:
        """Move down, not past the bottom margin from inside."""
        self.settle()
        bottom = self.region[1] if self.cursor.y <= self.region[1] else self.lines - 1
        self.cursor.y = min(self.cursor.y + count, bottom)

    def cursor_position(self, line: int = 1, column: int = 1) -> None:
        """Move to a line and a column, counted from 1, and from the top margin in origin mode."""
        self.cursor_to_line(line)
        self.cursor.x = min(max(column, 1), self.columns) - 1

    def cursor_to_line(self, line: int = 1) -> None:
        """Move to a line, counted from 1, and from the top margin in origin mode."""
        self.settle()
        top, bottom = self.region if mode.DECOM in self.mode else (0, self.lines - 1)
        self.cursor.y = min(top + max(line, 1) - 1, bottom)

    def tab(self) -> None:
        """Move to the next tab stop, or the last column; a wrap that is due stays due."""
        if self.cursor.x < self.columns - 1:
            super().tab()

    def cursor_to_tab(self, count: int) -> None:
        """Move on by tab stops, or back if negative."""
        for _ in range(min(abs(count), self.columns)):
            if count > 0:
                self.tab()
            else:
                self.cursor.x = max((stop for stop in self.tabstops if stop < self.cursor.x), default=0)

    def set_margins(self, top: int = 1, bottom: int = 0) -> None:
        """Scroll only between two lines, counted from 1; 0 for the bottom is the last line."""
        first = max(top, 1) - 1
        last = min(bottom or self.lines, self.lines) - 1
        if first < last:
            self.margins = pyte.screens.Margins(first, last) if (first, last) != (0, self.lines - 1) else None
            self.cursor_position()

    def define_charset(self, code: str, which: str) -> None:
        """Choose G0 (`(`) or G1 (`)`): 0 is line drawing, A British, the rest ASCII."""
        self._charsets["()".index(which)] = code

    def save_cursor(self) -> None:
        """Remember the cursor, the pen, the character sets and origin mode; one memory a screen."""
        x, y = self.cursor.x, self.cursor.y
        sets = (self._charsets[0], self._charsets[1])
        self._saved[self.alternate] = Saved(x, y, self.pen, sets, self.charset, mode.DECOM in self.mode)

    def restore_cursor(self) -> None:
        """Go back to what was saved, or home."""
        saved = self._saved.get(self.alternate, Saved(0, 0, BLANK, ("B", "B"), 0, False))
        self._charsets = list(saved.charsets)
        self.charset = saved.charset
        self.mode = self.mode | {mode.DECOM} if saved.origin else self.mode - {mode.DECOM}
        self.cursor.x, self.cursor.y = min(saved.x, self.columns), min(saved.y, self.lines - 1)
        self.set_pen(saved.pen)
