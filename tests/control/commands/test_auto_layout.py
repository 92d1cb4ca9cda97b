"""A layout that adapts to the number of panes and to the shape of the terminal."""

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.errors import Refused
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.presets import automatic
from fugue_tui.layout.solve import solve
from fugue_tui.layout.tree import panes, stack

PANES = [PaneId(number) for number in range(1, 10)]


@pytest.mark.parametrize("size", [(1, 1), (40, 12), (80, 24), (120, 36), (200, 20), (30, 80), (300, 100)])
@pytest.mark.parametrize("count", range(1, 10))
def test_every_pane_has_a_place_in_every_shape(size: tuple[int, int], count: int) -> None:
    rect = Rect(0, 0, *size)
    node = automatic(PANES[:count], rect)
    assert sorted(panes(node)) == PANES[:count]
    rects = solve(node, rect).panes.values()
    assert all(each.cols >= min(39, rect.cols) for each in rects) or count == 3
    assert automatic(list(panes(node)), rect) == node


def test_the_layout_follows_the_number_of_panes(room: Room) -> None:
    room.say("create-window -- cat")
    room.say("select-layout auto")
    room.say("split-pane --direction vertical -- cat")
    assert [room.mux.rect(pane) for pane in PANES[:2]] == [Rect(0, 0, 40, 24), Rect(41, 0, 40, 24)]
    room.say("split-pane -- cat")
    assert [room.mux.rect(pane) for pane in PANES[:3]] == [
        Rect(0, 0, 48, 24),
        Rect(49, 0, 32, 12),
        Rect(49, 13, 32, 11),
    ]
    assert room.mux.terminals[PaneId(3)].size == Size(32, 11)
    room.say("split-pane -- cat")
    assert [room.mux.rect(pane) for pane in PANES[:4]] == [
        Rect(0, 0, 40, 12),
        Rect(41, 0, 40, 12),
        Rect(0, 13, 40, 11),
        Rect(41, 13, 40, 11),
    ]
    room.say("close-pane %1")
    room.say("close-pane %2")
    assert [room.mux.rect(PaneId(pane)) for pane in (3, 4)] == [Rect(0, 0, 40, 24), Rect(41, 0, 40, 24)]


def test_the_layout_follows_the_shape_of_the_terminal_and_that_is_no_step_of_undo(room: Room) -> None:
    room.say("create-window -- cat")
    room.say("split-pane -- cat")
    room.say("select-layout auto")
    wide = room.mux.window_of(PANES[0])
    history = room.mux.layout_history.of(wide.id)
    room.mux.resize(Size(40, 12))
    assert room.mux.window_of(PANES[0]).layout == stack(PANES[:2])
    room.mux.resize(Size(40, 30))
    assert [room.mux.rect(pane) for pane in PANES[:2]] == [Rect(0, 0, 40, 15), Rect(0, 16, 40, 14)]
    room.mux.resize(Size(81, 24))
    assert room.mux.window_of(PANES[0]).layout == wide.layout
    assert room.mux.layout_history.of(wide.id) == history


def test_arranging_by_hand_ends_it(room: Room) -> None:
    room.say("create-window -- cat")
    room.say("select-layout auto")
    room.say("split-pane -- cat")
    room.say("swap-pane --other %1")
    assert room.mux.window_of(PANES[0]).auto
    resized = room.say("resize-pane %1 --side left --cells 5").rect
    assert not room.mux.window_of(PANES[0]).auto
    room.mux.resize(Size(40, 12))
    room.mux.resize(Size(81, 24))
    assert room.mux.rect(PANES[0]) == resized
    room.say("select-layout auto")
    assert room.mux.window_of(PANES[0]).auto


def test_floating_panes_and_zoom_leave_it_as_it_is(room: Room) -> None:
    room.say("create-window -- cat")
    room.say("select-layout auto")
    room.say("split-pane -- cat")
    room.say("display-popup -- cat")
    room.say("zoom-pane %1")
    room.say("toggle-floats")
    assert room.mux.window_of(PANES[0]).auto
    room.say("float-pane %2")
    assert room.mux.window_of(PANES[0]).auto
    assert room.mux.rect(PANES[0]) == Rect(0, 0, 81, 24)


def test_a_split_has_room_if_the_panes_that_are_arranged_anew_have(room: Room) -> None:
    room.mux.resize(Size(90, 2))
    room.say("create-window -- cat")
    room.say("select-layout auto")
    for pane in (1, 1, 3):
        room.say(f"split-pane %{pane} -- cat")
    assert len(list(panes(room.mux.workspace.windows[0].layout))) == 4
    with pytest.raises(Refused, match="no room for another pane"):
        room.say("split-pane %1 --direction horizontal -- cat")


def test_a_window_that_does_not_adapt_refuses_a_split_without_room(room: Room) -> None:
    room.mux.resize(Size(90, 4))
    room.say("create-window -- cat")
    room.say("split-pane --direction vertical -- cat")
    with pytest.raises(Refused, match="no room for another pane"):
        room.say("split-pane --direction vertical -- cat")
    room.say("select-layout auto")
    room.say("split-pane --direction vertical -- cat")
    room.say("float-pane %1")
    room.say("embed-pane %1")
    assert len(list(panes(room.mux.workspace.windows[0].layout))) == 3


def test_an_agents_pane_is_in_a_window_that_makes_room_for_it(room: Room) -> None:
    room.mux.resize(Size(120, 12))
    mine = room.cat()
    room.say("select-layout auto")
    for _ in range(3):
        room.say("split-pane -- cat", agent(mine))
    assert len(room.mux.workspace.windows) == 1
