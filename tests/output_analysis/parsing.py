"""What is made of an output."""

from tests.output_analysis.conftest import recorded

from fugue_tui.output_analysis.parse.parse import parse
from fugue_tui.output_analysis.results import Parsed


def read(name: str, *, known: bool = True) -> Parsed:
    """What comes of a recording, with or without knowing its command."""
    found = recorded(name)
    return parse(found.output, command=found.command if known else ())
