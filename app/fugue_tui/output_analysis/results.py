"""What became of a command, as far as its words, its exit code and its output tell.

What a reading of a text comes to, and how much of it is believed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

MOST_NOTES: Final = 12
"""Notes that one reading carries."""


class ParsedKind(StrEnum):
    """What a text turned out to be."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    PAIRS = "pairs"
    RECORDS = "records"
    LINES = "lines"
    UNKNOWN = "unknown"


class ParseAs(StrEnum):
    """What to read a text as."""

    AUTO = "auto"
    """Find out."""
    TABLE = "table"
    """Columns, with or without borders."""
    CSV = "csv"
    """Fields between commas, tabs or semicolons."""
    JSON = "json"
    """JSON, or JSON lines."""
    PAIRS = "pairs"
    """Blocks of key: value."""
    LINES = "lines"
    """One cell a line."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text as structure.

    Every cell stands in the text as it is given here, but for blanks at its ends, line breaks in cells of several
    lines, and the escapes of JSON, CSV and Markdown.
    """

    kind: ParsedKind
    confidence: float
    """How much of it to believe, from 0 to 1."""
    headers: tuple[str, ...] = ()
    """The columns' names; empty if the text has none."""
    rows: tuple[tuple[str, ...], ...] = ()
    """The cells; as many in each row as there are headers, if there are headers."""
    records: Any = None
    """The same as JSON values, where the text has more than cells; None if it has not."""
    parser: str = ""
    """Which reader understood it."""
    notes: tuple[str, ...] = ()
    """What was left out, guessed or doubtful, in words."""
    truncated: bool = False
    """Whether the text was longer than is read."""
    others: tuple["Parsed", ...] = ()
    """Further tables in the same text, in its order."""

    def plain(self) -> dict[str, Any]:
        """The short form: type, headers and rows."""
        return {"type": self.kind.value, "headers": list(self.headers), "rows": [list(row) for row in self.rows]}

    def noted(self, *notes: str) -> "Parsed":
        """The same with more notes."""
        return replace(self, notes=(*self.notes, *notes)[:MOST_NOTES])


def with_others(best: Parsed, others: Sequence[tuple[Iterable[int], Parsed]], rest: Iterable[int]) -> Parsed:
    """A table with those beside it and the lines that each takes, and a word on the lines of the `rest`."""
    if others:
        lines = line_numbers(at for taken, _ in others for at in taken)
        noun = "1 more table" if len(others) == 1 else f"{len(others)} more tables"
        best = replace(best, others=tuple(found for _, found in others)).noted(f"{lines} hold {noun}")
    other = [*rest]
    return best.noted(f"{line_numbers(other)} outside the table{'s' * bool(others)}, left out") if other else best


def line_numbers(numbers: Iterable[int]) -> str:
    """Line numbers, counted from 0, as a person counts them: `line 3`, `lines 1, 4-6`, shortened if they are many."""
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
    """What a command's output amounts to."""

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


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file that the output names."""

    file: str
    """The path as it was printed: untrusted."""
    line: int
    column: int | None = None
    message: str = ""
    """What was said of it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that a conclusion rests on."""

    rule: str
    """The rule that the line satisfies."""
    line: int
    """Which line of the output, counted from 1; 0 if it rests on the exit code."""
    text: str


@dataclass(frozen=True, slots=True)
class Context:
    """What else the output says of it."""

    failed_tests: tuple[str, ...] = ()
    error_summary: str = ""
    """It all in one line."""
    locations: tuple[Location, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Numbers by what they count: failed, passed, errors, warnings..."""
    details: Mapping[str, str] = field(default_factory=dict[str, str])
    """Single facts by name: module, port, host, path, code, url, prompt..."""


@dataclass(frozen=True, slots=True)
class Other:
    """Something else that the output could mean."""

    intent: Meaning
    confidence: float


@dataclass(frozen=True, slots=True)
class Intent:
    """The likeliest meaning of a command's output."""

    intent: Meaning
    confidence: float
    """How much of it to believe, from 0 to 1; 0 if nothing is known."""
    context: Context = field(default_factory=Context)
    suggested_actions: tuple[str, ...] = ()
    """Commands that look closer; they change nothing but what a build or a test changes."""
    evidence: tuple[Evidence, ...] = ()
    also: tuple[Other, ...] = ()
    """What else was found, the likeliest first."""
