"""pyte's screen with what keeps programs readable and it does not have: soft wraps, history, an alternate screen.

Programs in panes find TERM=xterm-256color. What that entry promises and would garble their text is here: SU, SD, REP,
CBT, erasing with the background, wide characters at the edge. What only looks different is as pyte does it.
"""

import re
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from copy import copy
from functools import lru_cache
from itertools import groupby, islice
from typing import Any, Final, cast
from unicodedata import category

import pyte
from msgspec.structs import replace
from pyte import modes as mode
from pyte.charsets import LAT1_MAP
from pyte.graphics import BG_AIXTERM, FG_AIXTERM, FG_ANSI, FG_BG_256
from pyte.screens import Char, Savepoint, StaticDefaultDict
from wcwidth import wcwidth

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Bell
from fugue_tui.terminal.emulator.pending_events import PendingEvents
from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, CursorShape, Row, Run, Style, Underline, rgb

MOST_MARKS: Final = 16
"""Code points kept in one cell; more combining marks are dropped."""

_BLANK: Final = Char(" ")
_PIECE: Final = re.compile(r"[ -~]+|[^ -~]")
_UNSHOWN: Final = str.maketrans({"\xad": " ", "\U0010eeee": " "})
_ALTERNATE: Final = (47, 1047, 1049)
_SAVING: Final = (1048, 1049)
_REFUSED: Final = (3, 5, 6)
"""DECCOLM would change the size; with DECSCNM pyte forgets which text was inverse before; with DECOM and no margins it
moves the cursor off the screen."""
_ANSI: Final = frozenset({mode.IRM, mode.LNM, mode.DECOM, mode.DECAWM})
"""The last two have pyte's own numbers, by which it restores them with the cursor."""
_ALTERNATE_SCROLL: Final = 1007 << 5
_COLOURS: Final = {
    **{digits: number for number, digits in enumerate(FG_BG_256)},
    **{name: number - 30 for number, name in FG_ANSI.items()},
    **{name: number - 82 for number, name in FG_AIXTERM.items()},
    **{name: number - 92 for number, name in BG_AIXTERM.items()},
    "default": DEFAULT_COLOUR,
}
"""Palette indices by pyte's names of colours."""


class Line(StaticDefaultDict[int, Char]):
    """One sparse line of cells; what is not stored looks like `default`."""

    wrapped = False
    """Whether its text goes on in the line below."""

    def row(self, columns: int) -> Row:
        """The line as runs, without trailing blanks in the default style; blanks before a soft wrap are text."""
        end = min(columns, max(self, default=-1) + 1) if self.default == _BLANK else columns
        cells = _without_halves([self[x] for x in range(end)])
        while cells and cells[-1] == _BLANK and not self.wrapped:
            cells.pop()
        looks = [(look, list(run)) for look, run in groupby(cells, key=lambda cell: cell[1:])]
        runs = [Run("".join(cell.data for cell in run), _style(*look), len(run)) for look, run in looks]
        return Row(tuple(runs), self.wrapped)


Lines = dict[int, StaticDefaultDict[int, Char]]
"""Each is a Line."""


def _without_halves(cells: list[Char]) -> list[Char]:
    """The cells with blanks for what is left of wide characters that were overwritten in part."""
    text = "".join([cell.data for cell in cells])
    if len(text) == len(cells) and text.isascii():
        return cells
    for x, cell in enumerate(cells):
        wide, stub = wcwidth(cell.data[:1]) == 2, x + 1 < len(cells) and not cells[x + 1].data
        if (wide and not stub) or (x == 0 and not cell.data):
            cells[x] = cell._replace(data=" ")
        elif stub and not wide:
            cells[x + 1] = cells[x + 1]._replace(data=" ")
    return cells


