"""The command line, as a shell sees it."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from base64 import b64decode
from pathlib import Path

import pytest
from tests.cli.command_line import Shell
from tests.cli.command_line import in_process as in_process
from tests.cli.command_line import shell as shell
from tests.mcp.conftest import Served
from tests.mcp.conftest import serve as serve
from tests.mcp.conftest import served as served

from fugue_tui import __version__
from fugue_tui.cli import main
from fugue_tui.server_start import StartOptions
from fugue_tui.store.store import Store

pytestmark = pytest.mark.slow


def test_a_command_prints_what_a_user_can_read(served: Served, shell: Shell) -> None:
    done = shell("list-panes", FUGUE_SOCKET=served.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].split()[:2] == ["ID", "NAME"]
    assert done.stdout.splitlines()[1].split()[:2] == ["%1", "first"]


def test_layouts_are_listed_where_no_workspace_runs(shell: Shell) -> None:
    done = shell("list-layouts")
    assert (done.returncode, done.stderr) == (0, "")
    assert "full-stack" in done.stdout
    assert "full-stack" in [each["name"] for each in json.loads(shell("list-layouts", "--json").stdout)["layouts"]]


def test_saves_are_listed_where_no_workspace_runs(shell: Shell, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with Store(state).saving() as saving:
        saving.put("named", "evening", {"version": 1, "head": {}, "texts": []})
    done = shell("list-saved", FUGUE_STATE=str(state))
    assert (done.returncode, done.stderr) == (0, "")
    assert "evening" in done.stdout
    done = shell("list-saved", "--kind", "auto", FUGUE_STATE=str(state))
    assert "no workspace listens" in done.stderr


def test_a_full_disk_is_reported_as_what_it_is() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fugue_tui", "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "fugue-tui: stdout cannot be written: No space left on device\n")


def test_json_in_an_envelope_says_whether_it_is_a_result(served: Served, in_process: Shell) -> None:
    listed = in_process("list-windows", "--json=envelope", FUGUE_SOCKET=served.path)
    found = json.loads(listed.stdout)
    assert (listed.returncode, found["success"], found["data"]["windows"][0]["id"]) == (0, True, "@1")
    failed = in_process("close-pane", "%9", "--json=envelope", FUGUE_SOCKET=served.path)
    error = "no pane %9; list-panes shows what is open"
    assert json.loads(failed.stdout) == {"success": False, "error": error, "code": "not_found"}
    assert (failed.returncode, failed.stderr) == (1, "")
    assert in_process("ls", "--json=xml").returncode == 2
    missing = json.loads(in_process("list-windows", "--workspace", "none", "--json=envelope").stdout)
    assert missing["error"].endswith("; start one with: fugue-tui new none")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("nosuchcommand", "--json"), "unknown_command"),
        (("no-such-command", "--json"), "unknown_command"),
        (("ls", "--colour", "--json"), "invalid_argument"),
    ],
)
def test_errors_of_the_client_are_json_too(in_process: Shell, words: tuple[str, ...], code: str) -> None:
    done = in_process(*words)
    assert (done.returncode, done.stderr, json.loads(done.stdout)["error"]["code"]) == (2, "", code)


def test_json_is_json_and_nothing_else(served: Served, shell: Shell) -> None:
    done = shell("split-pane", "%1", "--json", "--ratio", "0.7", "--", "cat", "-u", FUGUE_SOCKET=served.path)
    assert json.loads(done.stdout)["id"] == "%2"
    panes = json.loads(shell("list-panes", "--json", "--socket", served.path).stdout)["panes"]
    assert [pane["command"] for pane in panes][1] == "cat -u"


@pytest.mark.parametrize(
    ("words", "status", "out", "said"),
    [
        (["run-command", "echo out; exit 3"], 3, "out\n", ""),
        (["run-command", "true"], 0, "\n", ""),
        (["run-command", "kill -9 $$"], 1, "\n", "killed by SIGKILL"),
        (["run-command", "echo out; exec sleep 30", "--timeout", "0.5"], 124, "", "it still runs"),
        (["coordinate-panes", "--steps", '[{"pane": "%1", "command": "true"}]'], 1, "", "%1: no shell waits"),
        (["wait-for-output", "%1", "--any-of", "never", "--timeout", "0.2"], 124, "", ""),
    ],
)
def test_the_status_of_what_was_run_is_that_of_the_command_line(
    served: Served, shell: Shell, words: list[str], status: int, out: str, said: str
) -> None:
    done = shell(*words, FUGUE_SOCKET=served.path)
    assert (done.returncode, said in done.stderr, bool(said)) == (status, True, bool(done.stderr)), done
    assert not out or done.stdout.strip() == out.strip()
    again = shell(*words, "--json", FUGUE_SOCKET=served.path)
    assert (again.returncode, again.stderr) == (status, "")


def test_pane_text_is_printed_as_it_is(served: Served, shell: Shell) -> None:
    assert shell("send-input", "%1", "--text", "größe", "--submit", FUGUE_SOCKET=served.path).returncode == 0
    text = ""
    while text != "größe\ngröße\n":
        text = shell("read-pane", "%1", FUGUE_SOCKET=served.path).stdout
    assert json.loads(shell("read-pane", "--json", FUGUE_SOCKET=served.path).stdout)["text"] == "größe\ngröße"


@pytest.mark.parametrize(
    ("line", "status", "code", "said"),
    [
        (["close-pane", "%9"], 1, "not_found", "no pane %9; list-panes shows what is open"),
        (["close-pan", "%1"], 2, "unknown_command", "no command close-pan; did you mean close-pane?"),
        (["split-pane", "--rato", "1"], 2, "invalid_argument", "split-pane: no flag --rato; did you mean --ratio?"),
        (
            ["split-pane", "--ratio", "2"],
            2,
            "invalid_argument",
            "split-pane: ratio: 2 is not a number from 0.1 to 0.9",
        ),
    ],
)
def test_errors_are_one_line_and_a_status(
    served: Served, in_process: Shell, line: list[str], status: int, code: str, said: str
) -> None:
    done = in_process(*line, FUGUE_SOCKET=served.path)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", f"fugue-tui: {said}\n")
    done = in_process(*line, "--json", FUGUE_SOCKET=served.path)
    assert (done.returncode, done.stderr) == (status, "")
    assert json.loads(done.stdout)["error"] == {"code": code, "message": said}


def test_without_a_workspace_a_command_says_so(shell: Shell, private_dir: Path) -> None:
    done = shell("list-panes")
    said = f"no workspace listens at {private_dir}/fugue-tui/main.sock; start one with: fugue-tui"
    assert (done.returncode, done.stderr) == (1, f"fugue-tui: {said}\n")
    done = shell("list-panes", "--json")
    assert json.loads(done.stdout) == {"error": {"code": "not_running", "message": said}}
    assert "did you mean list-panes?" in shell("list-pane").stderr


@pytest.mark.parametrize("line", [["detach", "nobody"], ["rename", "nobody", "new"], ["kill-server", "nobody"]])
def test_a_workspace_that_does_not_run_is_called_by_its_name(in_process: Shell, line: list[str]) -> None:
    done = in_process(*line)
    assert done.returncode == 1
    assert done.stderr == "fugue-tui: no workspace nobody runs; fugue-tui ls shows what runs\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["--sokcet", "x"], "no option '--sokcet'"),
        (["main", "extra"], "'extra': unexpected argument"),
        (["--socket"], "--socket: requires a value"),
        (["-e", "make", "--", "make"], "give a line or a program after --, not both"),
        (["-r", "--", "make"], "a read-only client starts no program"),
        (["serve", "-r"], "serve: --read-only: is for terminals"),
        (["attach", "main", "extra"], "attach: 'extra': unexpected argument"),
        (["ls", "extra"], "ls: 'extra': unexpected argument"),
        (["rename"], "rename: requires the new name"),
        (["detach", "--some"], "no option '--some'"),
        (["mcp", "extra"], "mcp: 'extra': unexpected argument"),
        (["reflect", "--format", "xml"], "reflect: --format: 'xml' is not one of tree, json, markdown, mcp"),
        (["config"], "config: requires one of path, check, show, init"),
        (["config", "delete"], "config: requires one of"),
    ],
)
def test_words_that_make_no_sense_are_named(in_process: Shell, line: list[str], said: str) -> None:
    done = in_process(*line)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("line", [["../x"], ["a b"], ["--config", "/nowhere.toml"], ["--socket", "/tmp/" + "x" * 120]])
def test_a_workspace_that_cannot_start_says_why(in_process: Shell, line: list[str]) -> None:
    done = in_process(*line)
    assert done.returncode == 1
    assert done.stderr.startswith("fugue-tui: ")
    assert len(done.stderr.splitlines()) == 1


def test_help_version_and_reflection_need_no_workspace(shell: Shell) -> None:
    assert shell("--version").stdout == f"fugue-tui {__version__}\n"
    assert shell("--help").stdout == shell("-h").stdout
    assert "[--ratio N]" in shell("split-pane", "--help").stdout
    assert "usage: fugue-tui kill-server" in shell("kill-server", "--help").stdout
    for words in (
        ["attach", "-h"],
        ["ls", "--help"],
        ["serve", "--help"],
        ["mcp", "--help"],
        ["reflect", "--help"],
        ["config", "--help"],
    ):
        assert "usage: fugue-tui" in shell(*words).stdout
    assert json.loads(shell("reflect", "--format=mcp").stdout)["tools"]


def test_the_configuration_is_written_once_and_checked(shell: Shell, private_dir: Path) -> None:
    file = private_dir / "config.toml"
    assert shell("config", "path").stdout == f"{file}\n"
    assert "there is none; the defaults apply" in shell("config", "check").stdout
    assert shell("config", "init").returncode == 0
    before = file.read_text()
    assert tomllib.loads(before)
    assert "stays as it is" in shell("config", "init").stderr
    assert file.read_text() == before
    assert shell("config", "check").returncode == 0
    assert tomllib.loads(shell("config", "show").stdout)["keys"]["prefix"] == "ctrl+b"


def test_every_mistake_in_the_configuration_is_named(shell: Shell, private_dir: Path) -> None:
    file = private_dir / "config.toml"
    file.write_text('[terminal]\nengin = "pyte"\n[keys.bindings]\nx = "close-pan"\n')
    done = shell("config", "check")
    assert done.returncode == 1
    assert f"{file}: terminal.engin: no such key; did you mean engine?" in done.stderr
    assert f"{file}: keys.bindings.x: no command close-pan; did you mean close-pane?" in done.stderr


def test_a_reader_that_leaves_early_causes_no_traceback(served: Served) -> None:
    env = {**os.environ, "FUGUE_SOCKET": served.path}
    line = f"{shlex.quote(sys.executable)} -m fugue_tui reflect --format json | head -c 10"
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, env=env, timeout=100)
    assert done.stderr == b""


def test_a_command_loads_only_what_it_needs(served: Served) -> None:
    script = (
        "import sys; from fugue_tui.cli.main import run; run(['list-panes']);"
        "print(sorted(set(sys.argv[1:]) & set(sys.modules)), file=sys.stderr)"
    )
    heavy = [
        "asyncio",
        "pydantic",
        "textual",
        "mcp",
        "fugue_tui.control",
        "dataclasses",
        "msgspec",
        "argparse",
        "typing",
        "inspect",
    ]
    env = {**os.environ, "FUGUE_SOCKET": served.path}
    done = subprocess.run([sys.executable, "-I", "-c", script, *heavy], capture_output=True, text=True, env=env)
    assert (done.returncode, done.stderr) == (0, "[]\n")


def test_an_internal_error_is_one_line_without_the_debug_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def start(options: StartOptions) -> int:
        raise RuntimeError("no way")

    monkeypatch.setattr("fugue_tui.server_start.start", start)
    monkeypatch.delenv("FUGUE_DEBUG", raising=False)
    assert main.run([]) == 1
    assert capsys.readouterr().err == "fugue-tui: internal: RuntimeError: no way; a bug, FUGUE_DEBUG=1 shows where\n"
    monkeypatch.setenv("FUGUE_DEBUG", "1")
    with pytest.raises(RuntimeError, match="no way"):
        main.run([])


def test_a_picture_goes_to_a_file_and_without_one_only_its_size_is_reported(
    served: Served, shell: Shell, tmp_path: Path
) -> None:
    told = shell("screenshot-pane", "%1", FUGUE_SOCKET=served.path).stdout.splitlines()
    assert told[0].startswith("a screenshot of %1, ")
    assert told[1] == "--output FILE writes the picture"
    file = tmp_path / "shot.png"
    done = shell("screenshot-pane", "%1", "--output", str(file), FUGUE_SOCKET=served.path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert file.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    found = json.loads(shell("screenshot-pane", "%1", "--json", FUGUE_SOCKET=served.path).stdout)
    assert b64decode(found["image"]).startswith(b"\x89PNG\r\n\x1a\n")
    assert shell("screenshot-pane", "%1", "--format", "svg", "--output=-", FUGUE_SOCKET=served.path).stdout.startswith(
        "<svg"
    )


def test_an_answer_goes_to_a_file_as_it_would_be_printed(served: Served, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "answer"
    shell("list-panes", "--json", "--output", str(file), FUGUE_SOCKET=served.path)
    assert [pane["id"] for pane in json.loads(file.read_text())["panes"]] == ["%1"]
    shell("list-panes", "--output", str(file), FUGUE_SOCKET=served.path)
    assert file.read_text() == shell("list-panes", FUGUE_SOCKET=served.path).stdout
    done = shell("list-panes", "--output", str(tmp_path / "no" / "file"), FUGUE_SOCKET=served.path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be written: No such file or directory" in done.stderr


def test_a_recording_is_written_below_the_directory_of_the_caller(
    served: Served, in_process: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    started = in_process("record-pane", "%1", "--output", "a.cast", "--json", FUGUE_SOCKET=served.path)
    assert json.loads(started.stdout)["path"] == str(tmp_path / "a.cast")
    assert in_process("stop-recording", "%1", FUGUE_SOCKET=served.path).returncode == 0
    assert (tmp_path / "a.cast").read_text().startswith('{"version": 3')


def test_colours_are_printed_for_terminal(served: Served, shell: Shell) -> None:
    shell(
        "create-pane", "--name", "red", "--command", "printf '\\033[31mred\\033[0m'; exec cat", FUGUE_SOCKET=served.path
    )
    text = ""
    while "red" not in text:
        text = shell("read-pane", "red", "--format", "ansi", FUGUE_SOCKET=served.path).stdout
    assert re.search("\x1b\\[[0-9;]*mred\x1b\\[0m", text)
