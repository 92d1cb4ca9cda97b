"""Requests to workspaces that answer late, or not at all."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.e2e.conftest import Launch
from tests.e2e.conftest import launch as launch
from tests.e2e.conftest import room as room

from fugue_tui.client import command_request
from fugue_tui.errors import SocketError


@pytest.fixture
def listener(room: Path) -> Iterator[socket.socket]:
    """A workspace's socket, of which nobody accepts connections."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(room / "main.sock"))
        listener.listen()
        yield listener


def test_a_workspace_that_reads_no_requests_is_reported(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_request, "STUCK_SECONDS", 0.05)
    with pytest.raises(SocketError, match="does not answer"):
        command_request.ask(listener.getsockname(), ["list-panes"])


def test_a_command_that_was_read_may_take_longer(listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_request, "STUCK_SECONDS", 0.01)
    asked = threading.Semaphore(0)

    def unread(link: socket.socket) -> int:
        asked.release()
        return 0

    def serve() -> None:
        link, _ = listener.accept()
        with closing(link):
            for _ in range(3):
                asked.acquire()
            link.sendall(b'{"result": {"exit": 0}}\n')

    monkeypatch.setattr(command_request, "unread", unread)
    server = threading.Thread(target=serve)
    server.start()
    assert command_request.ask(listener.getsockname(), ["wait-for-output"]) == {"exit": 0}
    server.join()


@pytest.mark.slow
@pytest.mark.forked
def test_a_workspace_that_was_stopped_is_named_with_the_ways_out(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = launch("--", "sh", "-c", "echo ready; cat", server=True)
    running.ready()
    running.host.wait_text("ready")
    running.ask("list-panes")
    monkeypatch.setattr(command_request, "STUCK_SECONDS", 0.05)
    os.kill(server := running.server, signal.SIGSTOP)
    threads = [task / "stat" for task in Path(f"/proc/{server}/task").iterdir()]
    try:
        running.host.wait_until(lambda: all(_state(stat) == "T" for stat in threads))
        with pytest.raises(SocketError, match=f"workspace e2e does not answer: kill -CONT {server} .*kill-server e2e"):
            command_request.ask(str(running.socket), ["list-panes"])
    finally:
        os.kill(server, signal.SIGCONT)
    assert running.ask("list-panes")


def _state(stat: Path) -> str:
    """The state of a thread, T once it is stopped or has ended: until then it could still read a request."""
    try:
        return stat.read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "T"
