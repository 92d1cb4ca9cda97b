"""The bridge as a process between a client's pipes and a workspace that comes and goes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.conftest import HELD, LET_GO, Served, request, until

from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import USER
from fugue_tui.control.schema.command_line import command
from fugue_tui.store.server_records import holder

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


class Bridge:
    """A running bridge."""

    def __init__(self, path: str, *options: str, program: tuple[str, ...] = ("-m", "fugue_tui", "mcp")) -> None:
        env = {**os.environ, "FUGUE_SOCKET": path}
        arguments = [sys.executable, *program, *options]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)

    def send(self, *messages: Any) -> None:
        """Send messages, or bytes as they are."""
        assert self.process.stdin
        for each in messages:
            self.process.stdin.write(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        """The next message; None at the end."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def ask(self, method: str, params: Any = None, id: Any = 1) -> Any:
        """Send a request and read the next message."""
        self.send(request(method, params, id))
        return self.read()

    def call(self, tool: str, id: Any, *, modern: bool = False, **arguments: Any) -> Any:
        """Call a tool and read the next message."""
        params = {"name": tool, "arguments": arguments} | ({"_meta": MODERN} if modern else {})
        return self.ask("tools/call", params, id)

    def close(self) -> int:
        """Close the client's side and wait for the end."""
        assert self.process.stdin
        assert self.process.stdout
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(10)


@pytest.fixture
def bridge_to() -> Iterator[Callable[..., Bridge]]:
    """Starts bridges and ends them."""
    started: list[Bridge] = []

    def start(path: str, *options: str, **program: tuple[str, ...]) -> Bridge:
        started.append(Bridge(path, *options, **program))
        return started[-1]

    yield start
    for each in started:
        each.close()


CLIENT = """
import subprocess, sys
subprocess.run([sys.executable, "-m", "fugue_tui", "mcp"])
"""
"""Another program that starts a bridge."""


def test_a_client_is_one_program_with_and_without_a_bridge(served: Served, bridge_to: Callable[..., Bridge]) -> None:
    link, bridges = served.link(), [bridge_to(served.path) for _ in range(2)]
    other = bridge_to(served.path, program=("-c", CLIENT))
    link.initialize()
    direct = link.call("fugue_test_origin")["structuredContent"]["process"]
    processes = list[str]()
    for bridge in (*bridges, other):
        bridge.ask("initialize", HELLO)
        bridge.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        processes.append(bridge.call("fugue_test_origin", 2)["result"]["structuredContent"]["process"])
    assert direct.startswith(f"{os.getpid()}@")
    assert processes[:2] == [direct] * 2
    assert processes[2].startswith(f"{other.process.pid}@")


@pytest.mark.slow
def test_a_session_of_the_old_protocol_survives_a_restart(
    serve: Callable[..., Served], bridge_to: Callable[..., Bridge]
) -> None:
    served = serve()
    bridge = bridge_to(served.path)
    assert bridge.ask("initialize", HELLO, 0)["result"]["protocolVersion"] == "2025-11-25"
    bridge.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert bridge.call("fugue_list_panes", 1)["id"] == 1
    served.close()
    failed = bridge.call("fugue_list_panes", 2)
    assert (failed["id"], failed["error"]["code"]) == (2, -32000)
    assert "fugue-tui is not running; start it in a terminal with: fugue-tui" in failed["error"]["message"]
    _replace(serve, served)
    for kind in ("tools", "resources"):
        assert bridge.read() == {"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed"}
    assert bridge.call("fugue_list_panes", 3)["result"]["structuredContent"]["panes"][0]["id"] == "%1"


@pytest.mark.slow
def test_a_session_of_the_new_protocol_survives_a_restart(
    serve: Callable[..., Served], bridge_to: Callable[..., Bridge]
) -> None:
    served = serve()
    bridge = bridge_to(served.path)
    assert "2026-07-28" in bridge.ask("server/discover", {"_meta": MODERN}, "probe")["result"]["supportedVersions"]
    listen = {"_meta": MODERN, "notifications": {"toolsListChanged": True}}
    acknowledged = bridge.ask("subscriptions/listen", listen, "ears")
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    served.close()
    assert bridge.call("fugue_list_panes", 2, modern=True)["error"]["code"] == -32000
    _replace(serve, served)
    changed = bridge.read()
    assert changed["method"] == "notifications/tools/list_changed"
    assert changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "ears"
    assert bridge.call("fugue_list_panes", 3, modern=True)["result"]["structuredContent"]["panes"][0]["id"] == "%1"
    assert bridge.ask("tools/list", {"_meta": MODERN}, 4)["id"] == 4


