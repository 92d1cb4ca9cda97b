"""The socket as raw clients meet it: good lines, bad lines, too many, too long, gone."""

import json
import logging
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from tests.mcp.conftest import HELD, LET_GO, Served, request, until

from fugue_tui.control.core.command import USER
from fugue_tui.control.dispatch.thread_gateway import ThreadGateway
from fugue_tui.control.schema.command_line import command
from fugue_tui.ids import PaneId
from fugue_tui_mcp.listener import listen
from fugue_tui_mcp.socket_server import SocketServer


def test_a_connection_that_is_dropped_before_it_is_read_is_closed(
    serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    connected = SocketServer._connected  # pyright: ignore[reportPrivateUsage]

    def connect_and_drop(self: SocketServer, *streams: Any) -> None:
        connected(self, *streams)
        self._drop_all()  # pyright: ignore[reportPrivateUsage]

    monkeypatch.setattr(SocketServer, "_connected", connect_and_drop)
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(40)
        link.connect(serve().path)
        assert link.recv(1) == b""


def test_a_raw_client_shakes_hands_and_calls_a_tool(served: Served) -> None:
    link = served.link()
    answer = link.initialize()
    assert answer["result"]["serverInfo"]["name"] == "fugue-tui"
    assert answer["result"]["capabilities"]["tools"]["listChanged"] is True
    panes = link.call("fugue_list_panes")["structuredContent"]["panes"]
    assert [pane["name"] for pane in panes] == ["first"]
    link.close()


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        (b"not json\n", -32700, None),
        (b"\xff\xfe\n", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1\n', -32700, None),
        (b"[" * 10_000 + b"\n", -32700, None),
        (b"[]\n", -32600, None),
        (b"3\n", -32600, None),
        (b'{"id": 7, "method": "ping"}\n', -32600, 7),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}\n', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 8, "method": 3}\n', -32600, 8),
        (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": []}\n', -32600, 9),
    ],
)
def test_what_is_no_message_is_answered_and_the_conversation_continues(
    served: Served, line: bytes, code: int, id: Any
) -> None:
    link = served.link()
    link.initialize()
    link.send(line)
    answer = link.read()
    assert (answer["error"]["code"], answer["id"]) == (code, id)
    assert link.ask("ping", id=10) == {"jsonrpc": "2.0", "id": 10, "result": {}}
    link.close()


def test_half_of_a_surrogate_pair_comes_back_as_it_was_sent(served: Served) -> None:
    link = served.link()
    link.initialize()
    link.send(request("ping", id="\ud800"))
    assert link.read()["id"] == "\ud800"
    link.send(request("\udfff", id="x"))
    assert link.read()["error"]["message"] == "Method not found"
    token = {"name": "fugue_test_echo", "arguments": {"text": "a"}, "_meta": {"progressToken": "\ud800"}}
    link.send(request("tools/call", token, "\udfff"))
    assert link.read()["id"] == "\udfff"
    link.close()


def test_garbage_before_the_first_message_is_answered_too(served: Served) -> None:
    link = served.link()
    link.send(b"GET / HTTP/1.1\r\n", b"\r\n")
    assert link.read()["error"]["code"] == -32700
    assert link.initialize()["result"]
    link.close()


def test_a_ping_is_answered_while_a_call_waits(served: Served) -> None:
    link = served.link()
    link.initialize()
    link.send(request("tools/call", {"name": "fugue_test_hold", "arguments": {}}, 1), request("ping", id=2))
    assert HELD.wait(10)
    assert link.read()["id"] == 2
    LET_GO.set()
    assert link.read()["id"] == 1
    link.close()


