"""Servers that do what the protocol forbids: what they say is bounded and clean, and the workspace goes on."""

import sys
from pathlib import Path

import pytest
from tests.mcp.client.conftest import Servers, small

from fugue_tui.config.servers import ServerSettings
from fugue_tui.control.commands.call_server import CallServer
from fugue_tui.control.commands.mcp_servers import ConnectServer, ServerInfo
from fugue_tui.control.core.command import USER
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.errors import Cancelled, ServerFailed, TimedOut
from fugue_tui.multiplexer.mcp_servers.model import ServerState
from fugue_tui.validation.json_form import fields

pytestmark = pytest.mark.slow
PROGRAM = str(Path(__file__).with_name("hostile_program.py"))


def hostile(mode: str = "", seconds: float = 60) -> ServerSettings:
    """The settings of a hostile server."""
    return ServerSettings(command=sys.executable, args=(PROGRAM, mode), start_seconds=seconds, call_seconds=60)


def connected(servers: Servers, mode: str = "") -> ServerInfo:
    """Connect to a hostile server, beside one that is not."""
    servers.use(bad=hostile(mode), small=small())
    return servers.room.run(ConnectServer(server="bad"))


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("mute", "not ready within 2 s"),
        ("closed", "it has closed its output"),
        ("hundred", "a message of more than 16 MiB"),
    ],
)
def test_a_server_that_does_not_answer_the_handshake_fails_alone(servers: Servers, mode: str, reason: str) -> None:
    servers.use(bad=hostile(mode, 2 if mode == "mute" else 60), small=small())
    with pytest.raises((ServerFailed, TimedOut), match=reason):
        servers.room.run(ConnectServer(server="bad"))
    assert servers.call("echo", text="fine").text == "fine"


@pytest.mark.parametrize("mode", ["", "garbage", "endless-list"])
def test_what_a_hostile_server_offers_is_clean_and_listed_once(servers: Servers, mode: str) -> None:
    info = connected(servers, mode)
    names = [each.name for each in info.tools]
    assert (names[:2], len(names), info.error) == (["same", "escapes"], len(set(names)), "")
    assert info.tools[0].description == "the first"
    said = f"{info.title} {info.tools}"
    assert said.isprintable()
    assert "\u202e" not in said


def test_a_list_that_cannot_be_read_is_named(servers: Servers) -> None:
    info = connected(servers, "wrong-list")
    assert (info.state, info.tool_count) == ("connected", 0)
    assert "a list cannot be read" in info.error
    assert "inputSchema.properties.x" in info.error


def test_forms_for_hostile_schemas_are_bounded(servers: Servers) -> None:
    connected(servers)
    tools = servers.room.mux.mcp_servers.status("bad").catalog.tools
    counts = {each.name: len(fields(each.schema)) for each in tools}
    assert {name: counts[name] for name in ("cycle", "remote", "wide", "bomb")} == {
        "cycle": 5, "remote": 1, "wide": 1, "bomb": 100,
    }  # fmt: skip


def test_results_that_are_no_results_fail_the_call_alone(servers: Servers) -> None:
    connected(servers)
    with pytest.raises(ServerFailed, match="CallToolResult is wrong in 1 places, such as content"):
        servers.call("wrong", "bad")
    assert servers.call("deep", "bad").text == "red done", "what is nested 50,000 levels deep is no message"
    assert servers.call("storm", "bad").text == "red done"
    with pytest.raises(ServerFailed, match="bad has ended"):
        servers.call("shut", "bad")
    servers.reaches(ServerState.WAITING, "bad")
    assert servers.call("echo", text="fine").text == "fine"


def test_a_cancel_that_the_server_ignores_ends_the_call(servers: Servers) -> None:
    connected(servers)
    later = CallServer(server="bad", tool="ignore").run(servers.room.mux, USER)
    assert isinstance(later, Deferred)
    servers.room.turn()
    later.cancel()
    with pytest.raises(Cancelled):
        servers.room.awaited(later)
    assert servers.call("same", "bad").text == "red done"


def test_a_message_of_very_many_values_ends_the_server(servers: Servers) -> None:
    servers.use(small=small())
    with pytest.raises(ServerFailed, match="a message of more than 150,000 values"):
        servers.call("many", count=300_000)
