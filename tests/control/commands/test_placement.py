"""Where the panes of agents open: none gets too small, and runs do not pile up."""

from typing import Any

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.layouts import CreateLayout
from fugue_tui.control.commands.run_command import Keep, RunCommand
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.core.new_pane import Placement
from fugue_tui.control.shell_exec.result import CommandOutcome
from fugue_tui.errors import Refused
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer.access.current_call import Call, current_call

AGENT = Origin(Interface.MCP, client="test", process="one")
OTHER = Origin(Interface.MCP, client="test", process="two")


@pytest.fixture(autouse=True)
def plain_shell(monkeypatch: pytest.MonkeyPatch, room: Room) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    room.cat("here")


def run(room: Room, command: str, origin: Origin = AGENT, **options: Any) -> CommandOutcome:
    return room.run(RunCommand(command=command, **options), origin)


def sizes(room: Room) -> dict[PaneId, Size]:
    return room.mux.layouts.sizes(room.mux.workspace)


def split(room: Room, line: str = "split-pane --command cat", origin: Origin = AGENT) -> Any:
    return room.say(line, origin)


@pytest.mark.parametrize(
    ("area", "beside"),
    [(Size(200, 50), "right"), (Size(90, 50), "below"), (Size(80, 24), "below"), (Size(50, 40), "below")],
)
def test_the_longer_side_is_split_first_if_both_parts_stay_usable(room: Room, area: Size, beside: str) -> None:
    room.mux.resize(area)
    opened = split(room)
    assert opened.placed is Placement.SPLIT
    assert ("right" if opened.rect.x else "below") == beside


def test_no_pane_gets_too_small_by_what_an_agent_opens(room: Room) -> None:
    opened = [split(room) for _ in range(12)]
    assert all(size.cols >= 40 and size.rows >= 8 for size in sizes(room).values())
    assert room.mux.focused == PaneId(1)
    assert {each.placed for each in opened} == {Placement.SPLIT, Placement.WINDOW}
    apart = next(each for each in opened if each.placed is Placement.WINDOW)
    assert "too few for two panes of 40 x 8" in apart.note
    assert all(len(list(panes(window.layout))) <= 4 for window in room.mux.workspace.windows)


def test_a_requested_share_or_direction_gives_way_to_the_size_of_the_panes(room: Room) -> None:
    narrow = split(room, "split-pane --direction horizontal --ratio 0.8 --command cat")
    assert (narrow.rect.cols, narrow.rect.x) == (40, 41)
    low = split(room, "split-pane --direction vertical --ratio 0.9 --command cat")
    assert low.rect.rows >= 8
    assert split(room, f"split-pane {low.id} --direction vertical --command cat").placed is Placement.WINDOW


def test_the_user_splits_as_small_as_wanted(room: Room) -> None:
    for _ in range(4):
        room.say("split-pane --direction horizontal --command cat")
    assert len(room.mux.workspace.windows) == 1
    assert min(size.cols for size in sizes(room).values()) < 20


def test_an_agent_does_not_unzoom_the_pane_of_the_user(room: Room) -> None:
    room.say("zoom-pane --zoomed")
    opened = split(room)
    assert (opened.visible, opened.note) == (False, "the window is zoomed, so it is not visible")
    assert room.mux.workspace.windows[0].zoomed
    assert room.mux.terminals[PaneId(1)].size == Size(81, 24)


def test_failed_runs_take_each_others_place(room: Room) -> None:
    failed = [run(room, f"echo {number}; false") for number in range(8)]
    assert len(room.mux.workspace.panes) == 2
    assert [each.kept for each in failed] == [True] * 8
    assert room.text(PaneId(failed[-1].pane[1:])) == "7"
    assert room.mux.terminals[PaneId(1)].size == Size(40, 24)
    assert f"took the place of {failed[-2].pane}" in failed[-1].note
    run(room, "true")
    room.until(lambda: room.open == [PaneId(1)])


