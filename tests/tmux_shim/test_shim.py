"""The `tmux` on the PATH of programs: what it sends to the workspace, what to another tmux, and how it fails."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from fugue_tui.errors import SocketError
from fugue_tui.tmux_shim import install, shim

OWN = "/run/user/0/fugue-tui/main.sock"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the workspace is asked for; what another tmux gets begins with `real`."""
    calls = list[list[str]]()

    def ask(path: str, command: list[str]) -> int:
        assert path == OWN
        calls.append(command)
        return 0

    def real(words: list[str]) -> int:
        calls.append(["real", *words])
        return 0

    monkeypatch.setattr(shim, "ask", ask)
    monkeypatch.setattr(shim, "real", real)
    monkeypatch.setenv("FUGUE_SOCKET", OWN)
    monkeypatch.setenv("TMUX", f"{OWN},1,0")
    return calls


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        (["list-panes", "-F", "#D"], ["list-panes", "-F", "#D"]),
        (["-S", OWN, "kill-pane", "-t", "%1"], ["kill-pane", "-t", "%1"]),
        ([f"-S{OWN}", "-u", "ls"], ["ls"]),
        ([], ["new-session"]),
        (["-S", "/tmp/other", "ls"], ["real", "-S", "/tmp/other", "ls"]),
        (["-L", "swarm", "ls"], ["real", "-L", "swarm", "ls"]),
    ],
)
def test_calls_go_to_the_workspace_around_or_to_another_tmux(
    asked: list[list[str]], words: list[str], calls: list[str]
) -> None:
    assert shim.main(words) == 0
    assert asked == [calls]


@pytest.mark.parametrize(
    ("tmux", "words", "own"),
    [
        ("/tmp/tmux-0/default,7,0", ["ls"], False),
        ("", ["ls"], True),
        ("", ["new-session", "-d", "-s", "x"], True),
        ("", ["new-session"], False),
        ("", ["attach"], False),
        ("", [], False),
    ],
)
def test_in_another_tmux_and_without_one_a_terminal_is_attached_by_the_real_one(
    asked: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmux: str, words: list[str], *, own: bool
) -> None:
    monkeypatch.setenv("TMUX", tmux)
    shim.main(words)
    assert asked == [words if own else ["real", *words]]


def test_the_version_is_that_of_the_commands(asked: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert shim.main(["-V"]) == 0
    assert capsys.readouterr().out == f"tmux {shim.VERSION}\n"
    assert asked == []


@pytest.mark.parametrize("words", [["-S"], ["-Q"], ["-C", "ls"]])
def test_wrong_flags_fail(asked: list[list[str]], capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert shim.main(words) == 1
    assert capsys.readouterr().err.startswith("tmux: ")
    assert asked == []


def test_the_next_tmux_on_path_takes_the_place_of_this_one(tmp_path: Path) -> None:
    real = tmp_path / "tmux"
    real.write_text('#!/bin/sh\necho "real $*"\n')
    real.chmod(0o755)
    env = install.environment(OWN, f"{tmp_path}:/usr/bin:/bin")
    words = ["sh", "-c", "tmux -L other ls; tmux has-session; echo $?"]
    found = subprocess.run(words, env=env | {"FUGUE_SOCKET": OWN}, capture_output=True, text=True, check=True)
    assert found.stdout == "real -L other ls\n1\n"
    assert found.stderr.startswith(f"error connecting to {OWN} (")


def test_it_starts_without_the_rest_of_the_program() -> None:
    program = "import sys; from importlib import util; " + (
        f"spec = util.spec_from_file_location('shim', {shim.__file__!r}); module = util.module_from_spec(spec); "
        "spec.loader.exec_module(module); print(any(name.startswith('fugue_tui') for name in sys.modules))"
    )
    words = [sys.executable, "-I", "-S", "-c", program]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "False\n"


def test_it_is_written_once_for_the_user_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = install.installed()
    file = os.path.join(folder, "tmux")
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    before = os.stat(file).st_mtime_ns
    assert install.installed() == folder
    assert os.stat(file).st_mtime_ns == before
    os.unlink(file)
    os.chmod(folder, 0o777)
    with pytest.raises(SocketError, match="others may enter it"):
        install.installed()
    os.chmod(folder, 0o700)
    assert os.path.isfile(os.path.join(install.installed(), "tmux"))


def test_its_directory_comes_first_on_path_once() -> None:
    folder = install.installed()
    path = install.environment(OWN, f"/bin:{folder}:/usr/bin")["PATH"]
    assert path == f"{folder}:/bin:/usr/bin"
