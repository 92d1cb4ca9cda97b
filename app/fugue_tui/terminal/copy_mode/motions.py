"""Motions of the copy-mode cursor: functions from a position to the next. They need the terminal's lock."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from fugue_tui.terminal.copy_mode.text_units import Unit, cells, kind_of, span_at
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import START, Pin, Point

Motion: TypeAlias = Callable[[Emulator, Point], Point]
"""Returns where a movement leads from a position."""
_MOST_LINES: Final = 1_000
"""Lines in which the end of a paragraph or a matching bracket is looked for."""
_MOST_SCANNED: Final = 4_000
"""Lines in which a prompt is looked for at a time: some 10 ms."""
MOST_OUTPUT: Final = 20_000
"""Lines of a command's output at most."""
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSING: Final = {closing: opening for opening, closing in _BRACKETS.items()}


def stay(emulator: Emulator, at: Point) -> Point:
    """Where it is."""
    return at


def repeated(motion: Motion, count: int) -> Motion:
    """A motion several times, as far as it leads anywhere."""

    def move(emulator: Emulator, at: Point) -> Point:
        for _ in range(count):
            after = motion(emulator, at)
            if after == at:
                break
            at = after
        return at

    return move


def by_lines(count: int, column: int, *, free: bool = False) -> Motion:
    """So many lines down (or up), in a column or at the end of a shorter line; `free` goes past its end."""

    def move(emulator: Emulator, at: Point) -> Point:
        line = min(max(at.line + count, 0), last_line(emulator))
        return Point(line, column) if free else _snapped(emulator, Point(line, min(column, _end(emulator, line))))

    return move


def by_columns(count: int) -> Motion:
    """So many columns to the right, past the line's end too."""
    return lambda emulator, at: Point(at.line, min(at.column + count, emulator.size.cols - 1))


def into_view(emulator: Emulator, at: Point) -> Point:
    """The nearest line that the view shows."""
    top = emulator.scrollback.top
    return Point(min(max(at.line, top), top + emulator.size.rows - 1), at.column)


