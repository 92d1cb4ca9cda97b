"""What is made of an output."""

from tests.understanding.conftest import recorded

from fugue_tui.understanding.parse import parse
from fugue_tui.understanding.parsed import Parsed


def read(name: str, *, known: bool = True) -> Parsed:
    """What comes of a recording, with or without knowing its command."""
    found = recorded(name)
    return parse(found.output, command=found.command if known else ())
