"""Classifies recorded outputs."""

from tests.output_analysis.conftest import recorded

from fugue_tui.output_analysis.outcome.classify import detect
from fugue_tui.output_analysis.results import Intent


def classified(name: str) -> Intent:
    """The classified outcome of a recording; a server counts as running."""
    found = recorded(f"intent/{name}")
    return detect(found.command, found.output, None if name.endswith("-ready") else found.exit_code)
