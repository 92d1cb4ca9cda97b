"""The audit log of a real workspace, whatever its server or its disk meets with."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import Launch, Running

pytestmark = [pytest.mark.slow, pytest.mark.forked]


def entries(running: Running, *words: str) -> list[dict[str, Any]]:
    done = running.shell("audit", running.name, "--json", *words)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def recorded(running: Running, wanted: Callable[[dict[str, Any]], object], *words: str) -> None:
    """Wait until an entry is in the log."""
    running.host.wait_until(lambda: any(map(wanted, entries(running, *words))))


def test_commands_terminals_and_settings_are_recorded(launch: Launch) -> None:
    running = launch("--", "cat", server=True)
    running.ready()
    running.ask("rename-pane", "--name", "left-one")
    recorded(running, lambda each: "left-one" in each.get("command", ""), "--origin", "script", "--pane", "1")
    other = running.again()
    other.wait_text(running.name)
    recorded(running, lambda each: each["kind"] == "attach" and each["facts"]["client"] == 2)
    other.close()
    recorded(running, lambda each: each["kind"] == "detach")
    (running.room / "config.toml").write_text('[mcp]\ntrust = "full"\ninput = "refuse"\n')
    recorded(running, lambda each: each["kind"] == "config" and each["command"] == "mcp.input")
    running.host.send("\x02xy")
    recorded(running, lambda each: each["kind"] == "end")
    kinds = [each["kind"] for each in entries(running)]
    assert (kinds[0], kinds[1], kinds[-1]) == ("start", "attach", "end")
    assert {each.get("origin") for each in entries(running) if "close-pane" in each.get("command", "")} == {"user"}


def test_the_log_goes_on_after_a_killed_server(launch: Launch) -> None:
    running = launch("--", "cat", server=True)
    running.ready()
    running.ask("rename-pane", "--name", "before")
    recorded(running, lambda each: "before" in each.get("command", ""))
    os.kill(running.server, signal.SIGKILL)
    running.host.wait_exit()
    again = launch("--", "cat", server=True)
    again.ready()
    recorded(again, lambda each: [each["kind"] for each in entries(again)].count("start") == 2)
    assert any("before" in each.get("command", "") for each in entries(again))


def test_a_renamed_workspace_takes_its_log_along(launch: Launch) -> None:
    running = launch("--", "cat", server=True)
    running.ready()
    running.ask("rename-workspace", "--name", "other")
    running.name = "other"
    recorded(running, lambda each: "rename-workspace" in each.get("command", ""))
    assert entries(running)[0]["kind"] == "start"


def test_a_log_that_cannot_be_written_stops_no_command(launch: Launch, room: Path) -> None:
    (room / "file").write_text("")
    running = launch("--", "cat", server=True, env={"FUGUE_STATE": str(room / "file" / "state")})
    running.host.wait_text("the audit log cannot be written")
    running.host.send("still here\r")
    running.host.wait_text("still here")
    running.ask("rename-pane", "--name", "left-one")


def test_a_pane_follows_the_log(launch: Launch) -> None:
    running = launch("--", "cat", server=True)
    running.ready()
    running.ask("show-audit")
    running.host.wait_text("ORIGIN")
    running.ask("rename-pane", "--name", "left-one", "%1")
    running.host.wait_text("rename-pane")
