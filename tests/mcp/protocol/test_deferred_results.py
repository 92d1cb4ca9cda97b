"""Answers that come later, to clients that wait, that give up, and that vanish."""

import asyncio
import threading
from typing import Any

import pytest
from mcp_types import TextContent
from tests.mcp.conftest import Link, Served, request, until
from tests.mcp.protocol.test_session import ERAS, client

from fugue_tui.control.core.command import Command, Effect, Origin
from fugue_tui.control.core.deferred import Deferred


class TestLater(Command[str], name="test-later", effect=Effect.READ, plain=True):
    """Answer when the test says so."""

    __test__ = False

    def run(self, mux: Any, origin: Origin) -> Deferred[str]:
        OPEN.append(later := Deferred[str](lambda: STOPPED.append(True)))
        ASKED.set()
        return later


OPEN, STOPPED, ASKED = list[Deferred[str]](), list[bool](), threading.Event()


@pytest.fixture(autouse=True)
def nothing_asked() -> None:
    OPEN.clear()
    STOPPED.clear()
    ASKED.clear()


async def asked() -> Deferred[str]:
    assert await asyncio.to_thread(ASKED.wait, 10)
    return OPEN[-1]


def stopped() -> None:
    until(lambda: STOPPED)
    assert not OPEN[-1].settle("too late")


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_gets_what_comes_later_and_others_are_served_meanwhile(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        waiting = asyncio.create_task(agent.call_tool("fugue_test_later", {}))
        later = await asked()
        await agent.call_tool("fugue_list_panes", {})
        assert not waiting.done()
        later.settle("here it is")
        (content,) = (await waiting).content
    assert isinstance(content, TextContent)
    assert "here it is" in content.text
    assert served.outcomes()[-1] == ("test-later", "done")


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_is_cancelled_stops_the_work(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        waiting = asyncio.create_task(agent.call_tool("fugue_test_later", {}))
        await asked()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.to_thread(stopped)
        await agent.call_tool("fugue_list_panes", {})
    assert ("test-later", "cancelled") in served.outcomes()


@pytest.mark.slow
def test_a_cancelled_request_is_not_answered(served: Served) -> None:
    link = served.link()
    link.initialize()
    link.send(called(7))
    assert ASKED.wait(10)
    link.send(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}\n')
    stopped()
    assert link.ask("ping", id=8)["id"] == 8
    link.close()


def test_a_client_that_disconnects_stops_what_it_asked_for(served: Served) -> None:
    link = served.link()
    link.initialize()
    link.send(called(7))
    assert ASKED.wait(10)
    link.close()
    stopped()


def test_a_command_line_that_is_interrupted_stops_what_it_asked_for(served: Served) -> None:
    link = asked_on_the_command_line(served)
    link.close()
    stopped()
    until(lambda: ("test-later", "cancelled") in served.outcomes())


def test_a_command_line_gets_what_comes_later(served: Served) -> None:
    link = asked_on_the_command_line(served)
    OPEN[-1].settle("here it is")
    assert link.read()["result"] == {"text": "here it is", "json": "here it is", "exit": 0}
    link.close()


def test_leaving_the_workspace_is_told_to_who_waits(served: Served) -> None:
    link = asked_on_the_command_line(served)
    served.on_main(served.dispatcher.leave)
    assert link.read()["result"]["json"]["error"]["code"] == "timed_out"
    assert len(STOPPED) == 1
    link.close()


def asked_on_the_command_line(served: Served) -> Link:
    link = served.link()
    link.send(request("fugue/cli", {"words": ["test-later"]}))
    assert ASKED.wait(10)
    return link


def called(id: int) -> dict[str, Any]:
    return request("tools/call", {"name": "fugue_test_later", "arguments": {}}, id)
