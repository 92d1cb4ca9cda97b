"""Structure out of what a terminal prints: every reader has a look, and the one that is believed most is heard."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from fugue_tui.output_analysis.command_line import Stage, shown_by
from fugue_tui.output_analysis.parse.delimited import read_delimited
from fugue_tui.output_analysis.parse.jc_adapter import read_elsewhere
from fugue_tui.output_analysis.parse.json_text import WHOLE, read_json, read_whole
from fugue_tui.output_analysis.parse.key_value import read_pairs
from fugue_tui.output_analysis.parse.line_formats import read_shape
from fugue_tui.output_analysis.prompts import without_prompts
from fugue_tui.output_analysis.results import ParseAs, Parsed, ParsedKind, with_others
from fugue_tui.output_analysis.tables.bordered import ENOUGH, read_borders
from fugue_tui.output_analysis.tables.known_commands import habit
from fugue_tui.output_analysis.tables.table import Block, blocks, read_table
from fugue_tui.output_analysis.text_lines import Source, source

PLAIN: Final = 0.4
"""Below this belief a structure is not reported unless it was asked for."""
CERTAIN: Final = 0.95
"""At this belief no other reader is asked."""
SURE: Final = 0.9
"""From this belief on a table may be a small part of a text."""
_SMALL: Final = 0.3
_ASIDE: Final = 0.5
_BLOCKS: Final = 6
"""Blocks of a text that are tried as tables."""


def parse(text: str, kind: ParseAs = ParseAs.AUTO, command: str | Sequence[str] = ()) -> Parsed:
    """What a text says, as structure: the kind that was asked for, or the most believable one.

    `command` is what printed it, as far as that is known. If nothing fits, the kind is unknown and the confidence 0:
    nothing is made up. Bounded: at most `source.MOST_TEXT` characters are read.
    """
    read = source(text)
    reading = _Reading(read, command)
    found = max(_ways(reading, kind), key=lambda way: way.confidence, default=None)
    if found is None or (kind is ParseAs.AUTO and found.confidence < PLAIN):
        found = _nothing(kind, found)
    return replace(found, truncated=read.cut if found.parser == WHOLE else read.truncated)


class _Reading:
    """A text without the prompts around it, and what is known of its command."""

    def __init__(self, read: Source, command: str | Sequence[str]) -> None:
        self.text, self.lines = read.text, read.lines
        self.start, self.end, typed = without_prompts(read.lines)
        self.stage: Stage | None = shown_by(command or typed)

    def json(self) -> Parsed | None:
        return read_whole(self.text) or read_json(self.lines, self.start, self.end)

    def elsewhere(self) -> Parsed | None:
        return read_elsewhere(self.lines, self.start, self.end, self.stage)

    def shape(self) -> Parsed | None:
        return read_shape(self.lines, self.start, self.end, self.stage)

    def borders(self) -> Parsed | None:
        return read_borders(self.lines, self.start, self.end)

    def table(self) -> Parsed | None:
        """The most believable of the largest blocks, and which lines it leaves out."""
        found = blocks(self.lines, self.start, self.end)
        filled = sum(len(each.lines) for each in found)
        read = [(block, way) for block in found[:_BLOCKS] if (way := read_table(block, habit(self.stage)))]
        ways = [(block, _aside(way) if len(block.lines) < _SMALL * filled else way) for block, way in read]
        if not ways:
            return None
        best, chosen = max(ways, key=lambda each: each[1].confidence)
        more = sorted(
            ((block.numbers, way) for block, way in read if _is_more(block, way, best)), key=lambda each: each[0][0]
        )
        taken = {best.start, *(numbers[0] for numbers, _ in more)}
        return with_others(chosen, more, (at for each in found if each.start not in taken for at in each.numbers))

    def delimited(self, asked: bool = False) -> Parsed | None:
        return read_delimited(self.lines, self.start, self.end, asked=asked)

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


def _aside(way: Parsed) -> Parsed:
    """A table that is a small part of a text: believed less, unless it is very sure."""
    return way if way.confidence >= SURE else replace(way, confidence=round(way.confidence * _ASIDE, 2))


def _is_more(block: Block, way: Parsed, best: Block) -> bool:
    return block is not best and way.confidence >= ENOUGH and bool(way.rows)


def _ways(reading: _Reading, kind: ParseAs) -> list[Parsed]:
    """The readings in order of their strictness, up to the first that is certain."""
    found: list[Parsed] = []
    for read in _readers(reading, kind):
        if way := read():
            found.append(way)
            if way.confidence >= CERTAIN:
                break
    return found


def _readers(reading: _Reading, kind: ParseAs) -> Sequence[Callable[[], Parsed | None]]:
    match kind:
        case ParseAs.AUTO:
            return (
                reading.json,
                reading.borders,
                reading.shape,
                reading.elsewhere,
                reading.delimited,
                reading.table,
                reading.pairs,
                reading.words,
            )
        case ParseAs.TABLE:
            return (reading.borders, reading.shape, reading.table)
        case ParseAs.CSV:
            return (lambda: reading.delimited(asked=True),)
        case ParseAs.JSON:
            return (reading.json,)
        case ParseAs.PAIRS:
            return (reading.pairs,)
        case ParseAs.LINES:
            return (reading.every_line,)


def _nothing(kind: ParseAs, doubtful: Parsed | None) -> Parsed:
    if kind is not ParseAs.AUTO:
        return Parsed(ParsedKind.UNKNOWN, 0.0, notes=(f"the text cannot be read as {kind.value}",))
    guess = f"; {doubtful.parser} was too doubtful at {doubtful.confidence}" if doubtful else ""
    return Parsed(ParsedKind.UNKNOWN, 0.0, notes=(f"no table, pairs, CSV or JSON was found{guess}",))
