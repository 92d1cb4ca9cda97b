"""Rules that classify an output: a line that must match, and clues that find details in other lines.

Rules are data, loaded from TOML. A pattern is matched against one whole line of bounded length, and only against lines
that contain its literal hint, so other lines cost nothing. Named groups give the values:

    test                        the name of a failed test (with `method`, if the name is printed in two parts)
    file, line, column, message a location in a file
    anything else               a detail of that name
"""

import re
from collections.abc import Mapping
from enum import Enum

from msgspec import Struct, field

from fugue_tui.output_analysis.results import Meaning


class Ending(Enum):
    """How a command must have ended for a rule to apply."""

    FAILED = "failed"
    PASSED = "passed"
    RUNNING = "running"
    ANY = "any"


class Side(Enum):
    """Where a clue's lines are, relative to the line that matches the rule."""

    ANYWHERE = "anywhere"
    BEFORE = "before"
    AFTER = "after"


class Clue(Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern for lines with details."""

    hint: str
    """Text that every such line contains."""
    line: re.Pattern[str]
    side: Side = Side.ANYWHERE
    above: re.Pattern[str] | None = None
    """A pattern that a line above must match; its groups are used too."""
    reach: int = 1
    """How many lines above that one may be."""
    below: re.Pattern[str] | None = None
    """A pattern that the next line may match; its groups are used too."""
    deepest: bool = False
    """Whether the last of the lines is the most important, as in a traceback."""


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern for one line of an output, and the meaning of a match."""

    name: str
    meaning: Meaning
    confidence: float
    hint: str
    """Text that the matching line contains; if empty, only the last lines are tried."""
    line: re.Pattern[str]
    """The pattern of the whole line."""
    ending: Ending = Ending.FAILED
    programs: frozenset[str] = frozenset()
    """The programs that print it; empty for any."""
    needs: str = ""
    """Text that must occur in the output."""
    unless: str = ""
    """Text that must not occur in it."""
    last: bool = False
    """Whether only the last non-blank line may match."""
    above: re.Pattern[str] | None = None
    """A pattern that one of the three lines above must match."""
    clues: tuple[Clue, ...] = ()
    tally: tuple[str, re.Pattern[str]] | None = None
    """The hint of the lines whose numbers are added up (if empty: the matching line), and a pattern for one number,
    with groups `what` and `count` (empty for 1)."""
    actions: tuple[str, ...] = ()
    """Templates of commands to suggest; their placeholders are those of `suggestions`."""
    details: Mapping[str, str] = field(default_factory=dict[str, str])
