"""`fugue-tui hook`: events of agents become reports, and nothing disturbs the agent."""

import io
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from fugue_tui.cli import hook_command, main
from fugue_tui.cli.hook_command import report


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"hook_event_name": "UserPromptSubmit", "prompt": "x"}, ["working"]),
        ({"hook_event_name": "PostToolUse"}, ["working"]),
        ({"hook_event_name": "Stop", "last_assistant_message": "x"}, ["done"]),
        ({"hook_event_name": "SessionStart"}, ["idle"]),
        ({"hook_event_name": "SubagentStop"}, []),
        (
            {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "make\n  all"}},
            ["blocked", "--kind", "permission", "--words=Bash: make all"],
        ),
        (
            {"hook_event_name": "PermissionRequest", "tool_name": "Edit", "tool_input": {"file_path": "a.py"}},
            ["blocked", "--kind", "permission", "--words=Edit: a.py"],
        ),
        ({"hook_event_name": "PermissionRequest", "tool_input": 3}, ["blocked", "--kind", "permission"]),
        (
            {"hook_event_name": "Notification", "notification_type": "ToolPermission", "message": "--may I?"},
            ["blocked", "--kind", "permission", "--words=--may I?"],
        ),
        (
            {"hook_event_name": "Notification", "notification_type": "permission_prompt", "message": "x"},
            ["blocked", "--kind", "permission"],
        ),
        ({"hook_event_name": "Notification", "notification_type": "idle_prompt", "message": "x"}, []),
        ({"hook_event_name": "Elicitation", "message": "x"}, ["blocked", "--kind", "question", "--words=x"]),
        ({"hook_event_name": "StopFailure", "error": "limit"}, ["error", "--words=limit"]),
        ({"hook_event_name": "AfterAgent"}, ["done"]),
        ({"type": "agent-turn-complete", "turn-id": "1"}, ["done"]),
        ({"hook_event_name": "SessionStart", "model": "claude-opus-4-1"}, ["idle", "--model=claude-opus-4-1"]),
        (
            {"hook_event_name": "BeforeModel", "llm_request": {"model": "gemini-3-pro"}},
            ["working", "--model=gemini-3-pro"],
        ),
        ({"hook_event_name": "Stop", "model": ["x"], "cost": {"total_cost_usd": True}}, ["done"]),
        ({"hook_event_name": "Stop", "cost": {"total_cost_usd": -1}}, ["done"]),
        ({"hook_event_name": 7}, []),
        ({}, []),
    ],
)
def test_events_become_reports(event: dict[str, Any], words: list[str]) -> None:
    assert report(event) == words


def run_hook(monkeypatch: pytest.MonkeyPatch, text: str, *arguments: str) -> list[tuple[str, list[str]]]:
    """What a hook with this input asks the workspace for."""
    asked = list[tuple[str, list[str]]]()

    def ask(path: str, words: list[str], seconds: float) -> dict[str, object]:
        asked.append((path, words))
        return {}

    monkeypatch.setattr("fugue_tui.client.command_request.ask", ask)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main.run(["hook", *arguments]) == 0
    return asked


@pytest.fixture
def in_pane(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUGUE_SOCKET", "/run/x.sock")
    monkeypatch.setenv("FUGUE_PANE", "%3")


@pytest.mark.usefixtures("in_pane")
def test_an_event_on_stdin_or_as_an_argument_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = json.dumps({"hook_event_name": "Stop"})

    def done(program: str) -> list[tuple[str, list[str]]]:
        return [("/run/x.sock", ["report-agent", "--pane", "%3", "--program", program, "done"])]

    assert run_hook(monkeypatch, stop, "claude") == done("claude")
    assert run_hook(monkeypatch, "", "codex", '{"type": "agent-turn-complete"}') == done("codex")


STATUS = {"model": {"id": "claude-opus-4-1", "display_name": "Opus\n4.1"}, "cost": {"total_cost_usd": 0.4567891}}


@pytest.mark.usefixtures("in_pane")
def test_the_status_line_is_printed_and_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["report-agent", "--pane", "%3", "--program", "claude", "--model=Opus 4.1", "--cost=0.456789"]
    assert run_hook(monkeypatch, json.dumps(STATUS), "claude", "--status-line") == [("/run/x.sock", words)]
    assert run_hook(monkeypatch, "{}", "claude", "--status-line") == []
    assert capsys.readouterr() == ("Opus 4.1, $0.46\n\n", "")


@pytest.mark.usefixtures("in_pane")
@pytest.mark.parametrize("text", ["", "{", "[1]", '"Stop"', "null", "[" * 100_000, "\x00"])
def test_what_is_no_event_is_ignored(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    assert run_hook(monkeypatch, text, "claude") == []


def test_outside_of_a_pane_nothing_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("FUGUE_SOCKET", "FUGUE_PANE"):
        monkeypatch.delenv(name, raising=False)
    assert run_hook(monkeypatch, '{"hook_event_name": "Stop"}', "claude") == []
    assert capsys.readouterr() == ("", "")


def test_a_workspace_that_is_gone_or_hangs_does_not_disturb_the_agent(
    private_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hook_command, "_SECONDS", 0.05)
    monkeypatch.setenv("FUGUE_PANE", "%3")
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(private_dir / "silent.sock"))
        silent.listen()
        for name in ("silent.sock", "gone.sock"):
            monkeypatch.setenv("FUGUE_SOCKET", str(private_dir / name))
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"hook_event_name": "Stop"}')))
            assert main.run(["hook", "claude"]) == 0
    assert capsys.readouterr() == ("", "")


def test_another_program_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["hook", "emacs"]) == 2
    assert "claude, codex, gemini" in capsys.readouterr().err
