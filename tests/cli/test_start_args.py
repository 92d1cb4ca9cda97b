"""Words on the command line that start a workspace, and those that only look like it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.command_line import Shell
from tests.cli.command_line import in_process as in_process
from tests.cli.command_line import shell as shell
from tests.mcp.conftest import Served
from tests.mcp.conftest import serve as serve
from tests.mcp.conftest import served as served

from fugue_tui.cli import main
from fugue_tui.server_start import StartOptions
from fugue_tui.store.store import Store

pytestmark = pytest.mark.slow


def test_the_words_after_the_workspace_are_the_first_program(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[StartOptions] = []

    def start(options: StartOptions) -> int:
        asked.append(options)
        return 7

    def show(options: StartOptions) -> int:
        return start(options) + 1

    def serve(options: StartOptions) -> int:
        return start(options) + 2

    monkeypatch.setattr("fugue_tui.server_start.start", start)
    monkeypatch.setattr("fugue_tui.server_start.show", show)
    monkeypatch.setattr("fugue_tui.server_start.serve", serve)
    assert main.run(["new", "dev", "--engine", "pyte", "--", "vim", "--clean"]) == 7
    assert main.run(["-e", "make test", "--socket=/x/y.sock", "--config", "c.toml"]) == 7
    assert main.run(["new", "my-project"]) == 7
    assert main.run(["--foreground", "--prefix=ctrl+a"]) == 8
    assert main.run(["serve", "dev", "--", "--help"]) == 9
    assert asked == [
        StartOptions("dev", command=("vim", "--clean"), engine="pyte"),
        StartOptions(socket="/x/y.sock", config="c.toml", command="make test"),
        StartOptions("my-project"),
        StartOptions(prefix="ctrl+a"),
        StartOptions("dev", command=("--help",)),
    ]


EXPRESSLY = (
    *(["new", "my-project"], ["new", "my-project", "--", "vim"], ["new", "my-project", "--engine=pyte"]),
    *(["--workspace", "close-pan"], ["new", "close-pan"], ["new", "ls"], ["main"]),
)


def test_a_workspace_that_is_wanted_expressly_is_started_whatever_runs(
    monkeypatch: pytest.MonkeyPatch, private_dir: Path, serve: Callable[..., Served]
) -> None:
    asked: list[str] = []

    def start(options: StartOptions) -> int:
        asked.append(options.workspace)
        return 7

    monkeypatch.setattr("fugue_tui.server_start.start", start)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    (private_dir / "fugue-tui").mkdir(mode=0o700)
    for count in range(3):
        for words in EXPRESSLY:
            assert main.run(words) == 7, f"{count} workspaces run"
            assert asked[-1] == words[len(words) > 1]
        serve(name=f"fugue-tui/other{count}")


def test_a_workspace_that_runs_is_found_by_a_name_that_looks_like_a_command(
    private_dir: Path, serve: Callable[..., Served], shell: Shell
) -> None:
    (private_dir / "fugue-tui").mkdir(mode=0o700)
    for name in ("my-project", "list-panes"):
        serve(name=f"fugue-tui/{name}")
    assert "a workspace is shown on a terminal, and stdin is none" in shell("my-project").stderr
    assert "several workspaces run (list-panes, my-project)" in shell("list-panes").stderr


@pytest.mark.parametrize("word", ["close-pan", "list-pane", "splitpane", "split_pane", "reflct", "confg"])
def test_a_word_that_looks_like_a_mistyped_command_starts_nothing(served: Served, in_process: Shell, word: str) -> None:
    for env in ({}, {"FUGUE_SOCKET": served.path}):
        done = in_process(word, **env)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"no command {word}; did you mean " in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["new-window"], "no command new-window; tmux's new-window is create-window here"),
        (["split-window"], "no command split-window; tmux's split-window is split-pane here"),
        (["splitw"], "no command splitw; tmux's splitw is split-pane here"),
        (["kill-pane"], "no command kill-pane; tmux's kill-pane is close-pane here"),
        (["capture-pane"], "no command capture-pane; tmux's capture-pane is read-pane here"),
        (["has-session", "-t", "x"], "no command has-session; tmux's has-session is get-status here"),
        (["neww", "--", "vim"], "no command neww; tmux's neww is create-window here"),
        (["lss"], "no command lss; did you mean ls?"),
        (["nothing"], "no command nothing, and no workspace nothing runs or is saved"),
        (["my-project", "--", "vim"], "no command my-project, and no workspace my-project runs or is saved"),
        (["--engine", "pyte", "doctor"], "doctor is a command, and comes first: fugue-tui doctor"),
        (["--config", "/x", "ls"], "ls is a command, and comes first: fugue-tui ls"),
        (["--engine", "pyte", "list-panes"], "list-panes is a command, and comes first: fugue-tui list-panes"),
    ],
)
def test_a_word_that_is_no_command_and_no_workspace_starts_nothing(
    served: Served, in_process: Shell, line: list[str], said: str
) -> None:
    for env in ({}, {"FUGUE_SOCKET": served.path}):
        done = in_process(*line, **env)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"fugue-tui: {said}")
        assert len(done.stderr.splitlines()) == 1
        assert len(line) > 1 or f"(fugue-tui new {line[0]} starts a workspace)" in done.stderr


def test_a_word_that_names_a_saved_workspace_starts_it(
    monkeypatch: pytest.MonkeyPatch, private_dir: Path, tmp_path: Path
) -> None:
    asked: list[str] = []

    def start(options: StartOptions) -> int:
        asked.append(options.workspace)
        return 7

    monkeypatch.setattr("fugue_tui.server_start.start", start)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    monkeypatch.setenv("FUGUE_STATE", str(tmp_path / "state"))
    assert main.run(["shop"]) == 2
    for name in ("shop", "my-shop"):
        with Store(tmp_path / "state").saving() as saving:
            saving.put("auto", name, {"version": 1})
        assert main.run([name]) == 7
    assert asked == ["shop", "my-shop"]


def test_help_is_a_word_too(shell: Shell) -> None:
    assert shell("help").stdout == shell("--help").stdout
    assert shell("help", "split-pane").stdout == shell("split-pane", "--help").stdout
