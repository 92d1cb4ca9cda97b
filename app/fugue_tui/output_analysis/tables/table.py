"""Tables without borders: finds the block of lines that is one, its header line, and the reading that fits best.

Whether a line names the columns under it.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers
from fugue_tui.output_analysis.tables.columns import Columns, columns, set_aside, union
from fugue_tui.output_analysis.tables.header_spans import Style, free_runs, is_value, spans
from fugue_tui.output_analysis.tables.header_words import settle
from fugue_tui.output_analysis.tables.known_commands import TableFormat
from fugue_tui.output_analysis.tables.outliers import without_strangers
from fugue_tui.output_analysis.tables.overflow import mend, rejoin, word_by_word
from fugue_tui.output_analysis.text_lines import WIDEST, Line, in_cells, in_characters

_LETTER: Final = re.compile(r"[^\W\d_]")
_UNIT: Final = re.compile(r"\d+[KMGT]?i?B?-blocks")
_NUMBER: Final = re.compile(r"[-+~<>(]?[$€£]?\d")

CAPITALS: Final = 0.94
"""The belief in a header in capital letters."""
TYPED: Final = 0.82
"""The belief in a header whose words stand over numbers."""
MOST_WORDS: Final = 4
"""Words of one header that is not in capital letters."""


def belief(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> float:
    """How sure it is that these are names of columns: 0 if they look like values themselves."""
    named = [name for name in headers if name]
    if len(named) < 2 or any(is_value(word) for name in named for word in name.split()):
        return 0.0
    if len(set(named)) < len(named) or not all(_LETTER.search(name) or name in ("#", "%") for name in named):
        return 0.0
    if all(name == name.upper() for name in named):
        return CAPITALS
    if any(name[0].isdecimal() and not _UNIT.fullmatch(name) for name in named):
        return 0.0
    if any(name[-1] in ".,;:!?" or len(name.split()) > MOST_WORDS for name in named):
        return 0.0
    return TYPED if any(_numbers(rows, at) for at, name in enumerate(headers) if name) else 0.0


def _numbers(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = [row[column] for row in rows if row[column]]
    return len(cells) > 0 and sum(_NUMBER.match(cell) is not None for cell in cells) >= 0.8 * len(cells)


RULED: Final = 0.96
"""The belief in a header with a rule of dashes under every column."""
UNDERLINED: Final = 0.85
"""The belief in a header with one line drawn under all of it."""
KNOWN: Final = 0.97
"""The belief in a header that the command is known to print."""
NAMELESS: Final = 0.55
"""The belief in columns that no line names."""
DOUBTFUL: Final = 0.8
"""What is left of the belief for each thing that could be otherwise."""
LIKELY: Final = 0.6
"""Belief enough to look no further."""
_RULE: Final = re.compile(r"\s*(?:[-=]{2,}\s+)+[-=]{2,}\s*")
_DASHES: Final = re.compile(r"[-=]+")
_LINE: Final = re.compile(r"\s*[-=─━═]{3,}\s*")
_COUNT: Final = re.compile(r"\((\d{1,9}) rows?\)")
_FIRST: Final = 4
"""Lines at the head of a block that may be its header."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a text without a blank one between them, by their places in the text."""

    start: int
    lines: tuple[str, ...]

    @property
    def numbers(self) -> range:
        """The places of its lines in the text."""
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


def read_table(block: Block, habit: TableFormat) -> Parsed | None:
    """The table in a block, its cells between tabs, or counted as the terminal shows them, or else as characters."""
    tabs = [line for line in block.lines if "\t" in line]
    if len(tabs) * 2 > len(block.lines) or any('"' in line for line in tabs):
        return _tabbed(block, habit)
    found = _read(block, in_cells, habit)
    if any(not line.isascii() for line in block.lines) and (found is None or found.notes):
        other = _read(block, in_characters, habit)
        if other is not None and (found is None or _surpasses(other, found)):
            return other.noted("columns are counted in characters, not in cells of the screen")
    return found


def _tabbed(block: Block, habit: TableFormat) -> Parsed | None:
    """The table of lines that have their tabs still, one between any two columns, and no quotes around cells."""
    names, *rows = [tuple(cell.strip() for cell in line.split("\t")) for line in block.lines]
    quoted = any('"' in line for line in block.lines)
    if not rows or len(names) < 2 or quoted or any(len(row) > len(names) for row in rows):
        return None
    rows = [row + ("",) * (len(names) - len(row)) for row in rows]
    sure = belief(names, rows)
    sure = KNOWN if habit.known and sure >= CAPITALS else sure
    return Parsed(ParsedKind.TABLE, sure, names, tuple(rows), parser="tabs between columns") if sure else None


def _surpasses(other: Parsed, found: Parsed) -> bool:
    return other.confidence > found.confidence and len(other.rows) > len(found.rows)


def _read(block: Block, lay: Callable[[int, str], Line], habit: TableFormat) -> Parsed | None:
    lines = [lay(block.start + at, text) for at, text in enumerate(block.lines)]
    ways = [*_with_header(lines, habit)]
    if not any(way.confidence >= LIKELY for way in ways) and not habit.known:
        ways += _without_header(lines)
    long = [line.number for line in lines if len(line.text) >= WIDEST]
    best = max(ways, key=lambda way: way.confidence, default=None)
    return best.noted(f"{line_numbers(long)}: only the first {WIDEST} characters were read") if best and long else best


