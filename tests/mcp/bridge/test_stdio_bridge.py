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

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


class Bridge:
    """A running bridge."""

    def __init__(self, path: str) -> None:
        env = {**os.environ, "FUGUE_SOCKET": path}
        arguments = [sys.executable, "-m", "fugue_tui", "mcp"]
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

    def call(self, tool: str, id: Any, *, modern: bool = False) -> Any:
        """Call a tool without arguments and read the next message."""
        return self.ask("tools/call", {"name": tool, "arguments": {}} | ({"_meta": MODERN} if modern else {}), id)

    def close(self) -> int:
        """Close the client's side and wait for the end."""
        assert self.process.stdin
        assert self.process.stdout
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(10)


@pytest.fixture
def bridge_to() -> Iterator[Callable[[str], Bridge]]:
    """Starts bridges and ends them."""
    started: list[Bridge] = []

    def start(path: str) -> Bridge:
        started.append(Bridge(path))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.mark.slow
def test_a_session_of_the_old_protocol_survives_a_restart(
    serve: Callable[..., Served], bridge_to: Callable[[str], Bridge]
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
    serve: Callable[..., Served], bridge_to: Callable[[str], Bridge]
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
def test_pending_calls_fail_when_the_workspace_has_ended(served: Served, bridge_to: Callable[[str], Bridge]) -> None:
    bridge = bridge_to(served.path)
    bridge.ask("initialize", HELLO, 0)
    bridge.send(request("tools/call", {"name": "fugue_test_hold", "arguments": {}}, 1))
    assert HELD.wait(10)
    served.server.disconnect()
    failed = bridge.read()
    assert (failed["id"], failed["error"]["code"]) == (1, -32000)
    LET_GO.set()


def test_a_workspace_that_starts_a_moment_later_is_waited_for(
    serve: Callable[..., Served], private_dir: Path, bridge_to: Callable[[str], Bridge]
) -> None:
    bridge = bridge_to(str(private_dir / "test.sock"))
    bridge.send(request("initialize", HELLO, 0))
    serve()
    assert bridge.read()["result"]["serverInfo"]["name"] == "fugue-tui"


@pytest.mark.slow
def test_without_a_workspace_the_client_is_told_and_may_try_again(
    serve: Callable[..., Served], private_dir: Path, bridge_to: Callable[[str], Bridge]
) -> None:
    bridge = bridge_to(str(private_dir / "test.sock"))
    assert bridge.ask("initialize", HELLO, 0)["error"]["code"] == -32000
    serve()
    until(lambda: "result" in bridge.ask("initialize", HELLO, 1))
    assert bridge.call("fugue_list_panes", 2)["id"] == 2


def test_what_was_asked_before_the_client_closed_its_pipe_is_answered(
    served: Served, bridge_to: Callable[[str], Bridge]
) -> None:
    bridge = bridge_to(served.path)
    bridge.send(request("initialize", HELLO, 0), request("ping", id=1))
    assert bridge.process.stdin
    bridge.process.stdin.close()
    assert [bridge.read()["id"] for _ in range(2)] == [0, 1]
    assert bridge.read() is None
    assert bridge.process.wait(10) == 0


def test_the_bridge_ends_when_its_output_is_closed(served: Served, bridge_to: Callable[[str], Bridge]) -> None:
    bridge = bridge_to(served.path)
    assert bridge.process.stdout
    bridge.process.stdout.close()
    bridge.send(request("initialize", HELLO, 0))
    assert bridge.process.wait(10) == 0


@pytest.mark.slow
def test_a_message_that_is_too_long_fails_alone(served: Served, bridge_to: Callable[[str], Bridge]) -> None:
    bridge = bridge_to(served.path)
    bridge.ask("initialize", HELLO, 0)
    bridge.send(request("ping", {"_meta": {"x": "y" * 5_000_000}}, 1))
    failed = bridge.read()
    assert (failed["id"], "too long" in failed["error"]["message"]) == (1, True)
    assert bridge.ask("ping", id=2)["result"] == {}


@pytest.mark.slow
def test_large_answers_and_many_requests_pass(serve: Callable[..., Served], bridge_to: Callable[[str], Bridge]) -> None:
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
    served: Served, private_dir: Path, bridge_to: Callable[[str], Bridge]
) -> None:
    private_dir.chmod(0o755)
    bridge = bridge_to(served.path)
    assert "others may enter it" in bridge.ask("initialize", HELLO, 0)["error"]["message"]
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
