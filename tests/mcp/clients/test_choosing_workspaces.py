"""The clients that are installed, and the SDK's own, land in the right workspace."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.fork_server import Forked, ForkServer
from tests.mcp.clients.test_real_clients import BRIDGE, CLAUDE, CODEX, INSPECTOR, QUIET, ran
from tests.mcp.conftest import until
from tests.mcp.scripted_models import Call, Model, listening

from fugue_tui import sockets

pytestmark = [pytest.mark.slow, pytest.mark.forked]

ERAS = ("legacy", "auto", "2026-07-28")


class Place:
    """A home directory, with workspaces whose sockets no client finds by its own variables."""

    def __init__(self, fork_server: ForkServer, home: Path, runtime: Path) -> None:
        self._fork_server, self.home = fork_server, home
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.client_env: Mapping[str, str] = {**kept, **QUIET, "HOME": str(home), "GEMINI_CLI_TRUST_WORKSPACE": "true"}
        self.env = {**self.client_env, "XDG_RUNTIME_DIR": str(runtime)}
        self._started: dict[str, Forked] = {}

    def start(self, name: str) -> None:
        """Start a workspace."""
        path = sockets.path_of(name, self.env)
        with open(os.devnull, "r+") as null:
            self._started[name] = self._fork_server.start(
                ("-m", "fugue_tui", "serve", name),
                self.env,
                (null.fileno(), null.fileno(), null.fileno()),
                cwd=str(self.home),
            )
        until(lambda: sockets.answers(path))

    def end(self, name: str) -> None:
        """Kill a workspace."""
        self._started[name].kill()
        self._started.pop(name).wait()

    def close(self) -> None:
        """End all workspaces."""
        for each in self._started.values():
            each.send_signal(signal.SIGTERM)
            each.wait()

    def run_in_pane(self, workspace: str, command: Sequence[str | None], **env: str) -> str:
        """Run a client in a pane of a workspace of its own window; what it prints."""
        out, status = self.home / "out", self.home / "status"
        words = shlex.join([f"{name}={value}" for name, value in env.items()])
        line = f"env {words} {shlex.join(map(str, command))} <{os.devnull} >{out} 2>&1; echo $? >{status}.new"
        line += f"; mv {status}.new {status}"
        open_window = ("create-window", "--workspace", workspace, "--cwd", str(self.home), "--", "sh", "-c", line)
        opened = self._fork_server.run(("-m", "fugue_tui", *open_window), self.env)
        assert opened.returncode == 0, opened.stderr
        until(status.exists)
        assert status.read_text() == "0\n", out.read_text()
        return out.read_text()


@pytest.fixture
def place(
    fork_server: ForkServer, tmp_path: Path, private_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    """A place without workspaces."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("FUGUE_STATE")
    made = Place(fork_server, tmp_path, private_dir)
    yield made
    made.close()


def claude(url: str) -> tuple[list[str | None], dict[str, str]]:
    """Claude Code at work with a model, and its variables."""
    config = {"mcpServers": {"fugue": {"command": BRIDGE[0], "args": BRIDGE[1:]}}}
    command = [CLAUDE, "-p", "go", "--mcp-config", json.dumps(config), "--strict-mcp-config"]
    command += ["--allowedTools", "mcp__fugue__*", "--permission-mode", "default", "--output-format", "json"]
    env = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-test", "ENABLE_TOOL_SEARCH": "false"}
    return command, env


def codex(url: str, home: Path) -> tuple[list[str | None], dict[str, str]]:
    """The same for Codex, which passes on none of its variables."""
    provider = f'{{name="scripted",base_url="{url}/v1",wire_api="responses",env_key="KEY",supports_websockets=false}}'
    settings = {
        "mcp_servers.fugue.command": json.dumps(BRIDGE[0]),
        "mcp_servers.fugue.args": json.dumps(BRIDGE[1:]),
        "mcp_servers.fugue.default_tools_approval_mode": '"approve"',
        "model_provider": "scripted",
        "model": '"gpt-5.1"',
        "model_providers.scripted": provider,
    }
    flags = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return [CODEX, "exec", "--json", "--skip-git-repo-check", *flags, "go"], {"KEY": "x", "CODEX_HOME": str(home)}


