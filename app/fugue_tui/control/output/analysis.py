"""The analysis of a command's output: its structure, and how the command ended."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.output.last_command import CommandOutput, CommandSource
from fugue_tui.output_analysis.results import Evidence, Location, Meaning, Other, ParseAs, Parsed, ParsedKind
from fugue_tui.sanitize import clean

DEFAULT_ROWS: Final = 200
"""Rows in an answer if no limit was given."""
_PRUNED: Final = "the beginning of the output was pruned, or is too far back"


class Table(Struct, frozen=True):
    """A further table of the same text. Every cell is untrusted text from a program."""

    headers: tuple[str, ...]
    """The column names; empty if the text has none."""
    rows: tuple[tuple[str, ...], ...]
    """The cells as they stand in the text, up to limit rows."""


class Structure(Struct, frozen=True):
    """A parsed text. Every cell is untrusted text from a program."""

    type: ParsedKind
    """table, csv, json, jsonl, pairs, records, lines, or unknown if it is none of these."""
    confidence: float
    """The confidence, from 0 to 1."""
    headers: tuple[str, ...]
    """The column names; empty if the text has none."""
    rows: tuple[tuple[str, ...], ...]
    """The cells as they stand in the text."""
    rows_total: int
    """How many rows or records there are in all, before limit."""
    more_tables: tuple[Table, ...]
    """Further tables of the text, in order, such as those of `kubectl get all`."""
    records: Mapping[str, Any] | tuple[Any, ...] | str | float | bool | None
    """JSON values where there is more than cells: JSON, pairs, records of a known command; else null."""
    parser: str
    """The parser that was used."""
    notes: tuple[str, ...]
    """What was left out, guessed or uncertain."""
    truncated: bool
    """Whether the text was too long to be parsed or kept whole."""
    command: str
    """The command that printed it; empty if unknown."""
    known_by: CommandSource
    """How the command is known: trusted_marks, marks, program, guess, or nothing."""

    @property
    def brief(self) -> "Structure":
        """The same without the rows that records repeat."""
        return self if self.records is None else replace(self, headers=(), rows=())


class Findings(Struct, frozen=True):
    """Details found in an output. All of it is untrusted text from a program."""

    failed_tests: tuple[str, ...]
    """The names of the tests that failed."""
    error_summary: str
    """A summary in one line."""
    locations: tuple[Location, ...]
    """File locations of the errors, the likeliest first."""
    counts: Mapping[str, int]
    """Counts by name: failed, passed, errors, warnings."""
    details: Mapping[str, str]
    """Values by name: module, port, host, path, code, url, prompt."""


class Verdict(Struct, frozen=True):
    """How a command ended."""

    intent: Meaning
    """Such as test_failure, build_error, prompt_waiting or success; unknown if no rule matches."""
    confidence: float
    """The confidence, from 0 to 1."""
    context: Findings
    """Details from the output."""
    suggested_actions: tuple[str, ...]
    """Commands that investigate further. They install nothing and change only what a build or a test changes."""
    evidence: tuple[Evidence, ...]
    """The rule and the lines that it matched."""
    also: tuple[Other, ...]
    """Other findings, the likeliest first."""
    command: str
    """The command that printed it; empty if unknown."""
    exit_code: int | None
    """Its exit status, negative for a signal; null while it runs, or if unknown."""
    known_by: CommandSource
    """How the command is known: trusted_marks, marks, program, guess, or nothing."""


def structure_of(
    found: CommandOutput, kind: ParseAs = ParseAs.AUTO, limit: int = DEFAULT_ROWS, offset: int = 0
) -> Structure:
    """One page of an output as structure. Any thread."""
    from fugue_tui.output_analysis.parse.parse import parse

    page = _page(parse(found.output, kind, found.command), found, offset, limit)
    return replace(page, truncated=True, notes=(*page.notes, _PRUNED)) if found.missed else page


def _page(found: Parsed, source: CommandOutput, offset: int, limit: int) -> Structure:
    """One page of a parsed text."""
    many = isinstance(found.records, list)
    end = offset + limit
    return Structure(
        type=found.kind,
        confidence=found.confidence,
        headers=found.headers,
        rows=found.rows[offset:end],
        more_tables=tuple(Table(each.headers, each.rows[:limit]) for each in found.others),
        rows_total=max(len(found.rows), len(found.records) if many else 0),
        records=found.records[offset:end] if many else found.records,
        parser=found.parser,
        notes=found.notes,
        truncated=found.truncated,
        command=clean(source.command),
        known_by=source.known_by,
    )


def verdict_of(source: CommandOutput) -> Verdict:
    """How a command ended, by its output. Any thread."""
    from fugue_tui.output_analysis.outcome.classify import detect

    found = detect(source.command, source.output, source.exit_code, ended=source.over)
    context = found.context
    return Verdict(
        intent=found.intent,
        confidence=found.confidence,
        context=Findings(
            context.failed_tests, context.error_summary, context.locations, context.counts, context.details
        ),
        suggested_actions=found.suggested_actions,
        evidence=found.evidence,
        also=found.also,
        command=clean(source.command),
        exit_code=source.exit_code,
        known_by=source.known_by,
    )
