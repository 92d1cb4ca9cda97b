"""However a client ends, its terminal is given back as it was."""

import os
import signal

import pytest
from tests.client.attached_client import ENTERED, Attach
from tests.client.attached_client import attach as attach
from tests.client.attached_client import server as server
from tests.client.client_terminal import LEFT

from fugue_tui import attach_protocol
from fugue_tui.attach_protocol import Bye, Extent

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_restores_the_terminal(attach: Attach, number: signal.Signals) -> None:
    window, peer = attach().enter()
    os.kill(window.pid, number)
    assert window.over() == 128 + number
    assert window.restored
    assert LEFT in window.received
    assert peer.frame() == (attach_protocol.PAUSE, b"")
    assert peer.frame() == (b"", b"")


def test_a_stopped_client_restores_the_terminal_and_takes_it_again(attach: Attach) -> None:
    window, peer = attach().enter()
    for round in range(1, 4):
        os.kill(window.pid, signal.SIGTSTP)
        assert peer.frame() == (attach_protocol.PAUSE, b"")
        window.until(lambda: window.stopped)
        window.until(lambda round=round: window.received.count(LEFT) == round)
        assert window.restored
        os.kill(window.pid, signal.SIGCONT)
        assert peer.extent() == Extent(100, 30, 1000, 600)
        window.until(lambda round=round: window.received.count(ENTERED) == round + 1)
        assert window.raw
    peer.draw(b"again")
    window.shows(b"again")


def test_a_client_that_was_stopped_without_notice_takes_the_terminal_again(attach: Attach) -> None:
    window, peer = attach().enter()
    os.kill(window.pid, signal.SIGSTOP)
    window.until(lambda: window.stopped)
    os.kill(window.pid, signal.SIGCONT)
    assert peer.extent() == Extent(100, 30, 1000, 600)
    window.until(lambda: window.received.count(ENTERED) == 2)
    assert window.received.count(LEFT) == 1
    assert window.raw


def test_a_server_that_was_killed_leaves_the_terminal_clean(attach: Attach) -> None:
    window, peer = attach().enter()
    peer.draw(b"\x1b[1;1H\x1b[3")  # cut off in the middle
    window.shows(b"\x1b[1;1H\x1b[3")
    peer.link.close()
    assert window.over() == 1
    assert window.restored
    after = bytes(window.received).partition(LEFT)[2]
    assert after.endswith(b"fugue-tui: the workspace main ended unexpectedly; nothing of it was saved yet\r\n")


def test_a_client_ends_on_invalid_frames(attach: Attach) -> None:
    window, peer = attach().enter()
    peer.link.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    assert window.over() == 1
    assert window.restored


def test_a_killed_client_closes_its_connection(attach: Attach) -> None:
    window, peer = attach().enter()
    os.kill(window.pid, signal.SIGKILL)
    assert peer.frame() == (b"", b"")
    assert window.over() == -signal.SIGKILL


def test_a_closed_window_ends_the_client(attach: Attach) -> None:
    window, peer = attach().enter()
    window.hang_up()
    while peer.frame() != (b"", b""):
        pass
    window.until(lambda: window.status is not None)
    assert window.status in (1, 128 + signal.SIGHUP)


def test_a_refusal_is_printed_and_the_terminal_not_changed(attach: Attach) -> None:
    attached = attach()
    attached.peer.link.sendall(attach_protocol.refusal("it is run by fugue-tui 9 (protocol 9)"))
    assert attached.window.over() == 1
    said = b"fugue-tui: workspace main: it is run by fugue-tui 9 (protocol 9)\r\n"
    assert bytes(attached.window.received) == said


def test_an_old_server_is_explained(attach: Attach) -> None:
    attached = attach()
    error = b'{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found: fugue/attach"}}\n'
    attached.peer.link.sendall(error)
    assert attached.window.over() == 1
    assert b"workspace main: it is run by another version of fugue-tui" in attached.window.received
    assert b"kill-server" in attached.window.received


def test_an_end_before_the_answer_is_reported(attach: Attach) -> None:
    attached = attach()
    attached.peer.link.sendall(attach_protocol.frame(attach_protocol.BYE, Bye("error", "nope \x1b[31m", 4).dump()))
    assert attached.window.over() == 4
    assert bytes(attached.window.received) == b"fugue-tui: nope \r\n"
    attached = attach("main")
    attached.peer.link.close()
    assert attached.window.over() == 1
    assert b"workspace main: it ended before it answered" in attached.window.received
