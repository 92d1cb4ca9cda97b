"""Following panes live, as the clients of both eras see it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from mcp_types import CallToolResult
from tests.mcp.conftest import Served
from tests.mcp.protocol.test_resources import say
from tests.mcp.protocol.test_session import ERAS, client, text_of

from fugue_tui.config.model import McpSettings
from fugue_tui.control.commands.stream_output import MAX_ANSWER
from mcp import Client

pytestmark = pytest.mark.slow


class Following:
    """A call that follows panes, and what it told so far."""

    def __init__(self, agent: Client, panes: list[str]) -> None:
        self.told = list[str]()
        arguments = {"panes": panes, "timeout": 60}
        call = agent.call_tool("fugue_stream_output", arguments, progress_callback=self._hear)
        self.call: asyncio.Task[CallToolResult] = asyncio.create_task(call)

    async def _hear(self, progress: float, total: float | None, message: str | None) -> None:
        self.told.append(message or "")

    async def until(self, text: str, times: int = 1) -> None:
        async with asyncio.timeout(40):
            while "\n".join(self.told).count(text) < times:
                await asyncio.sleep(0.01)

    async def answer(self) -> Any:
        return (await asyncio.wait_for(self.call, 40)).structured_content


async def started(served: Served) -> None:
    """Wait until the call follows its panes."""
    async with asyncio.timeout(40):
        while not any(said.startswith("stream-output") for said, _ in served.outcomes()):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("era", ERAS)
async def test_output_is_reported_as_it_comes_and_then_the_end(served: Served, era: str) -> None:
    say(served, "split-pane --pane %1 --on-exit keep --command 'read x; echo two; read x; exit 3'")
    async with client(served, era) as agent:
        following = Following(agent, ["%2"])
        await started(served)
        say(served, "send-input --pane %2 --text 'one \u202ehidden' --submit")
        await following.until("two")
        assert not following.call.done()
        say(served, "send-input --pane %2 --text three --submit")
        answer = await following.answer()
    assert following.told[-1].endswith("[exit 3]")
    assert "\u202e" not in "".join(following.told)
    assert answer["outcome"] == "ended"
    (pane,) = answer["panes"]
    assert (pane["pane"], pane["exit"], pane["missed"]) == ("%2", "exit 3", 0)
    assert pane["text"].splitlines() == ["one hidden", "two", "three"]
    assert pane["cursor"]


async def test_several_panes_are_followed_at_once_until_the_time_is_over(served: Served) -> None:
    say(served, "split-pane --pane %1 --command cat --name other")
    async with client(served, "auto") as agent:
        following = Following(agent, ["first", "other", "%1"])
        await started(served)
        say(served, "send-input --pane %1 --text alpha --submit", "send-input --pane %2 --text beta --submit")
        await following.until("alpha", times=2)
        await following.until("beta", times=2)
        served.skip(60)
        answer = await following.answer()
    assert answer["outcome"] == "timeout"
    assert answer["elapsed"] > 0
    assert [pane["pane"] for pane in answer["panes"]] == ["%1", "%2"]
    assert [pane["text"].split() for pane in answer["panes"]] == [["alpha", "alpha"], ["beta", "beta"]]
    told = "\n".join(following.told)
    assert "%1: alpha" in told
    assert "%2: beta" in told


async def test_a_flood_is_skipped_and_counted(serve: Callable[..., Served]) -> None:
    served = serve(engine="ghostty")
    flood = "read x; i=0; while [ $i -lt 100 ]; do i=$((i+1)); seq 20000; done; echo done"
    say(served, f"split-pane --pane %1 --on-exit keep --command '{flood}'")
    async with client(served, "auto") as agent:
        following = Following(agent, ["%2"])
        await started(served)
        say(served, "send-input --pane %2 --submit")
        answer = await following.answer()
    (pane,) = answer["panes"]
    assert pane["missed"] > 1_000_000
    assert len(pane["text"]) <= MAX_ANSWER
    assert pane["text"].splitlines()[-1] == "done"
    assert any("characters were missed]" in told for told in following.told)
    assert max(map(len, following.told)) < 4_200
    assert len(following.told) <= answer["elapsed"] / 0.25 + 3


async def test_the_answer_has_as_much_of_the_end_as_the_client_takes(serve: Callable[..., Served]) -> None:
    served = serve(settings=McpSettings(longest_answer=2_000))
    say(served, "split-pane --pane %1 --on-exit keep --command 'read x; seq 1000 1999'")
    async with client(served, "auto") as agent:
        following = Following(agent, ["%2", "%1"])
        await started(served)
        say(served, "send-input --pane %2 --submit")
        await following.until("1999")
        served.skip(60)
        answer = await following.answer()
    assert "left_out" not in answer
    text, missed = answer["panes"][0]["text"], answer["panes"][0]["missed"]
    assert len(text) <= 500
    assert text.endswith("1998\n1999\n")
    assert len(text) + missed == 5_000 + len("\n")


async def test_a_call_that_is_cancelled_leaves_the_pane_alone(served: Served) -> None:
    async with client(served, "auto") as agent:
        following = Following(agent, ["%1"])
        await started(served)
        following.call.cancel()
        await asyncio.gather(following.call, return_exceptions=True)
        async with asyncio.timeout(40):
            while served.outcomes()[-1][1] != "cancelled":
                await asyncio.sleep(0.01)
    terminal = served.on_main(lambda: next(iter(served.mux.terminals.values())))
    assert not vars(terminal)["_observers"]


async def test_a_pane_that_is_closed_or_over_ends_it(served: Served) -> None:
    say(served, "split-pane --pane %1 --command cat", "split-pane --pane %1 --on-exit keep --command true")
    async with client(served, "auto") as agent:
        async with asyncio.timeout(40):
            while not served.on_main(lambda: served.mux.exits):
                await asyncio.sleep(0.01)
        over = await Following(agent, ["%3"]).answer()
        following = Following(agent, ["%2"])
        async with asyncio.timeout(40):
            while len(served.outcomes()) < 3:
                await asyncio.sleep(0.01)
        say(served, "close-pane --pane %2")
        closed = await following.answer()
    assert (over["outcome"], over["panes"][0]["exit"]) == ("ended", "exit 0")
    assert closed["outcome"] == "ended"
    assert "cursor" not in closed["panes"][0]


async def test_a_program_that_paints_is_reported_once(served: Served) -> None:
    paints = r"read x; for i in 1 2 3 4 5 6 7 8; do printf \"\\033[5;5Hframe \$i\"; sleep 0.1; done"
    say(served, f'split-pane --pane %1 --on-exit keep --command "{paints}"')
    async with client(served, "auto") as agent:
        following = Following(agent, ["%2"])
        await started(served)
        say(served, "send-input --pane %2 --submit")
        await following.answer()
    assert sum("read-pane shows it" in told for told in following.told) == 1


@pytest.mark.parametrize(("panes", "said"), [([], "panes"), (["%9"], "no pane %9"), (["%1"] * 17, "panes")])
async def test_panes_that_cannot_be_followed_are_reported(served: Served, panes: list[str], said: str) -> None:
    async with client(served, "auto") as agent:
        result = await agent.call_tool("fugue_stream_output", {"panes": panes})
    assert result.is_error
    assert said in text_of(result)
