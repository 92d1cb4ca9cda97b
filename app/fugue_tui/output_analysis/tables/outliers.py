"""Removes outlier rows that match the column layout by accident."""

from collections import Counter
from typing import Final

from msgspec import Struct

from fugue_tui.output_analysis.tables.columns import Columns

ALIGNED: Final = 0.8
"""The share of a column's cells that must begin, or end, in one place for the column to be aligned."""
FULL: Final = 0.9
"""The share of a column's cells that must be filled for an empty one to be an anomaly."""
MIN_ROWS: Final = 4
"""With fewer rows than this there are no outliers."""


class _Column(Struct, frozen=True):
    extents: list[tuple[int, int] | None]
    """Begin and end of each row's cell; None if it is empty."""
    side: int
    """0 if cells are aligned at their beginning, 1 if at their end."""
    position: int
    """The position of most of them."""
    aligned: bool
    """Whether all but one are there, or nearly all."""

    def misaligned(self, row: int) -> bool:
        extent = self.extents[row]
        return self.aligned and extent is not None and extent[self.side] != self.position

    def full(self) -> bool:
        return sum(extent is not None for extent in self.extents) >= FULL * len(self.extents)


def remove_outliers(table: Columns) -> float:
    """Move rows that are unlike the others to `unfit`, and return the share of columns that are aligned."""
    if not table.fit:
        return 1.0
    masks = [line.mask for line in table.fit]
    found = [_column(masks, start, end) for start, end in table.edges]
    if len(masks) >= MIN_ROWS:
        full = [column for column in found if column.full()]
        outliers = {row for row in range(len(masks)) if _is_outlier(row, found, full)}
        table.unfit = sorted([*table.unfit, *(table.fit[row].number for row in outliers)])
        table.fit = [line for row, line in enumerate(table.fit) if row not in outliers]
    return sum(column.aligned for column in found) / len(found)


def _is_outlier(row: int, found: list[_Column], full: list[_Column]) -> bool:
    missing = sum(column.extents[row] is None for column in full)
    if missing >= 2 and missing * 2 >= len(full):
        return True
    filled = sum(column.extents[row] is not None for column in found)
    misaligned = sum(column.misaligned(row) for column in found)
    return misaligned >= 2 and misaligned * 2 > filled


def _column(masks: list[int], start: int, end: int | None) -> _Column:
    window = (1 << end - start) - 1 if end is not None else -1
    extents: list[tuple[int, int] | None] = []
    for mask in masks:
        part = mask >> start & window
        extents.append(((part & -part).bit_length() + start - 1, part.bit_length() + start) if part else None)
    filled = [extent for extent in extents if extent is not None]
    options = [
        (count, -side, position)
        for side in (0, 1)
        for position, count in Counter(each[side] for each in filled).most_common(1)
    ]
    count, side, position = max(options, default=(0, 0, 0))
    aligned_but_one = len(filled) >= MIN_ROWS and len(filled) - count <= 1
    return _Column(extents, -side, position, aligned_but_one or count >= ALIGNED * len(filled))
