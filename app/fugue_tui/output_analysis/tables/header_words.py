"""Decides whether header words one blank apart are one column name or two.

Programs keep all columns of a table equally far apart. So if other columns are one blank apart, these words are two
names; if all others are further apart, they are one.
"""

from collections.abc import Sequence

from fugue_tui.output_analysis.tables.columns import Columns, union
from fugue_tui.output_analysis.text_lines import Line


def merge_header_words(found: Columns, header: Line, masks: Sequence[int]) -> None:
    """Join the words that are one column name, and note ambiguities; `masks` are those of the rows."""
    occupied = union(masks) | header.mask
    open_cuts = [cut for cut in found.cuts[1:] if cut in found.narrow and not _is_apart(found, cut, masks)]
    wide_cuts = [cut for cut in found.cuts[1:] if cut not in found.narrow]
    narrow_gaps = len(open_cuts) < len(found.narrow) or any(_blanks(occupied, cut) == 1 for cut in wide_cuts)
    unnamed: list[str] = []
    for cut in reversed(open_cuts):
        at = found.cuts.index(cut)
        names = f"{found.headers[at - 1]} and {found.headers[at]}"
        empty = _is_empty(found, at - 1, masks) or _is_empty(found, at, masks)
        if not narrow_gaps and (wide_cuts or empty):
            _join(found, at)
            if len(wide_cuts) < 2 or not empty:
                found.ambiguities.append(f"{names} are taken for one column")
        elif empty:
            unnamed.insert(0, names)
        elif _is_together(found, at, masks):
            found.notes.append(f"{names} may be one column: in every row they are one blank apart")
    if unnamed:
        found.ambiguities.append(f"{', '.join(unnamed)} may be one column: there is no cell under one of the words")


def _is_apart(found: Columns, cut: int, masks: Sequence[int]) -> bool:
    """Whether rows prove two columns at a cut: one cell would contain two blanks, or begin in several places."""
    at = found.cuts.index(cut)
    both = [(a, b) for a, b in (_sides(found, at, mask) for mask in masks) if a and b]
    begins = {a & -a for a, _ in both}
    width = cut - found.cuts[at - 1]
    return len(begins) > 1 or any(width - a.bit_length() + _begin(b) > 1 for a, b in both)


def _sides(found: Columns, at: int, mask: int) -> tuple[int, int]:
    """The cells of a row in the columns before and after a cut."""
    start, cut = found.cuts[at - 1], found.cuts[at]
    end = found.cuts[at + 1] if at + 1 < len(found.cuts) else None
    right = mask >> cut if end is None else mask >> cut & (1 << end - cut) - 1
    return mask >> start & (1 << cut - start) - 1, right


def _begin(cells: int) -> int:
    return (cells & -cells).bit_length() - 1


def _blanks(occupied: int, cut: int) -> int:
    """The number of cells before a cut that are blank in every row and in the header."""
    before = occupied & (1 << cut) - 1
    return cut - before.bit_length()


def _is_empty(found: Columns, at: int, masks: Sequence[int]) -> bool:
    start, end = found.edges[at]
    occupied = union(masks) >> start
    return not (occupied if end is None else occupied & (1 << end - start) - 1)


def _is_together(found: Columns, at: int, masks: Sequence[int]) -> bool:
    """Whether every row fills both columns, the left one to its last cell."""
    sides = [_sides(found, at, mask) for mask in masks]
    width = found.cuts[at] - found.cuts[at - 1]
    return bool(sides) and all(a.bit_length() == width - 1 and b for a, b in sides)


def _join(found: Columns, at: int) -> None:
    found.headers[at - 1 : at + 1] = [f"{found.headers[at - 1]} {found.headers[at]}"]
    del found.cuts[at]
