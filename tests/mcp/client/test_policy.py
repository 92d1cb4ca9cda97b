"""What agents may do with MCP servers, by the rules for the server and for what the tool does."""

import pytest
from tests.mcp.client.conftest import Servers, script, small
from tests.multiplexer.conftest import agent

from fugue_tui.config.model import McpSettings
from fugue_tui.config.servers import ServerSettings
from fugue_tui.control.commands.call_server import CallServer, ReadResource
from fugue_tui.control.commands.mcp_servers import ConnectServer, DisconnectServer
from fugue_tui.control.core.command import Command, Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.policy import Decision, judge
from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.grants import Scope
from fugue_tui.multiplexer.mcp_servers.model import Catalog, Tool, ToolEffect

CATALOG = Catalog(tools=(Tool("look", effect=ToolEffect.READ), Tool("erase", effect=ToolEffect.DESTROY), Tool("do")))


def decisions(
    servers: Servers, *commands: Command[object], interface: Interface = Interface.MCP, **rules: str
) -> list[str]:
    """The decisions on commands that an agent calls."""
    mux = servers.room.mux
    mux.permissions = McpSettings(servers=mux.permissions.servers, **rules)  # pyright: ignore[reportArgumentType]
    origin = Origin(interface, PaneId(1), client="test")
    return [found.decision.value for each in commands for found in judge(mux, each, origin)]


def known(servers: Servers, **settings: object) -> tuple[Command[object], ...]:
    """A call of each tool of a server that is known but does not run."""
    servers.use(some=ServerSettings(command="true", **settings))  # pyright: ignore[reportArgumentType]
    servers.room.mux.mcp_servers.changed("some", CATALOG)
    return tuple(CallServer(server="some", tool=tool) for tool in ("look", "do", "erase", "unknown"))


def test_an_agent_needs_a_grant_for_everything(servers: Servers) -> None:
    calls = known(servers)
    others = (ConnectServer(server="some"), DisconnectServer(server="some"), ReadResource(server="some", uri="a:b"))
    assert decisions(servers, *calls, *others) == ["ask"] * 7
    assert decisions(servers, *calls, trust="full") == ["allow"] * 4


def test_a_server_for_agents_is_allowed_but_for_what_destroys(servers: Servers) -> None:
    calls = known(servers, agents="allow")
    assert decisions(servers, *calls) == ["allow", "allow", "ask", "allow"]
    assert decisions(servers, *calls, destroy="allow") == ["allow"] * 4
    assert decisions(servers, *calls, run="refuse") == ["allow", "refuse", "ask", "refuse"]


def test_a_refused_server_is_refused_and_so_is_what_output_asks_for(servers: Servers) -> None:
    assert decisions(servers, *known(servers, agents="refuse"), trust="full") == ["refuse"] * 4
    assert decisions(servers, *known(servers, agents="allow"), interface=Interface.SIDEBAND) == ["refuse"] * 4


def test_the_configuration_knows_better_what_a_tool_does(servers: Servers) -> None:
    calls = known(servers, agents="allow", effects={"do": "destroy", "erase": "read"})
    assert decisions(servers, *calls) == ["allow", "ask", "allow", "allow"]


def test_a_grant_holds_for_one_effect_of_one_server(servers: Servers) -> None:
    calls = known(servers)
    room, dispatcher, origin = servers.room, Dispatcher(servers.room.mux), agent(servers.room.cat())
    later = dispatcher.run(calls[0], origin)
    assert is_deferred(later)
    room.until(lambda: room.mux.approvals.waiting())
    question = room.mux.approvals.waiting()[0].question
    assert Scope.SESSION in question.scopes
    assert question.what == "call-server --server some --tool look"
    room.mux.approvals.approve(room.mux.approvals.waiting()[0].id, Scope.SESSION)
    room.until(lambda: later.done)
    found = [each.decision for call in calls for each in judge(room.mux, call, origin)]
    assert found == [Decision.ALLOW, Decision.ASK, Decision.ASK, Decision.ASK]


@pytest.mark.slow
def test_a_tool_that_turns_out_to_destroy_was_not_approved(servers: Servers) -> None:
    servers.use(small=small(agents="allow"))
    dispatcher, origin = Dispatcher(servers.room.mux), agent(servers.room.cat())
    later = dispatcher.run(CallServer(server="small", tool="remove", arguments={"path": "x"}), origin)
    assert is_deferred(later)
    with pytest.raises(Refused, match=r"not allowed any more: .* destroy = 'ask'"):
        servers.room.awaited(later)


def test_a_call_is_in_the_audit_log_without_secrets(servers: Servers) -> None:
    servers.use(some=script("exit 1"))
    dispatcher = Dispatcher(servers.room.mux)
    call = CallServer(server="some", tool="t", arguments={"api_token": "hunter2hunter2", "city": "Rome"})
    later = dispatcher.run(call, Origin(Interface.PALETTE))
    assert is_deferred(later)
    servers.room.until(lambda: later.done)
    servers.room.turn()
    entry = list(dispatcher.audit)[-1]
    assert "Rome" in entry.command
    assert "hunter2" not in entry.command


def test_a_project_adds_servers_and_cannot_allow_them_to_agents(servers: Servers) -> None:
    servers.use(some=ServerSettings(command="false"))
    mux = servers.room.mux
    project = {"some": ServerSettings(command="true", agents="allow"), "own": ServerSettings(command="true")}
    mux.add_mcp_servers(project, "/work/shop", "/work/shop/.fugue.toml")
    found = mux.mcp_servers.all()
    assert {name: (each.settings.command, each.base) for name, each in found.items()} == {
        "some": ("true", "/work/shop"),
        "own": ("true", "/work/shop"),
    }
    assert decisions(servers, CallServer(server="some", tool="look")) == ["ask"]
