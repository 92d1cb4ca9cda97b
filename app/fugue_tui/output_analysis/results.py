"""What became of a command, as far as its words, its exit code and its output tell."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


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
