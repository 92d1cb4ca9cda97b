"""Parses recorded outputs."""

from typing import Any

from tests.output_analysis.conftest import recorded

from fugue_tui.output_analysis.parse.parse import parse
from fugue_tui.output_analysis.results import Parsed


def read(name: str, *, known: bool = True) -> Parsed:
    """The parsed output of a recording, with or without knowing its command."""
    found = recorded(name)
    return parse(found.output, command=found.command if known else ())


def plain(found: Parsed) -> dict[str, Any]:
    """The short form: type, headers and rows."""
    return {"type": found.kind.value, "headers": list(found.headers), "rows": [list(row) for row in found.rows]}
