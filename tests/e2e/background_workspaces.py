"""Workspaces that run in the background, and what is left of their processes."""

from pathlib import Path

import pytest
from tests.e2e.conftest import Launch, Running
from tests.tui.host_programs import Host

from fugue_tui.terminal.pty.spawn import Exit

CAT = ("--", "sh", "-c", "echo ready; cat")


@pytest.fixture
def running(launch: Launch) -> Running:
    """A server with a pane that echoes, and one terminal."""
    running = launch(*CAT, server=True)
    running.ready()
    running.host.wait_text("ready")
    return running


def stat(pid: int) -> list[str]:
    """What the kernel tells of a process after its name: state, parent, group, session, terminal..."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def left(host: Host, said: bytes, status: int = 0) -> None:
    """Wait until a terminal was given back with these words."""
    host.wait_until(lambda: said in host.received.rpartition(b"\x1b[?1049l")[2])
    assert host.wait_exit() == Exit(status)
