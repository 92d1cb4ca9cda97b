"""Claude Code, Codex and the Inspector themselves, where they are installed, with a model that follows a script."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.conftest import Served
from tests.mcp.scripted_models import Call, Model, listening

from fugue_tui.control.core.command import Toolset, registry
from fugue_tui.control.introspection import tool_name
from fugue_tui.layout.tree import Split
from fugue_tui_mcp.protocol.toolsets import CALL, NAME

pytestmark = pytest.mark.slow


CLAUDE, CODEX, INSPECTOR = (shutil.which(name) for name in ("claude", "codex", "mcp-inspector"))
BRIDGE = [sys.executable, "-m", "fugue_tui", "mcp"]
PATIENT = {"MCP_TIMEOUT": "100000", "MCP_CONNECT_TIMEOUT_MS": "100000", "MCP_CONNECTION_NONBLOCKING": "0"}
"""Has Claude Code wait for its servers, without which it knows none of their prompts."""
QUIET = {"DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
LAYOUT = {
    "direction": "horizontal",
    "splits": [
        {"ratio": 0.65, "pane": {"name": "code", "command": "cat"}},
        {"ratio": 0.35, "pane": {"name": "build", "command": "read x; sleep 2; echo BUILD FAILED; sleep 1000"}},
    ],
}
WORK: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("fugue_create_layout", {"layout": LAYOUT, "name": "work", "focus": True, "idempotency_key": "the layout"}),
    ("fugue_create_layout", {"layout": LAYOUT, "name": "work", "focus": True, "idempotency_key": "the layout"}),
    ("fugue_send_input", {"pane": "build", "text": "make", "submit": True}),
    ("fugue_wait_for_output", {"panes": ["build"], "any_of": ["BUILD FAILED"], "timeout": 20}),
    ("fugue_read_pane", {"pane": "build"}),
    ("fugue_toolsets", {"query": "zoom pane"}),
    ("fugue_stream_output", {"panes": ["code"], "timeout": 0.5}),
    ("fugue_zoom_pane", {"pane": "code", "zoomed": True}),
    ("fugue_list_events", {"kinds": ["layout"]}),
    ("fugue_run_command", {"command": "echo $((6 * 7)); exit 3", "place": "window", "keep": "never"}),
)
"""A layout of 65 and 35 per cent, asked for twice, and what an agent does in it."""


def called(tool: str, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """A call as a client makes it that calls only tools that it is shown."""
    return (tool, arguments) if tool in first_set() else (CALL, {"tool": tool, "arguments": arguments})


def found_by_search(tool: str, arguments: Mapping[str, Any]) -> Call:
    """A call as Claude Code makes it, which searches tools by itself."""
    if tool != NAME:
        return f"mcp__fugue__{tool}", arguments
    names = (f"mcp__fugue__{each}" for each, _ in WORK if each not in first_set())
    return "ToolSearch", {"query": f"select:{','.join(names)}", "max_results": 5}


def environment(home: Path, served: Served, **more: str) -> Mapping[str, str]:
    """Where a client runs: a home of its own, and this workspace."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, **QUIET, **PATIENT, "HOME": str(home), "FUGUE_SOCKET": served.path, **more}


def ran(command: Sequence[str | None], home: Path, env: Mapping[str, str]) -> str:
    """What a program printed that ended well."""
    found = subprocess.run(
        [word for word in command if word is not None],
        env=env, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-2_000:] + found.stderr[-2_000:]
    return found.stdout


def the_work_was_done(served: Served, results: list[str]) -> None:
    """The person sees what the agent built, and the agent was told how it went."""
    workspace = served.on_main(lambda: served.mux.workspace)
    window = workspace.windows[1]
    assert window.zoomed
    assert isinstance(window.layout, Split)
    first, second = window.layout.weights
    assert abs(first / (first + second) - 0.65) < 0.001
    assert [pane.name for pane in workspace.panes.values()] == ["first", "code", "build"]
    made, again, _, waited, read, sets, streamed, _, events, run = results
    assert "layout_applied" in made
    assert made.rpartition("Output:")[2] == again.rpartition("Output:")[2]
    assert "matched" in waited
    assert "untrusted output of pane %3" in read
    assert "BUILD FAILED" in read
    assert "timeout" in streamed
    assert "zoom_pane" in sets or not sets, "a reference to a tool is no text"
    assert "layout" in events
    assert "42" in run
    assert re.search(r"exit_code\W+3\b", run)


def first_set() -> set[str]:
    """The tools that a client is shown at first."""
    return {NAME, CALL, *(tool_name(cls) for cls in registry().values() if cls.toolset is Toolset.DEFAULT)}


@pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed")
@pytest.mark.parametrize("negotiation", ["auto", "legacy"])
def test_claude_code_builds_a_layout_and_works_in_it(served: Served, tmp_path: Path, negotiation: str) -> None:
    config = {"mcpServers": {"fugue": {"command": BRIDGE[0], "args": BRIDGE[1:]}}}
    model = Model([found_by_search(tool, arguments) for tool, arguments in WORK])
    with listening(model) as url:
        env = environment(
            tmp_path, served, ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="sk-ant-test",
            MCP_PROTOCOL_NEGOTIATION=negotiation, ENABLE_TOOL_SEARCH="true",
        )  # fmt: skip
        said = ran(
            [
                CLAUDE, "-p", "go", "--mcp-config", json.dumps(config), "--strict-mcp-config", "--allowedTools",
                "mcp__fugue__*", "--permission-mode", "default", "--output-format", "json",
            ],
            tmp_path, env,
        )  # fmt: skip
    assert "all done" in said
    the_work_was_done(served, model.results)
    offered = {tool.removeprefix("mcp__fugue__") for tool in model.tools if tool.startswith("mcp__fugue__")}
    assert first_set() - {NAME, CALL} <= offered
    assert "fugue_zoom_pane" in offered, "it was searched"
    assert "fugue_save_layout" not in offered


@pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed")
def test_claude_code_takes_a_prompt(served: Served, tmp_path: Path) -> None:
    config = {"mcpServers": {"fugue": {"command": BRIDGE[0], "args": BRIDGE[1:]}}}
    model = Model([])
    with listening(model) as url:
        env = environment(tmp_path, served, ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="sk-ant-test")
        command = [CLAUDE, "-p", "/mcp__fugue__monitoring disks", "--mcp-config", json.dumps(config)]
        ran([*command, "--strict-mcp-config", "--permission-mode", "default"], tmp_path, env)
    said = json.dumps([body["messages"] for body in model.requests if "messages" in body])
    assert "and report: disks" in said
    assert "fugue_load_workspace" in said


@pytest.mark.skipif(CODEX is None, reason="Codex is not installed")
def test_codex_builds_a_layout_and_works_in_it(served: Served, tmp_path: Path) -> None:
    model = Model([called(tool, arguments) for tool, arguments in WORK])
    with listening(model) as url:
        provider = (
            f'{{name="scripted",base_url="{url}/v1",wire_api="responses",env_key="KEY",supports_websockets=false}}'
        )
        settings = {
            "mcp_servers.fugue.command": json.dumps(BRIDGE[0]),
            "mcp_servers.fugue.args": json.dumps(BRIDGE[1:]),
            "mcp_servers.fugue.env": f'{{FUGUE_SOCKET="{served.path}"}}',
            "mcp_servers.fugue.default_tools_approval_mode": '"approve"',
            "model_provider": "scripted",
            "model": '"gpt-5.1"',
            "model_providers.scripted": provider,
        }
        flags = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        env = environment(tmp_path, served, KEY="x", CODEX_HOME=str(tmp_path))
        ran([CODEX, "exec", "--json", "--skip-git-repo-check", *flags, "go"], tmp_path, env)
    the_work_was_done(served, model.results)


@pytest.mark.skipif(INSPECTOR is None, reason="the MCP Inspector is not installed")
def test_the_inspector_lists_calls_reads_and_gets(served: Served, tmp_path: Path) -> None:
    def asked(*arguments: str) -> Any:
        env = environment(tmp_path, served)
        return json.loads(
            ran([INSPECTOR, "--cli", *BRIDGE, "-e", f"FUGUE_SOCKET={served.path}", *arguments], tmp_path, env)
        )

    listed = [tool["name"] for tool in asked("--method", "tools/list")["tools"]]
    called = asked("--method", "tools/call", "--tool-name", "fugue_list_panes")
    resources = asked("--method", "resources/list")["resources"]
    read = asked("--method", "resources/read", "--uri", "fugue://pane/1/state")
    prompt = asked("--method", "prompts/get", "--prompt-name", "full_stack", "--prompt-args", "goal=login")
    assert first_set() <= set(listed)
    assert called["structuredContent"]["panes"][0]["id"] == "%1"
    assert [each["uri"] for each in resources] == [
        "fugue://panes",
        "fugue://layout",
        "fugue://agents",
        "fugue://pane/1/screen",
    ]
    assert json.loads(read["contents"][0]["text"])["pane"] == "%1"
    assert "The goal: login" in prompt["messages"][0]["content"]["text"]
