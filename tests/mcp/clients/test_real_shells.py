"""Claude Code and the Inspector themselves at work in panes in which bash, zsh and fish run."""

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.clients.test_real_clients import BRIDGE, CLAUDE, INSPECTOR, called, environment, ran
from tests.mcp.conftest import Served
from tests.mcp.protocol.test_resources import say
from tests.mcp.scripted_models import Call, Model, listening

pytestmark = pytest.mark.slow


FIXTURES = Path(__file__).parents[2] / "output_analysis" / "fixtures"
PROGRAMS = {"docker": ("documented/docker-ps.txt", 0), "pytest": ("intent/pytest-failed.txt", 1)}
"""What programs print that are not here, and how they end."""
SHELLS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed"))
    for name in ("bash", "zsh", "fish")
]
STEPS = [
    {"pane": "backend", "command": r"printf 'listen%s\n' ing; sleep 300", "wait_for": "listening"},
    {"pane": "frontend", "command": "echo built"},
    {"pane": "shell", "command": "./pytest", "on_failure": "continue"},
]
EVENTS = {"after": 0, "kinds": ["command-finished"], "panes": ["shell"]}
LAST = "fugue://pane/shell/last-command"


def cursor(results: Sequence[str]) -> str:
    """The cursor that the newest result gives."""
    found = re.search(r'"cursor": ?"([^"]+)"', results[-1])
    assert found is not None, results[-1]
    return found[1]


def awaited(results: Sequence[str]) -> Mapping[str, Any]:
    """A wait for what the line that was typed last prints, from the reading before it on."""
    return {"cursor": cursor(results[:-1]), "any_of": [r"^ready"], "regex": True, "timeout": 20}


WORK: Sequence[Call] = (
    ("fugue_execute_command", {"pane": "shell", "command": "./docker ps"}),
    ("fugue_parse_output", {"pane": "shell"}),
    ("fugue_execute_command", {"pane": "shell", "command": "./pytest"}),
    ("fugue_detect_intent", {"pane": "shell"}),
    ("fugue_read_pane", {"pane": "shell"}),
    ("fugue_send_input", {"pane": "shell", "text": r"printf 'rea%s\n' dy", "submit": True}),
    ("fugue_wait_for_output", awaited),
    ("fugue_screenshot_pane", {"pane": "shell"}),
    ("fugue_coordinate_panes", {"steps": STEPS, "idempotency_key": "the stack"}),
    ("fugue_list_events", EVENTS),
)
"""What an agent does in a shell."""


@pytest.fixture
def opened(serve: Callable[..., Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Served]:
    """Opens a workspace whose panes run a shell, one of which is called shell."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "ZDOTDIR"):
        monkeypatch.setenv(name, str(tmp_path))

    for name, (printed, code) in PROGRAMS.items():
        lines = (FIXTURES / printed).read_text().partition("\n")[2]
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{lines}END\nexit {code}\n")
        program.chmod(0o700)

    def begin(shell: str) -> Served:
        served = serve(engine="ghostty")
        served.launcher.shell = (shell,)
        say(served, "create-window --name work", f"create-pane --name shell --cwd {tmp_path}")
        return served

    return begin


def the_work_was_done(results: Sequence[str]) -> None:
    """The agent was told what its shell did."""
    table, rows, failed, verdict, read, _, waited, shot, coordinated, events = results
    assert re.search(r'"exit_code": ?0\b', table)
    assert re.search(r'"method": ?"integration"', table)
    assert json.loads(rows)["type"] == "table"
    assert json.loads(rows)["headers"][0] == "CONTAINER ID"
    assert re.search(r'"exit_code": ?1\b', failed)
    assert json.loads(verdict)["intent"] == "test_failure"
    assert json.loads(verdict)["context"]["failed_tests"]
    assert read.startswith("untrusted output of pane %")
    assert "short test summary" in read
    assert json.loads(waited)["outcome"] == "matched"
    assert "a screenshot of %" in shot
    steps = json.loads(coordinated)["steps"]
    assert [(step["name"], step["status"], step.get("exit_code")) for step in steps] == [
        ("backend", "done", None),
        ("frontend", "done", 0),
        ("shell", "failed", 1),
    ]
    codes = [event["facts"]["exit_code"] for event in json.loads(events)["events"]]
    assert codes == [0, 1, 0, 1]


@pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed")
@pytest.mark.parametrize("negotiation", ["auto", "legacy"])
@pytest.mark.parametrize("shell", SHELLS)
def test_claude_code_works_in_a_shell(
    opened: Callable[[str], Served], tmp_path: Path, shell: str, negotiation: str
) -> None:
    served = opened(shell)
    config = {"mcpServers": {"fugue": {"command": BRIDGE[0], "args": BRIDGE[1:]}}}
    looks = ("ListMcpResourcesTool", {"server": "fugue"}), ("ReadMcpResourceTool", {"server": "fugue", "uri": LAST})
    model = Model([*((f"mcp__fugue__{tool}", arguments) for tool, arguments in WORK), *looks])
    with listening(model) as url:
        env = environment(
            tmp_path, served, ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="sk-ant-test",
            MCP_PROTOCOL_NEGOTIATION=negotiation, ENABLE_TOOL_SEARCH="false",
        )  # fmt: skip
        said = ran(
            [
                CLAUDE, "-p", "/mcp__fugue__debug_session flaky /srv shell", "--mcp-config", json.dumps(config),
                "--strict-mcp-config", "--allowedTools", "mcp__fugue__*", *(tool for tool, _ in looks),
                "--permission-mode", "default", "--output-format", "json",
            ],
            tmp_path, env,
        )  # fmt: skip
    assert "all done" in said
    *results, listed, last = model.results
    the_work_was_done(results)
    assert "fugue://panes" in listed
    assert "short test summary" in last
    assert "untrusted output of " in last
    (kind, data) = model.images[0]
    assert (kind, data[:8]) == ("image/png", b"\x89PNG\r\n\x1a\n")
    (first,) = [said for said in model.said if "Find and explain this fault" in said]
    assert 'fugue_detect_intent {"pane": "shell"}' in first


@pytest.mark.skipif(INSPECTOR is None, reason="the MCP Inspector is not installed")
def test_the_inspector_works_in_a_shell(opened: Callable[[str], Served], tmp_path: Path) -> None:
    served = opened("bash")
    env = environment(tmp_path, served)

    def asked(*arguments: str) -> Any:
        return json.loads(
            ran([INSPECTOR, "--cli", *BRIDGE, "-e", f"FUGUE_SOCKET={served.path}", *arguments], tmp_path, env)
        )

    results, pictures = list[str](), list[dict[str, Any]]()
    for tool, given in WORK:
        tool, arguments = called(tool, given(results) if callable(given) else given)
        words = [word for name, value in arguments.items() for word in ("--tool-arg", f"{name}={_written(value)}")]
        content = asked("--method", "tools/call", "--tool-name", tool, *words)["content"]
        results.append("\n".join(part["text"] for part in content if part["type"] == "text"))
        pictures += [part for part in content if part["type"] == "image"]
    the_work_was_done(results)
    (picture,) = pictures
    assert picture["mimeType"] == "image/png"
    read = asked("--method", "resources/read", "--uri", LAST)["contents"][0]["text"]
    assert "short test summary" in read
    prompt = asked("--method", "prompts/get", "--prompt-name", "debug_session", "--prompt-args", "pane=shell")
    assert 'fugue_detect_intent {"pane": "shell"}' in prompt["messages"][0]["content"]["text"]


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
