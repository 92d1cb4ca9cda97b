"""The table of the seed's tools names commands, parameters and tests that there are, and leaves no tool out."""

import re
import shlex
from pathlib import Path

import pytest

from fugue_tui.control import command_table as command_table
from fugue_tui.control.core.command import registry
from fugue_tui.control.schema.command_line import flag
from fugue_tui.validation.annotations import fields_of

ROOT = Path(__file__).parents[1]
TABLE = (ROOT / "docs" / "seed-tools.md").read_text()
ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TABLE.splitlines() if line.startswith("| `")]
TOOLS = {
    *("create_pane", "close_pane", "focus_pane", "list_panes", "resize_pane"),
    *("execute_command", "send_keys", "send_text", "get_output", "wait_for_output"),
    *("get_current_directory", "get_running_process", "get_pane_state", "get_selection", "get_scrollback"),
    *("screenshot_pane", "get_raw_text", "get_formatted_output", "save_session", "restore_session"),
    *("parse_output_structured", "visual_diff", "type_with_ime", "clipboard_context", "paste_smart"),
    *("load_workspace", "stream_output", "coordinate_panes", "inject_context", "create_snapshot", "restore_snapshot"),
    "detect_intent",
}


def tool(row: list[str]) -> str:
    return row[0].strip("`")


def quoted(cell: str) -> list[str]:
    """What stands between backticks."""
    return re.findall(r"`([^`]+)`", cell)


def test_every_tool_has_a_row() -> None:
    assert sorted(map(tool, ROWS)) == sorted(TOOLS)


@pytest.mark.parametrize("row", ROWS, ids=map(tool, ROWS))
def test_the_commands_and_parameters_that_are_named_exist(row: list[str]) -> None:
    said = [shlex.split(line) for line in quoted(row[1])]
    assert said or row[1].startswith("–")
    for verb, *words in said:
        known = {flag(field.name) for field in fields_of(registry()[verb])}
        assert {word for word in words if word.startswith("--")} <= known, verb


@pytest.mark.parametrize("row", ROWS, ids=map(tool, ROWS))
def test_what_is_said_not_to_be_there_is_not_and_all_else_has_a_test(row: list[str]) -> None:
    missing = row[1].startswith("–")
    assert not (missing and tool(row).replace("_", "-") in registry()), "the table is out of date"
    assert missing or row[2]
    for name in quoted(row[2]):
        file, _, function = name.partition("::")
        assert re.search(rf"^(async )?def {function}\(", (ROOT / file).read_text(), re.MULTILINE), name


def test_every_other_command_that_the_text_names_exists() -> None:
    rest = "\n".join(line for line in TABLE.splitlines() if not line.startswith("|"))
    named = [word for word in quoted(rest) if re.fullmatch(r"[a-z]+(-[a-z]+)+", word)]
    assert named
    assert [verb for verb in named if verb not in registry()] == []
