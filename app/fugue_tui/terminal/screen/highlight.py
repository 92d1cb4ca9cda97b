"""Rows with parts of them marked, or with nothing but a part of them."""

from collections.abc import Sequence
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.terminal.screen.cells import PLAIN, Row, Run, Style
from fugue_tui.terminal.screen.width import characters

_BLACK, _YELLOW, _CYAN = 0, 3, 6
"""Black is legible on both in nearly every scheme, if it is not bold: many terminals brighten bold colours to grey."""


class MarkKind(Enum):
    """Why cells are marked."""

    SELECTED = "selected"
    """Reverse video."""
    MATCH = "match"
    """Found by a search."""
    CURRENT = "current"
    """The match that the cursor is on."""
    HINT = "hint"
    """A label that can be typed."""


class Mark(Struct, frozen=True):
    """Columns of a row that look different."""

    start: int
    stop: int
    """The column behind the last one."""
    kind: MarkKind = MarkKind.SELECTED
    label: str = ""
    """Narrow characters to show instead of the first ones; no longer than the columns."""


def marked(row: Row, marks: Sequence[Mark]) -> Row:
    """The row with its marks, of which later ones cover earlier ones."""
    for mark in marks:
        row = _marked(row, mark)
    return row


def highlight(row: Row, start: int, stop: int) -> Row:
    """The row with the columns from `start` up to `stop` the other way round, also where it has no text."""
    return _marked(row, Mark(start, stop))


def _marked(row: Row, mark: Mark) -> Row:
    before: list[Run] = []
    inside: list[Run] = []
    after: list[Run] = []
    column = 0
    for run in row.runs:
        parts = _parts(run, mark.start - column, mark.stop - column)
        for part_runs, part_run in zip((before, inside, after), parts, strict=True):
            part_runs.append(part_run)
        column += run.cols
    before.append(_blank(mark.start - column))
    inside.append(_blank(mark.stop - max(column, mark.start)))
    if mark.label:
        width = max(sum(run.cols for run in inside), len(mark.label))
        inside = [Run(mark.label.ljust(width), PLAIN, width)]
    inside = [replace(run, style=_style(run.style, mark.kind)) for run in inside]
    return _row([*before, *inside, *after], wrapped=row.wrapped)


def _style(style: Style, kind: MarkKind) -> Style:
    if kind is MarkKind.SELECTED:
        return replace(style, inverse=not style.inverse)
    colour = _YELLOW if kind is MarkKind.MATCH else _CYAN
    return replace(style, fg=_BLACK, bg=colour, inverse=False, faint=False, bold=False)


def part(row: Row, start: int, stop: int | None = None) -> Row:
    """The row with blanks in place of what stands before the column `start`, and nothing from the column `stop` on."""
    runs: list[Run] = []
    column, width = 0, sum(run.cols for run in row.runs)
    end = width if stop is None else stop
    for run in row.runs:
        runs.append(_parts(run, start - column, end - column)[1])
        column += run.cols
    return _row([_blank(start), *runs] if start < width else [], wrapped=row.wrapped and width <= end)


def _row(runs: list[Run], *, wrapped: bool) -> Row:
    return Row(tuple(run for run in runs if run.cols), wrapped)


def _blank(width: int) -> Run:
    return Run(" " * width, PLAIN, max(width, 0))


def _parts(run: Run, start: int, stop: int) -> tuple[Run, Run, Run]:
    """What of a run stands before, inside and after; a wide character belongs to the column it begins in."""
    texts, widths = ["", "", ""], [0, 0, 0]
    column = 0
    for text, width in characters(run):
        where = 0 if column < start else 1 if column < stop else 2
        texts[where] += text
        widths[where] += width
        column += width
    before, inside, after = (replace(run, text=text, cols=cols) for text, cols in zip(texts, widths, strict=True))
    return before, inside, after
