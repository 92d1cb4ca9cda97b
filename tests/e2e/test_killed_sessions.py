"""Terminals and servers that are killed, closed, stuck or done leave nothing that is in the way."""

import errno
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.background_workspaces import CAT, left, stat
from tests.e2e.background_workspaces import running as running
from tests.e2e.conftest import TIMEOUT, Running

from fugue_tui.store.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.forked]


def alive(pid: int) -> bool:
    try:
        return stat(pid)[0] != "Z"
    except FileNotFoundError:
        return False


def refuses(path: Path) -> bool:
    """Whether a socket has no listener: the threads of a killed process may hold it after the first one has ended."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == errno.ECONNREFUSED


def test_a_killed_or_closed_terminal_leaves_the_workspace_alone(running: Running) -> None:
    panes = running.sessions()
    os.kill(running.host.pid, signal.SIGKILL)
    running.host.wait_exit()
    second = running.again("attach", running.name)
    second.wait_text("ready")
    second.hang_up()
    third = running.again()
    third.wait_text("ready")
    third.wait_until(lambda: len(running.ask("list-clients")["clients"]) == 1)
    assert running.sessions() == panes


def test_a_killed_server_leaves_a_clean_terminal_and_a_name_that_is_free(running: Running) -> None:
    store = Store(os.environ["FUGUE_STATE"])
    running.host.wait_until(lambda: store.names("auto"))
    os.kill(running.server, signal.SIGKILL)
    left(running.host, b"fugue-tui: the workspace e2e ended unexpectedly; fugue-tui e2e restores it", 1)
    again = running.again("new", running.name, *CAT)
    again.wait_text("ready", running.name)
    assert alive(running.server)
    assert len(list((running.room / "fugue-tui").glob("*.sock"))) == 2


def test_both_killed_at_once_leave_nothing_that_is_in_the_way(running: Running) -> None:
    server = running.server
    os.kill(server, signal.SIGKILL)
    os.kill(running.host.pid, signal.SIGKILL)
    running.host.wait_exit()
    running.host.wait_until(lambda: refuses(running.socket))
    again = running.again("new", running.name, *CAT)
    again.wait_text("ready", running.name)
    assert running.server != server


def test_the_last_pane_ends_the_workspace_and_frees_its_name(running: Running) -> None:
    server = running.server
    running.host.send(b"\x04")
    left(running.host, b"[e2e ended]")
    running.host.wait_until(lambda: not alive(server))
    assert list((running.room / "fugue-tui").glob("*.sock")) == []


def test_a_terminated_server_ends_well(running: Running) -> None:
    server, panes = running.server, running.sessions()
    os.kill(server, signal.SIGTERM)
    left(running.host, b"[e2e ended]", 143)
    running.wait_gone(panes)
    running.host.wait_until(lambda: not alive(server) and not running.socket.exists())


def test_a_stuck_server_is_ended_by_force(running: Running) -> None:
    server = running.server
    os.kill(server, signal.SIGSTOP)
    ended = subprocess.Popen(
        [sys.executable, "-m", "fugue_tui", "kill-server", running.name], env={**os.environ, **running.env}
    )
    running.host.wait_until(lambda: pending(server), TIMEOUT)
    os.kill(server, signal.SIGCONT)
    running.host.wait_until(lambda: ended.poll() is not None, TIMEOUT)
    assert ended.returncode == 0


def pending(pid: int) -> bool:
    """Whether SIGTERM waits for a process."""
    lines = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    return bool(int(lines["ShdPnd"], 16) & 1 << signal.SIGTERM - 1)
