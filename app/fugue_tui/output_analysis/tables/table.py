"""Parses tables without borders: finds the block of lines, the header line, and the columns that fit best."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers
from fugue_tui.output_analysis.tables.columns import Columns, columns, excluded, union
from fugue_tui.output_analysis.tables.header_spans import Style, TableFormat, free_runs, is_numeric, is_value, spans
from fugue_tui.output_analysis.tables.header_words import merge_header_words
from fugue_tui.output_analysis.tables.outliers import remove_outliers
from fugue_tui.output_analysis.tables.overflow import join_wrapped_rows, read_by_words, word_by_word
from fugue_tui.output_analysis.text_lines import WIDEST, Line, in_cells, in_characters

_LETTER: Final = re.compile(r"[^\W\d_]")
_GROUP: Final = re.compile(r"-{2,}[^\s-]+-{2,}")
"""A heading over several columns, as vmstat prints it."""
_UNIT: Final = re.compile(r"\d+[KMGT]?i?B?-blocks")

CAPITALS: Final = 0.94
"""The confidence in a header in capital letters."""
TYPED: Final = 0.82
"""The confidence in a header with a column of numbers below."""
MOST_WORDS: Final = 4
"""Most words of a column name that is not in capital letters."""


def header_confidence(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> float:
    """The confidence that these are column names; 0 if they look like values."""
    named = [name for name in headers if name]
    if len(named) < 2 or any(is_value(word) for name in named for word in name.split()):
        return 0.0
    if any(map(_GROUP.fullmatch, named)):
        return 0.0
    if len(set(named)) < len(named) or not all(_LETTER.search(name) or name in ("#", "%") for name in named):
        return 0.0
    if all(name == name.upper() for name in named):
        return CAPITALS
    if any(name[0].isdecimal() and not _UNIT.fullmatch(name) for name in named):
        return 0.0
    if any(name[-1] in ".,;:!?" or len(name.split()) > MOST_WORDS for name in named):
        return 0.0
    return TYPED if any(is_numeric(rows, at) for at, name in enumerate(headers) if name) else 0.0


RULED: Final = 0.96
"""The confidence in a header with a rule of dashes under every column."""
UNDERLINED: Final = 0.85
"""The confidence in a header with one line drawn under all of it."""
KNOWN: Final = 0.97
"""The confidence in a header that the command is known to print."""
NAMELESS: Final = 0.55
"""The confidence in columns without a header."""
AMBIGUITY_FACTOR: Final = 0.8
"""Reduces the confidence for each ambiguity."""
ENOUGH: Final = 0.6
"""From this confidence on no further line is tried as the header."""
_RULE: Final = re.compile(r"\s*(?:[-=]{2,}\s+)+[-=]{2,}\s*")
_DASHES: Final = re.compile(r"[-=]+")
_LINE: Final = re.compile(r"\s*[-=─━═]{3,}\s*")
_COUNT: Final = re.compile(r"\((\d{1,9}) rows?\)")
_FIRST: Final = 4
"""The first lines of a block that are tried as its header."""


class Block(Struct, frozen=True):
    """Consecutive non-blank lines of a text; `start` is the number of the first."""

    start: int
    lines: tuple[str, ...]

    @property
    def numbers(self) -> range:
        """The numbers of its lines."""
        return range(self.start, self.start + len(self.lines))


def blocks(lines: Sequence[str], start: int, end: int) -> list[Block]:
    """The blocks of a range of lines, the longest first."""
    found: list[Block] = []
    begin = start
    for at in range(start, end + 1):
        if at == end or not lines[at].strip():
            if at > begin:
                found.append(Block(begin, tuple(lines[begin:at])))
            begin = at + 1
    return sorted(found, key=lambda block: -len(block.lines))


def read_table(block: Block, table_format: TableFormat) -> Parsed | None:
    """The table in a block: with tabs between cells, or columns counted in terminal cells, or else in characters."""
    tabs = [line for line in block.lines if "\t" in line]
    if len(tabs) * 2 > len(block.lines) or any('"' in line for line in tabs):
        return _tabbed(block, table_format)
    found = _read(block, in_cells, table_format)
    if any(not line.isascii() for line in block.lines) and (found is None or found.notes):
        other = _read(block, in_characters, table_format)
        if other is not None and (found is None or _is_better(other, found)):
            return other.noted("columns are counted in characters, not in cells of the screen")
    return found


def _tabbed(block: Block, table_format: TableFormat) -> Parsed | None:
    """The table in lines with one tab between any two columns, and without quotes around cells."""
    names, *rows = [tuple(cell.strip() for cell in line.split("\t")) for line in block.lines]
    quoted = any('"' in line for line in block.lines)
    if not rows or len(names) < 2 or quoted or any(len(row) > len(names) for row in rows):
        return None
    rows = [row + ("",) * (len(names) - len(row)) for row in rows]
    confidence = header_confidence(names, rows)
    confidence = KNOWN if table_format.known and confidence >= CAPITALS else confidence
    if not confidence:
        return None
    return Parsed(ParsedKind.TABLE, confidence, names, tuple(rows), parser="tabs between columns")


def _is_better(other: Parsed, found: Parsed) -> bool:
    return other.confidence > found.confidence and len(other.rows) > len(found.rows)


def _read(block: Block, layout: Callable[[int, str], Line], table_format: TableFormat) -> Parsed | None:
    lines = [layout(block.start + at, text) for at, text in enumerate(block.lines)]
    results = [*_with_header(lines, table_format)]
    if not any(result.confidence >= ENOUGH for result in results) and not table_format.known:
        results += _without_header(lines)
    long = [line.number for line in lines if len(line.text) >= WIDEST]
    best = max(results, key=lambda result: result.confidence, default=None)
    return best.noted(f"{line_numbers(long)}: only the first {WIDEST} characters were read") if best and long else best


def _with_header(lines: Sequence[Line], table_format: TableFormat) -> Iterable[Parsed]:
    for at in range(min(_FIRST, len(lines))):
        if at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1].cells):
            if found := _under_rules(lines[at], lines[at + 1], lines[at + 2 :]):
                yield _result(found, RULED, [line for line in lines[:at] if line.text != lines[at + 1].text])
            return
        if at + 1 < len(lines) and _is_counted_column(lines[at:]):
            yield _one_column(lines, at)
            return
        underlined = at + 1 < len(lines) and _LINE.fullmatch(lines[at + 1].cells) is not None
        rows = [line for line in lines[at + 1 :] if not (underlined and _LINE.fullmatch(line.cells))]
        found = _columns(lines[at], rows, Style.WIDE if underlined else table_format.style)
        if found is None and table_format.words:
            found = word_by_word(lines[at], rows)
        if found is None:
            continue
        join_wrapped_rows(found)
        aligned = remove_outliers(found)
        if table_format.words and found.fit:
            read_by_words(found, rows)
        confidence = max(header_confidence(found.headers, found.rows()), UNDERLINED if underlined and found.fit else 0)
        if confidence < CAPITALS and any(found.fits(line) for line in lines[:at]):
            continue
        if confidence and (found.fit or table_format.known):
            trusted = table_format.known and (table_format.style is Style.WORDS or confidence >= CAPITALS)
            result = _result(found, (KNOWN if trusted else confidence) * (0.8 + 0.2 * aligned), lines[:at])
            yield result
            if result.confidence >= ENOUGH:
                return


def _columns(header: Line, rows: Sequence[Line], style: Style) -> Columns | None:
    found = columns(header, rows, style)
    if found is not None and style is Style.AUTO:
        merge_header_words(found, header, [line.mask for line in found.fit])
    return found if found is not None and len(found.cuts) > 1 else None


def _is_counted_column(lines: Sequence[Line]) -> bool:
    """Whether lines are one column of psql: a header, a rule, rows, and a line with the number of rows."""
    count = _COUNT.fullmatch(lines[-1].text)
    return _LINE.fullmatch(lines[1].cells) is not None and count is not None and int(count[1]) == len(lines) - 3


def _one_column(lines: Sequence[Line], at: int) -> Parsed:
    """One column under a rule."""
    return _result(Columns([lines[at].text.strip()], [0], list(lines[at + 2 : -1])), RULED, lines[:at])


def _under_rules(header: Line, rule: Line, rows: Sequence[Line]) -> Columns | None:
    """The columns under rules that are as wide as the columns, or as their names."""
    found = _ruled(header, rule, rows)
    names = spans(header, Style.WIDE)
    if (found and not found.unfit) or [(each.start, each.end) for each in names] != _runs(rule):
        return found
    other = columns(header, rows, Style.WIDE)
    return other if other and (found is None or len(other.fit) > len(found.fit)) else found


def _runs(rule: Line) -> list[tuple[int, int]]:
    return [(found.start(), found.end()) for found in _DASHES.finditer(rule.cells)]


def _ruled(header: Line, rule: Line, rows: Sequence[Line]) -> Columns | None:
    """The columns under a line of dashes that has gaps between the columns."""
    runs = free_runs(rule.mask, 0, len(rule.cells.rstrip()))
    cuts = [0, *(end for start, end in runs if start > 0)]
    spaces = union(1 << cell for start, end in runs if start > 0 for cell in range(start, end))
    if len(cuts) < 2 or header.mask & spaces:
        return None
    rows = [line for line in rows if line.text != rule.text]
    fit = [at for at, line in enumerate(rows) if not line.mask & spaces]
    found = Columns([], cuts, [header])
    found.headers = list(found.rows()[0])
    found.fit, found.unfit = [rows[at] for at in fit], [line.number for line in excluded(rows, fit)]
    return found


def _without_header(lines: Sequence[Line]) -> Iterable[Parsed]:
    """Columns with at least two blanks between them in every line, and cells in most lines."""
    occupied = union(line.mask for line in lines)
    runs = [run for run in free_runs(occupied, 0, occupied.bit_length()) if run[0] > 0 and run[1] - run[0] > 1]
    if len(lines) < 3 or not runs:
        return
    found = Columns(cuts=[0, *(end for _, end in runs)], fit=list(lines))
    aligned = remove_outliers(found)
    rows = found.rows()
    filled = sum(bool(cell) for row in rows for cell in row) / (len(rows) * len(found.cuts)) if rows else 0
    if filled >= 0.7 and not found.unfit:
        result = _result(found, NAMELESS * filled * (0.6 + 0.4 * aligned), [])
        yield result.noted("no line names the columns")


def _result(found: Columns, confidence: float, before: Sequence[Line]) -> Parsed:
    """A table with the confidence in its header, reduced by rows that do not fit and by ambiguities."""
    rows = found.rows()
    count = len(rows) + len(found.unfit)
    confidence *= (len(rows) / count) if count else 0.8
    confidence *= 0.9 if len(rows) == 1 else 1.0
    notes = [*found.notes]
    if found.unfit:
        notes.append(f"{line_numbers(found.unfit)} did not fit the columns, left out")
    if before:
        confidence *= 0.97
        notes.append(f"{line_numbers(line.number for line in before)} above the table, left out")
    for ambiguity in found.ambiguities:
        confidence *= AMBIGUITY_FACTOR
        notes.append(ambiguity)
    headers = tuple(found.headers)
    return Parsed(ParsedKind.TABLE, round(confidence, 2), headers, rows, parser="columns", notes=tuple(notes))
