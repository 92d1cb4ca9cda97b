"""`fugue-tui doctor`: what it finds in a directory of its own, and that nothing makes it hang."""

import json
import os
import shlex
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_line import Shell
from tests.cli.command_line import in_process as in_process
from tests.client.client_terminal import Window
from tests.mcp.conftest import Served
from tests.mcp.conftest import serve as serve
from tests.mcp.conftest import served as served

from fugue_tui.cli.doctor import report
from fugue_tui.cli.doctor.connections import list_tools
from fugue_tui.cli.doctor.report import Check, Level, ok
from fugue_tui.config.mcp_clients import CLIENTS
from fugue_tui.errors import SocketError

pytestmark = pytest.mark.slow
Doctor = Callable[..., dict[str, list[tuple[str, str]]]]
REPLIES = b"\x1b[?1u\x1b[?2026;2$y\x1bP1+r524742=382f382f38\x1b\\\x1b[?62;52c"


@pytest.fixture
def doctor(in_process: Shell, private_dir: Path) -> Doctor:
    """Runs doctor in a home directory with no clients; the levels and texts of what it found, by check."""

    def run(**env: str) -> dict[str, list[tuple[str, str]]]:
        nothing = dict.fromkeys(
            ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"), ""
        )
        given = {**nothing, "HOME": str(private_dir), "PATH": "/nowhere", "SHELL": "/bin/bash", **env}
        done = in_process("doctor", "--json=envelope", **given)
        answer = json.loads(done.stdout)["data"]
        found: dict[str, list[tuple[str, str]]] = {}
        for each in answer["findings"]:
            found.setdefault(each["check"], []).append((each["level"], f"{each['text']}; {each['advice']}"))
        faults = [name for name, each in found.items() if "fault" in dict(each)]
        assert (done.returncode, answer["ok"]) == (1 if faults else 0, not faults)
        return found

    return run


def register(home: Path, entry: dict[str, Any]) -> None:
    """Register a server with Cursor."""
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"mcpServers": {"fugue": entry}}))


def test_a_sound_installation_has_no_fault(doctor: Doctor) -> None:
    found = doctor()
    assert [*found] == [
        *("terminal", "around", "clipboard", "fonts", "versions", "engine", "PATH", "shell"),
        *("agent teams", "sockets", "workspaces", "state", "configuration", *(client.title for client in CLIENTS)),
        *("Claude Code hooks", "Codex hooks", "Gemini CLI hooks"),
    ]
    assert [name for name, each in found.items() if "fault" in dict(each)] == []
    assert found["agent teams"][0][0] == "ok"
    assert found["engine"] == [("ok", "ghostty loads; ")]
    assert found["Cursor"] == [("ok", "not installed; ")]
    assert found["PATH"][0][0] == "warning"


def test_what_others_may_enter_is_a_fault(doctor: Doctor, private_dir: Path) -> None:
    for name in ("fugue-tui", "state"):
        (private_dir / name).mkdir(mode=0o755)
    found = doctor(FUGUE_STATE=str(private_dir / "state"))
    for check in ("sockets", "state"):
        ((level, text),) = found[check]
        assert (level, "others may enter it" in text, "chmod 700" in text) == ("fault", True, True)


def test_a_socket_at_which_nothing_listens_is_named(doctor: Doctor, private_dir: Path) -> None:
    (private_dir / "fugue-tui").mkdir(mode=0o700)
    path = private_dir / "fugue-tui" / "old.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    assert doctor()["sockets"][1] == ("warning", f"nothing listens at {path}; starting old replaces it; or remove it")


def test_mistakes_in_the_configuration_are_faults(doctor: Doctor, private_dir: Path) -> None:
    (private_dir / "config.toml").write_text('[terminal]\nengin = "pyte"\n[keys.bindings]\nx = "close-pan"\n')
    found = doctor()["configuration"]
    assert [level for level, _ in found] == ["fault", "fault"]
    assert "did you mean engine?" in found[0][1]


def test_a_configuration_directory_that_others_may_write_to_is_named(doctor: Doctor, private_dir: Path) -> None:
    folder = private_dir / "shared"
    folder.mkdir()
    folder.chmod(0o775)
    file, shared = doctor(FUGUE_CONFIG=str(folder / "config.toml"))["configuration"]
    assert (file[0], shared[0], "chmod go-w" in shared[1]) == ("ok", "warning", True)


def test_the_engine_and_the_shell_of_the_configuration_are_examined(doctor: Doctor, private_dir: Path) -> None:
    (private_dir / "config.toml").write_text('[terminal]\nengine = "pyte"\nshell = ["/nowhere/zsh"]\n')
    found = doctor()
    assert found["engine"] == [("ok", "pyte loads; ")]
    assert found["shell"][0][0] == "fault"


