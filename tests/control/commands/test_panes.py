"""Panes are opened, found, moved, sized and closed as commands say, and nothing else happens."""

from contextlib import suppress

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.layouts import CreateLayout
from fugue_tui.control.commands.panes import (
    ClosePane,
    CreatePane,
    FocusPane,
    ListPanes,
    RenamePane,
    SplitPane,
    SwapPane,
)
from fugue_tui.control.core.command import USER
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.undo.closed_panes import SECONDS


def test_a_split_keeps_the_ratio_for_the_original(room: Room) -> None:
    first = room.cat()
    info = room.run(SplitPane(ratio=0.75, command=("cat",)))
    assert room.mux.rect(first) == Rect(0, 0, 60, 24)
    assert info.rect == Rect(61, 0, 20, 24)
    assert (info.id, info.command, info.visible) == ("%2", "cat", True)


def test_a_split_gives_the_size_to_the_new_pane(room: Room) -> None:
    room.cat()
    assert room.run(SplitPane(size=0.75, command=("cat",))).rect == Rect(21, 0, 60, 24)
    with pytest.raises(InvalidArgument, match="ratio: give size alone"):
        room.run(SplitPane(size=0.75, ratio=0.25))


def test_an_automatic_direction_splits_the_longer_side(room: Room) -> None:
    room.cat()
    assert room.say("split-pane --direction auto --command cat").rect == Rect(41, 0, 40, 24)
    assert room.say("split-pane --direction auto --command cat --pane %2").rect == Rect(41, 13, 40, 11)


def test_a_pane_opens_in_a_window_of_its_own(room: Room) -> None:
    first = room.cat()
    window = room.say("split-pane --place window --name beside --command cat", agent(first))
    hidden = room.say("split-pane --place hidden --command 'cat -u'", agent(first))
    assert (window.window, window.session, window.focused) == ("@2", "test", False)
    assert (hidden.window, hidden.session, hidden.visible) == ("@3", "background", False)
    assert [each.name for each in room.mux.workspace.windows[1:]] == ["beside", "cat -u"]
    assert room.mux.focused == first


def test_creating_gives_the_ratio_to_the_new_pane(room: Room) -> None:
    first = room.cat()
    info = room.run(CreatePane(ratio=0.75, command=("cat",)))
    assert room.mux.rect(first) == Rect(0, 0, 20, 24)
    assert info.rect == Rect(21, 0, 60, 24)


@pytest.mark.parametrize(
    ("direction", "rect"),
    [
        ("horizontal", Rect(41, 0, 40, 24)),
        ("right", Rect(41, 0, 40, 24)),
        ("left", Rect(0, 0, 40, 24)),
        ("vertical", Rect(0, 13, 81, 11)),
        ("down", Rect(0, 13, 81, 11)),
        ("up", Rect(0, 0, 81, 12)),
    ],
)
def test_a_direction_says_where_the_new_pane_goes(room: Room, direction: str, rect: Rect) -> None:
    room.cat()
    assert room.say(f"split-pane --direction {direction} --command cat").rect == rect


def test_splitting_three_times_in_a_row_makes_siblings(room: Room) -> None:
    for _ in range(4):
        room.cat()
    room.say("equalize-panes")
    widths = [pane.rect.cols for pane in room.run(ListPanes()).panes if pane.rect]
    assert sorted(widths) == [19, 19, 20, 20]


def test_a_new_pane_gets_the_focus_for_users_but_not_for_agents(room: Room) -> None:
    first = room.cat()
    second = room.cat()
    assert room.mux.focused == second
    third = room.opened("split-pane --command cat", agent(first))
    assert room.mux.focused == second
    room.opened("split-pane --command cat --focus", agent(first))
    assert room.mux.focused not in (second, third)
    fifth = room.opened("split-pane --command cat --no-focus")
    assert room.mux.focused != fifth


