"""Words on the command line that start a workspace, and those that only look like it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command_line import Shell
from tests.command_line import shell as shell
from tests.mcp.conftest import Served
from tests.mcp.conftest import private_dir as private_dir
from tests.mcp.conftest import serve as serve
from tests.mcp.conftest import served as served

from fugue_tui.cli import main
from fugue_tui.start import StartOptions


def test_the_words_after_the_workspace_are_the_first_program(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[StartOptions] = []

    def start(options: StartOptions) -> int:
        asked.append(options)
        return 7

    def show(options: StartOptions) -> int:
        return start(options) + 1

    def serve(options: StartOptions) -> int:
        return start(options) + 2

    monkeypatch.setattr("fugue_tui.start.start", start)
    monkeypatch.setattr("fugue_tui.start.show", show)
    monkeypatch.setattr("fugue_tui.start.serve", serve)
    assert main.run(["dev", "--engine", "pyte", "--", "vim", "--clean"]) == 7
    assert main.run(["-e", "make test", "--socket=/x/y.sock", "--config", "c.toml"]) == 7
    assert main.run(["my-project"]) == 7
    assert main.run(["--foreground", "--prefix=ctrl+a"]) == 8
    assert main.run(["serve", "dev", "--", "--help"]) == 9
    assert asked == [
        StartOptions("dev", command=("vim", "--clean"), engine="pyte"),
        StartOptions(socket="/x/y.sock", config="c.toml", command="make test"),
        StartOptions("my-project"),
        StartOptions(prefix="ctrl+a"),
        StartOptions("dev", command=("--help",)),
    ]


@pytest.mark.parametrize(
    "words",
    [["my-project"], ["my-project", "--", "vim"], ["my-project", "--engine=pyte"], ["--workspace", "close-pan"]],
)
def test_a_word_that_is_no_command_names_a_workspace_whatever_runs(
    monkeypatch: pytest.MonkeyPatch, private_dir: Path, serve: Callable[..., Served], words: list[str]
) -> None:
    asked: list[str] = []

    def start(options: StartOptions) -> int:
        asked.append(options.workspace)
        return 7

    monkeypatch.setattr("fugue_tui.start.start", start)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    (private_dir / "fugue-tui").mkdir(mode=0o700)
    for count in range(3):
        assert main.run(words) == 7, f"{count} workspaces run"
        serve(name=f"fugue-tui/other{count}")
    assert set(asked) == {words[words[0] == "--workspace"]}


def test_a_workspace_that_runs_is_found_by_a_name_that_looks_like_a_command(
    private_dir: Path, serve: Callable[..., Served], shell: Shell
) -> None:
    (private_dir / "fugue-tui").mkdir(mode=0o700)
    for name in ("my-project", "list-panes"):
        serve(name=f"fugue-tui/{name}")
    assert "a workspace is shown on a terminal, and stdin is none" in shell("my-project").stderr
    assert "several workspaces run (list-panes, my-project)" in shell("list-panes").stderr


@pytest.mark.parametrize("word", ["close-pan", "list-pane", "splitpane", "split_pane", "reflct", "confg"])
def test_a_word_that_looks_like_a_mistyped_command_starts_nothing(served: Served, shell: Shell, word: str) -> None:
    for env in ({}, {"FUGUE_SOCKET": served.path}):
        done = shell(word, **env)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"no command {word}; did you mean " in done.stderr
        assert len(done.stderr.splitlines()) == 1
