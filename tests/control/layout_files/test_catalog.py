"""Layouts that there are: the person's own, those that come along, and what is said of them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.control.layout_files.layout_file_fixtures import file_of, listed, opened_by, save
from tests.control.layout_files.layout_file_fixtures import home as home
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.layout_files import LoadedLayout
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId

PRESETS = {
    "debug-session": ["code", "logs", "debugger"],
    "full-stack": ["frontend", "backend", "db", "tests"],
    "agent-team-3": ["leader", "worker1", "worker2"],
    "monitoring": ["processes", "logs", "metrics"],
}
INSTALLED = "an installed program"


def test_layouts_are_listed_with_what_is_wrong_with_them(room: Room, home: Path, tmp_path: Path) -> None:
    room.cat()
    file_of(home, "", "")
    save(room, "mine")
    own = tmp_path / "config" / "layouts"
    (own / "bad.toml").write_text("[[windows]]\nzoom = 3\n")
    (own / "monitoring.toml").write_text('description = "My own \\u001b[31m"\n[[windows]]\n')
    (own / "notes.txt").write_text("")
    found = listed(room)
    assert found.directory == str(own)
    assert [(each.name, each.kind.value) for each in found.layouts] == [
        (str(home / ".fugue.toml"), "project"),
        ("bad", "own"),
        ("mine", "own"),
        ("monitoring", "own"),
        ("agent-team-3", "shipped"),
        ("debug-session", "shipped"),
        ("full-stack", "shipped"),
    ]
    by_name = {each.name: each for each in found.layouts}
    assert by_name["bad"].fault.endswith("windows[0].zoom: 3 is not true or false")
    assert by_name["monitoring"].description == "My own"
    assert (by_name["full-stack"].windows, by_name["full-stack"].panes) == (1, 4)
    assert by_name[str(home / ".fugue.toml")].windows == 2


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("name", PRESETS)
def test_every_workspace_that_comes_along_opens_on_any_machine(
    room: Room, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, bare: bool
) -> None:
    room.cat()
    folder = bare_path(tmp_path)
    monkeypatch.setenv("PATH", str(folder))
    if not bare:
        install_optional(folder)
    loaded: LoadedLayout = room.say(f"load-workspace {name}")
    assert [pane.name for pane in loaded.panes] == PRESETS[name]
    assert ("start-team agent-team-3" in loaded.note) == (name == "agent-team-3")
    assert all(pane.rect is not None and pane.rect.cols >= 20 for pane in loaded.panes)
    panes = [PaneId(int(pane.id[1:])) for pane in loaded.panes]
    assert all(room.mux.workspace.panes[pane].tags for pane in panes)
    room.until(lambda: all(room.text(pane).strip() for pane in panes), lambda: str([room.text(p) for p in panes]))
    assert not room.mux.exits, [room.text(pane) for pane in room.mux.exits]
    assert not any("not found" in room.text(pane) for pane in panes), [room.text(pane) for pane in panes]
    started = any(INSTALLED in room.text(pane) for pane in panes)
    assert started == (not bare and name != "full-stack"), [room.text(pane) for pane in panes]


def bare_path(room: Path) -> Path:
    """A PATH with what every POSIX system has, and nothing more."""
    (room / "bin").mkdir()
    for program in (
        "sh",
        "cat",
        "ps",
        "sort",
        "head",
        "sleep",
        "grep",
        "tail",
        "date",
        "uptime",
        "df",
        "awk",
        "sed",
        "cut",
    ):
        (room / "bin" / program).symlink_to(shutil.which(program) or "/bin/false")
    return room / "bin"


def install_optional(folder: Path) -> None:
    """Add stand-ins for the programs that the shipped workspaces start where they are installed."""
    for program in ("claude", "vim", "htop", "gdb"):
        (folder / program).write_text(f"#!/bin/sh\necho {INSTALLED}\nexec cat\n")
        (folder / program).chmod(0o755)


def test_a_shipped_workspace_uses_the_given_directory_and_commands(room: Room, home: Path) -> None:
    room.cat()
    (home / "logs").mkdir()
    (home / "logs" / "app.log").write_text("something happened\n")
    panes = opened_by(
        room, lambda: room.say(f"""load-workspace debug-session --cwd {home} --commands '{{"code": "cat -n"}}'""")
    )
    assert {pane.cwd for pane in panes} == {str(home)}
    assert panes[0].argv == ("/bin/sh", "-c", "cat -n")
    room.shows(panes[1].id, "something happened")
    with pytest.raises(InvalidArgument, match='no pane is called "cod"; there are code, debugger, logs'):
        room.say("""load-workspace debug-session --commands '{"cod": "cat"}'""")
    with pytest.raises(InvalidArgument, match="load-layout opens files by path"):
        room.say("load-workspace ./x.toml")


def test_create_layout_says_tags_and_focus_like_a_file(room: Room) -> None:
    layout: dict[str, Any] = {
        "direction": "right",
        "splits": [{"pane": {}}, {"pane": {"tags": ["b", "a"], "focus": True}}],
    }
    made = room.say(f"create-layout --layout '{json.dumps(layout)}'")
    assert str(room.mux.focused) == made.panes[1].id
    assert room.mux.workspace.panes[PaneId(int(made.panes[1].id[1:]))].tags == {"a", "b"}
    window = room.mux.front
    assert window is not None
    again: dict[str, Any] = {"direction": "down", "splits": [{"pane": {"focus": True}}, {"pane": {}}]}
    room.say(f"create-layout --window {window.id} --layout '{json.dumps(again)}'")
    assert str(room.mux.focused) == made.panes[0].id