def test_an_agents_own_pane_is_the_one_it_means(room: Room) -> None:
    first, second = room.cat(), room.cat()
    info = room.run(SplitPane(direction=Direction.VERTICAL, command=("cat",)), agent(first))
    assert room.mux.focused == second
    assert info.rect is not None
    assert info.rect.x == 0
    assert room.run(ListPanes(), agent(first)).you == str(first)
    assert room.run(ListPanes(), agent()).you is None


def test_splitting_a_zoomed_pane_shows_the_new_one(room: Room) -> None:
    first, _ = room.cat(), room.cat()
    room.say(f"zoom-pane {first}")
    assert room.run(SplitPane(pane=str(first), command=("cat",))).visible


def test_a_pane_without_room_is_kept_and_says_so(room: Room) -> None:
    room.cat()
    opened = [room.run(SplitPane(pane="%1", command=("cat",))) for _ in range(4)]
    room.mux.resize(Size(5, 24))
    assert any(room.say(f"get-status {info.id}").panes[0].rect is None for info in opened)
    assert len(room.open) == 5


@pytest.mark.slow
def test_a_window_takes_no_more_than_its_panes(room: Room) -> None:
    room.run(CreateLayout(preset="tiled", pane_commands=("cat",) * 64), agent())
    with pytest.raises(InvalidArgument, match="64 panes"):
        room.run(SplitPane(pane="%1", command=("cat",)))
    assert len(room.mux.terminals) == 64


def test_names_work_wherever_ids_do(room: Room) -> None:
    room.cat("editor")
    room.cat("shell")
    assert room.run(FocusPane(pane="editor")).id == "%1"
    assert room.mux.focused == PaneId(1)
    room.run(RenamePane(pane="editor", name="vim"))
    with pytest.raises(NotFound, match="no pane editor; list-panes"):
        room.run(FocusPane(pane="editor"))


@pytest.mark.parametrize("name", ["%3", "3", "left", "active", "last", ":1", "@2", "x" * 65, "\x1b\x07"])
def test_a_name_that_would_mean_something_else_is_refused(room: Room, name: str) -> None:
    pane = room.cat()
    with pytest.raises(InvalidArgument, match="name: "):
        room.run(RenamePane(name=name))
    assert room.mux.workspace.panes[pane].name == ""


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("two\nlines", "two lines"),
        ("abc\u202edcba", "abcdcba"),
        ("[@click=app.quit]x[/]", "[@click=app.quit]x[/]"),
    ],
)
def test_a_name_is_kept_as_one_clean_line(room: Room, given: str, kept: str) -> None:
    room.cat()
    assert room.run(RenamePane(name=given)).name == kept


def test_titles_cannot_carry_control_characters_to_a_caller(room: Room) -> None:
    pane = room.opened("create-pane --command 'printf \"\\033]2;a\\302\\233b\\342\\200\\256c\\033\\\\\"; exec cat'")
    room.until(lambda: room.mux.terminals[pane].title)
    title = room.run(ListPanes()).panes[0].title
    assert title.isprintable()
    assert title.startswith("a")


def test_sides_are_counted_from_the_focus_or_the_callers_own_pane(room: Room) -> None:
    left, right = room.cat(), room.cat()
    below = room.opened(f"split-pane {right} --direction vertical --command cat")
    assert room.run(FocusPane(pane="up")).id == str(right)
    assert room.run(FocusPane(pane="left")).id == str(left)
    assert room.run(FocusPane(pane="right")).id == str(right)
    assert room.run(FocusPane(pane="last")).id == str(left)
    assert room.run(FocusPane(pane="left"), agent(below)).id == str(left)
    with pytest.raises(NotFound, match="no pane below %1"):
        room.run(FocusPane(pane="down"))
    order = [room.run(FocusPane(pane="next")).id for _ in range(3)]
    assert order == [str(right), str(below), str(left)]
    assert room.run(FocusPane(pane="previous")).id == str(below)


