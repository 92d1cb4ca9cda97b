"""Rows with a part of them in reverse video, or with nothing but a part of them."""

from msgspec.structs import replace

from fugue_tui.terminal.screen.cells import PLAIN, Row, Run
from fugue_tui.terminal.screen.width import characters

_REVERSED = replace(PLAIN, inverse=True)


def highlight(row: Row, start: int, stop: int) -> Row:
    """The row with the columns from `start` up to `stop` the other way round, also where it has no text."""
    runs: list[Run] = []
    column = 0
    for run in row.runs:
        before, inside, after = _parts(run, start - column, stop - column)
        runs += [before, replace(inside, style=replace(run.style, inverse=not run.style.inverse)), after]
        column += run.cols
    runs.append(_blank(start - column))
    runs.append(replace(_blank(stop - max(column, start)), style=_REVERSED))
    return _row(runs, wrapped=row.wrapped)


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
