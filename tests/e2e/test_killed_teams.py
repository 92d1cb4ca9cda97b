"""A workspace that is killed while a team is being started loses and doubles nothing, and says so."""

import os
import shlex
import signal
import sys
from pathlib import Path

import pytest
from tests.control.agents.test_start_agent import PROGRAM
from tests.e2e.conftest import Launch, Running
from tests.e2e.test_restore import WIDE, store
from tests.e2e.test_restore import own_state as own_state

pytestmark = [pytest.mark.slow, pytest.mark.forked]
CONFIG = '[session]\nrestore = "always"\nrerun = "all"\n[mcp]\ntrust = "full"\n'
TEAM = """\
version = 1
name = "two"
[[members]]
name = "one"
program = "{program}"
briefing = "first"
[[members]]
name = "two"
program = "{slow}"
briefing = "second"
"""


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """A team of which one member takes its briefing once something is written into a pipe."""
    program = tmp_path / "standin"
    program.write_text(PROGRAM.format(python=sys.executable, log=str(tmp_path / "log")))
    program.chmod(0o755)
    os.mkfifo(tmp_path / "pipe")
    slow = tmp_path / "slow"
    slow.write_text(
        f"#!/bin/sh\nprintf '\\033]7501;state=working:app=x\\a'\nread _ < {tmp_path}/pipe\nexec {program}\n"
    )
    slow.chmod(0o755)
    file = tmp_path / "two.toml"
    file.write_text(TEAM.format(program=program, slow=slow))
    return file


def messages(running: Running) -> list[tuple[str, str]]:
    """The messages that are kept, and what became of them."""
    return [(each["text"], each["state"]) for each in running.ask("list-messages")["messages"]]


def killed(running: Running) -> None:
    """Kill the server, and wait until the programs in its panes have ended."""
    sessions = running.sessions()
    os.kill(running.server, signal.SIGKILL)
    running.host.wait_exit()
    running.wait_gone(sessions)


def test_a_team_whose_start_was_cut_off_comes_back_with_its_briefings(
    launch: Launch, team: Path, tmp_path: Path
) -> None:
    running = launch("--", "sh", size=WIDE, config=CONFIG)
    running.ready()
    running.host.send(f"{shlex.join([sys.executable, '-m', 'fugue_tui', 'start-team', str(team)])} --wait 100\r")
    running.host.wait_until(lambda: ("first", "delivered") in messages(running))
    running.host.wait_until(lambda: any(entry.head.get("windows") == 2 for entry in store().names("auto")))
    assert messages(running) == [("first", "delivered"), ("second", "queued")]
    killed(running)
    again = launch(size=WIDE, config=CONFIG)
    again.ready()
    again.host.wait_text("the workspace ended while the team two was being started")
    status = again.ask("team-status")
    assert status["interrupted"] == ["two"]
    assert [each["name"] for each in status["teams"][0]["members"]] == ["one", "two"]
    assert messages(again) == [("first", "delivered"), ("second", "queued")]
    (tmp_path / "pipe").write_text("go\n")
    again.host.wait_until(lambda: messages(again)[1] == ("second", "delivered"))
    assert (tmp_path / "log").read_bytes().count(b"second") == 1
    assert (tmp_path / "log").read_bytes().count(b"first") == 1
    again.ask("stop-team", "two")
    assert again.ask("team-status")["interrupted"] == []
    killed(again)
    third = launch(size=WIDE, config=CONFIG)
    third.ready()
    third.host.wait_until(lambda: third.ask("list-messages"))
    assert third.ask("team-status")["interrupted"] == []
    third.end()


def test_a_team_that_was_started_is_not_told_of(launch: Launch, team: Path) -> None:
    team.write_text(team.read_text().replace("slow", "standin"))
    running = launch("--", "sh", size=WIDE, config=CONFIG)
    running.ready()
    assert len(running.ask("start-team", str(team))["members"]) == 2
    starts = Path(os.environ["FUGUE_STATE"], "teams", "e2e")
    running.host.wait_until(lambda: starts.exists() and b'"done": true' in starts.read_bytes())
    killed(running)
    again = launch(size=WIDE, config=CONFIG)
    again.ready()
    again.host.wait_until(lambda: len(messages(again)) == 2)
    assert again.ask("team-status")["interrupted"] == []
    again.end()