def test_the_focus_goes_past_the_edge_to_the_pane_at_the_other_one_and_unzooms(room: Room) -> None:
    left, right = room.cat(), room.cat()
    below = room.opened(f"split-pane {right} --direction vertical --command cat")
    assert [room.run(FocusPane(pane="down")).id for _ in range(3)] == [str(each) for each in (right, below, right)]
    assert room.run(FocusPane(pane="right")).id == str(left)
    room.say("zoom-pane")
    assert room.run(FocusPane(pane="left")).id == str(right)
    assert not room.mux.window_of(left).zoomed
    room.say("create-window -- cat")
    with pytest.raises(NotFound, match="no pane left of"):
        room.run(FocusPane(pane="left"))


def test_an_agent_ends_things_by_their_exact_id_only(room: Room) -> None:
    room.cat("worker")
    room.cat()
    for target in ("worker", "active", "self", "2", "right", ""):
        with pytest.raises(Refused, match="exact id"):
            room.run(ClosePane(pane=target), agent(PaneId(1)))
    assert len(room.open) == 2
    assert room.run(ClosePane(pane="%1"), agent(PaneId(2))).panes == ("%1",)


def test_a_closed_id_never_means_another_pane(room: Room) -> None:
    room.cat()
    gone = room.cat()
    room.run(ClosePane(pane=str(gone)))
    room.cat()
    for origin in (USER, agent()):
        with pytest.raises(NotFound, match=f"no pane {gone}"):
            room.run(ClosePane(pane=str(gone)), origin)
    with pytest.raises(NotFound, match=f"no pane {gone}"):
        room.run(ClosePane(pane=str(int(gone))))


@pytest.mark.parametrize("count", range(2, 7))
@pytest.mark.parametrize("stride", [1, 2, 3, 5])
def test_panes_may_be_closed_in_any_order(room: Room, count: int, stride: int) -> None:
    for index in range(count):
        room.say(f"create-pane --direction {('right', 'down')[index % 2]} --command cat")
    processes = [terminal.pid for terminal in room.mux.terminals.values()]
    left = list(room.open)
    place = 0
    while left:
        place = (place + stride) % len(left)
        answer = room.run(ClosePane(pane=str(left.pop(place))))
        assert answer.focus == (str(room.mux.focused) if left else None)
        assert not left or room.mux.focused in left
        assert not left or _cells(room) == 81 * 24
    assert room.empty
    room.skip(SECONDS)
    for pid in processes:
        room.gone(pid)


def test_a_pane_grows_by_a_part_of_its_split_or_to_a_share(room: Room) -> None:
    first, _ = room.cat(), room.cat()
    assert room.say(f"resize-pane {first} --delta 0.25").rect == Rect(0, 0, 60, 24)
    assert room.say(f"resize-pane {first} --delta=-0.25").rect == Rect(0, 0, 40, 24)
    assert room.say(f"resize-pane {first} --share 0.25").rect == Rect(0, 0, 20, 24)
    assert room.say(f"resize-pane {first} --side right --cells 3").rect == Rect(0, 0, 23, 24)
    for line in ("resize-pane %1", "resize-pane %1 --delta 0.1 --share 0.5"):
        with pytest.raises(InvalidArgument, match="delta"):
            room.say(line)
    with pytest.raises(Refused, match="vertical"):
        room.say("resize-pane %1 --delta 0.1 --direction vertical")


@pytest.mark.slow
def test_five_hundred_resizes_there_and_back_leave_no_trace(room: Room) -> None:
    first, _ = room.cat(), room.cat()
    before = room.mux.window_of(first).layout
    for step in range(500):
        room.say(f"resize-pane {first} --delta={(0.1, -0.1)[step % 2]}")
    assert room.mux.window_of(first).layout == before


def test_swapped_panes_take_each_others_place_and_the_focus_stays_with_its_pane(room: Room) -> None:
    first, second = room.cat(), room.cat()
    room.say(f"resize-pane {first} --share 0.25")
    assert room.run(SwapPane(pane=str(second), other="left")).rect == Rect(0, 0, 20, 24)
    assert room.mux.focused == second
    other = PaneId(room.say("create-window --command cat").focus[1:])
    room.run(SwapPane(pane=str(first), other=str(other)))
    assert room.mux.window_of(first).active == first
    assert room.mux.rect(other) == Rect(21, 0, 60, 24)


