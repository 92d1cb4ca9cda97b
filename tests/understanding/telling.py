"""What is told of an output."""

from tests.understanding.conftest import recorded

from fugue_tui.understanding.detect import detect
from fugue_tui.understanding.intent import Intent


def told(name: str) -> Intent:
    """What is made of a recording; a server is told as if it still ran."""
    found = recorded(f"intent/{name}")
    return detect(found.command, found.output, None if name.endswith("-ready") else found.exit_code)
