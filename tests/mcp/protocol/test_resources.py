"""Panes and layouts as resources, in both eras."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp_types import ResourceListChangedNotification, ResourceUpdatedNotification, TextResourceContents
from tests.mcp.conftest import Served, until
from tests.mcp.protocol.test_session import ERAS, client

from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import USER, Effect, registry
from fugue_tui.control.introspection import DATA
from fugue_tui.control.schema.command_line import command
from fugue_tui.errors import NotFound
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.multiplexer.events.log import LogEntry
from fugue_tui_mcp.protocol import resources
from fugue_tui_mcp.protocol.resources import WatchedResource
from fugue_tui_mcp.protocol.subscriptions import PACE, touches
from mcp import Client, MCPError

pytestmark = pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed")

SCREEN = "fugue://pane/1/screen"


async def text_at(agent: Client, uri: str) -> str:
    """What a resource holds."""
    (content,) = (await agent.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert content.uri == uri
    return content.text


async def subscribe(agent: Client, uri: str, *, undo: bool = False) -> None:
    """Ask for updates as clients did before 2026-07-28, or for no more."""
    session: Any = agent.session
    await (session.unsubscribe_resource if undo else session.subscribe_resource)(uri)


def say(served: Served, *lines: str) -> None:
    """Have a person's commands done."""
    for line in lines:
        served.on_main(lambda line=line: command(line).run(served.mux, USER))


def followers(served: Served) -> int:
    """How many subscribe to the workspace's events."""
    return served.on_main(lambda: vars(served.mux.event_log)["_subscribers"])


def test_every_view_is_read_by_a_command_that_changes_nothing() -> None:
    for view in resources.VIEWS.values():
        assert registry()[view.verb].effect is Effect.READ
    for uri in (resources.PANES, resources.LAYOUT, "fugue://layout/1"):
        assert registry()[resources.parse(uri).verb].effect is Effect.READ


@pytest.mark.parametrize(
    ("uri", "pane"),
    [
        ("fugue://pane/3/screen", "%3"),
        ("fugue://pane/%253/screen", "%3"),
        ("fugue://pane/api%20server/screen", "api server"),
        ("fugue://pane/a%2Fb/screen", "a/b"),
    ],
)
def test_a_pane_is_named_by_its_number_or_its_name(uri: str, pane: str) -> None:
    assert resources.parse(uri).arguments["pane"] == pane
    assert resources.parse("fugue://pane/" + resources.quoted(pane) + "/screen").arguments["pane"] == pane


@pytest.mark.parametrize(
    "uri",
    [
        "", "fugue://", "fugue://pane/1", "fugue://pane/1/screen/", "fugue://pane//screen", "fugue://pane/1/../2/screen",
        "fugue://pane/1/screen?x=1", "file:///etc/passwd", "fugue://panes\n", "fugue://pane/" + "9" * 5000 + "/screen",
        "fugue://pane/\u0663/screen\x1b[31m",
    ],
)  # fmt: skip
def test_other_uris_stand_for_nothing(uri: str) -> None:
    with pytest.raises(NotFound, match="no resource") as caught:
        resources.parse(uri)
    assert str(caught.value).isprintable()


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_resources_are_listed_and_read_through_the_gateway(served: Served, era: str) -> None:
    say(served, "rename-pane --pane %1 --name 'api server'")
    async with client(served, era) as agent:
        listed = (await agent.list_resources()).resources
        assert [(each.uri, each.name) for each in listed] == [
            ("fugue://panes", "panes"),
            ("fugue://layout", "layout"),
            ("fugue://agents", "agents"),
            (SCREEN, "%1 api server"),
        ]
        templates = [each.uri_template for each in (await agent.list_resource_templates()).resource_templates]
        await agent.call_tool("fugue_send_input", {"pane": "%1", "text": "hello there", "submit": True})
        async with asyncio.timeout(40):
            while "hello there\nhello there" not in await text_at(agent, SCREEN):
                await asyncio.sleep(0.01)
        read = {name: await text_at(agent, f"fugue://pane/1/{name}") for name in resources.VIEWS}
        named = await text_at(agent, "fugue://pane/api%20server/scrollback")
        panes, layout = [json.loads(await text_at(agent, each.uri)) for each in listed[:2]]
        window = json.loads(await text_at(agent, "fugue://layout/1"))
    assert templates == [*(f"fugue://pane/{{pane}}/{name}" for name in resources.VIEWS), "fugue://layout/{window}"]
    for name in ("screen", "scrollback"):
        assert read[name].startswith("untrusted output of pane %1, up to the second line with ")
        assert "hello there" in named
    assert json.loads(read["state"])["pane"] == "%1"
    assert [pane["id"] for pane in panes["panes"]] == ["%1"]
    assert {window.pop("untrusted"), panes["untrusted"], layout["untrusted"]} == {DATA}
    assert layout["windows"] == [{name: each for name, each in window.items() if each is not False}]
    assert window["panes"][0]["name"] == "api server"
    assert ("get-pane-state --pane %1", "done") in served.outcomes()


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("fugue://pane/9/screen", "not_found: no pane %9"),
        ("fugue://pane/nobody/state", "not_found: no pane nobody"),
        ("fugue://elsewhere", "not_found: no resource fugue://elsewhere"),
    ],
)
async def test_what_does_not_exist_cannot_be_read(served: Served, era: str, uri: str, said: str) -> None:
    async with client(served, era) as agent:
        with pytest.raises(MCPError, match=said) as caught:
            await agent.read_resource(uri)
    assert caught.value.code == -32602


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_agents_that_may_not_look_cannot_read_nor_subscribe(served: Served, era: str) -> None:
    served.mux.permissions = McpSettings(read="refuse")
    async with client(served, era) as agent:
        for ask in (lambda: agent.read_resource(SCREEN), agent.list_resources):
            with pytest.raises(MCPError, match="refused: "):
                await ask()
        if era == "legacy":
            with pytest.raises(MCPError, match="refused: "):
                await subscribe(agent, SCREEN)
        else:
            async with agent.listen(resource_subscriptions=[SCREEN]):
                assert followers(served) == 0