CLIENTS = [
    pytest.param("claude", marks=pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed")),
    pytest.param("codex", marks=pytest.mark.skipif(CODEX is None, reason="Codex is not installed")),
]


def results_of(client: str, place: Place, script: Sequence[Call], pane_of: str = "") -> list[str]:
    """The results that a client gets for the calls of a script, in a pane of a workspace or outside."""
    prefix = "mcp__fugue__" if client == "claude" else ""
    model = Model([(prefix + tool, arguments) for tool, arguments in script])
    with listening(model) as url:
        command, env = claude(url) if client == "claude" else codex(url, place.home)
        if pane_of:
            place.run_in_pane(pane_of, command, **env)
        else:
            ran(command, place.home, {**place.client_env, **env})
    return [result.replace('\\"', '"').replace('": ', '":') for result in model.results]


@pytest.mark.parametrize("client", CLIENTS)
def test_an_agent_in_a_pane_finds_its_own_pane(place: Place, client: str) -> None:
    place.start("main")
    place.start("shop")
    panes, status = results_of(client, place, [("fugue_list_panes", {}), ("fugue_list_panes", {})], pane_of="shop")
    assert '"you":"%2"' in panes
    assert '"shop"' in status


@pytest.mark.skipif(INSPECTOR is None, reason="the MCP Inspector is not installed")
def test_the_inspector_in_a_pane_finds_its_own_pane(place: Place) -> None:
    place.start("main")
    place.start("shop")
    asked = ["--cli", *BRIDGE, "--method", "tools/call", "--tool-name", "fugue_list_panes"]
    assert json.loads(place.run_in_pane("shop", [INSPECTOR, *asked]))["structuredContent"]["you"] == "%2"


SDK = """
import asyncio, json, sys
from mcp import Client, StdioServerParameters
async def main():
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "fugue_tui", "mcp"])
    async with Client(parameters, mode=sys.argv[1]) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        called = await client.call_tool("fugue_list_panes", {}) if sys.argv[2] else None
        print(json.dumps([tools, called and called.structured_content]))
asyncio.run(main())
"""
"""Prints the tools and the panes that the SDK's client gets; it passes on few variables."""


@pytest.mark.parametrize("era", ERAS)
def test_a_client_of_every_era_in_a_pane_finds_its_own_pane(place: Place, era: str) -> None:
    place.start("main")
    place.start("shop")
    printed = place.run_in_pane("shop", [sys.executable, "-c", SDK, era, "call"])
    assert json.loads(printed)[1]["you"] == "%2"


def register(client: str, place: Place) -> None:
    """Add the bridge to a client's servers; Codex gets it on its command line."""
    added = {"claude": ["fugue", "--", *BRIDGE], "gemini": ["-s", "user", "fugue", *BRIDGE]}
    if client in added:
        ran([client, "mcp", "add", *added[client]], place.home, place.client_env)


def connected(client: str, place: Place) -> str:
    """What a client reports of its connection to the bridge."""
    if client == "codex":
        return codex_tools(place)
    found = subprocess.run(
        [client, "mcp", "list"], env=place.client_env, cwd=place.home, capture_output=True, text=True, timeout=120,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return found.stdout + found.stderr


def codex_tools(place: Place) -> str:
    """The tools that Codex's own server has got from a bridge."""
    settings = {"command": json.dumps(BRIDGE[0]), "args": json.dumps(BRIDGE[1:])}
    flags = [word for name, value in settings.items() for word in ("-c", f"mcp_servers.fugue.{name}={value}")]
    env = {**place.client_env, "CODEX_HOME": str(place.home)}
    process = subprocess.Popen(
        ["codex", "app-server", *flags], env=env, cwd=place.home, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout

    def ask(id: int, method: str, params: Any) -> Any:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + "\n")
        process.stdin.flush()
        return next(each["result"] for each in map(json.loads, process.stdout) if each.get("id") == id)

    try:
        ask(0, "initialize", {"clientInfo": {"name": "test", "title": "Test", "version": "1"}})
        process.stdin.write('{"jsonrpc": "2.0", "method": "initialized"}\n')
        return json.dumps(ask(1, "mcpServerStatus/list", {}))
    finally:
        process.kill()
        process.communicate()


CONNECTING = [
    pytest.param(
        name, mark, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed"), id=name
    )
    for name, mark in (("claude", "✔ Connected"), ("codex", "fugue_list_panes"), ("gemini", "✓ fugue"))
]


@pytest.mark.parametrize("runs", [True, False], ids=["running", "before"])
@pytest.mark.parametrize(("client", "mark"), CONNECTING)
def test_a_client_connects_without_variables_whether_a_workspace_runs_or_not(
    place: Place, client: str, mark: str, runs: bool
) -> None:
    register(client, place)
    if runs:
        place.start("shop")
    else:  # On a busy machine, Claude Code and Codex do not wait for the lists to be generated the first time.
        connected(client, place)
        kept = place.home / ".local" / "state" / "fugue-tui" / "mcp-lists"
        until(lambda: kept.is_dir() and any(each.suffix == ".json" for each in kept.iterdir()))
    assert mark in connected(client, place)


@pytest.mark.skipif(INSPECTOR is None, reason="the MCP Inspector is not installed")
def test_the_inspector_lists_tools_without_variables_before_a_workspace_runs(place: Place) -> None:
    def asked(*words: str) -> Any:
        return json.loads(ran([INSPECTOR, "--cli", *BRIDGE, *words], place.home, place.client_env))

    before = asked("--method", "tools/list")["tools"]
    place.start("shop")
    assert asked("--method", "tools/list")["tools"] == before
    called = asked("--method", "tools/call", "--tool-name", "fugue_list_panes")
    assert called["structuredContent"]["workspace"] == "shop"


@pytest.mark.parametrize("era", ERAS)
def test_a_client_of_every_era_gets_its_tools_before_a_workspace_runs(place: Place, era: str) -> None:
    def asked(call: str) -> Any:
        return json.loads(ran([sys.executable, "-c", SDK, era, call], place.home, place.client_env))

    before, _ = asked("")
    place.start("shop")
    tools, called = asked("call")
    assert tools == before
    assert called["workspace"] == "shop"


@pytest.mark.parametrize("client", CLIENTS)
def test_an_agent_that_starts_before_its_workspace_works_in_it_later(place: Place, client: str) -> None:
    def begin(results: Sequence[str]) -> Mapping[str, Any]:
        place.start("shop")
        return {}

    failed, status = results_of(client, place, [("fugue_list_panes", {}), ("fugue_list_panes", begin)])
    assert "fugue-tui is not running; start it in a terminal with: fugue-tui" in failed
    assert '"shop"' in status


@pytest.mark.parametrize("client", CLIENTS)
def test_an_agent_with_two_workspaces_joins_one_by_name_and_stays_there(place: Place, client: str) -> None:
    def end(results: Sequence[str]) -> Mapping[str, Any]:
        place.end("bb")
        return {}

    place.start("aa")
    place.start("bb")
    script: list[Call] = [
        ("fugue_list_panes", {}),
        ("fugue_join_workspace", {"name": "bb"}),
        ("fugue_list_panes", {}),
        ("fugue_list_panes", end),
    ]
    refused, listed, status, failed = results_of(client, place, script)
    assert "several workspaces run (aa, bb); join one with fugue_join_workspace" in refused
    assert '"joined":true' in listed
    assert '"bb"' in status
    assert "the workspace bb (" in failed
    assert "is not running" in failed