def test_runs_at_the_same_time_have_panes_of_their_own_and_stay_until_the_next(room: Room) -> None:
    call = current_call.set(Call(owner=AGENT.owner))
    begun = [RunCommand(command=f"read go; echo {number}; false").run(room.mux, AGENT) for number in range(3)]
    current_call.reset(call)
    opened = [pane for pane in room.open if pane != PaneId(1)]
    assert len(opened) == 3
    for pane in opened:
        room.mux.terminals[pane].write(b"\n")
    ended = [room.awaited(later) for later in begun if is_deferred(later)]
    assert [each.text.strip() for each in ended] == ["0", "1", "2"]
    assert {each.pane for each in ended} == set(map(str, opened)) <= set(map(str, room.open))
    run(room, "false")
    assert len(room.open) == 2


def test_a_run_takes_no_pane_of_another_agent_or_one_that_is_to_be_kept(room: Room) -> None:
    kept = run(room, "false", keep=Keep.ALWAYS)
    other = run(room, "false", OTHER)
    mine = run(room, "false")
    assert {kept.pane, other.pane, mine.pane} <= set(map(str, room.open))


def test_a_failed_run_that_the_user_reads_stays(room: Room) -> None:
    read = run(room, "false")
    room.say(f"focus-pane {read.pane}")
    assert run(room, "false").pane != read.pane
    assert PaneId(read.pane[1:]) in room.mux.workspace.panes


@pytest.mark.parametrize("place", [Placement.WINDOW, Placement.HIDDEN])
def test_runs_in_windows_take_each_others_place_too(room: Room, place: Placement) -> None:
    for _ in range(3):
        assert run(room, "false", place=place).placed is place
    assert [len(list(panes(window.layout))) for window in room.mux.workspace.windows] == [1, 1]


def test_an_agent_does_not_close_the_last_pane_that_it_did_not_open(room: Room) -> None:
    split(room)
    window = room.mux.workspace.windows[0].id
    split(room, "create-window --command cat")
    inside = Origin(Interface.MCP, PaneId(1), inside=True)
    for origin in (OTHER, inside, AGENT):
        room.mux.owners |= dict.fromkeys(room.open[1:], origin.owner)
        for line in ("close-pane %1", f"close-window {window}"):
            with pytest.raises(Refused, match=r"%1 is the last pane that you did not open; .*kill-server .* test"):
                room.say(line, origin)
        with pytest.raises(Refused, match="kill-server"):
            room.say("kill-session test", origin)
    assert len(room.open) == 3
    room.say("close-pane %2", AGENT)
    room.say("split-pane --command cat")
    room.say("close-pane %1", AGENT)
    assert len(room.open) == 2


def test_an_agent_does_not_end_the_workspace_by_closing_its_own_last_pane(room: Room) -> None:
    opened = split(room)
    room.say("close-pane %1")
    with pytest.raises(Refused, match="close the last pane and end the workspace; kill-server"):
        room.say(f"close-pane {opened.id}", AGENT)
    room.say(f"close-pane {opened.id}")
    assert room.empty


def test_a_layout_that_would_crush_the_users_pane_gets_a_window_of_its_own(room: Room) -> None:
    layout: dict[str, Any] = {
        "direction": "horizontal",
        "splits": [{"ratio": 0.1, "pane": {}}, {"ratio": 0.9, "pane": {"command": "cat"}}],
    }
    made = room.run(CreateLayout(window="active", layout=layout), agent())
    assert made.window_id != str(room.mux.workspace.windows[0].id)
    assert "%1 would get smaller than 40 x 8" in made.note
    assert room.mux.terminals[PaneId(1)].size == Size(81, 24)
    beside: dict[str, Any] = {
        "direction": "horizontal",
        "splits": [{"ratio": 0.5, "pane": {}}, {"ratio": 0.5, "pane": {"command": "cat"}}],
    }
    made = room.run(CreateLayout(window="active", layout=beside), agent())
    assert (made.window_id, made.note) == (str(room.mux.workspace.windows[0].id), "")