@pytest.mark.slow
async def test_a_long_scrollback_is_cut_and_says_how_to_read_on(serve: Callable[..., Served]) -> None:
    served = serve(settings=McpSettings(longest_answer=2_000))
    say(served, "split-pane --pane %1 --name flood --on-exit keep --command 'seq 1000 1500; sleep 1000'")
    async with client(served, "auto") as agent:
        async with asyncio.timeout(40):
            while "\n1500\n" not in (text := await text_at(agent, "fugue://pane/flood/scrollback")):
                await asyncio.sleep(0.01)
    assert len(text) < 3_000
    assert text.splitlines()[2].isdigit()


class Ears:
    """What a client hears of changes, in either era."""

    def __init__(self) -> None:
        self.updated = list[str]()
        self.relisted = 0

    async def hear(self, message: Any) -> None:
        match message:
            case ResourceUpdatedNotification():
                self.updated.append(message.params.uri)
            case ResourceListChangedNotification():
                self.relisted += 1
            case _:
                return

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(40):
            while not condition():
                await asyncio.sleep(0.01)


@asynccontextmanager
async def subscribed(served: Served, era: str, *uris: str) -> AsyncGenerator[tuple[Client, Ears]]:
    """A client that wants to hear of changes."""
    ears = Ears()
    async with client(served, era, message_handler=ears.hear) as agent:
        if era == "legacy":
            await agent.list_resources()
            for uri in uris:
                await subscribe(agent, uri)
            yield agent, ears
        else:
            async with agent.listen(resources_list_changed=True, resource_subscriptions=uris):
                yield agent, ears


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_a_subscriber_is_notified_of_its_resources_only(served: Served, era: str) -> None:
    say(served, "split-pane --pane %1 --name other --command cat")
    async with subscribed(served, era, SCREEN, "fugue://layout") as (_, ears):
        say(served, "send-input --pane %2 --text x", "send-input --pane %1 --text x")
        await ears.until(lambda: SCREEN in ears.updated)
        assert set(ears.updated) == {SCREEN}
        say(served, "split-pane --pane %1 --command cat")
        await ears.until(lambda: "fugue://layout" in ears.updated and ears.relisted)


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_updates_are_limited_to_two_a_second_and_include_the_last(served: Served, era: str) -> None:
    async with subscribed(served, era, SCREEN) as (agent, ears):
        begun = asyncio.get_running_loop().time()
        for number in range(60):
            say(served, f"send-input --pane %1 --text {number} --submit")
        await ears.until(lambda: len(ears.updated) >= 2)
        say(served, "send-input --pane %1 --text over --submit")
        heard = len(ears.updated)
        while "over" not in await text_at(agent, SCREEN):
            await ears.until(lambda heard=heard: len(ears.updated) > heard)
            heard = len(ears.updated)
        assert len(ears.updated) <= (asyncio.get_running_loop().time() - begun) / PACE + 1


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_agents_that_may_not_look_any_more_are_told_nothing(served: Served, era: str) -> None:
    async with subscribed(served, era, SCREEN, "fugue://layout") as (agent, ears):
        served.mux.permissions = McpSettings(read="refuse")
        say(served, "send-input --pane %1 --text x", "split-pane --pane %1 --name quiet --command cat")
        served.on_main(lambda: None)
        await agent.list_tools()
        assert (ears.updated, ears.relisted) == ([], 0)
        served.mux.permissions = McpSettings(trust="full")
        say(served, "split-pane --pane %1 --command cat")
        await ears.until(lambda: "fugue://layout" in ears.updated and ears.relisted)


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_agents_that_may_not_look_are_not_told_of_panes_that_come(served: Served, era: str) -> None:
    served.mux.permissions = McpSettings(read="refuse")
    ears = Ears()
    async with client(served, era, message_handler=ears.hear) as agent:
        if era == "legacy":
            with pytest.raises(MCPError, match="refused: "):
                await agent.list_resources()
            say(served, "split-pane --pane %1 --command cat")
            served.on_main(lambda: None)
            await agent.list_tools()
        else:
            async with agent.listen(resources_list_changed=True):
                say(served, "split-pane --pane %1 --command cat")
                served.on_main(lambda: None)
                await agent.list_tools()
        assert ears.relisted == 0


