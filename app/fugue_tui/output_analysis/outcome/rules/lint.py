"""What linters and type checkers say of code that builds."""

import re
from typing import Final

from fugue_tui.output_analysis.outcome.rules.rule import COLUMN, PLACE, Clue, Rule, line
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.word_set import word_set

_LOOK: Final = "sed -n {around} {file}"
_COUNT: Final = re.compile(r"(?P<count>\d+) (?P<what>errors?|warnings?)")

RULES: Final = (
    Rule(
        "ruff",
        Meaning.LINT_ERROR,
        0.96,
        "Found ",
        line(r"Found \d+ errors?(?: \(\d+ fixed, \d+ remaining\))?\."),
        programs=word_set("ruff"),
        clues=(
            Clue(": ", line(PLACE + COLUMN + r": (?P<message>(?:[A-Z]{1,5}\d{2,4}|[a-z-]{3,40}:) .+)")),
            Clue(
                "--> ",
                line(rf" *--> {PLACE}{COLUMN}"),
                above=line(r"(?P<message>(?:[A-Z]{1,5}\d{2,4}|[a-z-]{3,40}:) .+)"),
            ),
        ),
        tally=("", _COUNT),
        actions=(_LOOK,),
    ),
    Rule(
        "mypy",
        Meaning.LINT_ERROR,
        0.97,
        "Found ",
        line(r"Found \d+ errors? in \d+ files? \((?:checked \d+ source files?|errors prevented further checking)\)"),
        programs=word_set("mypy dmypy"),
        clues=(Clue(": error: ", line(PLACE + rf"(?:{COLUMN})?: error: (?P<message>.+)")),),
        tally=("", _COUNT),
        actions=(_LOOK,),
    ),
    Rule(
        "pyright",
        Meaning.LINT_ERROR,
        0.97,
        " informations",
        line(r"[1-9]\d* errors?, \d+ warnings?, \d+ informations? ?"),
        programs=word_set("pyright basedpyright"),
        clues=(Clue(" - error: ", line(" +" + PLACE + COLUMN + r" - error: (?P<message>.+)")),),
        tally=("", _COUNT),
        actions=(_LOOK,),
    ),
    Rule(
        "eslint",
        Meaning.LINT_ERROR,
        0.97,
        " problem",
        line(r"✖ \d+ problems? \([1-9]\d* errors?, \d+ warnings?\)"),
        programs=word_set("eslint next"),
        clues=(
            Clue(
                "  error  ",
                line(r" +(?P<line>\d{1,7}):(?P<column>\d{1,6})  error  (?P<message>.+)"),
                above=line(r"(?P<file>(?:[A-Za-z]:)?[./\\\w][^:]{0,300}\.\w{1,6})"),
                reach=200,
            ),
        ),
        tally=("", _COUNT),
        actions=(_LOOK,),
    ),
)
"""The checkers: ruff, mypy, pyright, eslint."""