@pytest.mark.slow
def test_pending_calls_fail_when_the_workspace_has_ended(served: Served, bridge_to: Callable[..., Bridge]) -> None:
    bridge = bridge_to(served.path)
    bridge.ask("initialize", HELLO, 0)
    bridge.send(request("tools/call", {"name": "fugue_test_hold", "arguments": {}}, 1))
    assert HELD.wait(10)
    served.server.disconnect()
    failed = bridge.read()
    assert (failed["id"], failed["error"]["code"]) == (1, -32000)
    LET_GO.set()


def test_a_workspace_that_starts_a_moment_later_is_waited_for(
    serve: Callable[..., Served], private_dir: Path, bridge_to: Callable[..., Bridge]
) -> None:
    bridge = bridge_to(str(private_dir / "test.sock"))
    bridge.send(request("initialize", HELLO, 0))
    serve()
    assert bridge.read()["result"]["serverInfo"]["name"] == "fugue-tui"


LISTS = ("tools/list", "prompts/list", "resources/templates/list")


@pytest.mark.slow
@pytest.mark.parametrize("modern", [False, True])
def test_a_client_that_starts_before_the_workspace_gets_its_tools_and_then_the_workspace(
    serve: Callable[..., Served], private_dir: Path, bridge_to: Callable[..., Bridge], modern: bool
) -> None:
    bridge = bridge_to(str(private_dir / "test.sock"))
    meta = {"_meta": MODERN} if modern else {}
    if modern:
        assert "2026-07-28" in bridge.ask("server/discover", meta, 0)["result"]["supportedVersions"]
        listening = bridge.ask("subscriptions/listen", {**meta, "notifications": {"toolsListChanged": True}}, "listen")
        assert listening["method"] == "notifications/subscriptions/acknowledged"
    else:
        assert bridge.ask("initialize", HELLO, 0)["result"]["protocolVersion"] == "2025-11-25"
        bridge.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert bridge.ask("ping", id=1) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    offline = [bridge.ask(method, meta, 2) for method in LISTS]
    assert [each["uri"] for each in bridge.ask("resources/list", meta, 3)["result"]["resources"]] == [
        "fugue://panes",
        "fugue://layout",
        "fugue://agents",
    ]
    failed = bridge.call("fugue_list_panes", 4, modern=modern)
    assert (failed["id"], failed["error"]["code"]) == (4, -32000)
    assert "start it in a terminal with: fugue-tui" in failed["error"]["message"]
    serve()
    changed = [bridge.read()["method"] for _ in range(1 if modern else 2)]
    assert changed[0] == "notifications/tools/list_changed"
    panes = bridge.call("fugue_list_panes", 5, modern=modern)["result"]["structuredContent"]["panes"]
    assert panes[0]["id"] == "%1"
    assert without_times([bridge.ask(method, meta, 2) for method in LISTS]) == without_times(offline)


def without_times(responses: list[Any]) -> list[Any]:
    """Responses without how long they may be cached, which depends on the subscriptions, and the tools of tests."""
    for each in responses:
        each["result"].pop("ttlMs", None)
        if "tools" in each["result"]:
            each["result"]["tools"] = [
                tool for tool in each["result"]["tools"] if not tool["name"].startswith("fugue_test_")
            ]
    return responses


