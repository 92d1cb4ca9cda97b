"""Agents that are killed in the middle of a call: nothing is done for them later, and what others rely on stays."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.control.agents.test_start_agent import PROGRAM
from tests.mcp.conftest import Served, until
from tests.mcp.protocol.test_resources import followers, say
from tests.mcp.test_http import ON, address_of

from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.core.command import USER
from fugue_tui.control.core.new_pane import Placement
from fugue_tui.ids import PaneId

pytestmark = pytest.mark.slow
AGENT = """\
import asyncio, json, sys
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

async def call(transport, era, tool, arguments):
    async with Client(transport, mode=era) as agent:
        print(await agent.call_tool("fugue_toolsets", {"enable": ["all"]}))
        if tool == "subscribe" and era == "legacy":
            await agent.session.subscribe_resource("fugue://agents")
        elif tool == "subscribe":
            async with agent.listen(resource_subscriptions=["fugue://agents"]):
                await asyncio.sleep(1000)
        else:
            print(await agent.call_tool(tool, arguments))
        await asyncio.sleep(1000)

async def main(socket, url, token, era, tool, arguments):
    if not url:
        env = {"FUGUE_SOCKET": socket, "PYTHONPATH": ":".join(sys.path)}
        bridge = StdioServerParameters(command=sys.executable, args=["-m", "fugue_tui", "mcp"], env=env)
        await call(stdio_client(bridge), era, tool, arguments)
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + token}, timeout=40.0, trust_env=False) as http:
        await call(streamable_http_client(url, http_client=http), era, tool, arguments)

asyncio.run(main(*json.loads(sys.argv[1])))
"""
WAYS = [("stdio", "auto"), ("stdio", "legacy"), ("http", "auto"), ("http", "legacy")]


class Vanishing:
    """A workspace with an agent in a pane, a real client that is killed."""

    def __init__(self, served: Served, way: str, era: str, folder: Path) -> None:
        self.served, self.era = served, era
        address = address_of(served) if way == "http" else None
        self._where = [served.path, address.url if address else "", address.token if address else ""]
        self._script = folder / "agent.py"
        self._script.write_text(AGENT)
        self.program = folder / "standin"
        self.program.write_text(PROGRAM.format(python=sys.executable, log=str(folder / "log")))
        self.program.chmod(0o755)

    def calls(self, tool: str, arguments: dict[str, Any]) -> PaneId:
        """Have an agent call a tool."""
        given = json.dumps([*self._where, self.era, f"fugue_{tool}" if tool != "subscribe" else tool, arguments])
        path = ":".join(sys.path)
        return self.served.on_main(lambda: self._open((sys.executable, str(self._script), given), {"PYTHONPATH": path}))

    def _open(self, argv: tuple[str, ...], env: dict[str, str]) -> PaneId:
        opened = SplitPane(command=argv, env=env, place=Placement.WINDOW).run(self.served.mux, USER)
        return PaneId(opened.id[1:])

    def vanishes(self, pane: PaneId, verb: str) -> None:
        """Kill it once its call has begun, and wait until the call has ended."""
        if verb:
            until(lambda: self.outcomes(verb)[-1:] == ["started"])
        os.kill(self.served.mux.terminals[pane].pid, signal.SIGKILL)
        if verb:
            until(lambda: self.outcomes(verb)[-1:] == ["cancelled"])

    def outcomes(self, verb: str) -> list[str]:
        """What became of the calls of a command."""
        return [outcome for line, outcome in self.served.outcomes() if line.startswith(verb)]


@pytest.fixture(params=WAYS, ids="-".join)
def vanishing(request: Any, serve: Callable[..., Served], tmp_path: Path) -> Vanishing:
    way, era = request.param
    return Vanishing(serve(settings=ON), way, era, tmp_path)


def test_a_task_is_not_claimed_for_an_agent_that_is_gone(vanishing: Vanishing) -> None:
    pane = vanishing.calls("claim_task", {"wait": 100})
    vanishing.vanishes(pane, "claim-task")
    say(vanishing.served, "add-task it")
    until(lambda: vanishing.served.mux.tasks.all)
    say(vanishing.served, "list-tasks")
    assert vanishing.served.mux.tasks.all[1].state.value == "open"


def test_a_wait_for_agents_ends_with_its_agent(vanishing: Vanishing) -> None:
    mux = vanishing.served.mux
    before = len(vars(mux.agents.on_change)["_calls"])
    pane = vanishing.calls("wait_for_agents", {"panes": ["%1"], "until": ["done"], "timeout": 100})
    until(lambda: vanishing.outcomes("wait-for-agents") == ["started"])
    vanishing.vanishes(pane, "wait-for-agents")
    until(lambda: len(vars(mux.agents.on_change)["_calls"]) == before)


def test_a_started_agent_keeps_its_briefing(vanishing: Vanishing) -> None:
    mux = vanishing.served.mux
    given = {"program": str(vanishing.program), "arguments": ["--trust"], "briefing": "do it", "wait": 100}
    pane = vanishing.calls("start_agent", given)
    until(lambda: len(mux.workspace.panes) == 3)
    vanishing.vanishes(pane, "start-agent")
    assert [(each.text, each.state.value) for each in mux.mailboxes.messages.values()] == [("do it", "queued")]
    assert len(mux.workspace.panes) == 3


def test_a_started_team_keeps_its_briefings(vanishing: Vanishing) -> None:
    mux = vanishing.served.mux
    members = "".join(
        f'[[members]]\nname = "m{number}"\nprogram = "{vanishing.program}"\narguments = ["--trust"]\n'
        f'briefing = "task {number}"\n'
        for number in range(3)
    )
    file = vanishing.program.with_name("three.toml")
    file.write_text(f'version = 1\nname = "three"\n{members}')
    pane = vanishing.calls("start_team", {"team": str(file), "wait": 100})
    until(lambda: len(mux.workspace.panes) == 5)
    vanishing.vanishes(pane, "start-team")
    assert [each.text for each in mux.mailboxes.messages.values()] == [f"task {number}" for number in range(3)]
    assert not mux.team_starts.opening


def test_a_subscription_ends_with_its_agent(vanishing: Vanishing) -> None:
    pane = vanishing.calls("subscribe", {})
    until(lambda: followers(vanishing.served) == 1)
    vanishing.vanishes(pane, "")
    until(lambda: followers(vanishing.served) == 0)
