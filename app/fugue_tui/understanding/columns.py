"""Columns without borders: found by header words and by the blanks that run through all rows.

A cell is what stands between two runs of blanks that go through every row, and never a guess: a row through whose cells
a boundary would cut is left out and named.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from fugue_tui.understanding.source import Line
from fugue_tui.understanding.spans import Span, Style, free_runs, spans

MOST_UNFIT: Final = 0.25
"""The share of rows that may fail to fit before the lines are no table."""
MOST_ODD: Final = 0.1
"""The share of rows that may fill a gap of one blank between two header words before it is no boundary."""
MOST_COLUMNS: Final = 100
"""Columns of a table."""


@dataclass(slots=True)
class Columns:
    """Columns that were found in lines."""

    headers: list[str] = field(default_factory=list[str])
    cuts: list[int] = field(default_factory=list[int])
    """The cells at which columns begin, the first one 0."""
    fit: list[Line] = field(default_factory=list[Line])
    """The lines that are rows."""
    unfit: list[int] = field(default_factory=list[int])
    """The numbers of the lines that are not."""
    doubts: list[str] = field(default_factory=list[str])
    """What was chosen though it could have been otherwise."""
    notes: list[str] = field(default_factory=list[str])
    """What a reader may want to know, and that casts no doubt."""
    mended: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    """The cells of lines that were read in another way, by the lines' numbers."""
    soft: set[int] = field(default_factory=set[int])
    """The cuts that stand between two header words with one blank between them."""

    @property
    def edges(self) -> list[tuple[int, int | None]]:
        """Where each column begins and ends; the last one never does."""
        return [*zip(self.cuts, self.cuts[1:], strict=False), (self.cuts[-1], None)]

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The cells, row by row in the order of the lines."""
        edges = self.edges
        rows = {line.number: tuple(line.between(start, end) for start, end in edges) for line in self.fit}
        return tuple(row for _, row in sorted((rows | self.mended).items())) if self.mended else tuple(rows.values())


def columns(header: Line, lines: Sequence[Line], style: Style) -> Columns | None:
    """The columns under a header line; None if the lines are no table with that header."""
    words = spans(header, style)
    if not 2 <= len(words) <= MOST_COLUMNS:
        return None
    masks = [line.mask for line in lines]
    fit = _fitting(words, masks, style)
    if fit is None:
        return None
    found = _cut(header, words, union(masks[index] for index in fit))
    if style is Style.AUTO:
        _join_phrases(found, header, union(masks[index] for index in fit))
        found.notes += [*_together(found, [masks[index] for index in fit])]
    found.fit = [lines[index] for index in fit]
    found.unfit = [line.number for line in set_aside(lines, fit)]
    return found if len(found.cuts) > 1 else None


def set_aside(lines: Sequence[Line], fit: Iterable[int]) -> list[Line]:
    """The lines whose places in the sequence are not given."""
    kept = set(fit)
    return [line for index, line in enumerate(lines) if index not in kept]


def union(masks: Iterable[int]) -> int:
    """The cells that are not blank in at least one line."""
    busy = 0
    for mask in masks:
        busy |= mask
    return busy


def _fitting(words: Sequence[Span], masks: Sequence[int], style: Style) -> list[int] | None:
    """The rows that leave a gap wherever the header has one; None if too many do not.

    A gap of one blank may also stand inside a header, so there only a few rows that fill it are held against the rows.
    """
    alive = list(range(len(masks)))
    for left, right in itertools.pairwise(words):
        busy = union(masks[index] for index in alive)
        if free_runs(busy, left.end, right.start):
            continue
        cell = _freest([masks[index] for index in alive], left.end, right.start)
        through = [index for index in alive if not masks[index] >> cell & 1]
        if style is Style.AUTO and right.start - left.end < 2 and len(alive) - len(through) > MOST_ODD * len(alive):
            continue
        alive = through
        if len(masks) - len(alive) > max(1, MOST_UNFIT * len(masks)):
            return None
    return alive


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


def _cut(header: Line, words: Sequence[Span], busy: int) -> Columns:
    """Columns between header words, wherever all rows leave a gap between them."""
    found = Columns()
    _lead(found, words[0], busy)
    begin = words[0]
    for left, right in itertools.pairwise(words):
        runs = free_runs(busy, left.end, right.start)
        if not runs:
            continue
        found.headers.append(header.between(begin.start, left.end))
        cut = _choose(runs, left, right, found)
        if right.start - left.end < 2:
            found.soft.add(cut)
        found.cuts.append(cut)
        begin = right
    found.headers.append(header.between(begin.start, words[-1].end))
    return found


def _lead(found: Columns, first: Span, busy: int) -> None:
    """The first column's beginning, and before it a column without a name if rows have one there."""
    found.cuts.append(0)
    before = busy & (1 << first.start) - 1
    if before:
        begin = (before & -before).bit_length() - 1
        if runs := free_runs(busy, begin, first.start):
            found.headers.append("")
            found.cuts.append(max(runs, key=lambda run: (run[1] - run[0], run[1]))[1])


def _choose(runs: Sequence[tuple[int, int]], left: Span, right: Span, found: Columns) -> int:
    """The cell at which the right column begins, if several runs of blanks could be the boundary."""
    widths = [end - start for start, end in runs]
    last = len(runs) - 1
    chosen = last if runs[last][1] == right.start else max(range(len(runs)), key=lambda at: (widths[at], at))
    if len(runs) > 1 and (widths[chosen] < max(widths) or widths.count(max(widths)) > 1):
        found.doubts.append(f"where {left.text} ends and {right.text} begins could be otherwise")
    return runs[chosen][1]


def _together(found: Columns, masks: Sequence[int]) -> Iterable[str]:
    """Words about columns whose header words are one blank apart, and whose cells are too, in every row alike."""
    for at in range(1, len(found.cuts)):
        start, cut = found.cuts[at - 1], found.cuts[at]
        if cut not in found.soft:
            continue
        window, right = (1 << cut - start) - 1, 1 << cut
        cells = {mask >> start & window for mask in masks}
        ends = {cell.bit_length() for cell in cells}
        begins = {cell & -cell for cell in cells}
        if ends == {cut - start - 1} and len(begins) == 1 and masks and all(mask & right for mask in masks):
            names = f"{found.headers[at - 1]} and {found.headers[at]}"
            yield f"{names} may be one column: in every row they are one blank apart"


def _join_phrases(found: Columns, header: Line, busy: int) -> None:
    """Take two words for one header if nothing stands under one of them."""
    at = 1
    while at < len(found.cuts):
        start, end = found.cuts[at], found.cuts[at + 1] if at + 1 < len(found.cuts) else busy.bit_length() + 1
        left = busy >> found.cuts[at - 1] & (1 << start - found.cuts[at - 1]) - 1
        right = busy >> start & (1 << max(end - start, 0)) - 1
        if start in found.soft and not (left and right):
            found.headers[at - 1 : at + 1] = [f"{found.headers[at - 1]} {found.headers[at]}"]
            del found.cuts[at]
        else:
            at += 1
