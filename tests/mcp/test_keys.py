"""Calls that a client makes twice, for want of an answer."""

import asyncio
from typing import Any

import pytest
from tests.mcp.conftest import Served
from tests.mcp.test_session import ERAS, client, text_of

SPLIT = {"pane": "%1", "command": "cat", "idempotency_key": "the one"}


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_under_a_key_opens_one_pane(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        answers = await asyncio.gather(*(agent.call_tool("fugue_split_pane", SPLIT) for _ in range(5)))
        other = await agent.call_tool("fugue_split_pane", {**SPLIT, "direction": "vertical"})
        typed = await agent.call_tool("fugue_send_input", {"pane": "%1", "text": "x", "idempotency_key": "k"})
    made: list[Any] = [each.structured_content for each in answers]
    assert [each["id"] for each in made] == ["%2"] * 5
    assert other.is_error
    assert "idempotency_key: split-pane was called under 'the one' with other arguments" in text_of(other)
    assert "idempotency_key: no such argument" in text_of(typed)
    assert len(served.on_main(lambda: served.mux.workspace.panes)) == 2


async def test_a_client_that_comes_back_through_another_bridge_is_known(served: Served) -> None:
    for _ in range(2):
        async with client(served, "auto") as agent:
            await agent.call_tool("fugue_split_pane", SPLIT)
    assert len(served.on_main(lambda: served.mux.workspace.panes)) == 2
