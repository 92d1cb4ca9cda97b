"""Models get what they do not know yet; scripts get everything."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp_types import TextContent
from tests.mcp.protocol.test_tools import texts
from tests.multiplexer.conftest import Room, agent
from tests.multiplexer.conftest import main_loop as main_loop
from tests.multiplexer.conftest import room as room

from fugue_tui.control.commands.analyze import ParseOutput
from fugue_tui.control.commands.approvals import GrantList
from fugue_tui.control.commands.panes import ListPanes, SplitPane
from fugue_tui.control.commands.run_command import RunCommand
from fugue_tui.control.core.command import Command, registry
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.dispatch.thread_gateway import Answer
from fugue_tui.control.introspection import UNTRUSTED, tool
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.ids import PaneId
from fugue_tui_mcp.protocol import tools


def structure(command: Command[Any], result: object, /, **asked: Any) -> dict[str, Any]:
    """The structure that a model gets of a result."""
    found: Any = tools.success(type(command), Answer(result, None), asked=asked).structured_content
    assert Draft202012Validator(tool(type(command))["outputSchema"]).is_valid(found)  # pyright: ignore[reportUnknownMemberType]
    return found


def test_a_list_of_16_panes_is_short(room: Room) -> None:
    for number in range(16):
        name = f"worker{number}" if number % 4 == 0 else ""
        made = room.run(SplitPane(direction=Direction.VERTICAL, name=name, cwd="/", command=("cat",)))
        room.mux.terminals[PaneId(made.id[1:])].write(b"\033]2;user@host: /home/user\007\n")
        room.say("select-layout tiled")
    room.until(lambda: all(terminal.title for terminal in room.mux.terminals.values()))
    result = tools.success(ListPanes, Answer(room.run(ListPanes(), agent()), None))
    (content,) = result.content
    assert isinstance(content, TextContent)
    found = json.loads(content.text)
    assert [pane.get("name", "") for pane in found["panes"]][:5] == ["worker0", "", "", "", "worker4"]
    assert len(found["panes"]) == 16
    assert len(content.text) < 2_500
    assert found["focus"] == str(room.mux.focused)
    assert [window["id"] for window in found["windows"]] == ["@1"]


def test_what_is_empty_or_asked_is_left_out_and_what_is_false_is_said_once(room: Room) -> None:
    room.cat()
    command = SplitPane(name="log", command=("cat",))
    found = structure(command, room.run(command, agent()), name="log", command=["cat"])
    assert {"name", "title", "exit", "waits"} & set(found) == set()
    assert (found["focused"], found["visible"], found["id"]) == (False, True, "%2")
    listed = structure(ListPanes(), room.run(ListPanes()))
    assert all("focused" not in pane and "pid" not in pane for pane in listed["panes"])
    assert [pane.get("name") for pane in listed["panes"]] == [None, "log"]


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("send-input --pane %1 --text hello", False),
        ("close-pane %1", False),
        ("list-panes", True),
        ("get-pane-state --pane %1", True),
    ],
)
def test_texts_of_programs_are_marked_and_nothing_else(room: Room, line: str, marked: bool) -> None:
    room.cat()
    room.cat()
    command = parse(line)
    assert (UNTRUSTED in structure(command, room.run(command))) == marked


def test_a_result_in_which_all_is_empty_keeps_its_first_field() -> None:
    assert tools.success(registry()["list-grants"], Answer(GrantList(()), None)).structured_content == {"grants": []}


def test_pairs_are_said_once(room: Room) -> None:
    command = ParseOutput(text="Name: a\nAge: 3\n")
    result = room.run(command)
    assert (result.headers, result.rows) == (("Name", "Age"), (("a", "3"),)), "scripts get both"
    found = structure(command, result, text=command.text)
    assert found["records"] == [{"Name": "a", "Age": "3"}]
    assert not {"headers", "rows"} & set(found)


@pytest.mark.slow
def test_a_parsed_output_is_fenced_in_place_of_the_text(room: Room) -> None:
    room.cat()
    command = RunCommand(command="printf 'name,age\\nann,3\\nbob,4\\n'", parse=True, intent=True)
    outcome = room.run(command, agent())
    assert outcome.text == "name,age\nann,3\nbob,4"
    assert outcome.parsed is not None
    assert outcome.parsed.rows == (("ann", "3"), ("bob", "4"))
    assert outcome.intent is not None
    fence, facts = texts(tools.success(RunCommand, Answer(outcome, None)))
    head, *lines = fence.splitlines()
    assert head.startswith("untrusted output of a command in pane %2, up to the third line with ")
    assert lines[1] == ""
    parsed = next(json.loads(line.removeprefix("parsed: ")) for line in lines if line.startswith("parsed: "))
    assert (parsed["headers"], parsed["rows"]) == (["name", "age"], [["ann", "3"], ["bob", "4"]])
    assert any(line.startswith("intent: ") for line in lines)
    assert not {"parsed", "intent"} & set(json.loads(facts))
