"""Results: a text as structure, and the outcome of a command, each with its confidence."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

MOST_NOTES: Final = 12
"""Most notes of one result."""


class ParsedKind(StrEnum):
    """The structure of a text."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    PAIRS = "pairs"
    RECORDS = "records"
    LINES = "lines"
    UNKNOWN = "unknown"


class ParseAs(StrEnum):
    """The structure to look for."""

    AUTO = "auto"
    """Detect it."""
    TABLE = "table"
    """Columns, with or without borders."""
    CSV = "csv"
    """Fields between commas, tabs or semicolons."""
    JSON = "json"
    """JSON, or JSON lines."""
    PAIRS = "pairs"
    """Blocks of key: value."""
    LINES = "lines"
    """One cell per line."""


class Parsed(Struct, frozen=True):
    """A text as structure.

    Every cell occurs in the text, except for surrounding blanks, line breaks in cells of several lines, and the escapes
    of JSON, CSV and Markdown.
    """

    kind: ParsedKind
    confidence: float
    """From 0 to 1."""
    headers: tuple[str, ...] = ()
    """The columns' names; empty if the text has none."""
    rows: tuple[tuple[str, ...], ...] = ()
    """The cells; one per header in each row, if there are headers."""
    records: Any = None
    """The same as JSON values, where the text has more than cells; else None."""
    parser: str = ""
    """The parser that recognised it."""
    notes: tuple[str, ...] = ()
    """Messages on what was omitted, guessed or uncertain."""
    truncated: bool = False
    """Whether the text was truncated."""
    others: tuple["Parsed", ...] = ()
    """Further tables of the text, in order."""

    def noted(self, *notes: str) -> "Parsed":
        """A copy with more notes."""
        return replace(self, notes=(*self.notes, *notes)[:MOST_NOTES])


def with_others(best: Parsed, others: Sequence[tuple[Iterable[int], Parsed]], rest: Iterable[int]) -> Parsed:
    """A table with the others of the text and the lines that each spans, and a note on the `rest`."""
    if others:
        lines = line_numbers(at for taken, _ in others for at in taken)
        noun = "1 more table" if len(others) == 1 else f"{len(others)} more tables"
        best = replace(best, others=tuple(found for _, found in others)).noted(f"{lines} hold {noun}")
    other = [*rest]
    return best.noted(f"{line_numbers(other)} outside the table{'s' * bool(others)}, left out") if other else best


def line_numbers(numbers: Iterable[int]) -> str:
    """1-based line numbers for 0-based ones: `line 3`, `lines 1, 4-6`, shortened if they are many."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    words = [f"{a + 1}" if a == b else f"{a + 1}-{b + 1}" for a, b in spans]
    shown = ", ".join(words[:6]) + (" and more" if len(words) > 6 else "")
    return f"line{'' if len(spans) == 1 and spans[0][0] == spans[0][1] else 's'} {shown}"


class Meaning(StrEnum):
    """The meaning of a command's output."""

    TEST_FAILURE = "test_failure"
    TEST_SUCCESS = "test_success"
    BUILD_ERROR = "build_error"
    LINT_ERROR = "lint_error"
    SYNTAX_ERROR = "syntax_error"
    DEPENDENCY_MISSING = "dependency_missing"
    NOT_FOUND = "not_found"
    PORT_IN_USE = "port_in_use"
    PERMISSION_DENIED = "permission_denied"
    DISK_FULL = "disk_full"
    NETWORK_ERROR = "network_error"
    AUTH_REQUIRED = "auth_required"
    GIT_CONFLICT = "git_conflict"
    GIT_REJECTED = "git_rejected"
    PROMPT_WAITING = "prompt_waiting"
    SERVER_READY = "server_ready"
    CRASH = "crash"
    INTERRUPTED = "interrupted"
    TIMED_OUT = "timed_out"
    SUCCESS = "success"
    UNKNOWN = "unknown"


class Location(Struct, frozen=True):
    """A position in a file, as printed in the output."""

    file: str
    """The path as it was printed: untrusted."""
    line: int
    column: int | None = None
    message: str = ""
    """The message for this position."""


class Evidence(Struct, frozen=True):
    """A line that supports the result."""

    rule: str
    """The rule that the line matches."""
    line: int
    """The line of the output, counted from 1; 0 for the exit code."""
    text: str


class Context(Struct, frozen=True):
    """Details from the output."""

    failed_tests: tuple[str, ...] = ()
    error_summary: str = ""
    """A summary in one line."""
    locations: tuple[Location, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Numbers by name: failed, passed, errors, warnings..."""
    details: Mapping[str, str] = field(default_factory=dict[str, str])
    """Single values by name: module, port, host, path, code, url, prompt..."""


class Other(Struct, frozen=True):
    """An alternative meaning."""

    intent: Meaning
    confidence: float


class Intent(Struct, frozen=True):
    """The most likely meaning of a command's output."""

    intent: Meaning
    confidence: float
    """From 0 to 1; 0 if nothing is known."""
    context: Context = field(default_factory=Context)
    suggested_actions: tuple[str, ...] = ()
    """Diagnostic commands; they change nothing but what a build or a test changes."""
    evidence: tuple[Evidence, ...] = ()
    also: tuple[Other, ...] = ()
    """Alternatives, the most likely first."""
