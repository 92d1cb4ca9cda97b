"""Parses terminal output into structure: runs the parsers and returns the result with the highest confidence."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from fugue_tui.output_analysis.command_line import Stage, output_stage
from fugue_tui.output_analysis.parse.delimited import read_delimited
from fugue_tui.output_analysis.parse.jc_adapter import read_with_jc
from fugue_tui.output_analysis.parse.json_text import WHOLE, read_json, read_whole
from fugue_tui.output_analysis.parse.key_value import read_pairs
from fugue_tui.output_analysis.parse.line_formats import read_line_format
from fugue_tui.output_analysis.parse.outline import read_outline
from fugue_tui.output_analysis.prompts import without_prompts
from fugue_tui.output_analysis.results import ParseAs, Parsed, ParsedKind, with_others
from fugue_tui.output_analysis.tables.bordered import MIN_TABLE_CONFIDENCE, read_borders
from fugue_tui.output_analysis.tables.header_spans import table_format
from fugue_tui.output_analysis.tables.table import blocks, read_table
from fugue_tui.output_analysis.text_lines import Source, source

MIN_CONFIDENCE: Final = 0.4
"""A structure with a lower confidence is not reported, unless its kind was requested."""
CERTAIN: Final = 0.95
"""From this confidence on no further parser is run."""
SMALL_TABLE_CONFIDENCE: Final = 0.9
"""From this confidence on a table may be a small part of a text."""
_SMALL_SHARE: Final = 0.3
_SMALL_TABLE_FACTOR: Final = 0.5
"""Reduces the confidence in other tables that are a small part of a text."""
_BLOCKS: Final = 6
"""Blocks of a text that are tried as tables."""


def parse(text: str, kind: ParseAs = ParseAs.AUTO, command: str | Sequence[str] = ()) -> Parsed:
    """A text as structure: of the requested kind, or of the one with the highest confidence.

    `command` is the command that printed it, if known. If nothing fits, the kind is unknown and the confidence 0.
    Bounded: at most `text_lines.MOST_TEXT` characters are read.
    """
    read = source(text)
    given = _Input(read, command)
    found = max(_results(given, kind), key=lambda result: result.confidence, default=None)
    if found is None or (kind is ParseAs.AUTO and found.confidence < MIN_CONFIDENCE):
        found = _nothing(kind, found)
    return replace(found, truncated=read.cut if found.parser == WHOLE else read.truncated)


class _Input:
    """A text without the prompts around it, and the program that printed it, if known."""

    def __init__(self, read: Source, command: str | Sequence[str]) -> None:
        self.text, self.lines = read.text, read.lines
        self.start, self.end, typed = without_prompts(read.lines)
        self.stage: Stage | None = output_stage(command or typed)

    def json(self) -> Parsed | None:
        return read_whole(self.text) or read_json(self.lines, self.start, self.end)

    def jc_records(self) -> Parsed | None:
        return read_with_jc(self.lines, self.start, self.end, self.stage)

    def line_format(self) -> Parsed | None:
        return read_line_format(self.lines, self.start, self.end, self.stage)

    def outline(self) -> Parsed | None:
        return read_outline(self.lines, self.start, self.end, self.stage)

    def borders(self) -> Parsed | None:
        return read_borders(self.lines, self.start, self.end)

    def table(self) -> Parsed | None:
        """The table with the highest confidence among the largest blocks, and the others."""
        found = blocks(self.lines, self.start, self.end)
        filled = sum(len(each.lines) for each in found)
        known = table_format(self.stage)
        read = [(block, table) for block in found[:_BLOCKS] if (table := read_table(block, known))]
        if not read:
            return None
        rated = [
            (block, _reduced(table) if len(block.lines) < _SMALL_SHARE * filled else table) for block, table in read
        ]
        best, chosen = max(rated, key=lambda each: each[1].confidence)
        others = ((block.numbers, table) for block, table in read if block is not best and _is_reported(table))
        more = sorted(others, key=lambda each: each[0][0])
        taken = {best.start, *(numbers[0] for numbers, _ in more)}
        return with_others(chosen, more, (at for each in found if each.start not in taken for at in each.numbers))

    def delimited(self, requested: bool = False) -> Parsed | None:
        return read_delimited(self.lines, self.start, self.end, requested=requested)

    def pairs(self) -> Parsed | None:
        return read_pairs(self.lines, self.start, self.end)

    def every_line(self) -> Parsed | None:
        """One cell a line."""
        rows = tuple((line,) for line in self.lines[self.start : self.end])
        return Parsed(ParsedKind.LINES, 1.0, (), rows, parser="lines") if rows else None

    def words(self) -> Parsed | None:
        """A list with one word a line."""
        filled = [line.strip() for line in self.lines[self.start : self.end] if line.strip()]
        if len(filled) < 2 or any(len(line.split()) > 1 for line in filled):
            return None
        return Parsed(ParsedKind.LINES, 0.7, (), tuple((line,) for line in filled), parser="words")


def _reduced(table: Parsed) -> Parsed:
    """A table that is a small part of a text, with less confidence unless that is very high."""
    if table.confidence >= SMALL_TABLE_CONFIDENCE:
        return table
    return replace(table, confidence=round(table.confidence * _SMALL_TABLE_FACTOR, 2))


def _is_reported(table: Parsed) -> bool:
    return table.confidence >= MIN_TABLE_CONFIDENCE and bool(table.rows)


def _results(given: _Input, kind: ParseAs) -> list[Parsed]:
    """The results of the parsers, the strictest first, up to the first that is certain."""
    found: list[Parsed] = []
    for read in _readers(given, kind):
        if result := read():
            found.append(result)
            if result.confidence >= CERTAIN:
                break
    return found


def _readers(given: _Input, kind: ParseAs) -> Sequence[Callable[[], Parsed | None]]:
    match kind:
        case ParseAs.AUTO:
            return (
                given.json,
                given.borders,
                given.line_format,
                given.outline,
                given.jc_records,
                given.delimited,
                given.table,
                given.pairs,
                given.words,
            )
        case ParseAs.TABLE:
            return (given.borders, given.line_format, given.table)
        case ParseAs.CSV:
            return (lambda: given.delimited(requested=True),)
        case ParseAs.JSON:
            return (given.json,)
        case ParseAs.PAIRS:
            return (given.pairs,)
        case ParseAs.LINES:
            return (given.every_line,)


def _nothing(kind: ParseAs, rejected: Parsed | None) -> Parsed:
    if kind is not ParseAs.AUTO:
        return Parsed(ParsedKind.UNKNOWN, 0.0, notes=(f"the text cannot be read as {kind.value}",))
    guess = f"; the confidence in {rejected.parser} is only {rejected.confidence}" if rejected else ""
    return Parsed(ParsedKind.UNKNOWN, 0.0, notes=(f"no table, pairs, CSV or JSON was found{guess}",))
