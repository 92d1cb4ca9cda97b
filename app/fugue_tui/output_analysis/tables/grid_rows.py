"""Rows of a table with borders, out of its lines: which are the header, and which go on from the one above."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from fugue_tui.output_analysis.parsed import line_numbers
from fugue_tui.output_analysis.tables.header_spans import is_value


@dataclass(frozen=True, slots=True)
class Ruled:
    """A line of cells."""

    number: int
    """Which line of the text it is."""
    cells: tuple[str, ...]
    above: int
    """How many rules are drawn above it."""
    marked: tuple[bool, ...]
    """For each cell, whether the program says that it goes on in the next line."""


def rows_of(lines: Sequence[Ruled]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], list[str]]:
    """The headers (none if there are none), the rows, and what is doubtful about them."""
    groups = [list(group) for _, group in groupby(lines, key=lambda line: line.above)]
    notes: list[str] = []
    headers: tuple[str, ...] = ()
    if len(groups) > 1 or groups[0][0].above == 0:
        headers = tuple(" ".join(filter(None, parts)) for parts in zip(*(_unmarked(groups[0])), strict=True))
        groups = groups[1:]
        if all(not name or is_value(name) for name in headers):
            notes.append("the first row was taken for the columns' names")
    rows = [row for group in groups for row in _rows(group, len(groups) > 1)]
    if len(groups) > 1 and any(len(group) > 1 for group in groups):
        notes.append("lines between two rules were taken for one row if a cell of them is empty")
    elif bare := [line.number for group in groups for line in _bare(group)]:
        notes.append(f"{line_numbers(bare)} may go on from the row above: the first cell is empty")
    return headers, tuple(rows), notes


def _rows(group: Sequence[Ruled], ruled: bool) -> list[tuple[str, ...]]:
    if ruled and any(not cell for line in group for cell in line.cells):
        return [_joined([line.cells for line in group])]
    found: list[list[tuple[str, ...]]] = []
    going_on = False
    for line, cells in zip(group, _unmarked(group), strict=True):
        if going_on:
            found[-1].append(cells)
        else:
            found.append([cells])
        going_on = any(line.marked)
    return [_joined(lines) for lines in found]


def _bare(group: Sequence[Ruled]) -> list[Ruled]:
    """The lines that begin with an empty cell, though nothing says that the line above goes on."""
    return [line for above, line in pairwise(group) if not line.cells[0] and not any(above.marked)]


def _unmarked(group: Sequence[Ruled]) -> list[tuple[str, ...]]:
    """The cells without the marks that say that they go on."""
    return [
        tuple(cell[:-1].rstrip() if marked else cell for cell, marked in zip(line.cells, line.marked, strict=True))
        for line in group
    ]


def _joined(lines: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return lines[0] if len(lines) == 1 else tuple("\n".join(parts).strip("\n") for parts in zip(*lines, strict=True))
