"""Views of one workspace: each has its window, and whatever is read or changed refers to the current one."""

from collections.abc import Generator
from contextlib import contextmanager

from tests.multiplexer.conftest import Room

from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.multiplexer.views import View, current_view

ONE, TWO, THREE = WindowId(1), WindowId(2), WindowId(3)


@contextmanager
def within(view: View) -> Generator[None]:
    """Act as part of a view."""
    token = current_view.set(view)
    try:
        yield
    finally:
        current_view.reset(token)


def two_views(room: Room) -> tuple[View, View]:
    """Two views of a workspace with a window."""
    room.say("create-window --command cat")
    return room.mux.views.latest, room.mux.add_view()


def test_a_command_acts_on_the_window_of_the_view_that_runs_it(room: Room) -> None:
    first, second = two_views(room)
    with within(second):
        room.say("create-window --command cat")
        assert room.mux.workspace.active == TWO
        assert room.say("split-pane --command cat").window == "@2"
        assert room.mux.focused == PaneId(3)
    assert (first.window, second.window) == (ONE, TWO)
    assert (room.mux.workspace.active, room.mux.focused) == (ONE, PaneId(1))
    assert room.mux.views.shown == {ONE, TWO}


def test_the_view_that_was_used_last_is_that_of_commands_from_outside(room: Room) -> None:
    first, second = two_views(room)
    with within(second):
        room.say("create-window --command cat")
    room.mux.use_view(second)
    assert room.mux.workspace.active == TWO
    room.say("select-window @1")
    assert (first.window, second.window) == (ONE, ONE)
    assert second.recent == (TWO,)


def test_views_of_a_closed_window_show_the_latest_of_its_session(room: Room) -> None:
    _, second = two_views(room)
    with within(second):
        room.say("create-window --command cat")
        room.say("create-session --name other --command cat")
        room.say("select-window @2")
        room.say("create-window --command cat")
    room.say("close-window @4")
    assert second.window == TWO
    room.say("close-window @2")
    assert second.window == ONE
    with within(second):
        room.say("select-session other")
    room.say("close-window @3")
    assert second.window == ONE
    assert second.recent == ()


def test_a_view_stays_in_its_session_when_another_moves_its_window(room: Room) -> None:
    _, second = two_views(room)
    with within(second):
        room.say("create-window --command cat")
    room.say("create-session --name other --command cat")
    room.say("move-window --window @2 --session other")
    assert second.window == ONE


def test_a_renamed_session_takes_its_views_along(room: Room) -> None:
    _, second = two_views(room)
    room.say("rename-session --name renamed")
    assert second.window == ONE


def test_windows_have_the_sizes_of_the_views_that_show_them(room: Room) -> None:
    first, second = two_views(room)
    with within(second):
        room.say("create-window --command cat")
        room.say("create-window --command cat")
        room.mux.resize(Size(100, 30))
    room.mux.resize(Size(60, 20))
    sizes = [room.mux.terminals[PaneId(number)].size for number in (1, 2, 3)]
    assert sizes[::2] == [Size(60, 20), Size(100, 30)]
    hidden = sizes[1]
    room.mux.resize(Size(50, 10))
    assert room.mux.terminals[PaneId(2)].size == hidden
    assert first.area == Size(50, 10)


def test_with_one_view_again_every_window_has_its_size(room: Room) -> None:
    first, second = two_views(room)
    with within(second):
        room.say("create-window --command cat")
        room.mux.resize(Size(100, 30))
    room.mux.resize(Size(60, 20))
    room.mux.end_view(second)
    assert {terminal.size for terminal in room.mux.terminals.values()} == {Size(60, 20)}
    with within(second):
        assert room.mux.views.current is first
