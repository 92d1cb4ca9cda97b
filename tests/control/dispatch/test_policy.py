"""Who may do what: by kind of caller, effect, and whose the panes are."""

import pytest
from msgspec.structs import replace
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import McpSettings, SecuritySettings
from fugue_tui.control.commands.layouts import CreateLayout
from fugue_tui.control.commands.panes import ClosePane, CreatePane, ListPanes
from fugue_tui.control.commands.run_command import RunCommand
from fugue_tui.control.commands.save import DeleteSaved
from fugue_tui.control.commands.send_keys import SendInput
from fugue_tui.control.commands.server import KillServer
from fugue_tui.control.core.command import Command, Effect, Interface, Origin
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.policy import Decision, grantee, judge, rule
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.grants import Scope
from fugue_tui.multiplexer.author import Kind

ALLOW, ASK, REFUSE = Decision.ALLOW, Decision.ASK, Decision.REFUSE
KINDS = {
    Origin(Interface.KEY): Kind.USER,
    Origin(Interface.PALETTE): Kind.USER,
    Origin(Interface.MOUSE): Kind.USER,
    Origin(Interface.CLI): Kind.SCRIPT,
    Origin(Interface.CLI, PaneId(1), inside=True): Kind.AGENT,
    Origin(Interface.CLI, inside=True): Kind.AGENT,
    Origin(Interface.MCP, PaneId(1), inside=True): Kind.AGENT,
    Origin(Interface.MCP, inside=True): Kind.AGENT,
    Origin(Interface.MCP): Kind.CLIENT,
    Origin(Interface.SIDEBAND, PaneId(1), inside=True): Kind.PROGRAM,
    Origin(Interface.MONITOR): Kind.MONITOR,
}
ASKED = {Effect.INPUT, Effect.RUN, Effect.DESTROY, Effect.CLIPBOARD, Effect.ADMIN}


@pytest.mark.parametrize(("origin", "kind"), KINDS.items())
def test_the_kind_of_a_caller_comes_from_its_interface_and_its_ancestors(origin: Origin, kind: Kind) -> None:
    assert origin.kind is kind
    assert replace(origin, client="the user").kind is kind


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("effect", Effect)
def test_the_default_rules(kind: Kind, effect: Effect) -> None:
    match kind:
        case Kind.USER | Kind.SCRIPT:
            expected = ALLOW
        case Kind.PROGRAM | Kind.MONITOR if effect in (Effect.CLIPBOARD, Effect.ADMIN):
            expected = REFUSE
        case Kind.MONITOR:
            expected = ALLOW
        case _:
            expected = ASK if effect in ASKED else ALLOW
    assert rule(McpSettings(), kind, effect) is expected


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("effect", Effect)
@pytest.mark.parametrize("word", ["allow", "ask", "refuse"])
@pytest.mark.parametrize("trust", ["ask", "full"])
def test_a_rule_of_the_configuration_holds_for_agents_alone(kind: Kind, effect: Effect, word: str, trust: str) -> None:
    found = rule(replace(McpSettings(trust=trust), **{effect: word}), kind, effect)  # pyright: ignore[reportArgumentType]
    if kind in (Kind.USER, Kind.SCRIPT):
        assert found is ALLOW
    elif kind is Kind.PROGRAM and effect in ASKED:
        refused = word == "refuse" or effect in (Effect.CLIPBOARD, Effect.ADMIN)
        assert found is (REFUSE if refused else ASK)
    elif kind is Kind.MONITOR:
        assert found is (REFUSE if word == "refuse" or effect in (Effect.CLIPBOARD, Effect.ADMIN) else ALLOW)
    else:
        assert found is (ALLOW if word == "ask" and trust == "full" else Decision(word))


def _decided(room: Room, command: Command[object], origin: Origin) -> dict[str, Decision]:
    return {each.effect: each.decision for each in judge(room.mux, command, origin)}


def test_an_agent_does_what_it_likes_where_it_opened_the_pane_and_asks_elsewhere(room: Room) -> None:
    mine, theirs = room.cat(), room.cat()
    agent = Origin(Interface.MCP, mine, inside=True)
    opened = PaneId(Dispatcher(room.mux).run(CreatePane(source_pane=str(theirs)), agent).id[1:])  # pyright: ignore
    below = Origin(Interface.CLI, opened, inside=True)
    deeper = PaneId(Dispatcher(room.mux).run(CreatePane(source_pane=str(theirs)), below).id[1:])  # pyright: ignore
    for pane, expected in ((mine, ALLOW), (opened, ALLOW), (deeper, ALLOW), (theirs, ASK)):
        assert _decided(room, SendInput(pane=str(pane), text="x"), agent) == {Effect.INPUT: expected}
        assert _decided(room, ClosePane(pane=str(pane)), agent) == {Effect.DESTROY: expected}
    room.run(ClosePane(pane=str(opened)))
    assert _decided(room, ClosePane(pane=str(deeper)), agent) == {Effect.DESTROY: ALLOW}
    # What it opened may not act on what opened it.
    assert _decided(room, ClosePane(pane=str(mine)), below) == {Effect.DESTROY: ASK}
    assert _decided(room, ListPanes(), agent) == {Effect.READ: ALLOW}


def test_what_opens_panes_is_not_asked_about_and_what_ends_the_workspace_is(room: Room) -> None:
    pane = room.cat()
    client = Origin(Interface.MCP, process="12@34")
    assert _decided(room, RunCommand(command="make"), client) == {Effect.RUN: ALLOW}
    assert _decided(room, CreateLayout(layout={"pane": {"command": "vim"}}), client) == {Effect.RUN: ALLOW}
    assert _decided(room, DeleteSaved(name="x"), client) == {Effect.DESTROY: ASK}
    assert _decided(room, KillServer(workspace="test"), client) == {Effect.DESTROY: ASK, Effect.ADMIN: ASK}
    assert _decided(room, KillServer(workspace="test"), Origin(Interface.MCP, pane)) == {
        Effect.DESTROY: ALLOW,
        Effect.ADMIN: ASK,
    }


