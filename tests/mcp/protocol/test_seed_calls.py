"""Every call in the designs of this interface runs as it stands: `seed_calls.json` has their examples."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.conftest import Link, Served, until
from tests.mcp.protocol.test_resources import say

from fugue_tui.control.core.command import registry
from fugue_tui.control.schema import aliases
from fugue_tui.ids import PaneId
from fugue_tui.validation.annotations import fields_of

EXAMPLES: dict[str, tuple[str, dict[str, Any]]] = json.loads(Path(__file__).with_name("seed_calls.json").read_text())
PANE = {"pane_id": "1"}
TABLE: list[tuple[str, dict[str, Any]]] = [
    ("crux_create_pane", {"direction": "horizontal", "cwd": "/"}),
    ("crux_focus_pane", PANE),
    ("crux_list_panes", {}),
    ("crux_resize_pane", {"pane_id": "abc123-uuid", "cols": 30, "rows": 24}),
    ("crux_execute_command", {**PANE, "command": "true", "timeout_ms": 30_000}),
    ("crux_send_keys", {**PANE, "keys": "C-c"}),
    ("crux_send_keys", {**PANE, "keys": "\x03"}),
    ("crux_send_text", {**PANE, "text": "echo"}),
    ("crux_type_with_ime", {**PANE, "text": "한국어"}),
    ("crux_get_output", {**PANE, "lines": 5}),
    ("crux_wait_for_output", {**PANE, "pattern": "never", "timeout_ms": 1}),
    ("crux_wait_for_output", {"panes": "1", "any_of": "never", "timeout": 0}),
    ("crux_get_current_directory", PANE),
    ("crux_get_running_process", PANE),
    ("crux_get_pane_state", PANE),
    ("crux_get_selection", PANE),
    ("crux_get_scrollback", {**PANE, "offset": 0, "limit": 10}),
    ("crux_screenshot_pane", PANE),
    ("crux_get_raw_text", PANE),
    ("crux_get_formatted_output", {**PANE, "lines": 5}),
    ("crux_parse_output_structured", PANE),
    ("crux_detect_intent", PANE),
    ("crux_stream_output", {**PANE, "timeout": 0.1}),
    ("fugue_read_pane", PANE),
    ("fugue_send_input", {**PANE, "text": "x"}),
    ("fugue_get_status", PANE),
    ("fugue_control", {"action": "resize", "target": "abc123-uuid", "delta": 0.1}),
    ("fugue_control", {"action": "focus", "pane": "1"}),
    ("fugue_control", {"action": "close", "target": "%2"}),
    ("crux_close_pane", {"pane_id": "%3"}),
]
"""The tools of the designs' tables with their arguments."""


@pytest.fixture
def link(served: Served, monkeypatch: pytest.MonkeyPatch, private_dir: Path) -> Link:
    """A client of a workspace whose first pane is a shell, with two panes of the names that the examples use."""
    monkeypatch.setenv("PATH", str(private_dir))  # What is installed does not start.
    served.launcher.shell = ("/bin/sh",)
    say(served, "create-pane --name left-pane-uuid", "create-pane --name abc123-uuid")
    say(served, "respawn-pane --pane %1 -- /bin/bash")
    until(lambda: served.on_main(lambda: served.mux.terminals[PaneId(1)].shell.at_prompt))
    found = served.link()
    found.initialize()
    return found


def refused(link: Link, calls: Iterable[tuple[str, dict[str, Any]]]) -> list[tuple[str, Any]]:
    """The calls that end in an error, with that."""
    results = [(tool, link.call(tool, arguments)) for tool, arguments in calls]
    return [(tool, result["content"]) for tool, result in results if result.get("isError")]


@pytest.mark.slow
def test_every_example_runs(link: Link) -> None:
    assert refused(link, EXAMPLES.values()) == []


@pytest.mark.slow
def test_every_tool_of_the_tables_runs(link: Link) -> None:
    assert refused(link, TABLE) == []


def test_a_pane_gets_the_columns_and_rows_that_a_call_gives(link: Link) -> None:
    for cols, tool in ((30, "crux_resize_pane"), (20, "fugue_resize_pane")):
        result = link.call(tool, {"pane_id": "abc123-uuid", "cols": cols})
        assert result["structuredContent"]["rect"]["cols"] == cols
    refused = link.call("fugue_resize_pane", {"pane_id": "abc123-uuid", "rows": 3})
    assert "no border to move" in refused["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "arguments", "verb", "built"),
    [
        ("restore_session", {"session_id": "a"}, "restore-session", {"name": "a"}),
        ("save-session", {"name": "a"}, "save-session", {"name": "a"}),
        ("fugue_send_keys", {"keys": "Escape Enter"}, "send-keys", {"keys": ["Escape", "Enter"]}),
        ("fugue_send_keys", {"keys": "q\r"}, "send-keys", {"keys": ["q", "Enter"]}),
        ("fugue_wait_for_output", {"pane": "a", "exit": True}, "wait-for-output", {"panes": ["a"], "exit": True}),
        ("fugue_search_panes", {"pattern": "a"}, "search-panes", {"pattern": "a"}),
        ("fugue_create_layout", {"pane": {}}, "create-layout", {"layout": {"pane": {}}}),
        ("load_workspace", {"name": "a", "project_dir": "/"}, "load-workspace", {"name": "a", "cwd": "/"}),
    ],
)
def test_other_names_are_those_of_commands(
    tool: str, arguments: dict[str, Any], verb: str, built: dict[str, Any]
) -> None:
    found, given = aliases.tool(tool, arguments)
    assert found == verb
    assert aliases.fields({each.name: each for each in fields_of(registry()[verb])}, given) == built


def test_an_alias_names_a_command_and_hides_none() -> None:
    for name, alias in aliases.TOOLS.items():
        assert name not in registry()
        assert alias.verb in registry()
    assert set(aliases.ACTIONS.values()) <= set(registry())
