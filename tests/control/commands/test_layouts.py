"""A layout is made whole or not at all, is where it was asked for, and can be taken back."""

import json
import os
from itertools import pairwise
from typing import Any, cast, get_args

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.layouts import CYCLE, CreateLayout, GetLayout, LayoutApplied, Preset
from fugue_tui.control.schema.command_schema import build
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused, SpawnFailed
from fugue_tui.geometry import Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout import presets

QUADRANTS: dict[str, Any] = {
    "direction": "vertical",
    "splits": [
        {"ratio": 0.5, "layout": {"direction": "horizontal", "splits": [{"ratio": 0.5, "pane": {}}] * 2}},
        {"ratio": 0.5, "layout": {"direction": "horizontal", "splits": [{"ratio": 0.5, "pane": {}}] * 2}},
    ],
}
SIXTY_FIVE: dict[str, Any] = {
    "direction": "horizontal",
    "splits": [{"ratio": 0.65, "pane": {}}, {"ratio": 0.35, "layout": QUADRANTS}],
}
EDITOR: dict[str, Any] = {
    "direction": "horizontal",
    "splits": [
        {"ratio": 0.65, "layout": {"pane": {"command": "cat", "name": "editor"}}},
        {
            "ratio": 0.35,
            "layout": {
                "direction": "vertical",
                "splits": [
                    {"ratio": 0.5, "layout": {"pane": {"command": "cat", "name": "claude-main"}}},
                    {"ratio": 0.5, "layout": {"pane": {"command": "cat", "name": "terminal"}}},
                ],
            },
        },
    ],
}

BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "layout: is missing"),
    ({"layout": {}, "preset": "tiled"}, "not both"),
    ({"layout": {"direction": "diagonal", "splits": []}}, 'direction: "diagonal" is not horizontal'),
    ({"layout": {"direction": "horizontal", "splits": [{"ratio": 0.5}, {"ratio": -1}]}}, r"splits\[1\].ratio"),
    ({"layout": {"pane": {"comand": "x"}}}, "did you mean command"),
    ({"layout": "{"}, "layout"),
    ({"layout": {"direction": "horizontal", "splits": [{}] * 65}}, "64"),
    ({"layout": {"direction": "horizontal", "splits": [{}]}}, "splits: has one item, which is no split"),
    (
        {"layout": {"direction": "horizontal", "splits": [{"pane": {"name": "a"}}, {"pane": {"name": "a"}}]}},
        'layout: two panes are called "a"',
    ),
    ({"preset": "tiled", "pane_commands": [{"name": "a"}, {}, {"name": "a"}]}, "pane_commands: two panes are called"),
    ({"preset": "single", "pane_commands": ["cat"] * 3}, "pane_commands: single has 1 place, and 3 are given"),
    ({"preset": "split_horizontal", "pane_commands": ["cat"] * 3}, "split_horizontal has 2 places, and 3 are given"),
    ({"preset": "grid_2x2", "pane_commands": ["cat"] * 7}, "grid_2x2 has 4 places, and 7 are given; name fewer, or"),
    ({"preset": "spiral"}, "preset: .*single, split_horizontal"),
    ({"preset": "tiled"}, "pane_commands: tiled opens as many"),
    ({"layout": {"pane": {}}, "pane_commands": ["x"]}, "pane_commands: belong to a preset"),
    ({"preset": "single", "pane_commands": [{"cmd": "x"}]}, r"pane_commands\[0\]"),
    ({"preset": "single", "pane_commands": [{"name": "left"}]}, "would be read as a target"),
    ({"preset": "single", "window": "@9"}, "no window @9"),
    ({"preset": "single", "session": "nine"}, "no session"),
]


def make(room: Room, origin: Any = None, **arguments: Any) -> LayoutApplied:
    """Run create-layout as a interface would, from arguments that nobody has checked."""
    return room.run(build(CreateLayout, arguments), origin or agent())


@pytest.fixture(autouse=True)
def plain_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")


def test_the_example_layout_of_the_specification_is_built(room: Room) -> None:
    answer = make(room, layout=EDITOR)
    assert answer.success
    assert answer.layout_applied == "custom"
    assert (answer.session_id, answer.session_name, answer.window_id) == ("test", "test", "@1")
    assert [(pane.id, pane.name, pane.position) for pane in answer.panes] == [
        ("%1", "editor", "left"),
        ("%2", "claude-main", "top-right"),
        ("%3", "terminal", "bottom-right"),
    ]
    assert [pane.rect for pane in answer.panes] == [Rect(0, 0, 52, 24), Rect(53, 0, 28, 12), Rect(53, 13, 28, 11)]


@pytest.mark.parametrize("form", [SIXTY_FIVE, json.dumps(SIXTY_FIVE), {"layout": SIXTY_FIVE}])
def test_a_layout_may_be_an_object_or_its_json(room: Room, form: Any) -> None:
    answer = make(room, layout=form)
    assert [pane.rect.cols for pane in answer.panes if pane.rect] == [52, 14, 13, 14, 13]
    assert all(PaneId(pane.id[1:]) in room.mux.terminals for pane in answer.panes)


