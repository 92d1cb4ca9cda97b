"""Panes that float over a window, popups and the scratch pane."""

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema.command_line import command
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import Float, floats, tiled
from fugue_tui.workspace.model import SCRATCH

ONE, TWO, THREE = PaneId(1), PaneId(2), PaneId(3)


@pytest.fixture
def two(room: Room) -> Room:
    """Two panes side by side in 81 x 24 cells, the second with the focus."""
    room.say("create-window -- cat")
    room.say("split-pane -- cat")
    return room


def test_a_pane_floats_and_goes_back_to_where_undo_has_it(two: Room) -> None:
    info = two.say("float-pane")
    assert (info.floating, info.rect) == (True, Rect(17, 6, 47, 12))
    assert two.mux.rect(ONE) == Rect(0, 0, 81, 24)
    assert two.mux.terminals[TWO].size == Size(47, 12)
    two.say("undo-layout")
    assert two.mux.rect(TWO) == Rect(41, 0, 40, 24)
    two.say("redo-layout")
    assert two.mux.rect(TWO) == Rect(17, 6, 47, 12)
    assert not two.say("float-pane").floating
    assert two.mux.rect(TWO) == Rect(41, 0, 40, 24)


def test_the_only_tile_cannot_float(room: Room) -> None:
    room.say("create-window -- cat")
    with pytest.raises(Refused, match="%1 is the only tile of window @1"):
        room.say("float-pane")
    room.say("display-popup -- cat")
    with pytest.raises(Refused, match="only tile"):
        room.say("float-pane %1")


def test_a_place_is_given_in_cells_or_shares_and_changed_by_steps(two: Room) -> None:
    assert two.say("float-pane --cols 42 --rows 50% --x 0 --y 1.0").rect == Rect(1, 13, 40, 10)
    assert two.say("float-pane --side right --cells 3").rect == Rect(4, 13, 40, 10)
    assert two.say("float-pane --side up").rect == Rect(4, 12, 40, 10)
    assert two.say("resize-pane --side right --cells 5").rect == Rect(4, 12, 45, 10)
    assert two.say("resize-pane --side up --cells 2").rect == Rect(4, 12, 45, 8)
    assert two.say("resize-pane --cols 30 --rows 6").rect == Rect(4, 12, 30, 6)
    assert two.say("resize-pane --delta 0.1").rect == Rect(4, 12, 38, 6)
    assert two.say("swap-pane --other left").rect == Rect(1, 12, 38, 6)
    with pytest.raises(InvalidArgument, match=r"cols: .*150%"):
        two.say("float-pane --cols 150%")


def test_a_floating_pane_is_zoomed_and_the_zoom_of_a_tile_stays_below_it(two: Room) -> None:
    two.say("split-pane -- cat")
    two.say("float-pane")
    assert two.say("zoom-pane").rect == Rect(1, 1, 79, 22)
    assert two.say("zoom-pane").rect == Rect(17, 6, 47, 12)
    two.say("zoom-pane %1")
    two.say("focus-pane %3")
    assert two.mux.front is not None
    assert two.mux.front.zoomed
    assert (two.mux.rect(ONE), two.mux.rect(TWO)) == (Rect(0, 0, 81, 24), None)
    two.say("focus-pane %2")
    assert not two.mux.front.zoomed


def test_all_are_hidden_and_shown_together_and_run_on(two: Room) -> None:
    two.say("display-popup -- cat")
    two.say("float-pane %2")
    shown = two.say("toggle-floats")
    assert (shown.panes, shown.shown) == (("%3", "%2"), False)
    assert two.mux.focused == ONE
    assert two.mux.terminals[THREE].size == Size(63, 17)
    assert [each.visible for each in two.say("list-panes").panes] == [True, False, False]
    assert two.say("toggle-floats").shown
    assert two.mux.focused == THREE
    two.say("toggle-floats --shown=false")
    two.say("focus-pane %2")
    assert [each.hidden for each in floats(two.mux.window_of(TWO).layout)] == [True, False]


def test_hiding_is_no_step_of_undo(two: Room) -> None:
    two.say("float-pane")
    two.say("toggle-floats")
    two.say("undo-layout")
    assert tiled(two.mux.window_of(TWO).layout) == two.mux.window_of(TWO).layout


def test_without_a_floating_pane_the_user_gets_one_with_a_shell(room: Room) -> None:
    room.say("create-window -- cat")
    found = room.say("toggle-floats")
    assert found.panes == ("%2",)
    assert room.mux.focused == TWO
    room.say("split-pane")
    assert [each.pane for each in floats(room.mux.window_of(TWO).layout)] == [TWO, THREE]
    agent = Origin(Interface.MCP)
    room.say("close-pane %2")
    room.say("close-pane %3")
    assert room.say("toggle-floats", agent).panes == ()


def test_what_a_short_popup_printed_stays_until_a_key_closes_it(room: Room) -> None:
    room.say("create-window -- cat")
    room.say("popup -- sh -c 'echo hi'")
    room.until(lambda: TWO in room.mux.exits)
    assert TWO in room.mux.workspace.panes
    room.say("display-popup -- true", Origin(Interface.MCP))
    room.until(lambda: THREE not in room.mux.workspace.panes)


