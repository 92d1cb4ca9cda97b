"""Parses tables with borders of any style: ASCII, Unicode box drawing, psql, mysql, Markdown.

The junctions of a rule are the positions of the column borders, so a `|` inside a cell is not a border.
"""

import itertools
import re
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers, with_others
from fugue_tui.output_analysis.tables.header_spans import is_value
from fugue_tui.output_analysis.text_lines import Line, in_cells, in_characters


class GridRow(Struct, frozen=True):
    """A line of cells."""

    number: int
    """The line number in the text."""
    cells: tuple[str, ...]
    above: int
    """The number of rules above it."""
    marked: tuple[bool, ...]
    """For each cell, whether the program marks it as continued in the next line."""


def rows_of(lines: Sequence[GridRow]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], list[str]]:
    """The headers, possibly empty, the rows, and notes on ambiguities."""
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
    elif headless := [line.number for group in groups for line in _headless(group)]:
        notes.append(f"{line_numbers(headless)} may go on from the row above: the first cell is empty")
    return headers, tuple(rows), notes


def _rows(group: Sequence[GridRow], ruled: bool) -> list[tuple[str, ...]]:
    if ruled and any(not cell for line in group for cell in line.cells):
        return [_joined([line.cells for line in group])]
    found: list[list[tuple[str, ...]]] = []
    continued = False
    for line, cells in zip(group, _unmarked(group), strict=True):
        if continued:
            found[-1].append(cells)
        else:
            found.append([cells])
        continued = any(line.marked)
    return [_joined(lines) for lines in found]


def _headless(group: Sequence[GridRow]) -> list[GridRow]:
    """The lines with an empty first cell after a line that is not marked as continued."""
    return [line for above, line in pairwise(group) if not line.cells[0] and not any(above.marked)]


def _unmarked(group: Sequence[GridRow]) -> list[tuple[str, ...]]:
    """The cells without their continuation marks."""
    return [
        tuple(cell[:-1].rstrip() if marked else cell for cell, marked in zip(line.cells, line.marked, strict=True))
        for line in group
    ]


