"""Waiting for output as MCP clients do it: progress, giving up, vanishing, and the command line."""

import asyncio
from typing import Any

import pytest
from tests.mcp.conftest import Served, request, until
from tests.mcp.protocol.test_session import ERAS, client

from fugue_tui.control.core.command import USER
from fugue_tui.control.schema.command_line import command
from fugue_tui.ids import PaneId


def typed(served: Served, text: bytes) -> None:
    served.on_main(lambda: served.mux.terminals[PaneId(1)].write(text))


def waits(served: Served) -> int:
    return served.mux.wait_service.busy


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_a_wait_answers_when_the_text_comes(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        call = agent.call_tool("fugue_wait_for_output", {"panes": ["%1"], "any_of": ["nothing", "server ready"]})
        waiting = asyncio.create_task(call)
        await asyncio.to_thread(until, lambda: waits(served))
        typed(served, b"the server ready\n")
        found: Any = (await waiting).structured_content
    assert (found["outcome"], found["pattern"], found["pane"]) == ("matched", "server ready", "%1")
    assert found["cursor"]


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_progress_is_told_while_waiting(served: Served, era: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fugue_tui.multiplexer.watch.wait.REPORTED", 0.1)
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with client(served, era) as agent:
        arguments = {"panes": ["%1"], "any_of": ["never"], "timeout": 1}
        found: Any = await agent.call_tool("fugue_wait_for_output", arguments, progress_callback=heard)
    assert found.structured_content["outcome"] == "timeout"
    assert len(told) >= 3
    assert [share for share, _, _ in told] == sorted({share for share, _, _ in told})
    assert (told[0][2] or "").startswith("waiting for %1")


def test_a_wait_that_is_cancelled_ends_at_once_and_leaves_the_pane_alone(served: Served) -> None:
    link = served.link()
    link.initialize()
    params = {"name": "fugue_wait_for_output", "arguments": {"panes": ["%1"], "any_of": ["never"]}}
    link.send(request("tools/call", params, 7))
    until(lambda: waits(served))
    link.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    until(lambda: not waits(served))
    assert served.on_main(lambda: served.mux.runs(PaneId(1)))
    link.close()


def test_a_client_that_disconnects_frees_its_wait(served: Served) -> None:
    link = served.link()
    link.initialize()
    params = {"name": "fugue_wait_for_output", "arguments": {"panes": ["%1"], "any_of": ["never"]}}
    link.send(*(request("tools/call", params, number) for number in range(10, 15)))
    until(lambda: waits(served) == 5)
    link.close()
    until(lambda: not waits(served))


def test_the_command_line_waits_too(served: Served) -> None:
    link = served.link()
    words = ["wait-for-output", "%1", "--any-of", "hello there", "--timeout", "20"]
    link.send(request("fugue/cli", {"words": words}))
    until(lambda: waits(served))
    typed(served, b"hello there\n")
    result = link.read()["result"]
    assert (result["exit"], result["json"]["outcome"]) == (0, "matched")
    assert "outcome: matched" in result["text"]
    link.close()


def test_events_are_waited_for(served: Served) -> None:
    link = served.link()
    link.send(request("fugue/cli", {"words": ["list-events", "--kinds", "pane-renamed", "--wait-ms", "60000"]}))
    until(lambda: any(outcome == "started" and said.startswith("list-events") for said, outcome in served.outcomes()))
    served.on_main(lambda: command("rename-pane %1 other").run(served.mux, USER))
    (event,) = link.read()["result"]["json"]["events"]
    assert (event["kind"], event["pane"], event["facts"]) == ("pane-renamed", "%1", {"name": "other"})
    link.close()
