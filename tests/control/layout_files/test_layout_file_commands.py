"""Layouts are written to files so that a person can read them and the same comes back; never over other files."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.control.layout_files.layout_file_fixtures import home as home
from tests.control.layout_files.layout_file_fixtures import load, opened_by, save
from tests.multiplexer.conftest import Room

from fugue_tui.errors import CommandError, InvalidArgument, NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import Leaf, Node, Split, tiled
from fugue_tui.workspace.model import Workspace


def windows_of(text: str) -> list[dict[str, Any]]:
    return tomllib.loads(text)["windows"]


def test_what_is_open_is_written_so_that_a_user_can_read_it(room: Room, home: Path) -> None:
    (home / "web").mkdir()
    room.say("create-window --name code --command 'cat -u'")
    room.say("split-pane --ratio 0.65 --name server --cwd web -- cat -n")
    room.say("create-window --name data --command cat --cwd /")
    saved = save(room, f"{home}/.fugue.toml")
    assert saved.path == str(home / ".fugue.toml")
    assert (saved.windows, saved.panes, saved.left_out) == (2, 3, ())
    assert Path(saved.path).read_text() == saved.text
    body = saved.text[saved.text.index("version") :]
    assert body == (
        "version = 1\n"
        'name = "test"\n'
        "\n"
        "[[windows]]\n"
        'name = "code"\n'
        'direction = "horizontal"\n'
        "splits = [\n"
        '    { ratio = 0.65, pane = { command = "cat -u" } },\n'
        '    { ratio = 0.35, pane = { name = "server", command = ["cat", "-n"], cwd = "web", focus = true } },\n'
        "]\n"
        "\n"
        "[[windows]]\n"
        'name = "data"\n'
        "focus = true\n"
        "\n"
        "[windows.pane]\n"
        'command = "cat"\n'
        'cwd = "/"\n'
    )


def shape(node: Node, workspace: Workspace) -> Any:
    """A tree with what is known of its panes in place of their ids."""
    if isinstance(node, Leaf):
        pane = workspace.panes[node.pane]
        return (pane.name, pane.argv, dict(pane.env), pane.on_exit, pane.tags)
    return (node.axis, node.weights, [shape(child, workspace) for child in node.children])


def shapes(workspace: Workspace) -> list[Any]:
    return [
        (
            each.name if each.named else "",
            each.session,
            each.zoomed,
            shape(tiled(each.layout), workspace),
            _focus(tiled(each.layout), each.active),
        )
        for each in workspace.windows
    ]


def _focus(node: Node, pane: PaneId) -> list[int]:
    if isinstance(node, Split):
        for index, child in enumerate(node.children):
            if (found := _focus(child, pane)) or child == Leaf(pane):
                return [index, *found]
    return []


LINES = st.lists(
    st.sampled_from(
        [
            "split-pane --direction vertical -- cat",
            "split-pane --direction left --ratio 0.3 --name 'a \"b\"' -- cat -n",
            "create-window --name two --command 'cat -u'",
            'create-pane --name loud --env \'{"A": "1\\n2"}\' --on-exit keep -- cat',
            "resize-pane --side right --cells 3",
            "equalize-panes",
            "select-layout tiled",
            "rotate-panes",
            "zoom-pane",
            "select-pane next",
            "select-window next",
            "create-session --name other --command cat",
        ]
    ),
    max_size=8,
)


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(LINES)
def test_any_workspace_is_restored_from_its_file(room: Room, home: Path, lines: list[str]) -> None:
    if room.open:
        room.mux.assign(Workspace("test"))
    room.say("create-window --command cat")
    for line in lines:
        try:
            room.say(line)
        except CommandError:
            continue
    before, front = (
        shapes(room.mux.workspace),
        room.mux.workspace.windows.index(room.mux.window(room.mux.workspace.active)),
    )
    save(room, "any.json --overwrite")
    text = save(room, "any.toml --overwrite").text
    room.mux.assign(Workspace("test"))
    loaded = load(room, "./any.toml")
    assert shapes(room.mux.workspace) == before
    assert [str(window.id) for window in room.mux.workspace.windows] == [window.id for window in loaded.windows]
    assert room.mux.workspace.active == room.mux.workspace.windows[front].id
    assert save(room, "any.toml --overwrite").text == text
    room.mux.assign(Workspace("test"))
    load(room, "./any.json")
    assert shapes(room.mux.workspace) == before


def test_directories_are_written_relative_to_the_file_or_to_the_home(room: Room, home: Path, tmp_path: Path) -> None:
    for directory in (home / "web" / "~odd", home.parent / "other", tmp_path / "far"):
        directory.mkdir(parents=True)
    room.say(f"create-window --command cat --cwd {home}")
    for directory in (home / "web", home.parent / "other", home.parent, tmp_path / "far"):
        room.say(f"create-window --command cat --cwd {directory}")
    found = [window["pane"].get("cwd") for window in windows_of(save(room, f"{home}/x.toml").text)]
    assert found == [None, "web", "~/other", "~", str(tmp_path / "far")]
    room.say(f"create-window --command cat --cwd {home}/web/~odd")
    assert windows_of(save(room, f"{home}/web/x.toml --window active").text)[0]["pane"]["cwd"] == "./~odd"
    (pane,) = opened_by(room, lambda: load(room, f"{home}/web/x.toml"))
    assert pane.cwd == f"{home}/web/~odd"


def test_a_layout_file_is_replaced_only_if_asked_and_nothing_else_ever(room: Room, home: Path) -> None:
    room.cat()
    file = Path(save(room, "a.toml").path)
    with pytest.raises(Refused, match="exists already; overwrite replaces it"):
        save(room, "a.toml")
    file.write_text("# by hand\n[[windows]]\n")
    save(room, "a.toml --overwrite")
    assert "by hand" not in file.read_text()
    other = home / "pyproject.toml"
    other.write_text("[project]\n")
    with pytest.raises(Refused, match="is not a layout file, and is not replaced"):
        save(room, "pyproject.toml --overwrite")
    assert other.read_text() == "[project]\n"
    assert sorted(os.listdir(home)) == ["a.toml", "pyproject.toml"]


def test_a_file_that_is_meant_to_be_shared_goes_by_the_umask(room: Room) -> None:
    room.cat()
    before = os.umask(0o027)
    try:
        assert Path(save(room, "a.toml").path).stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)


def test_nothing_is_written_through_a_link(room: Room, home: Path, tmp_path: Path) -> None:
    room.cat()
    (tmp_path / "target.toml").write_text("[[windows]]\n")
    (home / "link.toml").symlink_to(tmp_path / "target.toml")
    (home / "loose.toml").symlink_to(tmp_path / "nothing.toml")
    for name in ("link", "loose"):
        for flag in ("", "--overwrite"):
            with pytest.raises(Refused):
                save(room, f"{name}.toml {flag}")
    assert (tmp_path / "target.toml").read_text() == "[[windows]]\n"
    assert not (tmp_path / "nothing.toml").exists()


TOO_LONG = pytest.param("./" + "b" * 300, id="too long")


@pytest.mark.parametrize(
    "name", ["../up", "a b", "", "-x", "x" * 65, "é", "a/b", TOO_LONG, "~root/x", ".", "..", "a\nb.toml"]
)
def test_names_that_no_layout_can_have_are_refused(room: Room, name: str) -> None:
    room.cat()
    with pytest.raises((InvalidArgument, Refused)):
        room.say(f"save-layout --name='{name}' --format json")


def test_a_directory_that_does_not_exist_is_reported(room: Room) -> None:
    room.cat()
    with pytest.raises(Refused, match="No such file or directory"):
        save(room, "nowhere/a.toml")


def test_what_runs_in_a_shell_is_reported_as_left_out(room: Room) -> None:
    room.say("create-window")
    pane = room.say("split-pane --command cat").id
    room.say(f"focus-pane {pane}")
    room.say("send-input %1 --text 'sleep 100' --submit")
    room.until(lambda: room.mux.terminals[PaneId(1)].foreground == "sleep")
    saved = save(room, "a.toml")
    assert saved.left_out == ("sleep, which runs in the shell of pane %1; a command is saved with its pane",)


def test_values_that_may_be_secret_are_left_out_and_reported(room: Room) -> None:
    room.say("""create-window --command cat""")
    room.say("""create-pane --env '{"api_token": "hunter2", "PORT": "3000"}' -- cat""")
    saved = save(room, "a.toml")
    assert "hunter2" not in saved.text
    assert saved.left_out == ("the variable api_token of pane %2, which may be secret",)
    assert "# Left out: the variable api_token of pane %2, which may be secret.\n" in saved.text
    assert windows_of(saved.text)[0]["splits"][1]["pane"]["env"] == {"PORT": "3000"}
    room.say("create-window --name w -- cat -u --token hunter2")
    saved = save(room, "c --window w")
    assert "hunter2" not in saved.text
    assert saved.left_out == ("a part of the command of pane %3, which may be secret",)
    room.mux.secrets = ("P*",)
    assert "3000" not in save(room, "b.toml").text


def test_one_window_can_be_written_alone(room: Room) -> None:
    room.say("create-window --name one --command cat")
    room.say("create-window --name two --command cat")
    assert [window["name"] for window in windows_of(save(room, "one --window one").text)] == ["one"]
    with pytest.raises(NotFound):
        save(room, "three --window three")


def test_sessions_come_along_unless_there_is_only_one(room: Room) -> None:
    room.say("create-window --command cat")
    assert "session" not in windows_of(save(room, "one").text)[0]
    room.say("create-session --name other --command cat")
    assert [window.get("session") for window in windows_of(save(room, "two").text)] == [None, "other"]
    loaded = load(room, "two")
    assert [window.session for window in loaded.windows] == ["other", "other"]
    assert {window.session for window in load(room, "two --session third").windows} == {"third"}