def test_a_cancelled_call_that_has_not_begun_never_runs(served: Served) -> None:
    link = served.link()
    link.initialize()
    link.send(request("tools/call", {"name": "fugue_test_hold", "arguments": {}}, 1))
    assert HELD.wait(10)
    link.send(request("tools/call", {"name": "fugue_create_pane", "arguments": {"command": "cat"}}, 2))
    link.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
    assert link.ask("ping", id=3)["id"] == 3
    LET_GO.set()
    assert link.read()["id"] in (1, 2)
    assert len(served.on_main(lambda: served.mux.workspace.panes)) == 1
    assert link.ask("ping", id=4)["id"] in (2, 4)
    link.close()


def test_a_client_that_disconnects_in_the_middle_of_a_call_disturbs_nobody(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    link, other = served.link(), served.link()
    link.initialize()
    other.initialize()
    link.send(request("tools/call", {"name": "fugue_test_hold", "arguments": {}}, 1))
    link.send(request("tools/call", {"name": "fugue_create_pane", "arguments": {"command": "cat"}}, 2))
    assert HELD.wait(10)
    link.close()
    assert other.ask("ping")["result"] == {}
    until(lambda: len(served.server.clients()) == 1)
    LET_GO.set()
    assert len(other.call("fugue_list_panes")["structuredContent"]["panes"]) == 1
    assert "ERROR" not in [record.levelname for record in caplog.records]
    other.close()


def test_a_client_that_disconnects_with_answers_on_their_way_is_no_fault(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    link = served.link()
    link.initialize()
    link.send(*(request("tools/list", id=number) for number in range(1, 40)))
    link.read()
    link.close()
    until(lambda: not served.server.clients())
    served.server.stop()
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_what_was_asked_before_the_client_closed_its_half_is_answered(served: Served) -> None:
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "nc", "version": "1"}}
    link = served.link()
    link.send(request("initialize", client, 0), {"jsonrpc": "2.0", "method": "notifications/initialized"})
    link.send(request("tools/call", {"name": "fugue_test_echo", "arguments": {"text": "hi"}}, 1))
    link.socket.shutdown(1)
    assert [link.read()["id"] for _ in range(2)] == [0, 1]
    assert link.read() is None
    link.close()


