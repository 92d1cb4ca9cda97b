"""The cells of a character, a word or a wrapped line at a position. Needs the terminal's lock."""

import re
from enum import StrEnum
from typing import Final

from msgspec import Struct

from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.screen.width import cells_of

_MOST_ROWS: Final = 200
"""Rows of a wrapped line that are read above and below a position."""
_BOUNDARIES: Final = frozenset("\"'`()[]{}<>|│┃║,;:$")
"""What ends a word besides blanks: what stands around paths, names and options, but not in them."""
_ADDRESS: Final = re.compile(r"\b(?:https?|ftps?|file|ssh|git|wss?)://[^\s\"'`<>|│┃║{}\\^]+", re.IGNORECASE)
_STOPS: Final = ".,;:!?'\""
"""What ends a sentence rather than an address."""


class Unit(StrEnum):
    """What is selected at once."""

    CHARACTER = "character"
    WORD = "word"
    LINE = "line"


class TextSpan(Struct, frozen=True):
    """The cells from one to another and all between them, in reading order, or of the rectangle between them."""

    first: Point
    last: Point
    """The last cell, inclusive: of a wide character its second."""
    rectangle: bool = False
    """Whether these are the upper left and the lower right corner of a rectangle."""

    @property
    def stop(self) -> Point:
        """The position behind it."""
        return Point(self.last.line, self.last.column + 1)

    @property
    def rows(self) -> int:
        """How many rows it touches."""
        return self.last.line - self.first.line + 1


def span_at(emulator: Emulator, at: Point, unit: Unit) -> TextSpan:
    """The character, word or line at a position."""
    if unit is Unit.CHARACTER:
        return _character(emulator, at)
    first, last = wrapped(emulator, at.line)
    if unit is Unit.LINE:
        return TextSpan(Point(first), Point(last, emulator.size.cols - 1))
    return _word(emulator, at, first, last)


def _character(emulator: Emulator, at: Point) -> TextSpan:
    row = cells(emulator, at.line)
    column = at.column
    while 0 < column < len(row) and not row[column]:
        column -= 1
    end = column
    while end + 1 < len(row) and not row[end + 1]:
        end += 1
    return TextSpan(Point(at.line, column), Point(at.line, end))


def cells(emulator: Emulator, line: int) -> list[str]:
    """What stands in each column of a line, up to its last character; see `cells_of`."""
    found = emulator.lines(line, line + 1)
    if not found or found[0].isascii():
        return list(found[0]) if found else []
    history = emulator.scrollback.lines
    back = max(0, history - line)
    rows = emulator.past(back)()
    y = line - history + back
    return cells_of(rows[y]) if y < len(rows) else []


def wrapped(emulator: Emulator, line: int) -> tuple[int, int]:
    """The first and the last row of the line that a row is a part of."""
    first = last = line
    while first > max(0, line - _MOST_ROWS) and _is_wrapped(emulator, first - 1):
        first -= 1
    while last < line + _MOST_ROWS and _is_wrapped(emulator, last):
        last += 1
    return first, last


def _is_wrapped(emulator: Emulator, line: int) -> bool:
    """Whether a row wrapped softly into the next."""
    return emulator.lines(line, line + 2, joined=True)[:1] != emulator.lines(line, line + 1)[:1]


def _word(emulator: Emulator, at: Point, first: int, last: int) -> TextSpan:
    """An address, a path or another word; a run of blanks, or one sign, where there is none."""
    cols = emulator.size.cols
    row = [cell for line in range(first, last + 1) for cell in _full(cells(emulator, line), cols)]
    here = (at.line - first) * cols + min(at.column, cols - 1)
    owners = [column for column, cell in enumerate(row) for _ in cell]
    text = "".join(row)
    begin, end = span(text, max((index for index, owner in enumerate(owners) if owner <= here), default=0))
    start, stop = owners[begin], owners[end - 1]
    while stop + 1 < len(row) and not row[stop + 1]:
        stop += 1
    return TextSpan(Point(first + start // cols, start % cols), Point(first + stop // cols, stop % cols))


def _full(row: list[str], cols: int) -> list[str]:
    return row + [" "] * (cols - len(row))


def span(text: str, at: int) -> tuple[int, int]:
    """From where to where the word around a character reaches."""
    for address in _ADDRESS.finditer(text):
        end = address.start() + len(without_end(address[0]))
        if address.start() <= at < end:
            return address.start(), end
    kind = kind_of(text[at])
    if kind == 1:
        return at, at + 1
    begin = end = at
    while begin > 0 and kind_of(text[begin - 1]) == kind:
        begin -= 1
    while end < len(text) and kind_of(text[end]) == kind:
        end += 1
    bare = begin + len(text[begin:end].rstrip("."))
    return begin, bare if at < bare else end


def kind_of(char: str) -> int:
    """0 for a blank, 1 for what ends a word, 2 for what is a part of one."""
    return 0 if char.isspace() else 1 if char in _BOUNDARIES else 2


def without_end(address: str) -> str:
    """An address without the sentence's end and the bracket behind it."""
    while address and (address[-1] in _STOPS or _closes(address)):
        address = address[:-1]
    return address


def _closes(address: str) -> bool:
    opened = {")": "(", "]": "["}.get(address[-1])
    return opened is not None and address.count(opened) < address.count(address[-1])
