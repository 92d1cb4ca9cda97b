"""Which workspace a bridge connects to, whatever variables its client has removed."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fugue_tui.errors import NotRunning, SocketError
from fugue_tui_mcp.bridge.workspace_choice import WorkspaceChoice

LISTENS = """
import json, os, subprocess, sys
from fugue_tui_mcp.listener import listen_as
listener = listen_as(sys.argv[1])
command = json.loads(sys.argv[2])
print(listener.id, flush=True)
if command:
    home = {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"]}
    sys.exit(subprocess.run([*command, listener.id], env=home).returncode)
sys.stdin.read()
listener.close()
"""
"""A workspace's server as far as it concerns a bridge; with a command, this is a program of one of its panes."""
JOINS = """
import sys
from fugue_tui_mcp.bridge.workspace_choice import WorkspaceChoice
choice = WorkspaceChoice()
choice.connect(5.0).close()
assert choice.joined.id == sys.argv[-1], choice.joined
"""
Start = Callable[[str], str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, private_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home directory and a directory for sockets in which nothing runs."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    """The servers that run; they are ended."""
    running: list[subprocess.Popen[str]] = []
    yield running
    for each in running:
        each.communicate()


@pytest.fixture
def start(started: list[subprocess.Popen[str]]) -> Start:
    """Starts servers by their names; the id."""

    def begin(name: str) -> str:
        command = [sys.executable, "-c", LISTENS, name, "[]"]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout
        return started[-1].stdout.readline().strip()

    return begin


@pytest.fixture
def end(started: list[subprocess.Popen[str]]) -> Callable[[], None]:
    """Ends the server that was started last."""
    return lambda: started.pop().communicate() and None


def stripped() -> dict[str, str]:
    """The variables that the MCP SDKs pass to a server, in part."""
    return {name: os.environ[name] for name in ("HOME", "PATH")}


def joined(choice: WorkspaceChoice) -> str:
    """The id of the workspace that a bridge connects to."""
    choice.connect(5.0).close()
    assert choice.joined is not None
    return choice.joined.id


def test_the_only_workspace_is_found_without_any_variable_but_home(start: Start) -> None:
    main = start("shop")
    assert joined(WorkspaceChoice()) == main
    assert joined(WorkspaceChoice(env=stripped())) == main
    assert joined(WorkspaceChoice("shop", env=stripped())) == main


def test_of_several_main_is_chosen_or_all_are_named(start: Start) -> None:
    start("bb")
    second = start("aa")
    with pytest.raises(SocketError, match=r"several workspaces run \(aa, bb\); join one with fugue_join_workspace"):
        WorkspaceChoice(env=stripped()).connect(5.0)
    choice = WorkspaceChoice(env=stripped())
    choice.join("aa", 5.0).close()
    assert joined(choice) == second
    main = start("main")
    assert joined(choice) == second
    assert joined(WorkspaceChoice(env=stripped())) == main


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="ancestors are asked of ps")
def test_a_program_of_a_pane_finds_the_innermost_workspace_around_it(start: Start) -> None:
    start("main")
    inner = [sys.executable, "-c", LISTENS, "inner", json.dumps([sys.executable, "-c", JOINS])]
    outer = [sys.executable, "-c", LISTENS, "outer", json.dumps([sys.executable, "-c", JOINS])]
    assert subprocess.run(outer, stdout=subprocess.DEVNULL, check=False).returncode == 0
    around = f"import os, sys; os.environ.update({dict(os.environ)!r}); os.execv(sys.executable, {inner!r})"
    outer[-1] = json.dumps([sys.executable, "-c", around])
    assert subprocess.run(outer, stdout=subprocess.DEVNULL, check=False).returncode == 0


def test_a_named_workspace_or_socket_wins_over_the_one_around(start: Start, private_dir: Path) -> None:
    other = start("other")
    env = {**os.environ, "FUGUE_SOCKET": str(private_dir / "fugue-tui" / "none.sock")}
    assert joined(WorkspaceChoice("other", env=env)) == other
    assert joined(WorkspaceChoice(path=str(private_dir / "fugue-tui" / "other.sock"), env=env)) == other
    assert joined(WorkspaceChoice(env={**env, "FUGUE_SOCKET": str(private_dir / "fugue-tui" / "other.sock")})) == other


def test_a_client_stays_with_its_workspace_by_id(start: Start) -> None:
    first = start("aa")
    choice = WorkspaceChoice("aa")
    assert joined(choice) == first
    assert choice.joined is not None
    choice.joined = type(choice.joined)("aa", 1, choice.joined.socket, "0123abcd")
    with pytest.raises(SocketError, match=rf"aa \(0123abcd\), to which .* has ended, and aa \({first}\) is another"):
        choice.connect(5.0)
    choice.joined = type(choice.joined)("bb", 1, "", "0123abcd")
    with pytest.raises(NotRunning, match=r"workspace bb \(0123abcd\) is not running"):
        choice.connect(5.0)
    choice.join("aa", 5.0).close()
    assert joined(choice) == first


def test_a_record_of_another_process_than_listens_is_not_believed(start: Start, tmp_path: Path) -> None:
    start("aa")
    (record,) = (tmp_path / ".local" / "state" / "fugue-tui" / "running").iterdir()
    record.write_text("\n".join([str(os.getppid()), *record.read_text().split("\n")[1:]]))
    with pytest.raises(NotRunning, match="does not listen"):
        WorkspaceChoice("aa", env=stripped()).connect(5.0)


def test_a_client_stays_with_the_process_of_a_workspace_that_cannot_keep_its_id(
    start: Start, end: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    monkeypatch.setenv("FUGUE_STATE", str(tmp_path / "open"))
    assert start("aa") == ""
    choice = WorkspaceChoice()
    assert joined(choice) == joined(choice) == ""
    assert [choice.has_joined(each) for each in choice.running()] == [True]
    end()
    start("aa")
    with pytest.raises(
        SocketError, match=r"aa, to which .* has ended, and aa is another one .* with the name aa joins"
    ):
        choice.connect(5.0)
    assert [each.name for each in choice.elsewhere()] == ["aa"]
    choice.join("aa", 5.0).close()
    assert joined(choice) == ""
    assert choice.elsewhere() == []