def _with_header(lines: Sequence[Line], habit: TableFormat) -> Iterable[Parsed]:
    for at in range(min(_FIRST, len(lines))):
        if at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1].cells):
            if found := _under_rules(lines[at], lines[at + 1], lines[at + 2 :]):
                yield _judged(found, RULED, [line for line in lines[:at] if line.text != lines[at + 1].text])
            return
        if at + 1 < len(lines) and _counted(lines[at:]):
            yield _single(lines, at)
            return
        underlined = at + 1 < len(lines) and _LINE.fullmatch(lines[at + 1].cells) is not None
        rows = [line for line in lines[at + 1 :] if not (underlined and _LINE.fullmatch(line.cells))]
        found = _columns(lines[at], rows, Style.WIDE if underlined else habit.style)
        if found is None and habit.words:
            found = word_by_word(lines[at], rows)
        if found is None:
            continue
        rejoin(found)
        aligned = without_strangers(found)
        if habit.words and found.fit:
            mend(found, rows)
        sure = max(belief(found.headers, found.rows()), UNDERLINED if underlined and found.fit else 0)
        if sure < CAPITALS and any(found.suits(line) for line in lines[:at]):
            continue
        if sure and (found.fit or habit.known):
            trusted = habit.known and (habit.style is Style.WORDS or sure >= CAPITALS)
            way = _judged(found, (KNOWN if trusted else sure) * (0.8 + 0.2 * aligned), lines[:at])
            yield way
            if way.confidence >= LIKELY:
                return


def _columns(header: Line, rows: Sequence[Line], style: Style) -> Columns | None:
    found = columns(header, rows, style)
    if found is not None and style is Style.AUTO:
        settle(found, header, [line.mask for line in found.fit])
    return found if found is not None and len(found.cuts) > 1 else None


def _counted(lines: Sequence[Line]) -> bool:
    """Whether lines are one column of psql's: a header, a rule, rows, and as many as it says below them."""
    count = _COUNT.fullmatch(lines[-1].text)
    return _LINE.fullmatch(lines[1].cells) is not None and count is not None and int(count[1]) == len(lines) - 3


def _single(lines: Sequence[Line], at: int) -> Parsed:
    """One column under a rule."""
    return _judged(Columns([lines[at].text.strip()], [0], list(lines[at + 2 : -1])), RULED, lines[:at])


def _under_rules(header: Line, rule: Line, rows: Sequence[Line]) -> Columns | None:
    """The columns under rules, which are as wide as the columns, or only as their names."""
    found = _ruled(header, rule, rows)
    names = spans(header, Style.WIDE)
    if (found and not found.unfit) or [(each.start, each.end) for each in names] != _runs(rule):
        return found
    other = columns(header, rows, Style.WIDE)
    return other if other and (found is None or len(other.fit) > len(found.fit)) else found


def _runs(rule: Line) -> list[tuple[int, int]]:
    return [(found.start(), found.end()) for found in _DASHES.finditer(rule.cells)]


def _ruled(header: Line, rule: Line, rows: Sequence[Line]) -> Columns | None:
    """The columns under a line of dashes with gaps where the columns end."""
    runs = free_runs(rule.mask, 0, len(rule.cells.rstrip()))
    cuts = [0, *(end for start, end in runs if start > 0)]
    spaces = union(1 << cell for start, end in runs if start > 0 for cell in range(start, end))
    if len(cuts) < 2 or header.mask & spaces:
        return None
    rows = [line for line in rows if line.text != rule.text]
    fit = [at for at, line in enumerate(rows) if not line.mask & spaces]
    found = Columns([], cuts, [header])
    found.headers = list(found.rows()[0])
    found.fit, found.unfit = [rows[at] for at in fit], [line.number for line in set_aside(rows, fit)]
    return found


def _without_header(lines: Sequence[Line]) -> Iterable[Parsed]:
    """Columns that at least two blanks in every line keep apart, and that are filled in most lines."""
    busy = union(line.mask for line in lines)
    runs = [run for run in free_runs(busy, 0, busy.bit_length()) if run[0] > 0 and run[1] - run[0] > 1]
    if len(lines) < 3 or not runs:
        return
    found = Columns(cuts=[0, *(end for _, end in runs)], fit=list(lines))
    aligned = without_strangers(found)
    rows = found.rows()
    filled = sum(bool(cell) for row in rows for cell in row) / (len(rows) * len(found.cuts)) if rows else 0
    if filled >= 0.7 and not found.unfit:
        sure = _judged(found, NAMELESS * filled * (0.6 + 0.4 * aligned), [])
        yield sure.noted("no line names the columns")


def _judged(found: Columns, sure: float, before: Sequence[Line]) -> Parsed:
    """A table with the belief in its header, less what speaks against its rows."""
    rows = found.rows()
    count = len(rows) + len(found.unfit)
    sure *= (len(rows) / count) if count else 0.8
    sure *= 0.9 if len(rows) == 1 else 1.0
    notes = [*found.notes]
    if found.unfit:
        notes.append(f"{line_numbers(found.unfit)} did not fit the columns, left out")
    if before:
        sure *= 0.97
        notes.append(f"{line_numbers(line.number for line in before)} above the table, left out")
    for doubt in found.doubts:
        sure *= DOUBTFUL
        notes.append(doubt)
    return Parsed(ParsedKind.TABLE, round(sure, 2), tuple(found.headers), rows, parser="columns", notes=tuple(notes))