def test_two_unknown_callers_own_nothing_of_each_other(room: Room) -> None:
    pane = room.cat()
    one, other = Origin(Interface.MCP, process="12@34"), Origin(Interface.MCP, process="12@35")
    made = Dispatcher(room.mux).run(CreatePane(source_pane=str(pane)), one)
    assert _decided(room, ClosePane(pane=made.id), one) == {Effect.DESTROY: ALLOW}  # pyright: ignore
    assert _decided(room, ClosePane(pane=made.id), other) == {Effect.DESTROY: ASK}  # pyright: ignore


def test_the_user_owns_a_pane_that_the_user_opened_whatever_an_agent_did_before(room: Room) -> None:
    pane = room.cat()
    agent = Origin(Interface.MCP, process="12@34")
    made = Dispatcher(room.mux).run(CreatePane(source_pane=str(pane)), agent)
    assert _decided(room, ClosePane(pane=str(room.cat())), agent) == {Effect.DESTROY: ASK}
    room.run(ClosePane(pane=made.id))  # pyright: ignore
    assert room.mux.owners == {}


def test_a_grant_covers_its_caller_its_effects_and_its_panes(room: Room) -> None:
    first, second = room.cat(), room.cat()
    agent = Origin(Interface.MCP, process="12@34", executable="/usr/bin/agent")
    twin, stranger = (
        replace(agent, process="56@78"),
        Origin(Interface.MCP, process="56@79", executable="/usr/bin/other"),
    )
    grants = room.mux.grants

    def decisions() -> list[str]:
        return [
            next(iter(_decided(room, command, origin).values()))
            for origin in (agent, twin, stranger)
            for command in (SendInput(pane=str(first), text="x"), SendInput(pane=str(second), text="x"),
                            ClosePane(pane=str(first)))
        ]  # fmt: skip

    pane = grants.add(Scope.PANE, grantee(agent), ["input"], [first])
    assert decisions() == ["allow", "ask", "ask"] + ["ask"] * 6
    assert _decided(room, DeleteSaved(name="x"), agent) == {Effect.DESTROY: ASK}
    grants.revoke(pane.id)
    session = grants.add(Scope.SESSION, grantee(agent), ["input"], [first])
    assert decisions() == ["allow", "allow", "ask"] + ["ask"] * 6
    grants.revoke(session.id)
    grants.add(Scope.ALWAYS, grantee(agent), ["input"], [first])
    assert decisions() == ["allow", "allow", "ask"] * 2 + ["ask"] * 3
    grants.add(Scope.ALWAYS, grantee(Origin(Interface.MCP, process="1@1")), ["input"])
    assert decisions()[6:] == ["ask"] * 3, "what is granted to an unknown executable is granted to nobody"


def test_a_grant_ends_with_the_program_of_its_pane(room: Room) -> None:
    mine, theirs = room.cat(), room.cat()
    agent = Origin(Interface.MCP, mine, inside=True)
    room.mux.grants.add(Scope.SESSION, grantee(agent), ["input"])
    room.mux.grants.add(Scope.PANE, grantee(Origin(Interface.MCP, process="1@1")), ["input"], [theirs])
    room.mux.respawn(mine)
    assert [grant.scope for grant in room.mux.grants.all()] == [Scope.PANE]
    room.run(ClosePane(pane=str(theirs)))
    assert room.mux.grants.all() == ()


def test_a_decision_is_explained_with_its_reason(room: Room) -> None:
    mine, theirs = room.cat(), room.cat()
    agent = Origin(Interface.MCP, mine, inside=True, process="12@34")

    def explained(call: str, more: str = "", origin: Origin = agent) -> tuple[str, list[str]]:
        found = room.say(f"explain-policy --call '{call}' {more}", origin)
        return found.decision, [each.reason for each in found.effects]

    close = f"close-pane {theirs}"
    own = "it is the caller's own pane, or one that the caller opened"
    foreign = f"[mcp] destroy = 'ask', in {theirs}, which the caller did not open"
    assert explained("list-panes") == ("allow", ["[mcp] read = 'allow'"])
    assert explained(f"close-pane {mine}") == ("allow", [own])
    assert explained(close) == ("ask", [foreign])
    assert explained(close, "--caller client") == ("ask", [foreign])
    assert explained(close, f"--pane {theirs}") == ("allow", [own])
    assert explained(close, "--caller program") == (
        "refuse",
        ["what a program prints may end only panes that it opened"],
    )
    assert explained(close, "--caller user") == ("allow", [])
    assert explained("approve-request 1")[0] == "refuse"
    assert explained("rename-workspace x") == ("ask", ["[mcp] admin = 'ask', for the workspace"])
    grant = room.mux.grants.add(Scope.SESSION, grantee(agent), ["destroy"])
    assert explained(close) == ("allow", [f"grant {grant.id} (session)"])
    room.mux.permissions = McpSettings(trust="full", input="refuse")
    assert explained(f"execute-command {theirs} --command true") == (
        "refuse",
        ["[mcp] input = 'refuse'", '[mcp] trust = "full"'],
    )
    security = SecuritySettings(dangerous_patterns=(("rm",),), allowed_commands=("git", "rm"))
    room.mux.permissions = McpSettings(security=security)
    assert explained('create-pane --command "rm x"')[0] == "ask"
    assert explained("create-pane --command make")[0] == "refuse"
    assert explained("create-pane --command git")[0] == "allow"
    assert room.open == [mine, theirs], "nothing is run"