@pytest.mark.slow
def test_the_command_line_needs_no_sdk() -> None:
    script = (
        "import sys, fugue_tui_mcp.socket_server, fugue_tui_mcp.listener, fugue_tui.control.command_table\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'mcp', 'mcp_types', 'pydantic', 'textual'}))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout == b"[]\n"


def test_a_command_line_gets_text_json_and_a_status(served: Served) -> None:
    link = served.link()
    answer = link.ask("fugue/cli", {"words": ["list-panes"], "json": True})["result"]
    assert answer["exit"] == 0
    assert answer["text"].startswith("ID")
    assert answer["json"]["panes"][0]["name"] == "first"
    answer = link.ask("fugue/cli", {"words": ["close-pane", "%9"]})["result"]
    assert (answer["exit"], answer["json"]["error"]["code"]) == (1, "not_found")
    answer = link.ask("fugue/cli", {"words": ["close-pan"]})["result"]
    assert (answer["exit"], answer["json"]["error"]["code"]) == (2, "unknown_command")
    answer = link.ask("fugue/cli", {"words": ["split-pane", "--help"]})["result"]
    assert answer["text"].startswith("usage: fugue-tui split-pane")
    assert link.ask("fugue/cli", {"words": "list-panes"})["error"]["code"] == -32602
    link.close()


def test_a_bug_is_reported_without_its_secrets(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    link = served.link()
    answer = link.ask("fugue/cli", {"words": ["test-bug"]})["result"]
    assert answer["json"]["error"]["code"] == "internal"
    assert "secret" not in json.dumps(answer)
    assert "a secret" in caplog.text
    link.close()


def test_agents_and_commands_are_told_apart_in_the_record(served: Served) -> None:
    agent, shell = served.link(), served.link()
    agent.initialize()
    agent.call("fugue_get_status")
    shell.ask("fugue/cli", {"words": ["get-status"]})
    interfaces = served.on_main(lambda: [(entry.interface, entry.client) for entry in served.dispatcher.audit])
    assert interfaces[-2:] == [("mcp", "raw"), ("cli", "")]
    agent.close()
    shell.close()


def test_disconnecting_drops_every_client_and_lets_new_ones_in(served: Served) -> None:
    link = served.link()
    link.initialize()
    served.server.disconnect()
    assert link.read() is None
    again = served.link()
    assert again.initialize()["result"]
    link.close()
    again.close()


def test_a_program_in_a_pane_is_known_by_its_pane_and_not_by_its_environment(served: Served, private_dir: Path) -> None:
    answer = private_dir / "answer"
    listing = f"FUGUE_PANE=%1 {shlex.quote(sys.executable)} -m fugue_tui list-panes --json"
    line = f"{listing} > {answer}.part && mv {answer}.part {answer}; cat"
    made: Any = served.on_main(lambda: command(["create-pane", "--command", line]).run(served.mux, USER))
    until(answer.exists)
    assert json.loads(answer.read_text())["you"] == made.id


@pytest.mark.skipif(os.getuid() != 0, reason="becoming another user takes root")
def test_another_user_is_rejected_by_file_modes_and_peer_credentials(served: Served, private_dir: Path) -> None:
    script = (
        "import os, socket, sys\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "link = socket.socket(socket.AF_UNIX)\n"
        "try:\n"
        "    link.connect(sys.argv[1])\n"
        '    link.sendall(b\'{"jsonrpc":"2.0","id":1,"method":"fugue/cli","params":{"words":["list-panes"]}}\\n\')\n'
        "    print(link.recv(100))\n"
        "except OSError as error: print(type(error).__name__)\n"
    )
    stranger = [sys.executable, "-S", "-c", script, served.path]
    assert subprocess.run(stranger, capture_output=True, check=True, text=True).stdout == "PermissionError\n"
    private_dir.chmod(0o755)
    os.chmod(served.path, 0o666)
    said = subprocess.run(stranger, capture_output=True, check=True, text=True).stdout
    assert said in ("b''\n", "ConnectionResetError\n", "BrokenPipeError\n")


def test_stopping_without_having_started_leaves_nothing(private_dir: Path) -> None:
    path = str(private_dir / "test.sock")
    server = SocketServer(listen(path), ThreadGateway(cast("Any", None), lambda call: None))
    server.stop()
    assert not os.path.exists(path)


@pytest.mark.slow
def test_nothing_is_written_to_the_screen_whatever_clients_send(private_dir: Path) -> None:
    script = (
        f"import sys; sys.path[:0] = [{str(Path(__file__).parents[2])!r}]\n"
        "from tests.mcp.conftest import Served, request\n"
        "served = Served(sys.argv[1])\n"
        "link = served.link()\n"
        "link.send(b'garbage\\n'); link.read(); link.initialize()\n"
        "for tool in ('fugue_test_bug', 'fugue_\\x1b[31m'): link.call(tool)\n"
        "link.send(request('tools/call', {'name': 3})); link.read()\n"
        "link.send(request('no/such'), request('resources/list', {})); link.read(); link.read()\n"
        "link.send(request('tools/call', {'name': 'fugue_test_echo', 'arguments': {}}, 9)); link.close()\n"
        "served.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(private_dir / "test.sock")], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_pane_whose_program_has_a_session_is_known_until_it_ends(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tags in its output are text meanwhile."""
    monkeypatch.setattr(ThreadGateway, "_own_pane", lambda gateway, caller: PaneId(1))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    link = served.link()
    link.initialize()
    link.call("fugue_get_status")
    assert served.on_main(lambda: dict(served.dispatcher.mux.sideband.mcp)) == {PaneId(1): 1}
    link.close()
    until(lambda: not served.on_main(lambda: dict(served.dispatcher.mux.sideband.mcp)))
