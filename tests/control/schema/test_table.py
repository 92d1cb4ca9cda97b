"""Results as text for a terminal: records as tables, whatever is in them."""

from typing import Any

from fugue_tui.control.schema.table import render

RULES: dict[str, Any] = {"rules": "idle for 5 s: nudge", "next": "nudge in 40 s", "paused": False, "acted": []}


def test_a_record_in_a_record_is_indented() -> None:
    assert render({"pane": "%2", "state": None, "monitor": RULES}) == (
        "pane: %2\nmonitor:\n  rules: idle for 5 s: nudge\n  next: nudge in 40 s\n  paused: no"
    )


def test_records_in_rows_follow_their_table() -> None:
    members: list[dict[str, Any]] = [
        {"pane": "%2", "name": "a", "words": ""},
        {"pane": "%3", "name": "b", "words": "what?"},
    ]
    teams: list[dict[str, Any]] = [
        {"team": "duo", "members": members, "waiting": ["%3"], "tasks": {"open": 1, "done": 0}},
        {"team": "solo", "members": [], "waiting": [], "tasks": {"open": 0, "done": 2}},
    ]
    assert render({"teams": teams, "available": ["pair", "trio"]}).splitlines() == [
        "TEAM  WAITING",
        "duo   %3",
        "solo",
        "members of duo:",
        "  PANE  NAME  WORDS",
        "  %2    a",
        "  %3    b     what?",
        "tasks of duo:",
        "  open: 1",
        "  done: 0",
        "tasks of solo:",
        "  open: 0",
        "  done: 2",
        "available: pair trio",
    ]


def test_sizes_and_places_are_cells() -> None:
    panes = [{"id": "%1", "rect": {"x": 0, "y": 1, "cols": 80, "rows": 24}, "size": {"cols": 80, "rows": 24}}]
    assert render({"panes": panes}) == "ID  RECT       SIZE\n%1  80x24+0+1  80x24"
    assert render({"size": {"cols": 2, "rows": 1}}) == "size: 2x1"