def test_an_installed_client_that_is_not_registered_is_named(doctor: Doctor, private_dir: Path) -> None:
    (private_dir / ".cursor").mkdir()
    assert doctor()["Cursor"] == [("warning", "not registered; fugue-tui setup cursor does it")]


def test_a_client_with_a_broken_file_or_a_program_that_is_gone_is_a_fault(doctor: Doctor, private_dir: Path) -> None:
    register(private_dir, {"command": "/nowhere/fugue-tui", "args": ["mcp"]})
    ((level, text),) = doctor()["Cursor"]
    assert (level, "/nowhere/fugue-tui mcp cannot be run" in text) == ("fault", True)
    (private_dir / ".cursor" / "mcp.json").write_text("{")
    assert doctor()["Cursor"][0][0] == "fault"


def test_a_registered_client_is_connected_as_it_would_connect(
    doctor: Doctor, private_dir: Path, served: Served
) -> None:
    argv = [sys.executable, "-m", "fugue_tui", "mcp", "--socket", served.path]
    register(private_dir, {"command": argv[0], "args": argv[1:]})
    ((level, text),) = doctor()["Cursor"]
    assert (level, text.startswith(f"registered: {shlex.join(argv)}; connects, ")) == ("ok", True), text


def test_a_client_passes_only_what_the_sdk_passes_and_its_entry_sets(doctor: Doctor, private_dir: Path) -> None:
    seen = private_dir / "seen"
    line = f"set -o posix; set > {shlex.quote(str(seen))}"
    register(private_dir, {"command": "/bin/bash", "args": ["-c", line], "env": {"OWN": "x"}})
    doctor(SECRET="y")
    names = {each.partition("=")[0] for each in seen.read_text().splitlines()}
    assert {"HOME", "PATH", "OWN"} <= names
    assert not {"SECRET", "XDG_RUNTIME_DIR", "FUGUE_CONFIG"} & names


@pytest.mark.parametrize(
    ("line", "reason"), [("exec sleep 1000", "no answer within 0.2 s"), ("exit 0", "it exits unanswered")]
)
def test_a_server_that_does_not_answer_is_given_up(line: str, reason: str) -> None:
    with pytest.raises(SocketError, match=reason):
        list_tools(["/bin/sh", "-c", line], {}, 0.2 if "sleep" in line else 60.0)


def test_an_error_of_a_server_is_passed_on() -> None:
    answer = '{"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "not today"}}'
    with pytest.raises(SocketError, match="not today"):
        list_tools(["/bin/sh", "-c", f"read line; echo '{answer}'; read line"], {})


def test_a_check_that_hangs_or_fails_does_not_hide_the_others() -> None:
    never = threading.Event()

    def hang() -> list[report.Finding]:
        never.wait()
        return []

    def fail() -> list[report.Finding]:
        raise RuntimeError("no way")

    checks = [Check("hangs", hang, 0.05), Check("fails", fail), Check("works", lambda: [ok("fine\x1b[31m")])]
    found = {name: (each.level, each.text) for name, each in report.examine(checks)}
    never.set()
    assert found == {
        "hangs": (Level.FAULT, "no result within 0.05 s"),
        "fails": (Level.FAULT, "internal: RuntimeError: no way"),
        "works": (Level.OK, "fine"),
    }


def test_lines_are_plain_in_a_pipe_and_coloured_on_a_terminal(in_process: Shell, private_dir: Path) -> None:
    done = in_process("doctor", HOME=str(private_dir), PATH="/nowhere")
    assert "\x1b" not in done.stdout
    assert {line.split()[0] for line in done.stdout.splitlines()[:-2]} <= {"ok", "warning", "fault"}
    assert report.line("x", ok("y"), colour=True) == "\x1b[32mok     \x1b[m  x: y"


@pytest.mark.parametrize("answers", [True, False])
def test_the_terminal_is_asked_what_it_supports(private_dir: Path, answers: bool) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FUGUE", "SSH"))}
    env = {**kept, "HOME": str(private_dir), "PATH": "/nowhere", "TERM": "xterm-256color", "COLORTERM": ""}
    window = Window((sys.executable, "-m", "fugue_tui", "doctor"), env)
    window.type(REPLIES if answers else b"")  # Typed ahead, so that no deadline counts.
    window.shows(b"answers queries" if answers else b"it answered no query within")
    window.shows(b"terminal: 16,777,216 colours" if answers else b"terminal: 256 colours")
    window.shows(b"all keys are distinguished" if answers else b"no kitty keyboard protocol")
    window.shows(b"synchronized output: yes" if answers else b"synchronized output: no")
    window.shows(b"lets programs set it (OSC 52)" if answers else b"does not report that programs may set it (OSC 52)")
    window.shows(b"0 faults")
    restored = window.restored
    window.close()
    assert restored
    enabled, queried = (bytes(window.received).index(each) for each in (b"\x1b[>1u", b"\x1b[?u"))
    assert enabled < queried < bytes(window.received).index(b"\x1b[<u")
