"""Layouts from files: all windows open or none, and what is wrong with a file is told where."""

import asyncio
import json
import os
from pathlib import Path

import pytest
from tests.control.layout_files.layout_file_fixtures import file_of, listed, load, opened_by, save
from tests.control.layout_files.layout_file_fixtures import home as home
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.layout_files import LoadLayout
from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.layout_files import catalog
from fugue_tui.errors import InvalidArgument, NotFound, SpawnFailed


def test_a_layout_with_a_name_opens_where_it_is_asked_for(room: Room, home: Path, tmp_path: Path) -> None:
    (home / "web").mkdir()
    room.say("create-window --name code --command cat")
    room.say("split-pane --cwd web -- cat")
    saved = save(room, "mine")
    assert saved.path == str(tmp_path / "config" / "layouts" / "mine.toml")
    assert (tmp_path / "config" / "layouts").stat().st_mode & 0o777 == 0o700
    (tmp_path / "elsewhere" / "web").mkdir(parents=True)
    panes = opened_by(room, lambda: load(room, f"mine --cwd {tmp_path}/elsewhere"))
    assert [pane.cwd for pane in panes] == [f"{tmp_path}/elsewhere", f"{tmp_path}/elsewhere/web"]


def test_a_file_may_be_json(room: Room, home: Path) -> None:
    room.say("create-window --name code --command cat")
    saved = save(room, "shop --format json")
    assert saved.path.endswith("layouts/shop.json")
    assert json.loads(saved.text)["windows"] == [{"name": "code", "pane": {"command": "cat"}}]
    assert load(room, "shop").windows[0].name == "code"
    with pytest.raises(InvalidArgument, match=r"json goes with a path that ends in \.json"):
        save(room, "x.toml --format json")


def test_loading_takes_the_focus_only_for_a_user(room: Room, home: Path) -> None:
    first = room.cat()
    file_of(home, "pane = {command = 'cat'}", "focus = true\npreset = 'even_horizontal'\npanes = [{}, {focus = true}]")
    load(room, ".", agent(first))
    assert room.mux.focused == first
    loaded = load(room, ".")
    assert str(room.mux.focused) == loaded.panes[2].id
    assert loaded.windows[1].active


def test_all_windows_open_or_none(room: Room, home: Path) -> None:
    room.cat()
    before, open_before = room.mux.workspace, dict(room.mux.terminals)
    for broken, said in (
        (
            "pane = {command = ['no-such-program']}",
            "pane 3 of 3: no program 'no-such-program' on PATH; nothing was opened",
        ),
        ("pane = {name = 'x', cwd = 'gone'}", r"pane 3 of 3 \(x\): .*no directory '.*/gone'; .*; nothing was opened"),
    ):
        file_of(home, "preset = 'split_vertical'\npanes = [{command = 'cat'}, {command = 'cat'}]", broken)
        with pytest.raises(SpawnFailed, match=said):
            load(room, ".")
        assert room.mux.workspace is before
        assert room.mux.terminals == open_before


def test_nothing_opens_once_the_call_is_cancelled(room: Room, home: Path) -> None:
    room.cat()
    file_of(home, "")
    before = room.mux.workspace
    answer = LoadLayout(name=".").run(room.mux, USER)
    room.turn(0.0)  # The file is being read.
    assert answer.cancel()
    room.until(lambda: not asyncio.all_tasks())
    assert room.mux.workspace is before


def test_names_in_a_file_are_checked_before_anything_opens(room: Room, home: Path) -> None:
    room.cat()
    file = file_of(home, "", "name = '%3'")
    with pytest.raises(InvalidArgument, match=r"windows\[1\]: name: %3 would be read as a target"):
        load(room, ".")
    file.write_text(
        '[[windows]]\n[[windows]]\nsplits = [{}, {pane = {name = "\\u001b[31m\\u200b"}}]\ndirection = "down"'
    )
    with pytest.raises(InvalidArgument, match=r"windows\[1\]: pane 2: name: nothing printable"):
        load(room, ".")
    file_of(home, "name = '[@click=app.quit]x[/]'\npane = {command = 'cat', name = '[red]y'}")
    assert load(room, ".").panes[0].name == "[red]y"