def test_every_program_starts_at_its_size_and_runs_what_was_asked(room: Room, tmp_path: os.PathLike[str]) -> None:
    where = os.path.realpath(tmp_path)
    sized = {"command": "stty size; pwd; echo $A; exec cat", "cwd": where, "env": {"A": "set"}}
    answer = make(
        room, layout={"direction": "vertical", "splits": [{"ratio": 1, "pane": sized}, {"ratio": 3, "pane": sized}]}
    )
    for pane in answer.panes:
        assert pane.rect is not None
        seen = room.shows(PaneId(pane.id[1:]), "set")
        assert seen.replace("\n", "") == f"{pane.rect.rows} {pane.rect.cols}{where}set"


@pytest.mark.parametrize(
    ("preset", "commands", "positions"),
    [
        ("single", [], ["full"]),
        ("split_horizontal", [], ["left", "right"]),
        ("split_vertical", ["cat"], ["top", "bottom"]),
        ("grid_2x2", [], ["top-left", "top-right", "bottom-left", "bottom-right"]),
        ("main_left", ["cat", {"command": "cat"}, "cat"], ["left", "top-right", "bottom-right"]),
        ("main_top", [], ["top", "bottom-left", "bottom-right"]),
        ("even_horizontal", ["cat"] * 3, ["left", "center", "right"]),
        ("tiled", ["cat"] * 4, ["top-left", "top-right", "bottom-left", "bottom-right"]),
    ],
)
def test_a_preset_opens_its_places(room: Room, preset: str, commands: list[Any], positions: list[str]) -> None:
    answer = make(room, preset=preset, pane_commands=commands)
    assert [pane.position for pane in answer.panes] == positions
    assert answer.layout_applied == preset


def test_a_presets_panes_run_their_commands_in_reading_order(room: Room) -> None:
    answer = make(room, preset="main_left", pane_commands=[{"command": f"echo it is {n}; exec cat"} for n in "abc"])
    for pane, letter in zip(answer.panes, "abc", strict=True):
        room.shows(PaneId(pane.id[1:]), f"it is {letter}")


def test_a_new_layout_gets_a_window_behind_the_one_that_the_user_looks_at(room: Room) -> None:
    first = room.cat()
    answer = make(room, layout=SIXTY_FIVE, name="work")
    assert (answer.window_id, answer.window_name) == ("@2", "work")
    assert room.mux.focused == first
    assert make(room, preset="single", focus=True).window_id == str(room.mux.workspace.active)


def test_the_first_window_of_all_comes_to_the_front(room: Room) -> None:
    assert make(room, preset="split_horizontal").panes[0].id == str(room.mux.focused)


@pytest.mark.parametrize("bad", range(5))
def test_a_layout_with_a_program_that_cannot_start_leaves_nothing(room: Room, bad: int) -> None:
    room.cat()
    before = room.mux.workspace
    places: list[dict[str, Any]] = [{"pane": {"command": "exec sleep 1000"}} for _ in range(5)]
    places[bad] = {"pane": {"command": "cat", "cwd": "/nowhere", "name": "broken"}}
    pids: list[int] = []
    launch = room.launcher.__call__

    def watched(*arguments: Any, **named: Any) -> Any:
        terminal = launch(*arguments, **named)
        pids.append(terminal.pid)
        return terminal

    room.mux._spawner = cast("Any", watched)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(SpawnFailed, match=rf"pane {bad + 1} of 5 \(broken\): no directory '/nowhere'"):
        make(room, layout={"direction": "horizontal", "splits": places})
    assert len(pids) == bad
    assert room.mux.workspace is before
    assert list(room.mux.terminals) == [room.mux.focused]
    for pid in pids:
        room.gone(pid)


@pytest.mark.parametrize(("arguments", "told"), BAD)
def test_a_bad_request_names_its_fault_and_changes_nothing(room: Room, arguments: dict[str, Any], told: str) -> None:
    room.cat()
    before = room.mux.workspace
    with pytest.raises(FugueError, match=told) as caught:
        make(room, **arguments)
    assert isinstance(caught.value, InvalidArgument | NotFound)
    assert room.mux.workspace is before
    assert len(room.mux.terminals) == 1


@pytest.mark.parametrize(("direction", "ratios", "tight"), [("vertical", [1] * 20, 8), ("horizontal", [1, 0.001], 1)])
def test_a_layout_without_room_for_all_is_refused(room: Room, direction: str, ratios: list[float], tight: int) -> None:
    told = f"{tight} of its {len(ratios)} panes would be hidden or one column wide in 81 x 24 cells"
    with pytest.raises(Refused, match=f"no room for this layout: {told}; give them larger ratios"):
        make(room, layout={"direction": direction, "splits": [{"ratio": ratio} for ratio in ratios]})
    assert not room.mux.workspace.windows