@pytest.mark.parametrize("option", ["-E", "--close-on-exit", "--on-exit always"])
def test_a_popup_closes_with_its_program_whatever_that_says(room: Room, option: str) -> None:
    room.say("create-window -- cat")
    room.say(f"display-popup {option} -- sh -c 'exit 3'")
    assert room.mux.focused == TWO
    room.until(lambda: TWO not in room.mux.workspace.panes)
    assert room.mux.focused == ONE
    room.say("display-popup --on-exit close -- sh -c 'exit 3'")
    room.until(lambda: THREE in room.mux.exits)
    assert THREE in room.mux.workspace.panes


def test_a_popup_is_waited_for_and_its_exit_status_is_the_callers(room: Room) -> None:
    room.say("create-window -- cat")
    found = room.say("display-popup --wait -- sh -c 'exit 3'")
    assert (found.exit_code, found.exit_status, found.aside) == (3, 3, "")
    later = command("display-popup --wait -- cat").run(room.mux, USER)
    assert is_deferred(later)
    room.turn()
    room.say("close-pane %3")
    found = room.awaited(later)
    assert (found.exit_code, found.exit_status, found.aside) == (None, 1, "closed")


def test_an_agents_popup_leaves_the_focus_and_is_hidden_while_the_user_types(room: Room) -> None:
    room.say("create-window -- cat")
    agent = Origin(Interface.MCP)
    assert room.say("display-popup -- cat", agent).note == ""
    assert room.mux.focused == ONE
    assert room.mux.rect(TWO) is not None
    room.mux.human_input(ONE)
    opened = room.say("display-popup -- cat", agent)
    assert "the user is typing, so it is hidden" in opened.note
    assert (opened.rect, room.mux.focused) == (None, ONE)
    assert room.say("split-pane --place floating -- cat", agent).note == opened.note
    for line in ("display-popup --focus -- cat", "split-pane --place floating --focus -- cat"):
        wanted = room.say(line, agent)
        assert (wanted.note, wanted.rect, room.mux.focused) == (opened.note, None, ONE)


def test_an_agent_lets_nothing_float_over_what_the_user_types(room: Room) -> None:
    room.say("create-window -- cat")
    agent = Origin(Interface.MCP)
    room.say("display-popup -- cat", agent)
    room.say("split-pane --direction horizontal -- cat", agent)
    room.say("toggle-floats --shown=false", agent)
    room.mux.human_input(ONE)
    room.mux.lease.key_pressed()
    dispatcher = Dispatcher(room.mux)
    for line in ("toggle-floats --shown", "float-pane %3"):
        with pytest.raises(Refused, match="the user is typing"):
            dispatcher.run(command(line), agent)
    for line in ("float-pane %2 --cols 90%", "scratch-pane --shown"):
        dispatcher.run(command(line), agent)
        assert room.mux.focused == ONE
        assert room.mux.rect(TWO) is None
        assert all(each.hidden for each in floats(room.mux.window_of(ONE).layout))
    room.now += 60
    dispatcher.run(command("toggle-floats --shown"), agent)
    assert not any(each.hidden for each in floats(room.mux.window_of(ONE).layout))


def test_the_scratch_pane_is_the_same_over_every_window(room: Room) -> None:
    room.say("create-window -- cat")
    room.say("create-window -- cat")
    first = room.say("scratch-pane")
    assert (first.id, first.window, first.visible, first.focused) == ("%3", "@2", True, True)
    assert not room.say("scratch-pane").visible
    assert room.mux.focused == TWO
    room.say("select-window @1")
    again = room.say("scratch-pane")
    assert (again.id, again.window, again.visible, again.pid) == ("%3", "@1", True, first.pid)
    assert floats(room.mux.window_of(TWO).layout) == ()


def test_a_hidden_scratch_pane_outlives_its_window(room: Room) -> None:
    room.say("create-window -- cat")
    room.say("create-window -- cat")
    room.say("scratch-pane")
    room.say("scratch-pane")
    room.say("close-window @2")
    assert room.mux.window_of(THREE).id == room.mux.window_of(ONE).id
    assert SCRATCH in room.mux.workspace.panes[THREE].tags
    assert room.say("scratch-pane").visible
    room.say("scratch-pane")
    room.say("close-pane %1")
    assert room.mux.focused == THREE
    assert room.mux.rect(THREE) == Rect(0, 0, 81, 24)


def test_closing_the_last_tile_makes_a_tile_of_a_floating_pane(room: Room) -> None:
    room.say("create-window -- cat")
    room.say("display-popup -- cat")
    room.say("close-pane %1")
    assert room.mux.rect(TWO) == Rect(0, 0, 81, 24)
    room.say("undo-change")
    assert set(room.mux.workspace.panes) == {ONE, TWO}


def test_panes_beside_a_hidden_floating_pane_are_split_by_agents_as_ever(room: Room) -> None:
    room.say("create-window -- cat")
    room.say("display-popup -- cat")
    room.say("toggle-floats")
    opened = room.say("split-pane %1 --direction vertical -- cat", Origin(Interface.MCP))
    assert opened.placed == "split"


def test_floating_panes_are_in_the_layout_as_it_is_shown(two: Room) -> None:
    two.say("float-pane --cols 0.5 --rows 10 --x 3")
    found = two.say("get-layout")
    assert found.layout == {
        "pane": {"id": "%1"},
        "floats": [{"pane": {"id": "%2"}, "cols": 0.5, "rows": 10, "x": 3}],
    }
    assert [(each.id, each.position) for each in found.panes] == [("%1", "full"), ("%2", "floating")]
    assert Float(TWO, 0.5, 10, 3) in floats(two.mux.window_of(TWO).layout)
