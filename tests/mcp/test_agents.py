"""What MCP clients hear of agents in panes, and how one answers for another: by policy, lease and audit."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.control.agents.test_start_agent import PROGRAM
from tests.mcp.conftest import Link, Served, request, until
from tests.mcp.protocol.test_resources import followers, say, subscribed, text_at
from tests.mcp.protocol.test_session import ERAS
from tests.mcp.test_approval import asked, waiting

from fugue_tui.config.model import McpSettings
from fugue_tui.control.agents.agent_monitor import AgentMonitor
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.grants import Scope

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed"),
]
AGENT = PaneId(2)
TRUST = {"pane": "%2", "state": "blocked", "kind": "permission", "words": "Trust?"}


@pytest.fixture
def blocked(serve: Callable[..., Served], tmp_path: Path) -> Served:
    """A workspace in which an agent in %2 waits for `y`, and is idle then; Ctrl-C twice ends it."""
    served = serve()
    served.on_main(lambda: AgentMonitor(served.mux))
    program = tmp_path / "standin"
    program.write_text(PROGRAM.format(python=sys.executable, log=str(tmp_path / "log")))
    program.chmod(0o755)
    say(served, f"create-pane --name worker --command '{program} --trust; exec cat'")
    until(lambda: state(served) == "blocked")
    return served


def state(served: Served) -> str:
    """What the agent does; empty for none."""
    status = served.on_main(lambda: served.mux.agents.statuses.get(AGENT))
    return status.state.value if status else ""


def connected(served: Served) -> Link:
    """A client that has done its handshake."""
    link = served.link()
    link.initialize()
    return link


def events(link: Link, after: int, wait: int = 60_000) -> Any:
    """The states that an agent has entered after an event; the next call's `after`."""
    given = {"after": after, "kinds": ["agent"], "wait_ms": wait}
    found = link.call("fugue_list_events", given)["structuredContent"]
    return [(each["pane"], each["facts"]["state"]) for each in found["events"]], found["next"]


def test_every_state_that_an_agent_enters_is_an_event_for_clients(blocked: Served) -> None:
    link = connected(blocked)
    first, after = events(link, 0, 1)
    assert first == [("%2", "working"), ("%2", "blocked")]
    link.send(request("tools/call", {"name": "fugue_list_events", "arguments": {
        "after": after, "kinds": ["agent"], "wait_ms": 60_000}}))  # fmt: skip
    until(lambda: followers(blocked) == 1)
    blocked.on_main(lambda: blocked.mux.terminals[AGENT].write(b"y"))
    found = link.read()["result"]["structuredContent"]
    assert [each["facts"]["state"] for each in found["events"]] == ["idle"]
    assert found["events"][0]["facts"]["signal"] == "report"
    blocked.on_main(lambda: blocked.mux.terminals[AGENT].write(b"do it\r"))
    until(lambda: state(blocked) == "done")
    done, after = events(link, found["next"])
    assert done == [("%2", "working"), ("%2", "done")]
    blocked.on_main(lambda: blocked.mux.terminals[AGENT].write(b"\x03\x03"))
    assert events(link, after)[0] == [("%2", None)]


@pytest.mark.parametrize("era", ERAS)
async def test_a_subscriber_to_agents_is_told_of_every_change_of_one(blocked: Served, era: str) -> None:
    async with subscribed(blocked, era, "fugue://agents") as (agent, ears):
        assert '"blocked"' in await text_at(agent, "fugue://agents")
        for typed, reached in ((b"y", "idle"), (b"do it\r", "done")):
            heard = len(ears.updated)
            blocked.on_main(lambda typed=typed: blocked.mux.terminals[AGENT].write(typed))
            await ears.until(lambda heard=heard: len(ears.updated) > heard)
            while f'"{reached}"' not in await text_at(agent, "fugue://agents"):
                heard = len(ears.updated)
                await ears.until(lambda heard=heard: len(ears.updated) > heard)
        assert set(ears.updated) == {"fugue://agents"}


def answer(link: Link, number: int = 1, **more: Any) -> None:
    """Answer the agent in the worker's pane; the result is read later."""
    given = {"pane": "worker", "text": "y", **more}
    link.send(request("tools/call", {"name": "fugue_send_input", "arguments": given}, number))


def test_an_agent_answers_another_once_the_user_approves(blocked: Served) -> None:
    blocked.on_main(lambda: setattr(blocked.mux, "permissions", McpSettings()))
    link = connected(blocked)
    waited = link.call("fugue_wait_for_agents", {"until": ["blocked"], "timeout": 30})["structuredContent"]
    assert {name: waited["agents"][0][name] for name in TRUST} == TRUST
    answer(link)
    waits = asked(blocked)
    assert waits.question.panes == (AGENT,)
    assert state(blocked) == "blocked"
    blocked.on_main(lambda: blocked.mux.approvals.approve(waits.id, Scope.ONCE))
    assert link.read()["result"]["structuredContent"]["bytes"] == 1
    given = {"panes": ["worker"], "until": ["idle"], "timeout": 30}
    assert link.call("fugue_wait_for_agents", given)["structuredContent"]["outcome"] == "reached"
    typed = [outcome for line, outcome in blocked.outcomes() if line.startswith("send-input")]
    assert typed[-1] == "done"


def test_an_answer_that_the_user_denies_or_a_policy_refuses_leaves_the_agent_blocked(blocked: Served) -> None:
    blocked.on_main(lambda: setattr(blocked.mux, "permissions", McpSettings()))
    link = connected(blocked)
    answer(link)
    waits = asked(blocked)
    blocked.on_main(lambda: blocked.mux.approvals.deny(waits.id))
    assert link.read()["result"]["content"][0]["text"].startswith("denied: ")
    blocked.on_main(lambda: setattr(blocked.mux, "permissions", McpSettings(input="refuse")))
    answer(link)
    assert link.read()["result"]["content"][0]["text"].startswith("refused: ")
    assert not waiting(blocked)
    assert state(blocked) == "blocked"


def test_an_answer_waits_while_the_user_types_in_the_pane_and_is_refused_if_it_may_not(blocked: Served) -> None:
    link = connected(blocked)
    blocked.on_main(lambda: (blocked.mux.human_input(AGENT), blocked.mux.terminals[AGENT].write(b"\r")))
    answer(link)
    refused = link.read()["result"]["content"][0]["text"]
    assert "the user is typing" in refused
    assert state(blocked) == "blocked"
    answer(link, wait_for_user=30)
    assert link.read()["result"]["structuredContent"]["bytes"] == 1
    until(lambda: state(blocked) == "idle")
    typed = [outcome for line, outcome in blocked.outcomes() if line.startswith("send-input")]
    assert (typed[0], typed[-1]) == ("refused", "done")
