"""Layouts in files: saved, listed, loaded; whole or not at all; and never a way into other files."""

import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control import library
from fugue_tui.control.command import PERSON, Door, Origin
from fugue_tui.control.layout_files import LayoutList, LoadedLayout, LoadLayout, SavedLayout
from fugue_tui.errors import CommandError, InvalidArgument, NotFound, Refused, SpawnFailed
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import Leaf, Node, Split
from fugue_tui.workspace.model import Pane, Workspace

PRESETS = {
    "debug-session": ["code", "logs", "debugger"],
    "full-stack": ["frontend", "backend", "db", "tests"],
    "agent-team-3": ["leader", "worker1", "worker2"],
    "monitoring": ["processes", "logs", "metrics"],
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a project in it, in which everything happens."""
    project = tmp_path / "home" / "shop"
    project.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FUGUE_CONFIG", str(tmp_path / "config" / "config.toml"))
    monkeypatch.setenv("SHELL", "/bin/sh")
    for name in ("VISUAL", "EDITOR", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project)
    return project


def save(room: Room, line: str, origin: Origin = PERSON) -> SavedLayout:
    return room.say(f"save-layout {line}", origin)


def load(room: Room, line: str, origin: Origin = PERSON) -> LoadedLayout:
    return room.say(f"load-layout {line}", origin)


def listed(room: Room, origin: Origin = PERSON) -> LayoutList:
    return room.say("list-layouts", origin)


def windows_of(text: str) -> list[dict[str, Any]]:
    return tomllib.loads(text)["windows"]


def file_of(home: Path, *windows: str) -> Path:
    """A project's file with these windows."""
    file = home / ".fugue.toml"
    file.write_text("".join(f"[[windows]]\n{window}\n" for window in windows))
    return file


def opened_by(room: Room, action: Any) -> list[Pane]:
    """The panes that came by something, in reading order."""
    before = set(room.open)
    action()
    return [room.mux.workspace.panes[pane] for pane in room.open if pane not in before]


def test_what_is_open_is_written_so_that_a_person_can_read_it(room: Room, home: Path) -> None:
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
            shape(each.layout, workspace),
            _focus(each.layout, each.active),
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


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(LINES)
def test_any_workspace_comes_back_from_its_file(room: Room, home: Path, lines: list[str]) -> None:
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


def test_a_file_may_be_json(room: Room, home: Path) -> None:
    room.say("create-window --name code --command cat")
    saved = save(room, "shop --format json")
    assert saved.path.endswith("layouts/shop.json")
    assert json.loads(saved.text)["windows"] == [{"name": "code", "pane": {"command": "cat"}}]
    assert load(room, "shop").windows[0].name == "code"
    with pytest.raises(InvalidArgument, match=r"json goes with a path that ends in \.json"):
        save(room, "x.toml --format json")


def test_a_layout_file_is_replaced_only_if_asked_and_nothing_else_ever(room: Room, home: Path) -> None:
    room.cat()
    file = Path(save(room, "a.toml").path)
    with pytest.raises(Refused, match="is there already; overwrite replaces it"):
        save(room, "a.toml")
    file.write_text("# by hand\n[[windows]]\n")
    save(room, "a.toml --overwrite")
    assert "by hand" not in file.read_text()
    other = home / "pyproject.toml"
    other.write_text("[project]\n")
    with pytest.raises(Refused, match="is no layout file, and is not replaced"):
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


def test_a_directory_that_is_not_there_is_told(room: Room) -> None:
    room.cat()
    with pytest.raises(Refused, match="No such file or directory"):
        save(room, "nowhere/a.toml")


def test_values_that_may_be_secret_are_left_out_and_told(room: Room) -> None:
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


def test_loading_takes_the_focus_only_for_a_person(room: Room, home: Path) -> None:
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


def test_nothing_opens_once_nobody_wants_it(room: Room, home: Path) -> None:
    room.cat()
    file_of(home, "")
    before = room.mux.workspace
    answer = LoadLayout(name=".").run(room.mux, PERSON)
    room.until(lambda: not room.calls.empty(), playing=False)
    assert answer.cancel()
    room.until(lambda: room.calls.empty())
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
    (b"a" * (library.SIZE_LIMIT + 1), f"larger than {library.SIZE_LIMIT} bytes"),
    (b"[[windows]]\nname = \n", "shop/x.toml:2:8: Invalid value"),
    (b"[[windows]]\n\xff", "shop/x.toml:2: not UTF-8"),
    (b"[[windows]]\nnmae = 1", "shop/x.toml: windows[0]: has no key 'nmae'; did you mean 'name'?"),
    (b"[[windows]]\nsplits = " + b"[" * 5000, "nested too deeply"),
    (b"[[windows]]\n\n" + b"a." * 60_000 + b"b = 1", "shop/x.toml:3: a key of more than 32 parts"),
    (b"[[windows]]\n[" + b"'a' . " * 40_000 + b"b]", "shop/x.toml:2: a key of more than 32 parts"),
]


@pytest.mark.parametrize(("content", "said"), FILES, ids=range(len(FILES)))
def test_a_file_that_is_wrong_is_told_where(room: Room, home: Path, content: bytes, said: str) -> None:
    room.cat()
    (home / "x.toml").write_bytes(content)
    with pytest.raises(InvalidArgument) as caught:
        load(room, "x.toml")
    assert said in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_json_that_is_wrong_is_told_where(room: Room, home: Path) -> None:
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
    here = Origin(Door.CLI, pid=os.getpid())
    assert save(room, "x.toml", here).path == str(home / "deep" / "x.toml")
    file_of(home, "name = 'p'")
    (project, *_) = listed(room, here).layouts
    assert project.path == str(home / ".fugue.toml")


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
    assert by_name["bad"].fault.endswith("windows[0].zoom: must be true or false, not a number")
    assert by_name["monitoring"].description == "My own"
    assert (by_name["full-stack"].windows, by_name["full-stack"].panes) == (1, 4)
    assert by_name[str(home / ".fugue.toml")].windows == 2


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("name", PRESETS)
def test_every_workspace_that_comes_along_opens_on_any_machine(
    room: Room, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, bare: bool
) -> None:
    room.cat()
    if bare:
        monkeypatch.setenv("PATH", str(bare_path(tmp_path)))
    loaded: LoadedLayout = room.say(f"load-workspace {name}")
    assert [pane.name for pane in loaded.panes] == PRESETS[name]
    assert all(pane.rect is not None and pane.rect.cols >= 20 for pane in loaded.panes)
    panes = [PaneId(int(pane.id[1:])) for pane in loaded.panes]
    assert all(room.mux.workspace.panes[pane].tags for pane in panes)
    room.until(lambda: all(room.text(pane).strip() for pane in panes), lambda: str([room.text(p) for p in panes]))
    assert not room.mux.exits, [room.text(pane) for pane in room.mux.exits]
    if bare:
        assert not any("not found" in room.text(pane) for pane in panes), [room.text(pane) for pane in panes]


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


def test_a_workspace_works_where_it_is_told_to_and_runs_what_it_is_told(room: Room, home: Path) -> None:
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


def test_the_first_windows_of_all_may_come_from_a_file(room: Room, home: Path) -> None:
    file_of(home, "name = 'one'", "name = 'two'\nfocus = true\nsession = 's'")
    loaded = load(room, ".")
    assert [window.session for window in loaded.windows] == ["test", "s"]
    assert room.mux.front is not None
    assert room.mux.front.name == "two"


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
