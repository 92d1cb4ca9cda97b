"""Header words one blank apart: one header of two words, or two headers, as the rest of the table tells.

Programs keep all columns of a table equally far apart. So if columns elsewhere are one blank apart, these words are two
headers; if all others are further apart, they are one.
"""

from collections.abc import Sequence

from fugue_tui.output_analysis.tables.columns import Columns, union
from fugue_tui.output_analysis.text_lines import Line


def settle(found: Columns, header: Line, masks: Sequence[int]) -> None:
    """Join the words that are one header, and say where that is a guess; `masks` are those of the rows."""
    busy = union(masks) | header.mask
    open_cuts = [cut for cut in found.cuts[1:] if cut in found.soft and not _apart(found, cut, masks)]
    hard = [cut for cut in found.cuts[1:] if cut not in found.soft]
    close = len(open_cuts) < len(found.soft) or any(_blanks(busy, cut) == 1 for cut in hard)
    bare: list[str] = []
    for cut in reversed(open_cuts):
        at = found.cuts.index(cut)
        names = f"{found.headers[at - 1]} and {found.headers[at]}"
        empty = _is_empty(found, at - 1, masks) or _is_empty(found, at, masks)
        if not close and (hard or empty):
            _join(found, at)
            if len(hard) < 2 or not empty:
                found.doubts.append(f"{names} are taken for one column")
        elif empty:
            bare.insert(0, names)
        elif _is_together(found, at, masks):
            found.notes.append(f"{names} may be one column: in every row they are one blank apart")
    if bare:
        found.doubts.append(f"{', '.join(bare)} may be one column: nothing stands under one of the words")


def _apart(found: Columns, cut: int, masks: Sequence[int]) -> bool:
    """Whether rows show that two columns meet at a cut: no phrase has two blanks in it, or begins in several places."""
    at = found.cuts.index(cut)
    both = [(a, b) for a, b in (_sides(found, at, mask) for mask in masks) if a and b]
    begins = {a & -a for a, _ in both}
    width = cut - found.cuts[at - 1]
    return len(begins) > 1 or any(width - a.bit_length() + _begin(b) > 1 for a, b in both)


def _sides(found: Columns, at: int, mask: int) -> tuple[int, int]:
    """The cells of a row in the column before a cut and in the one behind it."""
    start, cut = found.cuts[at - 1], found.cuts[at]
    end = found.cuts[at + 1] if at + 1 < len(found.cuts) else None
    right = mask >> cut if end is None else mask >> cut & (1 << end - cut) - 1
    return mask >> start & (1 << cut - start) - 1, right


def _begin(cells: int) -> int:
    return (cells & -cells).bit_length() - 1


def _blanks(busy: int, cut: int) -> int:
    """How many cells in front of a cut are blank in every row and in the header."""
    before = busy & (1 << cut) - 1
    return cut - before.bit_length()


def _is_empty(found: Columns, at: int, masks: Sequence[int]) -> bool:
    start, end = found.edges[at]
    busy = union(masks) >> start
    return not (busy if end is None else busy & (1 << end - start) - 1)


def _is_together(found: Columns, at: int, masks: Sequence[int]) -> bool:
    """Whether every row fills both columns, the left one to its last cell."""
    sides = [_sides(found, at, mask) for mask in masks]
    width = found.cuts[at] - found.cuts[at - 1]
    return bool(sides) and all(a.bit_length() == width - 1 and b for a, b in sides)


def _join(found: Columns, at: int) -> None:
    found.headers[at - 1 : at + 1] = [f"{found.headers[at - 1]} {found.headers[at]}"]
    del found.cuts[at]
