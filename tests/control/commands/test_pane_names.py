"""Names of panes are unique in a session."""

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.config.model import McpSettings
from fugue_tui.control.commands.layout_files import LoadWorkspace
from fugue_tui.control.commands.layouts import CreateLayout
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId

TAKEN = "name: %1 is called logs already"


@pytest.fixture(autouse=True)
def one_named(room: Room) -> None:
    room.mux.permissions = McpSettings(trust="full")
    room.cat("logs")


@pytest.mark.parametrize(
    "line",
    [
        "create-pane --name logs --command cat",
        "split-pane --name logs --command cat",
        "run-command --name logs true",
        "rename-pane --pane %2 --name ' logs'",
    ],
)
def test_a_name_that_is_taken_is_refused_with_its_holder(room: Room, line: str) -> None:
    room.cat("other")
    with pytest.raises(InvalidArgument, match=TAKEN):
        room.say(line, agent())
    assert [pane.name for pane in room.mux.workspace.panes.values()] == ["logs", "other"]


def test_a_pane_keeps_its_own_name_and_may_lose_it(room: Room) -> None:
    assert room.say("rename-pane --pane %1 --name logs").name == "logs"
    room.say("rename-pane --pane %1 --name ''")
    assert room.say("split-pane --name logs --command cat").name == "logs"


def test_a_name_may_be_used_again_in_another_session_and_means_the_callers_pane(room: Room) -> None:
    room.say("create-session --name away --command cat --focus")
    (there,) = set(room.open) - {PaneId(1)}
    room.say(f"rename-pane --pane {there} --name logs")
    assert room.say("get-current-directory logs", agent(PaneId(1))).pane == "%1"
    assert room.say("get-current-directory logs", agent(there)).pane == str(there)
    room.say("create-session --name third --command cat --focus")
    with pytest.raises(InvalidArgument, match="logs names 2 panes"):
        room.say("get-current-directory logs")


def test_a_run_may_have_the_name_of_the_failed_one_that_it_replaces(room: Room) -> None:
    first, second = (room.say("run-command --name tests false", agent()) for _ in range(2))
    assert first.pane != second.pane
    assert [pane.name for pane in room.mux.workspace.panes.values()] == ["logs", "tests"]


def test_a_layout_numbers_the_names_that_are_taken_and_says_so(room: Room) -> None:
    commands = ({"command": "cat", "name": "logs"}, {"command": "cat", "name": "logs-2"})
    made = room.run(CreateLayout(preset="split_vertical", pane_commands=commands), agent())
    assert [pane.name for pane in made.panes] == ["logs-3", "logs-2"]
    assert made.note == "%2 is called logs-3, as another pane is called logs"


def test_shipped_workspaces_can_be_open_at_the_same_time(room: Room) -> None:
    room.say("rename-pane --pane %1 --name ''")
    debug, watch = ("code", "logs", "debugger"), ("processes", "logs", "metrics")
    shipped = [("debug-session", debug), ("monitoring", watch), ("monitoring", watch)]
    notes = [
        room.run(LoadWorkspace(name=name, commands=dict.fromkeys(panes, "cat")), agent()).note
        for name, panes in shipped
    ]
    names = [pane.name for pane in room.mux.workspace.panes.values() if pane.name]
    assert len(names) == len(set(names)) == 9
    assert {"logs", "logs-2", "logs-3", "metrics-2"} <= set(names)
    assert (notes[0], "is called logs-2, as another pane is called logs" in notes[1]) == ("", True)
    for name in names:
        assert room.say(f"get-current-directory {name}").pane
