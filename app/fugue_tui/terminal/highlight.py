"""Rows with a part of them in reverse video."""

from collections.abc import Iterator
from dataclasses import replace

from fugue_tui.terminal.characters import characters
from fugue_tui.terminal.frame import PLAIN, Row, Run

_REVERSED = replace(PLAIN, inverse=True)


def highlight(row: Row, start: int, stop: int) -> Row:
    """The row with the columns from `start` up to `stop` the other way round, also where it has no text."""
    runs: list[Run] = []
    column = 0
    for run in row.runs:
        runs += _pieces(run, start - column, stop - column)
        column += run.cols
    if column < min(start, stop):
        runs.append(Run(" " * (start - column), PLAIN, start - column))
    if column < stop:
        width = stop - max(column, start)
        runs.append(Run(" " * width, _REVERSED, width))
    return Row(tuple(runs), row.wrapped)


def _pieces(run: Run, start: int, stop: int) -> Iterator[Run]:
    """A run in up to three parts; a wide character belongs to the column it begins in."""
    texts, widths = ["", "", ""], [0, 0, 0]
    column = 0
    for text, width in characters(run):
        part = 0 if column < start else 1 if column < stop else 2
        texts[part] += text
        widths[part] += width
        column += width
    for part, style in enumerate((run.style, replace(run.style, inverse=not run.style.inverse), run.style)):
        if widths[part]:
            yield Run(texts[part], style, widths[part], run.link)