def test_a_zoom_is_a_toggle_or_what_was_said(room: Room) -> None:
    first, second = room.cat(), room.cat()
    assert room.say(f"zoom-pane {first}").rect == Rect(0, 0, 81, 24)
    assert room.say(f"zoom-pane {first} --zoomed").rect == Rect(0, 0, 81, 24)
    assert room.mux.focused == first
    assert room.say(f"zoom-pane {second}").rect == Rect(0, 0, 81, 24)
    assert room.say(f"zoom-pane {second}").rect == Rect(41, 0, 40, 24)


def test_an_empty_workspace_says_what_to_do(room: Room) -> None:
    with pytest.raises(NotFound, match="create-pane opens one"):
        room.say("read-pane")
    assert room.run(ListPanes()).panes == ()


@pytest.mark.parametrize("line", ["--command 'a\0b'", "--command '[\"\"]'", '--env \'{"A=B": "x"}\'', "--cwd 'a\0b'"])
def test_what_no_program_could_be_given_is_refused(room: Room, line: str) -> None:
    room.cat()
    before = room.mux.workspace
    with pytest.raises(InvalidArgument):
        room.say(f"split-pane {line}")
    assert room.mux.workspace is before


def test_a_command_is_a_shell_line_or_a_list_of_words(room: Room) -> None:
    line = room.opened("create-pane --command 'echo $((20 + 3)); exec cat'")
    assert room.shows(line, "23")
    words = room.opened('create-pane --command \'["sh", "-c", "echo $0; exec cat", "a b"]\'')
    assert room.shows(words, "a b")


def _cells(room: Room) -> int:
    """The cells that the panes and dividers of the window in front cover."""
    assert room.mux.front is not None
    solution = room.mux.layouts.of(room.mux.front)
    covered = [*solution.panes.values(), *(divider.rect for divider in solution.dividers)]
    return sum(rect.cols * rect.rows for rect in covered)


@pytest.mark.parametrize("direction", ["vertical", "horizontal", "up", "left"])
def test_a_pane_is_split_as_long_as_there_is_room_for_all(room: Room, direction: str) -> None:
    room.cat()
    split = f"split-pane --pane focused --direction {direction} --focus --command cat"
    with suppress(Refused):
        while len(room.open) < 64:
            room.say(split)
    before = list(room.open)
    with pytest.raises(Refused, match=r"no room for another pane: %\d+ has .* cells; split a larger one"):
        room.say(split)
    with pytest.raises(Refused, match="no room for another pane"):
        room.say(f"create-pane --source-pane focused --direction {direction} --command cat")
    assert room.open == before
    rects = [room.mux.rect(pane) for pane in before]
    assert all(rect is not None and rect.cols > 1 for rect in rects)


def test_a_window_that_is_crowded_already_can_be_split_where_there_is_room(room: Room) -> None:
    first = room.cat()
    room.say(f"split-pane --pane {first} --direction right --command cat")
    for _ in range(3):
        room.say(f"split-pane --pane {first} --direction down --command cat")
    room.mux.resize(Size(81, 3))
    room.say(f"split-pane --pane {room.open[-1]} --direction right --command cat")


def test_cleared_history_is_gone_and_the_screen_stays(room: Room) -> None:
    pane = room.opened("create-pane --command 'seq 100; exec cat'")
    room.shows(pane, "100")
    assert room.mux.terminals[pane].scrollback.lines > 50
    assert room.say(f"clear-history {pane}").lines > 50
    assert room.mux.terminals[pane].scrollback.lines == 0
    assert "100" in room.text(pane)
    room.mux.terminals[pane].write(b"more\n")
    room.shows(pane, "more")
