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
from fugue_tui.cli.tmux_words import ELSEWHERE, TRANSLATED, rewritten
from fugue_tui.control.introspection import verbs
from fugue_tui.control.tmux.verbs import VERBS
from fugue_tui.server_start import StartOptions
from fugue_tui.store.store import Store

pytestmark = pytest.mark.slow


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[StartOptions]:
    """The workspaces that would be started; `start` exits with 7, `show` with 8, `serve` with 9."""
    asked: list[StartOptions] = []

    def starting(status: int) -> Callable[[StartOptions], int]:
        return lambda options: asked.append(options) or status

    for status, name in enumerate(("start", "show", "serve"), 7):
        monkeypatch.setattr(f"fugue_tui.server_start.{name}", starting(status))
    return asked


def test_the_words_after_the_workspace_are_the_first_program(starts: list[StartOptions]) -> None:
    assert main.run(["new", "dev", "--engine", "pyte", "--", "vim", "--clean"]) == 7
    assert main.run(["-e", "make test", "--socket=/x/y.sock", "--config", "c.toml"]) == 7
    assert main.run(["new", "my-project"]) == 7
    assert main.run(["--foreground", "--prefix=ctrl+a"]) == 8
    assert main.run(["serve", "dev", "--", "--help"]) == 9
    assert starts == [
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
    monkeypatch: pytest.MonkeyPatch, private_dir: Path, serve: Callable[..., Served], starts: list[StartOptions]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    (private_dir / "fugue-tui").mkdir(mode=0o700)
    for count in range(3):
        for words in EXPRESSLY:
            assert main.run(words) == 7, f"{count} workspaces run"
            assert starts[-1].workspace == words[len(words) > 1]
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
    monkeypatch: pytest.MonkeyPatch, private_dir: Path, tmp_path: Path, starts: list[StartOptions]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    monkeypatch.setenv("FUGUE_STATE", str(tmp_path / "state"))
    assert main.run(["shop"]) == 2
    for name in ("shop", "my-shop"):
        with Store(tmp_path / "state").saving() as saving:
            saving.put("auto", name, {"version": 1})
        assert main.run([name]) == 7
    assert [each.workspace for each in starts] == ["shop", "my-shop"]


def test_help_is_a_word_too(shell: Shell) -> None:
    assert shell("help").stdout == shell("--help").stdout
    assert shell("help", "split-pane").stdout == shell("split-pane", "--help").stdout


def test_every_word_that_tmux_has_runs_or_has_a_hint() -> None:
    theirs = {word for verb in VERBS for word in (verb.name, verb.alias) if word}
    ours = {*verbs(), *main._SUBCOMMANDS}  # pyright: ignore[reportPrivateUsage]
    assert theirs - ours - set(ELSEWHERE) == TRANSLATED | {"new"} - ours


def test_words_that_a_newcomer_may_try_name_the_command(private_dir: Path, in_process: Shell) -> None:
    refused = {word: in_process(word).stderr for word in ("list-workspaces", "list", "quit", "new")}
    assert refused["list-workspaces"] == "fugue-tui: no command list-workspaces; fugue-tui ls lists the workspaces\n"
    assert "fugue-tui ls" in refused["list"]
    assert "fugue-tui kill-server" in refused["quit"]
    assert "fugue-tui new shop" in refused["new"]


@pytest.mark.slow
def test_tmuxs_words_do_here_what_they_do_there(
    private_dir: Path, serve: Callable[..., Served], in_process: Shell
) -> None:
    (private_dir / "fugue-tui").mkdir(mode=0o700)
    serve(name="fugue-tui/shop")

    def printed(*words: str) -> str:
        done = in_process(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout.rstrip("\n")

    first = printed("display-message", "-p", "#D")
    second = printed("split-window", "-h", "-P", "-F", "#D", "cat")
    assert printed("list-panes", "-F", "#P #D") == f"1 {first}\n2 {second}"
    printed("send-keys", "-t", second, "hello", "Enter")
    assert printed("neww", "-P", "-F", "#S:#I", "cat").endswith(":2")
    printed("select-window", "-t", "shop:1")
    assert printed("display", "-p", "-t", "shop", "#I") == "1"
    printed("has-session", "-t", "shop")
    printed("kill-pane", "-t", second)
    assert printed("lsp", "-F", "#D") == first
    assert in_process("has", "-t", "nothing").returncode == 1
    assert in_process("kill-session", "-t", "nothing").stderr == "fugue-tui: can't find session: nothing\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["attach", "-t", "shop"], ["attach", "shop"]),
        (["attach", "shop"], ["attach", "shop"]),
        (["attach", "-r"], ["attach", "-r"]),
        (["a"], ["attach"]),
        (["at", "-dt", "x"], ["attach", "--detach-others", "x"]),
        (["attach-session", "-d", "-t", "=shop:2"], ["attach", "--detach-others", "shop"]),
        (["new", "shop"], ["new", "shop"]),
        (["new", "-s", "shop"], ["new", "shop"]),
        (["new-session", "-A", "-s", "shop"], ["new", "shop"]),
        (["new-session"], ["new", "main"]),
        (["new", "-d", "-s", "shop", "htop"], ["new", "shop", "--detached", "--command", "htop"]),
        (
            ["new", "-ds", "shop", "-c", "/tmp", "vim", "x"],
            ["new", "shop", "--detached", "--directory", "/tmp", "--", "vim", "x"],
        ),
        (["new", "-n", "x"], ["new", "-n", "x"]),
        (["ls", "-F", "#S"], ["tmux", "ls", "-F", "#S"]),
        (["ls"], ["ls"]),
        (["lsb"], ["list-buffers"]),
        (["popup", "-E", "htop"], ["tmux", "popup", "-E", "htop"]),
        (["send-keys", "-t", "x", "ls", "Enter"], ["tmux", "send-keys", "-t", "x", "ls", "Enter"]),
        (["send-keys", "--pane", "%1", "enter"], ["send-keys", "--pane", "%1", "enter"]),
        (["split-window"], ["tmux", "split-window"]),
        (["split-pane", "-h"], ["split-pane", "-h"]),
        (["list-panes", "--json"], ["list-panes", "--json"]),
    ],
)
def test_a_line_for_tmux_is_one_for_fugue(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: list[str], words: list[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("FUGUE_STATE", str(tmp_path))
    monkeypatch.delenv("FUGUE_SOCKET", raising=False)
    assert rewritten(line) == words


@pytest.mark.parametrize("word", ["list-keys", "bind", "source-file", "set", "choose-tree", "if-shell", "lock-server"])
def test_a_word_of_tmux_that_does_nothing_says_what_does(in_process: Shell, word: str) -> None:
    for line in ([word], [word, "-g", "x"]):
        done = in_process(*line)
        assert done.returncode == 2
        assert done.stderr.startswith(f"fugue-tui: no command {word}; ")


@pytest.mark.slow
def test_a_workspace_starts_in_the_background(private_dir: Path, tmp_path: Path, shell: Shell) -> None:
    settings = {"FUGUE_STATE": str(tmp_path / "state"), "SHELL": "/bin/sh"}
    try:
        done = shell("new", "-d", "-s", "shop", "-c", str(tmp_path), **settings)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert str(tmp_path) in shell("list-panes", "--json", **settings).stdout
        done = shell("new", "shop", "--detached", **settings)
        assert done.returncode == 1
        assert "workspace shop is already running" in done.stderr
    finally:
        shell("kill-server", "shop", **settings)
    done = shell("new", "shop", "--detached", "--directory", "/nowhere")
    assert done.returncode == 2
    assert "--directory: '/nowhere': No such file or directory" in done.stderr
    done = shell("new", "shop", "--detached", "--config", "/nowhere")
    assert done.returncode == 1
    assert "/nowhere: no such file" in done.stderr
