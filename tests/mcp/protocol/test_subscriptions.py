"""Subscriptions under attack: many, flooded, given up, and those of clients that vanish."""

import asyncio
import json
import logging
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest
from tests.mcp.conftest import Link, Served, request, until
from tests.mcp.protocol.test_resources import SCREEN, Ears, followers, say, subscribe, subscribed, text_at
from tests.mcp.protocol.test_session import ERAS, client

from fugue_tui.control.commands.pane_info import GetPaneState
from fugue_tui.ids import PaneId
from fugue_tui.terminal.screen.pins import Point
from fugue_tui_mcp.protocol import completions, prompts
from fugue_tui_mcp.protocol.resource_handlers import MOST
from fugue_tui_mcp.protocol.subscriptions import PACE
from mcp import Client, MCPError

pytestmark = [pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed"), pytest.mark.slow]
META = "io.modelcontextprotocol"


def modern(method: str, params: Mapping[str, Any], id: Any = 1) -> dict[str, Any]:
    """A request as clients make it since 2026-07-28."""
    meta: dict[str, Any] = {f"{META}/protocolVersion": "2026-07-28", f"{META}/clientCapabilities": {}}
    return request(method, {**params, "_meta": meta}, id)


def listens(link: Link, *uris: str) -> None:
    """Subscribe as clients do since 2026-07-28."""
    wanted = {"resourcesListChanged": True, "resourceSubscriptions": uris}
    link.send(modern("subscriptions/listen", {"notifications": wanted}, "ears"))
    assert link.read()["method"] == "notifications/subscriptions/acknowledged"


def subscribes(link: Link, *uris: str) -> None:
    """Subscribe as clients did before."""
    link.initialize()
    for uri in uris:
        assert link.ask("resources/subscribe", {"uri": uri})["result"] == {}


BEGIN: Mapping[str, Callable[..., None]] = {"auto": listens, "legacy": subscribes}


async def one_more(agent: Client, era: str, uri: str) -> None:
    """Subscribe to another resource."""
    if era == "legacy":
        await subscribe(agent, uri)
        return
    async with agent.listen(resource_subscriptions=[uri]):
        return


@pytest.mark.parametrize("era", ERAS)
async def test_at_most_two_hundred_resources_are_subscribed_to(served: Served, era: str) -> None:
    say(served, *(f"create-window --name w{number} --command cat" for number in range(33)))
    panes = served.on_main(lambda: list(served.mux.terminals))
    named = [f"{sign}{int(pane)}" for pane in panes for sign in ("", "%25")]
    uris = [f"fugue://pane/{name}/{view}" for view in ("state", "scrollback", "screen") for name in named]
    uris = ["fugue://panes", "fugue://layout", *uris][: MOST + 1]
    assert len(uris) == MOST + 1
    async with subscribed(served, era, *uris[:MOST]) as (agent, ears):
        with pytest.raises(MCPError, match="refused: 200 resources may be subscribed to at a time"):
            await one_more(agent, era, uris[MOST])
        say(served, *(f"send-input --pane {pane} --text x" for pane in panes), "rename-window --window @1 --name new")
        await ears.until(lambda: set(ears.updated) >= set(uris[:MOST]))
    await asyncio.to_thread(until, lambda: followers(served) == 0)


@pytest.mark.parametrize("era", ERAS)
async def test_a_user_who_scrolls_or_selects_changes_a_state_and_nothing_else(served: Served, era: str) -> None:
    uris = [f"fugue://pane/1/{view}" for view in ("state", "screen", "scrollback", "last-command")]
    terminal = served.on_main(lambda: served.mux.terminals[PaneId(1)])
    acts = [lambda: terminal.scroll(1), lambda: terminal.copy_mode.select(Point(0)), terminal.copy_mode.deselect]
    async with subscribed(served, era, *uris) as (_, ears):
        for told, act in enumerate(acts, 1):
            served.on_main(act)  # As a person's: what the subscription has begun on that thread comes first.
            await ears.until(lambda told=told: len(ears.updated) >= told)
        assert ears.updated == [uris[0]] * 3


@pytest.mark.parametrize("era", ERAS)
async def test_updates_of_a_flood_are_limited_to_two_a_second(serve: Callable[..., Served], era: str) -> None:
    served = serve(engine="ghostty")
    say(served, "create-pane --name flood --command yes")
    uris = [f"fugue://pane/2/{view}" for view in ("screen", "scrollback", "state")]
    begun = asyncio.get_running_loop().time()
    async with subscribed(served, era, *uris) as (agent, ears):
        await ears.until(lambda: len(ears.updated) >= 12)
        told, seconds = len(ears.updated), asyncio.get_running_loop().time() - begun
        await agent.call_tool("fugue_list_panes", {})
    assert told / len(uris) <= seconds / PACE + 1


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", ["hang up", "reset"])
def test_a_client_that_disconnects_is_told_nothing_more(
    served: Served, era: str, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    link = served.link()
    BEGIN[era](link, SCREEN, "fugue://panes")
    until(lambda: followers(served) == 1)
    if way == "reset":
        link.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for number in range(20):
            say(served, f"rename-pane --pane %1 --name n{number}")
    link.close()
    say(served, "send-input --pane %1 --text x", "rename-pane --pane %1 --name other")
    until(lambda: followers(served) == 0)
    assert [entry.message for entry in caplog.records if entry.levelno >= logging.WARNING] == []


class Bridged(Link):
    """A client that speaks through a bridge."""

    def __init__(self, bridge: "subprocess.Popen[bytes]") -> None:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        self.into, self.file = bridge.stdin, cast("Any", bridge.stdout)

    def send(self, *messages: Any) -> None:
        self.into.write(b"".join(json.dumps(each).encode() + b"\n" for each in messages))
        self.into.flush()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("call", ["fugue_stream_output", "fugue_wait_for_output", "fugue_list_events"])
def test_a_killed_bridge_frees_the_resources_of_its_call(served: Served, era: str, call: str) -> None:
    arguments: dict[str, dict[str, Any]] = {
        "fugue_stream_output": {"panes": ["%1"], "timeout": 600},
        "fugue_wait_for_output": {"panes": ["%1"], "any_of": ["never"]},
        "fugue_list_events": {"wait_ms": 100_000},
    }
    with subprocess.Popen(
        [sys.executable, "-m", "fugue_tui", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={"FUGUE_SOCKET": served.path, "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)},
    ) as bridge:  # fmt: skip
        link = Bridged(bridge)
        BEGIN[era](link, SCREEN)
        params = {"name": call, "arguments": arguments[call]}
        link.send((modern if era == "auto" else request)("tools/call", params, "call"))
        until(lambda: any(outcome == "started" for _, outcome in served.outcomes()[-1:]))
        bridge.send_signal(signal.SIGKILL)
    until(lambda: served.outcomes()[-1][1] == "cancelled")
    until(lambda: followers(served) == 0 and not served.mux.wait_service.awake)
    assert served.on_main(lambda: not vars(next(iter(served.mux.terminals.values())))["_observers"])


async def test_a_legacy_client_that_subscribed_before_it_listed_hears_of_other_resources_too(served: Served) -> None:
    ears = Ears()
    async with client(served, "legacy", message_handler=ears.hear) as agent:
        await subscribe(agent, SCREEN)
        await agent.list_resources()
        say(served, "split-pane --pane %1 --command cat")
        await ears.until(lambda: ears.relisted)


async def test_no_pending_update_is_sent_after_unsubscribing(served: Served) -> None:
    async with subscribed(served, "legacy", SCREEN, "fugue://panes") as (agent, ears):
        say(served, "send-input --pane %1 --text x")
        await ears.until(lambda: SCREEN in ears.updated)
        say(served, "send-input --pane %1 --text y --submit")
        async with asyncio.timeout(40):
            while "xy" not in await text_at(agent, SCREEN):
                await asyncio.sleep(0.01)
        await subscribe(agent, SCREEN, undo=True)
        ears.updated.clear()
        for told in (1, 2):  # The second is told later than what was due.
            say(served, f"rename-pane --pane %1 --name other{told}")
            await ears.until(lambda told=told: ears.updated.count("fugue://panes") == told)
        assert SCREEN not in ears.updated


@pytest.mark.parametrize("era", ERAS)
async def test_an_internal_error_of_resources_prompts_and_completions_hides_its_details(
    served: Served, era: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("a secret \x1b[31m")

    monkeypatch.setattr(GetPaneState, "run", broken)
    monkeypatch.setattr(prompts, "get", broken)
    monkeypatch.setattr(completions, "source", broken)
    ref: Any = {"type": "ref/prompt", "name": "monitoring"}
    async with client(served, era) as agent:
        for ask in (
            lambda: agent.read_resource("fugue://pane/1/state"),
            lambda: agent.get_prompt("monitoring", {}),
            lambda: agent.complete(ref, {"name": "pane", "value": ""}),
        ):
            with pytest.raises(MCPError, match=r"^internal: a bug in fugue-tui; its log has the details$"):
                await ask()
    assert sum("a secret" in str(entry.exc_info) for entry in caplog.records) == 3