def _joined(lines: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return lines[0] if len(lines) == 1 else tuple("\n".join(parts).strip("\n") for parts in zip(*lines, strict=True))


CONFIDENCE: Final = 0.98
"""If all rows have their borders at the junctions of the rule."""
MIN_TABLE_CONFIDENCE: Final = 0.8
"""A smaller table is reported with a larger one from this confidence on."""
MOST_TABLES: Final = 6
MOST_UNFIT: Final = 0.25
"""The share of lines that may have no border at a junction."""
_BARS: Final = "|│┃║╎╏┆┇┊┋▏▕"
_CORNERS: Final = "+┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬╞╡╟╢╤╧╥╨╪╫┡┩╇╈╃╄┢┪╆╅┝┥┞┦┟┧┠┨┍┑┎┒┕┙┖┚┯┷┰┸┿╂╊╉"
_LEVELS: Final = "-=─━═╌╍┄┅┈┉╴╵╶╷╸╹╺╻"
_POINTS: Final = ".'`*"
"""Corners only inside of rules."""
_DRAWN: Final = re.compile(f"[{re.escape(_BARS + _CORNERS + _LEVELS + _POINTS)}: ]+")
_LEVEL: Final = re.compile(f"---|===|[+|:][-=]|[-=][+|:]|[{_LEVELS[2:]}]")
_BAR: Final = re.compile(f"[{_BARS}]")
_JUNCTION: Final = re.compile(f"[{re.escape(_BARS + _CORNERS + _POINTS)}]")
_UNESCAPED: Final = re.compile(r"(?<!\\)\|")


def is_rule(text: str) -> bool:
    """Whether a line consists of line drawing without text."""
    return _DRAWN.fullmatch(text) is not None and _LEVEL.search(text) is not None


def read_borders(lines: Sequence[str], start: int, end: int) -> Parsed | None:
    """The largest table with borders in a range of lines, and the others."""
    regions = sorted(_regions(lines, start, end), key=lambda region: region[0] - region[1])[:MOST_TABLES]
    read = [(range(*region), result) for region in regions if (result := _region(lines, *region))]
    if not read:
        return None
    others = (each for each in read[1:] if each[1].confidence >= MIN_TABLE_CONFIDENCE)
    more = sorted(others, key=lambda each: each[0][0])
    taken = {at for numbers, _ in (read[0], *more) for at in numbers}
    return with_others(read[0][1], more, (at for at in range(start, end) if at not in taken and lines[at].strip()))


def _region(lines: Sequence[str], start: int, stop: int) -> Parsed | None:
    wide = any(not line.isascii() for line in lines[start:stop])
    results = [_read(lines, start, stop, layout) for layout in ((in_cells, in_characters) if wide else (in_cells,))]
    return max(filter(None, results), key=lambda result: result.confidence, default=None)


def _regions(lines: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    """The ranges of lines that are rules or have bars, with at least one rule and one other line."""
    found: list[tuple[int, int]] = []
    begin, rules = start, 0
    for at in range(start, end + 1):
        drawn = at < end and is_rule(lines[at])
        if drawn or (at < end and _BAR.search(lines[at])):
            rules += drawn
            continue
        if rules and at - begin > rules:
            found.append((begin, at))
        begin, rules = at + 1, 0
    return found


def _read(lines: Sequence[str], start: int, end: int, layout: Callable[[int, str], Line]) -> Parsed | None:
    parsed = [layout(number, lines[number]) for number in range(start, end)]
    rules, dividers = _rules(parsed)
    if not dividers:
        return None
    found = _by_position(parsed, rules, dividers)
    if all(set(line.text) <= set("|:- ") for line in rules):
        found = _unescaped(found) if found else _by_bars(parsed, rules)
    return _result(found) if found else None


def _rules(parsed: Sequence[Line]) -> tuple[list[Line], list[int]]:
    """The lines that are rules, and the cells of their junctions.

    A row like `| -- | == |` is not a rule: it has bars at all junctions, and blanks unlike the longest rule.
    """
    drawn = [line for line in parsed if is_rule(line.text)]
    solid = [line for line in drawn if " " not in line.text.strip()] or drawn
    dividers = max(([found.start() for found in _JUNCTION.finditer(line.cells)] for line in solid), key=len)
    certain = {line.number for line in solid}
    return [line for line in drawn if line.number in certain or not _divided(line, dividers)], dividers


class _Cells(Struct, frozen=True):
    rows: list[GridRow]
    unfit: list[int]
    columns: int


def _by_position(parsed: Sequence[Line], rules: Sequence[Line], dividers: Sequence[int]) -> _Cells | None:
    """The cells between the junctions of a rule."""
    drawn, width = {line.number for line in rules}, max(len(line.cells) for line in rules)
    content = [line for line in parsed if line.number not in drawn]
    fit = {line.number for line in content if _divided(line, dividers)}
    if not fit or len(content) - len(fit) > MOST_UNFIT * len(content):
        return None
    kept = [line for line in content if line.number in fit]
    edges = [*itertools.pairwise(dividers)]
    left = any(line.between(0, dividers[0]) for line in kept)
    right = any(line.between(dividers[-1] + 1) for line in kept)
    spans = [(-1, dividers[0])] * left + edges + [(dividers[-1], None)] * right
    rows: list[GridRow] = []
    above = 0
    for line in parsed:
        if line.number in drawn:
            above += 1
        elif line.number in fit:
            cells = tuple(line.between(start + 1, stop) for start, stop in spans)
            marked = tuple(_is_continued(line, width if stop is None else stop) for _, stop in spans)
            rows.append(GridRow(line.number, cells, above, marked))
    return _Cells(rows, [line.number for line in content if line.number not in fit], len(spans)) if spans else None


def _divided(line: Line, dividers: Sequence[int]) -> bool:
    width = len(line.cells)
    return all(at < width and line.cells[at] in _BARS for at in dividers)


def _is_continued(line: Line, stop: int) -> bool:
    """Whether psql marks a cell as continued in the next line, by a sign right before its border."""
    return line.cells[stop - 1 : stop] in ("+", "↵")


def _by_bars(parsed: Sequence[Line], rules: Sequence[Line]) -> _Cells | None:
    """The cells between the bars of unaligned Markdown, which has as many in each line as in the rule."""
    drawn, count = {line.number for line in rules}, len(_split(rules[0].text))
    rows: list[GridRow] = []
    unfit: list[int] = []
    above = 0
    for line in parsed:
        if line.number in drawn:
            above += 1
            continue
        cells = _split(line.text)
        if len(cells) == count:
            rows.append(GridRow(line.number, cells, above, (False,) * count))
        else:
            unfit.append(line.number)
    enough = count > 1 and rows and len(unfit) <= MOST_UNFIT * (len(rows) + len(unfit))
    return _Cells(rows, unfit, count) if enough else None


def _unescaped(found: _Cells) -> _Cells:
    rows = [replace(row, cells=tuple(cell.replace("\\|", "|") for cell in row.cells)) for row in found.rows]
    return replace(found, rows=rows)


def _split(text: str) -> tuple[str, ...]:
    return tuple(cell.strip().replace("\\|", "|") for cell in _UNESCAPED.split(text.strip().strip("|")))


def _result(found: _Cells) -> Parsed | None:
    headers, rows, notes = rows_of(found.rows)
    if found.columns < 2 and not headers:
        return None
    total = len(found.rows) + len(found.unfit)
    confidence = CONFIDENCE * len(found.rows) / total * (0.95 ** len(notes)) * (1 if headers else 0.9)
    if found.unfit:
        notes = [*notes, f"{line_numbers(found.unfit)} did not fit the borders, left out"]
    return Parsed(ParsedKind.TABLE, round(confidence, 2), headers, rows, parser="borders", notes=tuple(notes))
