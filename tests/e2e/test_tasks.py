"""The list of tasks of a real workspace, whose server is killed."""

import os
import signal

import pytest
from tests.e2e.conftest import Launch, Running

pytestmark = [pytest.mark.slow, pytest.mark.forked]


def listed(running: Running) -> list[tuple[int, str, str]]:
    return [(each["number"], each["title"], each["state"]) for each in running.ask("list-tasks")["tasks"]]


def test_tasks_outlive_a_killed_server(launch: Launch) -> None:
    running = launch("--", "cat", server=True)
    running.ready()
    for title in ("one", "two", "three"):
        running.ask("add-task", title)  # Waits until the list was loaded.
    running.ask("claim-task", "2")
    running.ask("remove-task", "3")
    os.kill(running.server, signal.SIGKILL)
    running.host.wait_exit()
    again = launch("--", "cat", server=True)
    again.ready()
    assert listed(again) == [(1, "one", "open"), (2, "two", "claimed")]
    assert again.ask("add-task", "four")["number"] == 4