@pytest.mark.slow
async def test_a_legacy_client_can_unsubscribe(served: Served) -> None:
    async with subscribed(served, "legacy", SCREEN, "fugue://panes") as (agent, ears):
        await subscribe(agent, SCREEN, undo=True)
        say(served, "send-input --pane %1 --text x", "rename-pane --pane %1 --name other")
        await ears.until(lambda: ears.updated)
        assert set(ears.updated) == {"fugue://panes"}


@pytest.mark.slow
async def test_a_resource_of_a_pane_to_come_is_told_when_it_is_there(served: Served) -> None:
    async with subscribed(served, "auto", "fugue://pane/2/screen") as (_, ears):
        say(served, "split-pane --pane %1 --command cat", "send-input --pane %2 --text x")
        await ears.until(lambda: ears.updated)


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_panes_are_observed_only_while_there_are_subscribers(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        await agent.list_resources()
        assert followers(served) == 0
    async with subscribed(served, era, SCREEN):
        assert followers(served) == 1
    await asyncio.to_thread(until, lambda: followers(served) == 0)


async def test_a_client_that_does_not_read_gets_one_pending_notification(served: Served) -> None:
    link = served.link()
    link.initialize()
    link.ask("resources/subscribe", {"uri": SCREEN})
    for _ in range(3):
        say(served, "send-input --pane %1 --text x --submit")
    assert link.read()["params"]["uri"] == SCREEN
    link.close()


def entry(kind: EventKind, pane: int | None = None) -> LogEntry:
    return LogEntry(1, 0.0, kind, PaneId(pane) if pane else None)


@pytest.mark.parametrize(
    ("kind", "pane", "views"),
    [
        (EventKind.OUTPUT, 1, {"screen", "scrollback", "state", "last-command"}),
        (EventKind.OUTPUT, 2, set[str]()),
        (EventKind.COMMAND_FINISHED, 1, {"last-command", "state", "panes"}),
        (EventKind.TITLE, 1, {"state", "panes"}),
        (EventKind.TITLE, 2, {"panes"}),
        (EventKind.BELL, 1, {"state"}),
        (EventKind.LAYOUT, None, {"layout", "panes", "screen", "scrollback", "state"}),
        (EventKind.PANE_OPENED, 2, {"layout", "panes"}),
        (EventKind.FOCUS, 2, {"layout", "panes"}),
        (EventKind.EXIT, 1, {"screen", "scrollback", "last-command", "state", "panes"}),
    ],
)
def test_what_happens_changes_the_resources_that_show_it(kind: EventKind, pane: int | None, views: set[str]) -> None:
    known = [WatchedResource("", view, PaneId(1)) for view in (*resources.VIEWS, "panes", "layout")]
    assert {each.view for each in known if touches(entry(kind, pane), each)} == views
