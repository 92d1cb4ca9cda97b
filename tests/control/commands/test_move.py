"""Panes and windows move with their programs, their ids, their names and the user's hold on them; undo moves back."""

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes

AGENT = Origin(Interface.MCP, process="12@34", program="claude")


def pid(room: Room, pane: PaneId) -> int:
    return room.mux.terminals[pane].pid


def tabs(room: Room) -> list[list[int]]:
    """The panes of each window, in the order of the tabs."""
    return [[int(pane) for pane in panes(window.layout)] for window in room.mux.workspace.windows]


def test_a_broken_off_pane_keeps_its_program_its_id_and_its_name(room: Room) -> None:
    first = room.cat()
    second = room.cat("notes")
    room.mux.lease.take(second)
    process = pid(room, second)
    info = room.say(f"break-pane {second} --name apart")
    assert tabs(room) == [[1], [2]]
    assert (info.name, info.active, info.focus) == ("apart", True, str(second))
    assert pid(room, second) == process
    assert room.mux.workspace.panes[second].name == "notes"
    assert room.mux.lease.is_taken(second)
    room.mux.terminals[second].write(b"alive\n")
    room.shows(second, "alive")
    assert room.mux.terminals[first].size == room.mux.layouts.area
    with pytest.raises(Refused, match="to itself already"):
        room.say(f"break-pane {second}")


def test_undo_brings_the_layout_back_and_redo_repeats_the_move(room: Room) -> None:
    room.cat()
    second = room.cat("notes")
    room.cat()
    room.say("resize-pane %1 --share 0.7")
    before = room.mux.workspace
    room.say(f"break-pane {second}")
    apart = room.mux.workspace
    assert room.say("undo-change").text == f"moved pane {second} (notes) back"
    assert room.mux.workspace == before
    room.say("redo-change")
    assert room.mux.workspace == apart
    room.say("undo-change")
    room.say("undo-change")
    assert room.mux.workspace != before


def test_undo_keeps_what_has_changed_besides(room: Room) -> None:
    room.cat()
    second = room.cat()
    room.say(f"break-pane {second}")
    room.say(f"rename-window {room.mux.window_of(PaneId(1)).id} --name first")
    room.say("create-window --name other --command cat --focus")
    room.say("undo-change")
    room.say("undo-change")
    assert tabs(room) == [[1, 2]]
    assert room.mux.workspace.windows[0].name == "first"


def test_a_move_is_no_longer_undone_once_its_windows_have_other_panes(room: Room) -> None:
    room.cat()
    second = room.cat()
    room.say(f"break-pane {second}")
    room.say(f"create-pane --source-pane {second} --command cat", AGENT)
    room.skip(31)
    room.turn()
    with pytest.raises(Refused, match="nothing was closed or opened"):
        room.say("undo-change")


def test_join_pane_takes_the_marked_pane_and_puts_it_beside_the_focused_one(room: Room) -> None:
    room.cat()
    with pytest.raises(NotFound, match="no pane is marked"):
        room.say("join-pane")
    room.say("create-window --command cat --focus")
    room.say("mark-pane")
    room.say("select-window :1")
    process = pid(room, PaneId(2))
    room.say("join-pane --direction left --size 0.25")
    assert tabs(room) == [[2, 1]]
    assert room.mux.focused == PaneId(2)
    assert pid(room, PaneId(2)) == process
    rect = room.mux.rect(PaneId(2))
    assert rect is not None
    assert (rect.x, rect.cols) == (0, 20)
    assert room.mux.user_options.marked is None
    room.say("undo-change")
    assert tabs(room) == [[1], [2]]


def test_a_pane_joins_by_a_window_and_within_its_own(room: Room) -> None:
    room.cat()
    room.say("create-window --name build --command cat")
    room.say("join-pane %1 build --direction down")
    assert tabs(room) == [[2, 1]]
    room.say("join-pane %1 %2 --direction up")
    assert tabs(room) == [[1, 2]]
    room.say("undo-change")
    assert tabs(room) == [[2, 1]]
    with pytest.raises(InvalidArgument, match="beside itself"):
        room.say("join-pane %1 %1")


def test_a_pane_without_room_does_not_join(room: Room) -> None:
    room.cat()
    for _ in range(20):
        try:
            room.say("split-pane %1 --direction horizontal --command cat")
        except Refused:
            break
    room.say("create-window --command cat")
    last = room.mux.workspace.windows[-1].active
    before = room.mux.workspace
    with pytest.raises(Refused, match="no room"):
        room.say(f"join-pane {last} %1")
    assert room.mux.workspace == before


def test_a_name_that_is_taken_in_the_other_session_gets_a_number(room: Room) -> None:
    room.cat("logs")
    room.say("create-session --name dev --command cat")
    room.say("rename-pane %2 --name logs")
    room.say("move-window %2 --session test")
    assert room.mux.workspace.panes[PaneId(2)].name == "logs-2"
    assert {window.session for window in room.mux.workspace.windows} == {"test"}


def test_panes_of_two_windows_swap(room: Room) -> None:
    room.cat()
    room.cat()
    room.say("create-window --command cat")
    room.say("mark-pane %3")
    room.say("focus-pane %1")
    before = room.mux.workspace
    room.say("swap-pane")
    assert tabs(room) == [[3, 2], [1]]
    assert room.mux.focused == PaneId(3)
    room.say("undo-change")
    assert room.mux.workspace == before


def test_windows_move_and_swap_among_the_tabs(room: Room) -> None:
    room.cat()
    for _ in range(3):
        room.say("create-window --command cat")
    room.say("move-window @1 --index 3")
    assert tabs(room) == [[2], [3], [1], [4]]
    room.say("move-window @2")
    assert tabs(room) == [[3], [1], [4], [2]]
    room.say("swap-window @3 :4")
    assert tabs(room) == [[2], [1], [4], [3]]
    for _ in range(3):
        room.say("undo-change")
    assert tabs(room) == [[1], [2], [3], [4]]


def test_a_window_moves_to_a_position_in_another_session(room: Room) -> None:
    room.cat()
    room.say("create-session --name dev --command cat")
    room.say("create-window --session dev --command cat")
    room.say("move-window @1 --session dev --index 2")
    assert tabs(room) == [[2], [1], [3]]
    assert {window.session for window in room.mux.workspace.windows} == {"dev"}


def test_the_mark_goes_with_its_pane(room: Room) -> None:
    room.cat()
    second = room.cat()
    assert room.say(f"mark-pane {second}").pane == str(second)
    assert room.say(f"mark-pane {second}").pane is None
    room.say(f"mark-pane {second}")
    room.say(f"close-pane {second}")
    assert room.mux.user_options.marked is None


def test_an_agent_does_not_move_what_the_user_arranges_nor_take_the_focus(room: Room) -> None:
    room.cat()
    second = room.cat()
    room.say(f"focus-pane {second}")
    info = room.say("break-pane %1", AGENT)
    assert not info.active
    assert room.mux.focused == second
