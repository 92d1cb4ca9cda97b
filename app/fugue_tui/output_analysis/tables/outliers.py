"""Rows that got through between the columns by chance: lines of another kind in the midst of a table."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from fugue_tui.output_analysis.tables.columns import Columns

SOLID: Final = 0.8
"""The share of a column's cells that must begin, or end, in one place for the column to be aligned."""
FULL: Final = 0.9
"""The share of a column's cells that must be filled for an empty one to be odd."""
FEW: Final = 4
"""With fewer rows than this nothing is odd."""


@dataclass(frozen=True, slots=True)
class _Column:
    places: list[tuple[int, int] | None]
    """Where each row's cell begins and ends; None if it is empty."""
    side: int
    """0 if cells share their beginnings, 1 if their ends."""
    place: int
    """Where most of them do."""
    solid: bool
    """Whether all but one do, or nearly all."""

    def odd(self, row: int) -> bool:
        place = self.places[row]
        return self.solid and place is not None and place[self.side] != self.place

    def full(self) -> bool:
        return sum(place is not None for place in self.places) >= FULL * len(self.places)


def without_strangers(table: Columns) -> float:
    """Move rows that do not look like the others out of the table; the share of columns that are aligned."""
    if not table.fit:
        return 1.0
    masks = [line.mask for line in table.fit]
    found = [_column(masks, start, end) for start, end in table.edges]
    if len(masks) >= FEW:
        full = [column for column in found if column.full()]
        strange = {row for row in range(len(masks)) if _is_strange(row, found, full)}
        table.unfit = sorted([*table.unfit, *(table.fit[row].number for row in strange)])
        table.fit = [line for row, line in enumerate(table.fit) if row not in strange]
    return sum(column.solid for column in found) / len(found)


def _is_strange(row: int, found: list[_Column], full: list[_Column]) -> bool:
    missing = sum(column.places[row] is None for column in full)
    if missing >= 2 and missing * 2 >= len(full):
        return True
    filled = sum(column.places[row] is not None for column in found)
    odd = sum(column.odd(row) for column in found)
    return odd >= 2 and odd * 2 > filled


def _column(masks: list[int], start: int, end: int | None) -> _Column:
    window = (1 << end - start) - 1 if end is not None else -1
    places: list[tuple[int, int] | None] = []
    for mask in masks:
        part = mask >> start & window
        places.append(((part & -part).bit_length() + start - 1, part.bit_length() + start) if part else None)
    filled = [place for place in places if place is not None]
    options = [
        (count, -side, place)
        for side in (0, 1)
        for place, count in Counter(each[side] for each in filled).most_common(1)
    ]
    count, side, place = max(options, default=(0, 0, 0))
    few = len(filled) >= FEW and len(filled) - count <= 1
    return _Column(places, -side, place, few or count >= SOLID * len(filled))
