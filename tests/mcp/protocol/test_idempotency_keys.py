"""Calls that a client makes twice, for want of an answer."""

import asyncio
from typing import Any

import pytest
from mcp_types import CallToolResult, TextContent
from tests.mcp.conftest import Served, until
from tests.mcp.protocol.test_session import ERAS, client, text_of

from fugue_tui.control.core.command import USER
from fugue_tui.control.dispatch.idempotency import KeyedCall
from fugue_tui.control.schema.command_line import command

pytestmark = pytest.mark.slow


SPLIT = {"pane": "%1", "command": "cat", "idempotency_key": "the one"}


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_under_a_key_opens_one_pane(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        answers = await asyncio.gather(*(agent.call_tool("fugue_split_pane", SPLIT) for _ in range(5)))
        other = await agent.call_tool("fugue_split_pane", {**SPLIT, "direction": "vertical"})
        elsewhere = await agent.call_tool("fugue_create_window", {"idempotency_key": SPLIT["idempotency_key"]})
        typed = await agent.call_tool("fugue_send_input", {"pane": "%1", "text": "x", "idempotency_key": "k"})
    made: list[Any] = [each.structured_content for each in answers]
    assert [each["id"] for each in made] == ["%2"] * 5
    for wrong in (other, elsewhere):
        assert wrong.is_error
        assert "idempotency_key: fugue_split_pane was called under 'the one' with other arguments" in text_of(wrong)
    assert "idempotency_key: no such argument" in text_of(typed)
    assert len(served.on_main(lambda: served.mux.workspace.panes)) == 2


async def test_a_client_that_reconnects_through_another_bridge_keeps_its_identity(served: Served) -> None:
    for _ in range(2):
        async with client(served, "auto") as agent:
            await agent.call_tool("fugue_split_pane", SPLIT)
    assert len(served.on_main(lambda: served.mux.workspace.panes)) == 2


@pytest.mark.parametrize("era", ERAS)
async def test_what_failed_under_a_key_is_tried_again_under_it(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        for _ in range(2):
            failed = await agent.call_tool("fugue_split_pane", SPLIT | {"pane": "later"})
            assert "not_found" in text_of(failed)
        served.on_main(lambda: command("rename-pane --pane %1 later").run(served.mux, USER))
        made = await agent.call_tool("fugue_split_pane", SPLIT | {"pane": "later"})
    assert not made.is_error
    assert len(served.on_main(lambda: served.mux.workspace.panes)) == 2


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_lost_its_answer_asks_again_through_another_bridge(served: Served, era: str) -> None:
    arguments = {"command": "read x", "keep": "always", "place": "window", "idempotency_key": "k"}
    async with client(served, era) as agent:
        await agent.list_tools()
        lost = asyncio.create_task(agent.call_tool("fugue_run_command", arguments))
        await asyncio.to_thread(until, lambda: len(served.on_main(lambda: served.mux.workspace.panes)) == 2)
        joined = asyncio.create_task(agent.call_tool("fugue_run_command", arguments))
        await asyncio.to_thread(until, lambda: waiting(served) == 2)
        lost.cancel()
        await asyncio.gather(lost, return_exceptions=True)
        served.on_main(lambda: command("send-input --pane %2 --text '' --submit").run(served.mux, USER))
        done = await joined
    async with client(served, era) as agent:
        again = await agent.call_tool("fugue_run_command", arguments)
    assert '"exit_code":0' in facts(done)
    assert facts(again) == facts(done)
    assert len(served.on_main(lambda: served.mux.workspace.panes)) == 2


def facts(result: CallToolResult) -> str:
    """What is told beside a text."""
    _, found = result.content
    assert isinstance(found, TextContent)
    return found.text


def waiting(served: Served) -> int:
    """How many wait for what is done under a key."""
    gate: Any = vars(served.server)["_gateway"]
    calls: list[KeyedCall[Any]] = served.on_main(lambda: list(gate._calls._calls.values()))
    return sum(call.waiting for call in calls)
