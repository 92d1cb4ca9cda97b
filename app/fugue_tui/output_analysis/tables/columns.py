"""Finds columns without borders by the header words and by the blank cells that all rows share.

A cell is the text between two runs of blanks that all rows share, never a guess: a row whose text crosses a column
boundary is left out and noted.
"""

import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct, field

from fugue_tui.output_analysis.tables.header_spans import Span, Style, free_runs, spans
from fugue_tui.output_analysis.text_lines import Line

MOST_UNFIT: Final = 0.25
"""The share of rows that may not fit the columns."""
MOST_CROSSING: Final = 0.1
"""The share of rows that may cross a column boundary at a single blank between two header words."""
MOST_COLUMNS: Final = 100
"""Most columns of a table."""


class Columns(Struct):
    """The columns of a table and its lines."""

    headers: list[str] = field(default_factory=list[str])
    cuts: list[int] = field(default_factory=list[int])
    """The terminal cells at which columns begin, the first one 0."""
    fit: list[Line] = field(default_factory=list[Line])
    """The lines that are rows."""
    unfit: list[int] = field(default_factory=list[int])
    """The numbers of the lines that are not rows."""
    ambiguities: list[str] = field(default_factory=list[str])
    """Notes on choices that could be wrong; each reduces the confidence."""
    notes: list[str] = field(default_factory=list[str])
    """Notes that do not reduce the confidence."""
    overflowed: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    """The cells of lines that overflowed their columns, by line number."""
    narrow: set[int] = field(default_factory=set[int])
    """The cuts between two header words that are one blank apart."""

    @property
    def edges(self) -> list[tuple[int, int | None]]:
        """Begin and end of each column; the last one has no end."""
        return [*zip(self.cuts, self.cuts[1:], strict=False), (self.cuts[-1], None)]

    def fits(self, line: Line) -> bool:
        """Whether a line could be a row: it crosses no boundary and has at least two cells."""
        free = not any(line.mask >> cut - 1 & 1 for cut in self.cuts[1:])
        return free and sum(bool(line.between(start, end)) for start, end in self.edges) > 1

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The cells, row by row in the order of the lines."""
        edges = self.edges
        rows = {line.number: tuple(line.between(start, end) for start, end in edges) for line in self.fit}
        return tuple(row for _, row in sorted((rows | self.overflowed).items()))


def columns(header: Line, lines: Sequence[Line], style: Style) -> Columns | None:
    """The columns under a header line; None if the lines are no table with that header.

    If the style is unknown, words one blank apart are two headers if that blank is free in all rows.
    """
    words = spans(header, style)
    if not 2 <= len(words) <= MOST_COLUMNS:
        return None
    masks = [line.mask for line in lines]
    fit = _fitting(words, masks, style)
    if fit is None:
        return None
    found = _cut(header, words, [masks[index] for index in fit])
    found.fit = [lines[index] for index in fit]
    found.unfit = [line.number for line in excluded(lines, fit)]
    return found if len(found.cuts) > 1 else None


def excluded(lines: Sequence[Line], fit: Iterable[int]) -> list[Line]:
    """The lines whose indices are not in `fit`."""
    kept = set(fit)
    return [line for index, line in enumerate(lines) if index not in kept]


def union(masks: Iterable[int]) -> int:
    """The cells that are not blank in at least one line."""
    occupied = 0
    for mask in masks:
        occupied |= mask
    return occupied


def _fitting(words: Sequence[Span], masks: Sequence[int], style: Style) -> list[int] | None:
    """The indices of the rows that have a blank in every gap of the header; None if too few have.

    A gap of one blank may be inside a column name, so if more than a few rows cross it, it is no boundary.
    """
    fitting = list(range(len(masks)))
    for left, right in itertools.pairwise(words):
        occupied = union(masks[index] for index in fitting)
        if free_runs(occupied, left.end, right.start):
            continue
        cell = _freest([masks[index] for index in fitting], left.end, right.start)
        through = [index for index in fitting if not masks[index] >> cell & 1]
        many_cross = len(fitting) - len(through) > MOST_CROSSING * len(fitting)
        if style is Style.AUTO and right.start - left.end < 2 and many_cross:
            continue
        fitting = through
        if len(masks) - len(fitting) > max(1, MOST_UNFIT * len(masks)):
            return None
    return fitting


def _freest(masks: Sequence[int], start: int, end: int) -> int:
    """The cell of a range that is blank in the most lines, the rightmost of several."""
    counts = [0] * (end - start)
    window = (1 << end - start) - 1
    for mask in masks:
        part = mask >> start & window
        while part:
            low = part & -part
            counts[low.bit_length() - 1] += 1
            part ^= low
    return start + min(range(end - start), key=lambda at: (counts[at], -at))


def _cut(header: Line, words: Sequence[Span], masks: Sequence[int]) -> Columns:
    """Columns between header words, wherever all rows have a blank between them."""
    found = Columns()
    occupied = union(masks)
    full = functools.reduce(int.__and__, masks) if masks else 0
    _lead(found, words[0], occupied)
    begin = words[0]
    for left, right in itertools.pairwise(words):
        runs = free_runs(occupied, left.end, right.start)
        if not runs:
            continue
        found.headers.append(header.between(begin.start, left.end))
        cut = _choose(runs, left, right, found, flush=bool(full >> left.end - 1 & 1))
        if right.start - left.end < 2:
            found.narrow.add(cut)
        found.cuts.append(cut)
        begin = right
    found.headers.append(header.between(begin.start, words[-1].end))
    return found


def _lead(found: Columns, first: Span, occupied: int) -> None:
    """Add the first column, after one without a name if rows have text before the header."""
    found.cuts.append(0)
    before = occupied & (1 << first.start) - 1
    if before:
        begin = (before & -before).bit_length() - 1
        if runs := free_runs(occupied, begin, first.start):
            found.headers.append("")
            found.cuts.append(max(runs, key=lambda run: (run[1] - run[0], run[1]))[1])


def _choose(runs: Sequence[tuple[int, int]], left: Span, right: Span, found: Columns, *, flush: bool) -> int:
    """The cell at which the right column begins, if several runs of blanks could be the boundary.

    That is the beginning of the right header if cells may begin there, else the end of the widest run, or, if several
    are as wide, the first run if all cells end with the left header (`flush`).
    """
    widths = [end - start for start, end in runs]
    last, most = len(runs) - 1, widths.count(max(widths))
    begins, ends = runs[last][1] == right.start, flush and runs[0][0] == left.end
    widest = max(range(len(runs)), key=lambda at: (widths[at], at))
    chosen = last if begins else 0 if ends and most > 1 else widest
    if len(runs) > 1 and (widths[chosen] < max(widths) or most > 1):
        found.ambiguities.append(f"where {left.text} ends and {right.text} begins could be otherwise")
        if not begins and not ends:
            found.ambiguities.append(f"no cell begins or ends where {left.text} and {right.text} do")
    return runs[chosen][1]
