"""What is told of an output."""

from tests.output_analysis.conftest import recorded

from fugue_tui.output_analysis.outcome.classify import detect
from fugue_tui.output_analysis.results import Intent


def told(name: str) -> Intent:
    """What is made of a recording; a server is told as if it still ran."""
    found = recorded(f"intent/{name}")
    return detect(found.command, found.output, None if name.endswith("-ready") else found.exit_code)