@lru_cache(maxsize=4_096)
def _style(fg: str, bg: str, bold: bool, italic: bool, line: bool, strike: bool, inverse: bool, blink: bool) -> Style:
    """What a cell has besides its text, in pyte's order, as a style."""
    underline = Underline.SINGLE if line else Underline.NONE
    style = Style(_colour(fg), _colour(bg), underline=underline, bold=bold, italic=italic, blink=blink)
    return replace(style, inverse=inverse, strikethrough=strike)


def _colour(name: str) -> int:
    """A colour by pyte's name; some have too many digits, as a program gave a part above 255."""
    if name in _COLOURS:
        return _COLOURS[name]
    return rgb(*bytes.fromhex(name)) if len(name) == 6 else DEFAULT_COLOUR


def _joins(mark: str) -> bool:
    """Whether a character without width belongs to the one before it; controls, bidi overrides and tags do not."""
    return mark == "\u200d" or (category(mark)[0] in "ML" and mark < "\U000e0000")


class Screen(pyte.Screen):
    """One terminal's screen and history."""

    tabstops: set[int]
    alternate: bool = False
    """Whether the alternate screen is in front."""
    shape: CursorShape | None = None
    """What DECSCUSR asked for; None until then."""
    _saved_behind: list[Savepoint]
    """The saved cursor of the screen that is not in front."""

    def __init__(self, size: Size, scrollback: int, inbox: PendingEvents) -> None:
        self.history: deque[Row] = deque(maxlen=max(0, scrollback))
        self.pushed = 0
        """Lines that ever went into the history."""
        self._inbox = inbox
        super().__init__(size.cols, size.rows)
        self.reset()

    def reset(self) -> None:
        """RIS; the history is kept."""
        super().reset()
        self.mode.add(_ALTERNATE_SCROLL)
        self.g1_charset = LAT1_MAP
        self.savepoints, self._saved_behind = [], []
        self.alternate = False
        self.shape = None
        self._last = ""
        self.buffer, self._behind = self._lines(), self._lines()

    def _lines(self) -> Lines:
        lines: Lines = defaultdict(lambda: Line(self._erased))
        lines.update((y, Line(_BLANK)) for y in range(self.lines))
        return lines

    @property
    def _erased(self) -> Char:
        """What takes the place of erased text: of the pen it has the background."""
        return Char(" ", bg=self.cursor.attrs.bg)

    @property
    def pruned(self) -> int:
        """How many rows have left the history."""
        return self.pushed - len(self.history)

    def line(self, y: int) -> Line:
        """A line of the screen."""
        return cast(Line, self.buffer[y])

    def rows(self, start: int, stop: int) -> list[Row]:
        """Lines counted from the oldest of the history; what lies outside is left out."""
        kept = len(self.history)
        screen = range(max(0, start - kept), min(self.lines, stop - kept))
        return [*islice(self.history, max(0, start), max(0, stop)), *(self.line(y).row(self.columns) for y in screen)]

    def text_rows(self) -> list[Row]:
        """The history, the primary screen and, if it is in front, the alternate one, each without blank lines below."""
        screens = (self._behind, self.buffer) if self.alternate else (self.buffer,)
        return [*self.history, *(row for buffer in screens for row in self._text(buffer))]

    def _text(self, buffer: Lines) -> list[Row]:
        rows = [cast(Line, buffer[y]).row(self.columns) for y in range(self.lines)]
        return rows[: max((y for y, row in enumerate(rows, 1) if row.runs), default=0)]

    def complete(self) -> None:
        """Make the lines that scrolled in, as pyte leaves that to the next access: then the pen may be another."""
        if len(self.buffer) < self.lines:
            for y in range(self.lines):
                self.buffer[y]

    def settle(self) -> None:
        """Give up a wrap that is due: the cursor is on the last column."""
        self.cursor.x = min(self.cursor.x, self.columns - 1)

    def bell(self, *args: Any) -> None:
        """BEL."""
        self._inbox.emit(Bell())

    def write_process_input(self, data: str) -> None:
        """Answer the program."""
        self._inbox.reply(data.encode())

    # Text

    def draw(self, data: str) -> None:
        """Write printable text at the cursor, wrapping where that is on."""
        look = self.cursor.attrs[1:]
        text = data.translate(self.g1_charset if self.charset else self.g0_charset).translate(_UNSHOWN)
        for piece in _PIECE.findall(text):
            width, at = wcwidth(piece[0]), 0
            if width == 0:
                self._combine(piece)
            while width > 0 and at < len(piece):
                if self.cursor.x + width > self.columns:
                    self._wrap(width)
                part = piece[at : at + max(1, self.columns - self.cursor.x)]
                self._put([Char(char, *look) for char in part] + [Char("", *look)] * (width - 1))
                self._last = part[-1]
                at += len(part)

    def _put(self, cells: list[Char]) -> None:
        """Store cells at the cursor and move past them."""
        if mode.IRM in self.mode:
            self.insert_characters(len(cells))
        line = self.line(self.cursor.y)
        line.update(zip(range(self.cursor.x, self.columns), cells, strict=False))
        self.cursor.x = min(self.cursor.x + len(cells), self.columns)
        line.wrapped = line.wrapped and self.cursor.x < self.columns
        self.dirty.add(self.cursor.y)

    def _wrap(self, width: int) -> None:
        """Make room for a character that does not fit: on the next line, or over the last one."""
        if mode.DECAWM not in self.mode:
            self.cursor.x = max(0, self.columns - width)
            return
        line = self.line(self.cursor.y)
        line.pop(self.cursor.x, None)
        line.wrapped = True
        self.index()
        self.carriage_return()

    def _combine(self, mark: str) -> None:
        """Add a mark to the character before the cursor."""
        line, x = self.buffer[self.cursor.y], self.cursor.x - 1
        x -= x > 0 and not line[x].data
        if x >= 0 and 0 < len(line[x].data) < MOST_MARKS and _joins(mark):
            line[x] = line[x]._replace(data=line[x].data + mark)
            self.dirty.add(self.cursor.y)

    def insert_characters(self, count: int | None = None) -> None:
        """ICH."""
        super().insert_characters(count)
        self.buffer[self.cursor.y].pop(self.columns, None)  # pyte keeps what was pushed past the edge.

    def repeat(self, count: int = 1) -> None:
        """REP: the last character again; more than a screenful is a screenful."""
        self.draw(self._last * min(count or 1, self.columns * self.lines))

    def _erase(self, start: int, stop: int) -> None:
        line = self.line(self.cursor.y)
        line.update(dict.fromkeys(range(start, min(stop, self.columns)), self._erased))
        line.wrapped = line.wrapped and stop < self.columns
        self.dirty.add(self.cursor.y)

    def erase_characters(self, count: int | None = None) -> None:
        """ECH."""
        self._erase(self.cursor.x, self.cursor.x + (count or 1))

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        """EL."""
        x = self.cursor.x
        self._erase(*{0: (x, self.columns), 1: (0, x + 1), 2: (0, self.columns)}[how])

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        """ED; 3 erases the history alone."""
        if how == 3:
            self.history.clear()
            return
        y = self.cursor.y
        lines = {0: range(y + 1, self.lines), 1: range(y), 2: range(self.lines)}[how]
        self.buffer.update((y, Line(self._erased)) for y in lines)
        self.dirty.update(lines)
        if how != 2:
            self.erase_in_line(how)

    # Lines

    def index(self) -> None:
        """Go down one line; what leaves the primary screen at its top is history."""
        self.settle()
        top, bottom = self.margins or (0, self.lines - 1)
        if self.cursor.y == bottom and top == 0 and not self.alternate:
            self._remember(self.buffer[0])
        super().index()

    def reverse_index(self) -> None:
        """Go up one line, scrolling at the top margin."""
        self.settle()
        super().reverse_index()

    def _remember(self, line: StaticDefaultDict[int, Char]) -> None:
        self.history.append(cast(Line, line).row(self.columns))
        self.pushed += 1

    def scroll_up(self, count: int = 1) -> None:
        """SU."""
        self._scroll(self.index, self.margins.bottom if self.margins else self.lines - 1, count)

    def scroll_down(self, count: int = 1) -> None:
        """SD."""
        self._scroll(self.reverse_index, self.margins.top if self.margins else 0, count)

    def _scroll(self, step: Callable[[], None], y: int, count: int) -> None:
        before, self.cursor.y = (self.cursor.x, self.cursor.y), y
        for _ in range(min(count or 1, self.lines)):
            step()
        self.cursor.x, self.cursor.y = before

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """Change the size: lines are cut at the right; what does not fit at the top becomes history."""
        lines, columns = lines or self.lines, columns or self.columns
        self.tabstops |= set(range(-(-self.columns // 8) * 8, columns, 8))
        self.cursor.y -= self._fit(self.buffer, self.cursor.y + 1, lines, keep=not self.alternate)
        self._fit(self._behind, len(self._text(self._behind)), lines, keep=self.alternate)
        for line in (*self.buffer.values(), *self._behind.values()):
            for x in [x for x in line if x >= columns]:
                del line[x]
        self.lines, self.columns, self.margins = lines, columns, None
        self.cursor.x = min(self.cursor.x, columns)
        self.dirty = set(range(lines))

    def _fit(self, buffer: Lines, used: int, lines: int, *, keep: bool) -> int:
        """Give a buffer that many lines, without its first ones if more are used; returns how many those are."""
        excess = max(0, used - lines)
        for y in range(excess if keep else 0):
            self._remember(buffer[y])
        kept = [buffer[y] if y < self.lines else Line(_BLANK) for y in range(excess, excess + lines)]
        buffer.clear()
        buffer.update(enumerate(kept))
        return excess

    # Cursor and modes

    def back_tab(self, count: int = 1) -> None:
        """CBT."""
        for _ in range(min(count or 1, self.columns)):
            self.cursor.x = max((stop for stop in self.tabstops if stop < self.cursor.x), default=0)

    def save_cursor(self) -> None:
        """DECSC; each screen has one saved cursor."""
        super().save_cursor()
        del self.savepoints[:-1]

    def restore_cursor(self) -> None:
        """DECRC; the saved cursor stays saved."""
        saved = self.savepoints[-1:]
        super().restore_cursor()
        self.cursor, self.savepoints = copy(self.cursor), saved

    def set_cursor_shape(self, number: int = 0) -> None:
        """DECSCUSR: odd numbers blink; 0 gives the host's own cursor back."""
        if number <= 6:
            self.shape = list(CursorShape)[(number - 1) // 2] if number else None
            (self.set_mode if number % 2 else self.reset_mode)(12, private=True)

    def is_set(self, number: int) -> bool:
        """Whether a DEC private mode is set."""
        return number << 5 in self.mode

    def set_mode(self, *modes: int, private: bool = False, **kwargs: Any) -> None:
        """SM and DECSET."""
        super().set_mode(*(self._switch(modes, on=True) if private else _ANSI.intersection(modes)), private=private)

    def reset_mode(self, *modes: int, private: bool = False, **kwargs: Any) -> None:
        """RM and DECRST."""
        super().reset_mode(*(self._switch(modes, on=False) if private else _ANSI.intersection(modes)), private=private)

    def _switch(self, modes: Sequence[int], *, on: bool) -> list[int]:
        """Save or restore the cursor and show the other screen, as a mode asks; the modes left for pyte."""
        for number in modes:
            if on and number in _SAVING:
                self.save_cursor()
            if number in _ALTERNATE and on != self.alternate:
                self.buffer, self._behind = self._behind, self.buffer
                self.savepoints, self._saved_behind = self._saved_behind, self.savepoints
                self.alternate = on
                self.dirty.update(range(self.lines))
            if on and number == 1049:
                self.buffer.update(self._lines())
            if not on and number in _SAVING:
                self.restore_cursor()
        return [number for number in modes if number not in _REFUSED]
