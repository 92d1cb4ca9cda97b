"""Every rule there is."""

from typing import Final

from fugue_tui.output_analysis.outcome.rules import (
    build,
    crash,
    git,
    interactive,
    lint,
    network,
    not_found,
    system,
    test_runners,
)
from fugue_tui.output_analysis.outcome.rules.rule import Rule

RULES: Final[tuple[Rule, ...]] = (
    *test_runners.RULES,
    *test_runners.FURTHER_RULES,
    *not_found.RULES,
    *build.RULES,
    *lint.RULES,
    *git.RULES,
    *system.RULES,
    *network.RULES,
    *interactive.RULES,
    *crash.RULES,
)
"""In the order in which they are preferred if they are believed alike."""