FILES: list[tuple[bytes, str]] = [
    (b"", "is not a layout file; it lists no [[windows]]"),
    (b"secret = 'hunter2'", "is not a layout file"),
    (b"secret hunter2", "is not a layout file"),
    (b"\xff\xfe", "is not a layout file"),
    (b"a" * (catalog.SIZE_LIMIT + 1), f"larger than {catalog.SIZE_LIMIT} bytes"),
    (b"[[windows]]\nname = \n", "shop/x.toml:2:8: Invalid value"),
    (b"[[windows]]\n\xff", "shop/x.toml:2: not UTF-8"),
    (b"[[windows]]\nnmae = 1", "shop/x.toml: windows[0].nmae: no such key; did you mean name?"),
    (b"[[windows]]\nsplits = " + b"[" * 5000, "nested too deeply"),
    (b"[[windows]]\n\n" + b"a." * 60_000 + b"b = 1", "shop/x.toml:3: a key of more than 32 parts"),
    (b"[[windows]]\n[" + b"'a' . " * 40_000 + b"b]", "shop/x.toml:2: a key of more than 32 parts"),
]


@pytest.mark.parametrize(("content", "said"), FILES, ids=range(len(FILES)))
def test_a_file_that_is_wrong_is_reported_where(room: Room, home: Path, content: bytes, said: str) -> None:
    room.cat()
    (home / "x.toml").write_bytes(content)
    with pytest.raises(InvalidArgument) as caught:
        load(room, "x.toml")
    assert said in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_json_that_is_wrong_is_reported_where(room: Room, home: Path) -> None:
    room.cat()
    (home / "x.json").write_text('{"windows": [\n  {"zoom": }]}')
    with pytest.raises(InvalidArgument, match=r"x\.json:2:12: Expecting value"):
        load(room, "x.json")
    (home / "x.json").write_text('{"key": "hunter2"}')
    with pytest.raises(InvalidArgument, match=r"is not a layout file; it lists no \[\[windows\]\]$"):
        load(room, "x.json")


def test_what_is_no_file_of_ones_own_is_not_read(room: Room, home: Path) -> None:
    room.cat()
    os.mkfifo(home / "pipe.toml")
    (home / "folder.toml").mkdir()
    (home / "zero.toml").symlink_to("/dev/zero")
    anyone = home / "anyone.toml"
    anyone.write_text("[[windows]]\n")
    anyone.chmod(0o666)
    for name, said in (
        ("pipe.toml", "not a regular file"),
        ("zero.toml", "not a regular file"),
        ("anyone.toml", "anyone can write to it; chmod o-w mends that"),
        ("/etc/passwd", "does not end in .toml or .json"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            load(room, name)
    with pytest.raises(NotFound, match="no such file"):
        load(room, "folder.toml")
    with pytest.raises(NotFound, match=r"no layout monitorin; did you mean monitoring\?"):
        load(room, "monitorin")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_another_users_file_is_not_read(room: Room, home: Path) -> None:
    room.cat()
    os.chown(file_of(home, ""), 65534, -1)
    with pytest.raises(InvalidArgument, match="belongs to another user"):
        load(room, ".")


def test_a_command_line_means_paths_from_where_it_is(room: Room, home: Path) -> None:
    room.cat()
    (home / "deep").mkdir()
    os.chdir(home / "deep")
    here = Origin(Interface.CLI, pid=os.getpid())
    assert save(room, "x.toml", here).path == str(home / "deep" / "x.toml")
    file_of(home, "name = 'p'")
    (project, *_) = listed(room, here).layouts
    assert project.path == str(home / ".fugue.toml")


def test_the_first_windows_of_all_may_come_from_a_file(room: Room, home: Path) -> None:
    file_of(home, "name = 'one'", "name = 'two'\nfocus = true\nsession = 's'")
    loaded = load(room, ".")
    assert [window.session for window in loaded.windows] == ["test", "s"]
    assert room.mux.front is not None
    assert room.mux.front.name == "two"