def test_a_layout_nested_too_deeply_is_refused(room: Room) -> None:
    layout: dict[str, Any] = {"pane": {}}
    for level in range(3000):
        other = ("horizontal", "vertical")[level % 2]
        layout = {"direction": other, "splits": [{"ratio": 0.5, "layout": layout}, {"ratio": 0.5, "pane": {}}]}
    with pytest.raises(InvalidArgument, match="layout"):
        make(room, layout=layout)
    assert not room.mux.terminals


def test_a_window_takes_a_new_layout_and_loses_no_program(room: Room) -> None:
    first, second = room.cat(), room.cat()
    answer = make(
        room, window="@1", layout=EDITOR | {"splits": [EDITOR["splits"][1], {"ratio": 1, "pane": {"name": "old"}}]}
    )
    names = {pane.id: pane.name for pane in answer.panes}
    assert names[str(first)] == "old"
    assert answer.moved == (str(second),)
    assert answer.moved_to is not None
    assert room.say(f"list-panes --window {answer.moved_to}").panes[0].id == str(second)
    assert room.mux.focused == second
    assert all(terminal.exit is None for terminal in room.mux.terminals.values())


def test_places_that_ask_for_nothing_take_the_windows_panes_in_order(room: Room) -> None:
    opened = [room.cat() for _ in range(3)]
    answer = make(room, window="active", preset="main_left", origin=agent(opened[1]))
    assert [pane.id for pane in answer.panes] == [str(pane) for pane in opened]
    assert (answer.moved, answer.moved_to) == ((), None)
    assert len(room.mux.terminals) == 3


def test_a_failed_replacement_keeps_the_window_as_it_was(room: Room) -> None:
    room.cat()
    before = room.mux.workspace
    with pytest.raises(SpawnFailed, match="nothing was opened"):
        make(room, window="@1", preset="grid_2x2", pane_commands=["cat", {"cwd": "/nowhere"}])
    assert room.mux.workspace is before


def test_the_layout_can_be_seen_with_its_ratios_and_places(room: Room) -> None:
    make(room, layout=EDITOR)
    info = room.run(GetLayout())
    assert info.layout == {
        "direction": "horizontal",
        "splits": [
            {"ratio": 0.65, "pane": {"id": "%1", "name": "editor"}},
            {
                "ratio": 0.35,
                "layout": {
                    "direction": "vertical",
                    "splits": [
                        {"ratio": 0.5, "pane": {"id": "%2", "name": "claude-main"}},
                        {"ratio": 0.5, "pane": {"id": "%3", "name": "terminal"}},
                    ],
                },
            },
        ],
    }
    assert [pane.position for pane in info.panes] == ["left", "top-right", "bottom-right"]
    assert (info.can_undo, info.can_redo, info.zoomed) == (False, False, False)


def test_changes_of_a_layout_are_undone_and_redone(room: Room) -> None:
    first = room.cat()
    room.cat()
    room.say(f"split-pane {first} --direction down --command cat")
    drawn = [room.run(GetLayout()).layout]
    for line in ("select-layout even_vertical", "rotate-panes", f"resize-pane {first} --delta 0.2", "equalize-panes"):
        room.say(line)
        drawn.append(room.run(GetLayout()).layout)
    assert len({json.dumps(each) for each in drawn}) >= 4
    for wanted in drawn[-2::-1]:
        assert room.say("undo-layout").layout == wanted
    for wanted in drawn[1:]:
        assert room.say("redo-layout").layout == wanted
    with pytest.raises(Refused, match="no undone layout"):
        room.say("redo-layout")


def test_an_undo_keeps_the_panes_that_came_and_went(room: Room) -> None:
    first, second, third = room.cat(), room.cat(), room.cat()
    room.say("select-layout even_vertical")
    room.say(f"close-pane {first}")
    fourth = room.opened("create-pane --direction down --command cat")
    info = room.say("undo-layout")
    assert info.can_redo
    assert sorted(room.open) == [second, third, fourth]
    assert info.layout["direction"] == "horizontal"


def test_a_window_that_never_changed_has_nothing_to_undo(room: Room) -> None:
    room.cat()
    with pytest.raises(Refused, match="window @1 has no earlier layout"):
        room.say("undo-layout")


def test_rearranging_shows_all_panes_of_a_zoomed_window(room: Room) -> None:
    first, _ = room.cat(), room.cat()
    room.say(f"zoom-pane {first}")
    assert not room.say("select-layout even_vertical").zoomed


def test_every_interface_lists_all_presets() -> None:
    assert get_args(Preset) == presets.PRESETS
    assert set(CYCLE) <= set(presets.PRESETS)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_next_goes_through_different_layouts_and_comes_round(room: Room, count: int) -> None:
    for _ in range(count):
        room.cat()
    room.say("select-layout even-horizontal")
    seen = [json.dumps(room.say("select-layout next").layout) for _ in range(len(CYCLE))]
    if count == 1:
        assert len(set(seen)) == 1
        return
    assert all(one != other for one, other in pairwise(seen))
    assert len(set(seen)) >= 4
    assert json.dumps(room.say("select-layout previous").layout) == seen[-2]