def centred(pin: Pin) -> Motion:
    """To a pinned position, with the view around it if it is outside the view; nowhere if its text is gone."""

    def move(emulator: Emulator, at: Point) -> Point:
        to, bar, rows = pin.found(), emulator.scrollback, emulator.size.rows
        if to is not None and not bar.top <= to.line < bar.top + rows:
            emulator.scroll(bar.top + rows // 2 - to.line)
        return to or at

    return move


def to_character(char: str, *, forward: bool, till: bool = False) -> Motion:
    """To a character in the line, or `till` the one before it; where it is if there is none."""

    def move(emulator: Emulator, at: Point) -> Point:
        row = cells(emulator, at.line)
        step, skipped = (1 if forward else -1), 1 + till
        columns = range(at.column + step * skipped, len(row) if forward else -1, step)
        found = next((column for column in columns if row[column] == char), None)
        return at if found is None else _snapped(emulator, Point(at.line, found - step * till))

    return move


def last_line(emulator: Emulator) -> int:
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


def _kinds(emulator: Emulator, line: int, *, big: bool) -> list[int]:
    """What kind of character each column of a line holds; the second half of a wide one is like the first. In a big
    word all but blanks are alike."""
    kinds: list[int] = []
    for cell in cells(emulator, line):
        kinds.append((2 if big and cell.strip() else kind_of(cell[0])) if cell else kinds[-1])
    return kinds


def _next_word(*, big: bool) -> Motion:
    def move(emulator: Emulator, at: Point) -> Point:
        kinds, column = _kinds(emulator, at.line, big=big), at.column
        here = kinds[column] if column < len(kinds) else 0
        while here and column < len(kinds) and kinds[column] == here:
            column += 1
        found, line = _first_word(kinds, column), at.line
        while found is None and line < last_line(emulator):
            line += 1
            found = _first_word(_kinds(emulator, line, big=big), 0)
        return at if found is None else Point(line, found)

    return move


def _first_word(kinds: list[int], start: int) -> int | None:
    return next((column for column in range(start, len(kinds)) if kinds[column]), None)


def _word_end(*, big: bool) -> Motion:
    next_word = _next_word(big=big)

    def move(emulator: Emulator, at: Point) -> Point:
        kinds = _kinds(emulator, at.line, big=big)
        found = _first_word(kinds, at.column + 1)
        start = Point(at.line, found) if found is not None else next_word(emulator, Point(at.line, len(kinds)))
        kinds, column = _kinds(emulator, start.line, big=big), start.column
        while column + 1 < len(kinds) and kinds[column + 1] == kinds[column]:
            column += 1
        return _snapped(emulator, Point(start.line, column))

    return move


def _past_word(emulator: Emulator, at: Point) -> Point:
    """Behind the end of the word at the position, or of the next one, as in Emacs."""
    end = _word_end(big=False)(emulator, Point(at.line, at.column - 1))
    return _right(emulator, end)


def _word_back(*, big: bool) -> Motion:
    def move(emulator: Emulator, at: Point) -> Point:
        line, kinds = at.line, _kinds(emulator, at.line, big=big)[: at.column]
        while line > 0 and not any(kinds):
            line -= 1
            kinds = _kinds(emulator, line, big=big)
        column = len(kinds) - 1
        while column > 0 and not kinds[column]:
            column -= 1
        while column > 0 and kinds[column - 1] == kinds[column]:
            column -= 1
        return Point(line, max(column, 0))

    return move


# Paragraphs and brackets


def _paragraph(step: int) -> Motion:
    """To the blank line above or below the paragraph, or the first or last line that there is."""

    def move(emulator: Emulator, at: Point) -> Point:
        first, after = max(0, at.line - _MOST_LINES), min(at.line + _MOST_LINES, last_line(emulator) + 1)
        texts = emulator.lines(first, at.line + 1)[::-1] if step < 0 else emulator.lines(at.line, after)
        away = next((n for n, text in enumerate(texts) if text.strip()), len(texts))
        away = next((n for n in range(away, len(texts)) if not texts[n].strip()), len(texts) - 1)
        return Point(at.line + step * away)

    return move


def _matching_bracket(emulator: Emulator, at: Point) -> Point:
    """The bracket that belongs to the one under the cursor, or to the next one in the line."""
    row = cells(emulator, at.line)
    column = next((x for x in range(at.column, len(row)) if row[x] in _BRACKETS or row[x] in _CLOSING), None)
    if column is None:
        return at
    here, step = row[column], 1 if row[column] in _BRACKETS else -1
    other = _BRACKETS.get(here) or _CLOSING[here]
    depth, line, x = 0, at.line, column
    while 0 <= line <= last_line(emulator) and abs(line - at.line) < _MOST_LINES:
        while 0 <= x < len(row):
            depth += (row[x] == here) - (row[x] == other)
            if not depth:
                return Point(line, x)
            x += step
        line += step
        row = cells(emulator, line) if 0 <= line <= last_line(emulator) else []
        x = 0 if step > 0 else len(row) - 1
    return at


# Prompts


def _prompt(step: int) -> Motion:
    """To the prompt above or below."""

    def move(emulator: Emulator, at: Point) -> Point:
        found = _scan(emulator, at.line + step, step, lambda line: emulator.is_prompt(line))
        return Point(found) if found is not None else at

    return move


def _previous_output(emulator: Emulator, at: Point) -> Point:
    """To where the output above begins, or that which the cursor is in."""
    return _to_output(emulator, at, -1)


def _next_output(emulator: Emulator, at: Point) -> Point:
    """To where the output below begins."""
    return _to_output(emulator, at, 1)


def _to_output(emulator: Emulator, at: Point, step: int) -> Point:
    found = _scan(emulator, at.line + step, step, lambda line: _is_output(emulator, line))
    return Point(found) if found is not None else at


def _is_output(emulator: Emulator, line: int) -> bool:
    """Whether a command's output begins in a line."""
    return emulator.is_prompt(line - 1, continued=True) and not emulator.is_prompt(line, continued=True)


def _scan(emulator: Emulator, line: int, step: int, found: Callable[[int], bool]) -> int | None:
    """The nearest line for which something holds; the furthest one looked at if none is near; None if there is none."""
    for _ in range(_MOST_SCANNED):
        if not 0 <= line <= last_line(emulator):
            return None
        if found(line):
            return line
        line += step
    return line


def output_at(emulator: Emulator, at: Point) -> tuple[Point, Point] | None:
    """The first and the last cell of the output that a position is in, or of the command whose prompt it is in, or
    else of the one above; None if no prompts are known there."""
    first: int | None = _below_prompt(emulator, at.line)
    if first is None or not any(emulator.lines(first, first + 1)):
        first = _scan(emulator, at.line, -1, lambda line: _is_output(emulator, line))
    if first is None or not _is_output(emulator, first):
        return None
    last = first
    while last < last_line(emulator) and not emulator.is_prompt(last + 1) and last - first < MOST_OUTPUT:
        last += 1
    texts = emulator.lines(first, last + 1)
    kept = max((n for n, text in enumerate(texts, 1) if text.strip()), default=1)
    return Point(first), Point(first + kept - 1, emulator.size.cols - 1)


def _below_prompt(emulator: Emulator, line: int) -> int | None:
    """The line below the prompt that a line is in; None if it is in none, or another prompt follows."""
    if not emulator.is_prompt(line, continued=True):
        return None
    line += 1
    while emulator.is_prompt(line, continued=True) and not emulator.is_prompt(line):
        line += 1
    return line if line <= last_line(emulator) and not emulator.is_prompt(line) else None


MOTIONS: Final[Mapping[str, Motion]] = MappingProxyType(
    {
        "cursor-left": _left, "cursor-right": _right,
        "next-word": _next_word(big=False), "next-space": _next_word(big=True),
        "next-word-end": _word_end(big=False), "next-space-end": _word_end(big=True),
        "past-word-end": _past_word,
        "previous-word": _word_back(big=False), "previous-space": _word_back(big=True),
        "start-of-line": _line_start, "back-to-indentation": _text_start, "end-of-line": _line_end,
        "history-top": _oldest, "history-bottom": _newest,
        "top-line": _view_first, "middle-line": _view_middle, "bottom-line": _view_last,
        "previous-paragraph": _paragraph(-1), "next-paragraph": _paragraph(1),
        "next-matching-bracket": _matching_bracket,
        "previous-prompt": _prompt(-1), "next-prompt": _prompt(1),
        "previous-output": _previous_output, "next-output": _next_output,
    }
)  # fmt: skip
"""By the names of tmux's copy-mode commands; past-word-end is its next-word-end among Emacs' keys."""
