"""What a rule is: a line that proves something, and the lines that say more.

Rules are data, loaded from TOML. A pattern is matched against one whole line of bounded length, and only against lines
that hold its literal hint, so a rule costs nothing where it has no business. Named groups say what is found:

    test                        the name of a failed test (with `method`, if the name is told in two parts)
    file, line, column, message a place in a file
    anything else               a detail of that name
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from fugue_tui.output_analysis.results import Meaning


class Ending(Enum):
    """How a command must have ended for a rule to hold."""

    FAILED = "failed"
    PASSED = "passed"
    RUNNING = "running"
    ANY = "any"


class Side(Enum):
    """Where a clue stands as seen from the line that proves the rule."""

    ANYWHERE = "anywhere"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Clue:
    """A kind of line that says more."""

    hint: str
    """Text that every such line holds."""
    line: re.Pattern[str]
    side: Side = Side.ANYWHERE
    above: re.Pattern[str] | None = None
    """What a line above must match; its groups count too."""
    reach: int = 1
    """How far above that line may be."""
    below: re.Pattern[str] | None = None
    """What the next line may match; its groups count too."""
    deepest: bool = False
    """Whether the last of them says the most, as in a traceback."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of telling what an output means."""

    name: str
    meaning: Meaning
    confidence: float
    hint: str
    """Text that the line of proof holds; empty if that cannot be said, and then only the last lines are looked at."""
    line: re.Pattern[str]
    """The line of proof, whole."""
    ending: Ending = Ending.FAILED
    programs: frozenset[str] = frozenset()
    """The programs that print it; empty if any may."""
    needs: str = ""
    """Text that must stand somewhere in the output."""
    unless: str = ""
    """Text that must not."""
    last: bool = False
    """Whether the proof must be the last line that is not blank."""
    above: re.Pattern[str] | None = None
    """What one of the three lines above the proof must match."""
    clues: tuple[Clue, ...] = ()
    tally: tuple[str, re.Pattern[str]] | None = None
    """A pattern for numbers, with groups `count` (empty for one) and `what`, found repeatedly, and the hint of the
    lines to add up; without a hint only the proof is counted."""
    actions: tuple[str, ...] = ()
    """Templates of commands to suggest."""
    details: Mapping[str, str] = field(default_factory=dict[str, str])
