"""Notifications of changed resources: at once, then at a pace, always of the last change, and none after the end."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from fugue_tui.control.core.command import Interface
from fugue_tui.control.dispatch.thread_gateway import Caller, ThreadGateway
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.multiplexer.events.log import LogEntry
from fugue_tui_mcp.protocol.resources import WatchedResource
from fugue_tui_mcp.protocol.subscriptions import PACE, Subscriptions

SCREEN = WatchedResource("fugue://pane/1/screen", "screen", PaneId(1))
STATE = WatchedResource("fugue://pane/1/state", "state", PaneId(1))


class Client:
    """A client's subscriptions, on a clock that the test advances."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told = list[str]()
        self.now = 1_000.0
        self._print: Callable[[LogEntry], None] = lambda entry: None
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: self.now)
        self.subscriptions = Subscriptions(
            cast("ThreadGateway", self), Caller(Interface.MCP), self._updated, self._listed
        )

    def follow(self, caller: Caller, on_entry: Callable[[LogEntry], None], on_view: Any) -> Callable[[], None]:
        """What the gateway does, without a workspace."""
        self._print = on_entry
        return lambda: None

    async def _updated(self, uri: str) -> None:
        self.told.append(uri)

    async def _listed(self) -> None:
        raise AssertionError

    async def print(self, times: int = 1) -> None:
        """The pane prints, time after time."""
        for _ in range(times):
            self._print(LogEntry(1, 0.0, EventKind.OUTPUT, PaneId(1)))
            await self.elapse(0)

    async def elapse(self, seconds: float) -> None:
        """Let time pass, and everything that is due be done."""
        self.now += seconds
        for _ in range(5):
            await asyncio.sleep(0)


async def test_a_flood_is_told_at_once_then_at_a_pace_and_its_last_change_always(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = Client(monkeypatch)
    client.subscriptions.add([SCREEN])
    await client.print(60)
    assert client.told == [SCREEN.uri]
    await client.elapse(PACE * 0.9)
    assert client.told == [SCREEN.uri]
    await client.elapse(PACE * 0.2)
    assert client.told == [SCREEN.uri] * 2
    await client.elapse(PACE * 10)
    assert client.told == [SCREEN.uri] * 2
    await client.print()
    assert client.told == [SCREEN.uri] * 3


async def test_each_resource_has_a_pace_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(monkeypatch)
    client.subscriptions.add([SCREEN])
    await client.print()
    client.subscriptions.add([STATE])
    await client.print()
    assert client.told == [SCREEN.uri, STATE.uri]
    await client.elapse(PACE * 1.1)
    assert client.told == [SCREEN.uri, STATE.uri, SCREEN.uri]


@pytest.mark.parametrize("end", ["remove", "remove_all", "close"])
async def test_nothing_that_was_due_is_told_after_the_end(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    client = Client(monkeypatch)
    client.subscriptions.add([SCREEN])
    await client.print(2)
    match end:
        case "remove":
            client.subscriptions.remove([SCREEN])
        case "remove_all":
            client.subscriptions.remove_all(SCREEN.uri)
        case _:
            client.subscriptions.close()
    await client.elapse(PACE * 10)
    assert client.told == [SCREEN.uri]
