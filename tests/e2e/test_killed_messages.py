"""No message is lost or typed twice by two servers that use one state directory, of which one is killed."""

import os
import re
import select
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest
from tests.control.agents.test_start_agent import PROGRAM
from tests.e2e.conftest import Launch, Running
from tests.e2e.test_restore import WIDE, store
from tests.e2e.test_restore import own_state as own_state

from fugue_tui.client import command_request
from fugue_tui.errors import SocketError

pytestmark = [pytest.mark.slow, pytest.mark.forked]
CONFIG = '[session]\nrestore = "always"\nrerun = "all"\n[mcp]\ntrust = "full"\n'


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """The runtime directory of another login."""
    directory = Path(mkdtemp(prefix="fugue-", dir="/tmp"))
    yield directory
    rmtree(directory, ignore_errors=True)


def program(folder: Path, name: str) -> Path:
    """An agent that writes what it is given to a file of its own."""
    path = folder / name
    path.write_text(PROGRAM.format(python=sys.executable, log=f"{path}.log"))
    path.chmod(0o755)
    return path


def typed(agent: Path) -> Counter[str]:
    """How often each message was typed into an agent."""
    log = Path(f"{agent}.log")
    return Counter(re.findall(r"<[a-z0-9]+>", log.read_text()) if log.exists() else ())


def send(running: Running, texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Send messages to the agent: those that were accepted, and those of which that is unknown."""
    accepted, unknown = list[str](), list[str]()
    for text in texts:
        words = ("send-message", "--to", "agent", "--text", text)
        try:
            (accepted if command_request.ask(str(running.socket), words)["exit"] == 0 else unknown).append(text)
        except (SocketError, OSError):
            unknown.append(text)
    return accepted, unknown


def states(running: Running) -> dict[str, str]:
    """What became of each message."""
    return {each["text"]: each["state"] for each in running.ask("list-messages", "--limit", "500")["messages"]}


def started(launch: Launch, agent: Path, name: str = "e2e") -> Running:
    """A workspace with an agent, which is saved."""
    running = launch("--", "sh", size=WIDE, config=CONFIG, name=name)
    running.ready()
    running.ask("start-agent", str(agent), "--name", "agent", "--place", "window")
    saved = (name, 2)
    running.host.wait_until(lambda: saved in [(each.name, each.head.get("windows")) for each in store().names("auto")])
    return running


def settle(running: Running, agent: Path, accepted: Sequence[str]) -> None:
    """Wait until nothing waits, and check that each accepted message was typed once, or is said to be unconfirmed."""
    running.host.wait_until(lambda: not {"queued", "typing"} & set(states(running).values()))
    found, times = states(running), typed(agent)
    assert [text for text in accepted if times[text] != 1 and found.get(text) != "unconfirmed"] == []
    assert [text for text, count in times.items() if count > 1] == []


def test_two_workspaces_in_one_state_directory_keep_their_messages_apart(launch: Launch, tmp_path: Path) -> None:
    one, two = program(tmp_path, "one"), program(tmp_path, "two")
    first, second = started(launch, one), started(launch, two, "other")
    sent = [[f"<{name}{number}>" for number in range(12)] for name in "ab"]
    accepted = [send(first, sent[0][:6])[0], send(second, sent[1][:6])[0]]
    kill(first.server)
    accepted[1] += send(second, sent[1][6:])[0]
    first.host.wait_exit()
    again = launch(size=WIDE, config=CONFIG)
    again.ready()
    again.host.wait_until(lambda: "agent" in str(again.ask("list-agents")))
    accepted[0] += send(again, sent[0][6:])[0]
    assert accepted == sent
    settle(again, one, accepted[0])
    settle(second, two, accepted[1])
    assert not set(typed(one)) & set(sent[1])
    assert not set(typed(two)) & set(sent[0])


def kill(process: int) -> None:
    """Kill a process, and wait until the kernel has closed its files, which are locked until then."""
    ended = os.pidfd_open(process)
    os.kill(process, signal.SIGKILL)
    select.select([ended], [], [])
    os.close(ended)


def test_a_server_of_another_login_takes_over_the_messages_of_one_that_is_killed(
    launch: Launch, elsewhere: Path, tmp_path: Path
) -> None:
    agent = program(tmp_path, "one")
    first = started(launch, agent)
    refused = launch("--", "sh", size=WIDE, config=CONFIG, room=elsewhere)
    refused.host.wait_exit()
    assert b"workspace e2e is already running" in refused.host.received
    accepted, _ = send(first, [f"<a{number}>" for number in range(8)])
    kill(first.server)
    second = launch(size=WIDE, config=CONFIG, room=elsewhere)
    second.ready()
    second.host.wait_until(lambda: "agent" in str(second.ask("list-agents")))
    more, unknown = send(second, [f"<b{number}>" for number in range(8)])
    assert (len(accepted), len(more), unknown) == (8, 8, [])
    settle(second, agent, accepted + more)
