"""Motions of the copy-mode cursor: functions from a position to the next. They need the terminal's lock."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from fugue_tui.terminal.copy_mode.text_units import Unit, cells, kind_of, span_at
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import START, Point

Motion: TypeAlias = Callable[[Emulator, Point], Point]
"""Returns where a movement leads from a position."""


def stay(emulator: Emulator, at: Point) -> Point:
    """Where it is."""
    return at


def by_lines(count: int, column: int) -> Motion:
    """So many lines down (or up), in a column or at the end of a shorter line."""

    def move(emulator: Emulator, at: Point) -> Point:
        line = min(max(at.line + count, 0), _last(emulator))
        return _snapped(emulator, Point(line, min(column, _end(emulator, line))))

    return move


def into_view(emulator: Emulator, at: Point) -> Point:
    """The nearest line that the view shows."""
    top = emulator.scrollback.top
    return Point(min(max(at.line, top), top + emulator.size.rows - 1), at.column)


def _last(emulator: Emulator) -> int:
    """The last line that there is."""
    return emulator.scrollback.lines + emulator.size.rows - 1


def _end(emulator: Emulator, line: int) -> int:
    """The column of a line's last character; 0 if it has none."""
    return max(len(cells(emulator, line)) - 1, 0)


def _snapped(emulator: Emulator, at: Point) -> Point:
    """The column in which the character begins."""
    return span_at(emulator, at, Unit.CHARACTER).first


def _left(emulator: Emulator, at: Point) -> Point:
    return _snapped(emulator, Point(at.line, max(at.column - 1, 0)))


def _right(emulator: Emulator, at: Point) -> Point:
    stop = span_at(emulator, at, Unit.CHARACTER).stop
    return stop if stop.column <= _end(emulator, at.line) else at


def _line_start(emulator: Emulator, at: Point) -> Point:
    return Point(at.line)


def _text_start(emulator: Emulator, at: Point) -> Point:
    row = cells(emulator, at.line)
    return Point(at.line, next((column for column, cell in enumerate(row) if cell.strip()), 0))


def _line_end(emulator: Emulator, at: Point) -> Point:
    return _snapped(emulator, Point(at.line, _end(emulator, at.line)))


def _oldest(emulator: Emulator, at: Point) -> Point:
    return START


def _newest(emulator: Emulator, at: Point) -> Point:
    """The last line with text, or where the program writes."""
    history, rows = emulator.scrollback.lines, emulator.size.rows
    written = [y for y, line in enumerate(emulator.lines(history, history + rows)) if line]
    return Point(history + max([*written[-1:], emulator.caret[1]]))


def _view_first(emulator: Emulator, at: Point) -> Point:
    return Point(emulator.scrollback.top)


def _view_middle(emulator: Emulator, at: Point) -> Point:
    return Point(emulator.scrollback.top + emulator.size.rows // 2)


def _view_last(emulator: Emulator, at: Point) -> Point:
    return Point(emulator.scrollback.top + emulator.size.rows - 1)


# Words


def _kinds(emulator: Emulator, line: int) -> list[int]:
    """What kind of character each column of a line holds; the second half of a wide one is like the first."""
    kinds: list[int] = []
    for cell in cells(emulator, line):
        kinds.append(kind_of(cell[0]) if cell else kinds[-1])
    return kinds


def _next_word(emulator: Emulator, at: Point) -> Point:
    kinds, column = _kinds(emulator, at.line), at.column
    here = kinds[column] if column < len(kinds) else 0
    while here and column < len(kinds) and kinds[column] == here:
        column += 1
    found = _first_word(kinds, column)
    line = at.line
    while found is None and line < _last(emulator):
        line += 1
        found = _first_word(_kinds(emulator, line), 0)
    return at if found is None else Point(line, found)


def _first_word(kinds: list[int], start: int) -> int | None:
    return next((column for column in range(start, len(kinds)) if kinds[column]), None)


def _word_end(emulator: Emulator, at: Point) -> Point:
    kinds = _kinds(emulator, at.line)
    found = _first_word(kinds, at.column + 1)
    start = Point(at.line, found) if found is not None else _next_word(emulator, Point(at.line, len(kinds)))
    kinds, column = _kinds(emulator, start.line), start.column
    while column + 1 < len(kinds) and kinds[column + 1] == kinds[column]:
        column += 1
    return _snapped(emulator, Point(start.line, column))


def _word_back(emulator: Emulator, at: Point) -> Point:
    line, kinds = at.line, _kinds(emulator, at.line)[: at.column]
    while line > 0 and not any(kinds):
        line -= 1
        kinds = _kinds(emulator, line)
    column = len(kinds) - 1
    while column > 0 and not kinds[column]:
        column -= 1
    while column > 0 and kinds[column - 1] == kinds[column]:
        column -= 1
    return Point(line, max(column, 0))


MOTIONS: Final[Mapping[str, Motion]] = MappingProxyType(
    {
        "left": _left, "h": _left, "right": _right, "l": _right,
        "w": _next_word, "e": _word_end, "b": _word_back,
        "0": _line_start, "home": _line_start, "^": _text_start, "$": _line_end, "end": _line_end,
        "g": _oldest, "G": _newest, "H": _view_first, "M": _view_middle, "L": _view_last,
    }
)  # fmt: skip
"""By the key that makes it."""
