"""Every rule there is."""

from typing import Final

from fugue_tui.understanding.rule import Rule
from fugue_tui.understanding.rules import (
    building,
    crashing,
    git,
    linting,
    machine,
    missing,
    network,
    runners,
    testing,
    waiting,
)

RULES: Final[tuple[Rule, ...]] = (
    *testing.RULES,
    *runners.RULES,
    *missing.RULES,
    *building.RULES,
    *linting.RULES,
    *git.RULES,
    *machine.RULES,
    *network.RULES,
    *waiting.RULES,
    *crashing.RULES,
)
"""In the order in which they are preferred if they are believed alike."""