def test_the_responses_without_a_workspace_are_kept_for_the_next_client(
    private_dir: Path, bridge_to: Callable[..., Bridge], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = str(private_dir / "test.sock")
    first = prompts_of(bridge_to(path))
    (kept,) = (tmp_path / ".local" / "state" / "fugue-tui" / "mcp-lists").iterdir()
    content = json.loads(kept.read_text())
    content["responses"]["prompts/list"]["result"]["prompts"] = []
    kept.write_text(json.dumps(content))
    assert prompts_of(bridge_to(path)) == []
    os.utime(os.environ["FUGUE_CONFIG"], ns=(1, 1))
    assert prompts_of(bridge_to(path)) == first


@pytest.mark.slow
def test_the_first_call_starts_a_workspace_if_the_configuration_says_so(
    private_dir: Path, bridge_to: Callable[..., Bridge], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUGUE_CONFIG", str(private_dir / "config.toml"))
    Path(os.environ["FUGUE_CONFIG"]).write_text("[mcp]\nstart = true\n")
    bridge = bridge_to("", "--workspace", "dev")
    bridge.ask("initialize", HELLO, 0)
    bridge.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert holder("dev") is None
    bridge.send(request("tools/call", {"name": "fugue_list_panes", "arguments": {}}, 1))
    answered = next(each for each in iter(bridge.read, None) if each.get("id") == 1)
    assert answered["result"]["structuredContent"]["workspace"] == "dev"
    assert bridge.close() == 0
    started = holder("dev")
    assert started is not None
    os.kill(started.pid, signal.SIGTERM)
    until(lambda: holder("dev") is None)


def prompts_of(bridge: Bridge) -> list[Any]:
    """The prompts that a client gets."""
    bridge.ask("initialize", HELLO, 0)
    return bridge.ask("prompts/list", {}, 1)["result"]["prompts"]


def test_a_workspace_that_refuses_agents_is_not_asked_again_at_once(
    serve: Callable[..., Served], bridge_to: Callable[..., Bridge], monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve()
    vars(served.server)["_agents"] = False
    bridge = bridge_to(served.path)
    bridge.ask("initialize", HELLO, 0)
    failures = [bridge.call("fugue_list_panes", id) for id in range(1, 4)]
    assert [each["id"] for each in failures] == [1, 2, 3]
    assert "agents are disabled" in failures[-1]["error"]["message"]


@pytest.mark.slow
def test_a_client_stays_with_its_workspace_when_that_ends_and_another_runs(
    serve: Callable[..., Served], bridge_to: Callable[..., Bridge]
) -> None:
    first, _ = serve(workspace="aa"), serve(workspace="bb")
    bridge = bridge_to("", "--workspace", "aa")
    bridge.ask("initialize", HELLO, 0)
    bridge.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert bridge.call("fugue_list_panes", 1)["id"] == 1
    first.close(returns=True)
    failed = bridge.call("fugue_list_panes", 2)["error"]["message"]
    assert failed.startswith("the workspace aa (")
    assert failed.endswith("with: fugue-tui new aa; or join another with fugue_join_workspace: bb")
    changes = ["notifications/tools/list_changed", "notifications/resources/list_changed"]
    assert [bridge.read()["method"] for _ in range(2)] == changes
    tools = [tool["name"] for tool in bridge.ask("tools/list", {}, 2)["result"]["tools"]]
    assert tools[-2:] == ["fugue_list_workspaces", "fugue_join_workspace"]
    again = serve(workspace="aa")
    assert [bridge.read()["method"] for _ in range(2)] == changes
    assert bridge.call("fugue_list_panes", 3)["result"]["structuredContent"]["panes"]
    again.close()
    serve(workspace="aa")
    other = bridge.call("fugue_list_panes", 4)["error"]["message"]
    assert "is another one with other panes; fugue_join_workspace with the name aa joins it" in other


@pytest.mark.slow
@pytest.mark.parametrize("modern", [False, True])
def test_a_client_lists_workspaces_and_joins_another(
    serve: Callable[..., Served], bridge_to: Callable[..., Bridge], modern: bool
) -> None:
    first, second = serve(workspace="aa"), serve(workspace="bb")
    second.on_main(lambda: command("create-pane --name second --command cat").run(second.mux, USER))
    bridge = bridge_to("", "--workspace", "aa")
    if not modern:
        bridge.ask("initialize", HELLO, 0)
        bridge.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    meta = {"_meta": MODERN} if modern else {}
    tools = [tool["name"] for tool in bridge.ask("tools/list", meta, 1)["result"]["tools"]]
    assert tools[-2:] == ["fugue_list_workspaces", "fugue_join_workspace"]
    listed = bridge.call("fugue_list_workspaces", 2, modern=modern)["result"]
    assert listed.get("resultType") == ("complete" if modern else None)
    found = listed["structuredContent"]["workspaces"]
    assert [(each["name"], each["panes"], each["joined"]) for each in found] == [("aa", 1, True), ("bb", 2, False)]
    assert {each["cwd"] for each in found} == {os.getcwd()}
    by_call = {"name": "fugue_call", "arguments": {"tool": "fugue_list_workspaces"}, **meta}
    called = bridge.ask("tools/call", by_call, 3)["result"]
    assert called["structuredContent"] == listed["structuredContent"]
    refused = bridge.call("fugue_join_workspace", 3, modern=modern, name="cc")["result"]
    assert refused["isError"]
    assert "there run: aa, bb" in refused["content"][0]["text"]
    bridge.send(request("tools/call", {"name": "fugue_join_workspace", "arguments": {"name": "bb"}, **meta}, 4))
    joined = next(each for each in iter(bridge.read, None) if each.get("id") == 4)["result"]["structuredContent"]
    assert [each["joined"] for each in joined["workspaces"]] == [False, True]
    panes = bridge.call("fugue_list_panes", 5, modern=modern)["result"]["structuredContent"]["panes"]
    assert [each["name"] for each in panes] == ["first", "second"]
    first.close()
    assert bridge.call("fugue_list_panes", 6, modern=modern)["result"]["structuredContent"]["panes"] == panes


def test_a_workspace_that_admits_no_agents_is_listed_without_its_panes(
    serve: Callable[..., Served], bridge_to: Callable[..., Bridge]
) -> None:
    serve(workspace="aa")
    closed = serve(workspace="bb")
    closed.on_main(lambda: setattr(closed.mux, "permissions", McpSettings(read="refuse")))
    found = bridge_to("", "--workspace", "aa").call("fugue_list_workspaces", 1)["result"]["structuredContent"]
    assert [sorted(each) for each in found["workspaces"]] == [
        ["cwd", "id", "joined", "name", "panes"],
        ["id", "joined", "name"],
    ]


def test_what_was_asked_before_the_client_closed_its_pipe_is_answered(
    served: Served, bridge_to: Callable[..., Bridge]
) -> None:
    bridge = bridge_to(served.path)
    bridge.send(request("initialize", HELLO, 0), request("ping", id=1))
    assert bridge.process.stdin
    bridge.process.stdin.close()
    assert [bridge.read()["id"] for _ in range(2)] == [0, 1]
    assert bridge.read() is None
    assert bridge.process.wait(10) == 0


def test_the_bridge_ends_when_its_output_is_closed(served: Served, bridge_to: Callable[..., Bridge]) -> None:
    bridge = bridge_to(served.path)
    assert bridge.process.stdout
    bridge.process.stdout.close()
    bridge.send(request("initialize", HELLO, 0))
    assert bridge.process.wait(10) == 0


@pytest.mark.slow
def test_a_message_that_is_too_long_fails_alone(served: Served, bridge_to: Callable[..., Bridge]) -> None:
    bridge = bridge_to(served.path)
    bridge.ask("initialize", HELLO, 0)
    bridge.send(request("ping", {"_meta": {"x": "y" * 5_000_000}}, 1))
    failed = bridge.read()
    assert (failed["id"], "too long" in failed["error"]["message"]) == (1, True)
    assert bridge.ask("ping", id=2)["result"] == {}


@pytest.mark.slow
def test_large_answers_and_many_requests_pass(serve: Callable[..., Served], bridge_to: Callable[..., Bridge]) -> None:
    bridge = bridge_to(serve(settings=McpSettings(longest_answer=400_000)).path)
    bridge.ask("initialize", HELLO, 0)
    call = {"name": "fugue_test_echo", "arguments": {"text": "x", "times": 200_000}}
    bridge.send(*(request("tools/call", call, number) for number in range(1, 21)))
    answers = [bridge.read() for _ in range(20)]
    assert {len(each["result"]["content"][0]["text"]) > 200_000 for each in answers} == {True}


@pytest.mark.slow
def test_an_interrupt_ends_it_without_a_traceback(served: Served) -> None:
    env = {**os.environ, "FUGUE_SOCKET": served.path}
    arguments = [sys.executable, "-m", "fugue_tui", "mcp"]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    until(lambda: served.server.clients())
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=40)[1] == b""
    assert process.returncode == 130


@pytest.mark.slow
def test_it_refuses_a_socket_in_a_directory_that_others_may_enter(
    served: Served, private_dir: Path, bridge_to: Callable[..., Bridge]
) -> None:
    private_dir.chmod(0o755)
    bridge = bridge_to(served.path)
    assert "others may enter it" in bridge.call("fugue_list_panes", 0)["error"]["message"]
    private_dir.chmod(0o700)


def test_it_needs_neither_asyncio_nor_anything_installed() -> None:
    listed = "print(sorted(name for name in sys.modules if name in sys.argv[1:]))"
    script = f"import sys, fugue_tui_mcp.bridge.stdio_bridge; {listed}"
    heavy = ["asyncio", "pydantic", "mcp", "mcp_types", "textual", "dataclasses", "typing", "inspect", "argparse"]
    command = [sys.executable, "-I", "-c", script, *heavy]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"[]\n"


def _replace(serve: Callable[..., Served], old: Served) -> None:
    """Start another workspace in the place of one that is closed."""
    assert not Path(old.path).exists()
    serve(name=Path(old.path).stem)


def test_a_client_that_is_gone_gets_no_more_done(served: Served, bridge_to: Callable[..., Bridge]) -> None:
    bridge = bridge_to(served.path)
    call = {"name": "fugue_wait_for_output", "arguments": {"panes": ["%1"], "any_of": ["never"], "timeout": 100}}
    bridge.send(request("initialize", HELLO, 0), request("tools/call", call, id=1))
    until(lambda: served.outcomes()[-1:] and served.outcomes()[-1][1] == "started")
    assert bridge.process.stdin
    assert bridge.process.stdout
    bridge.process.stdin.close()
    bridge.process.stdout.close()
    assert bridge.process.wait(10) == 0
    until(lambda: served.outcomes()[-1][1] == "cancelled")
