"""The terminal of a client that was killed is reset by the server; one that restored its terminal is left alone."""

import os
import select
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import Client, hello

from fugue_tui.attach_protocol import PAUSE, frame
from fugue_tui.client.host_terminal import terminal_id

pytestmark = pytest.mark.slow

DEADLINE = 40.0


class Tty:
    """A terminal without a program."""

    def __init__(self) -> None:
        self.main, self.slave = os.openpty()
        self.path = os.ttyname(self.slave)

    def read(self, end: bytes) -> bytes:
        """What was written to it, up to an end."""
        received = b""
        while end not in received:
            assert select.select([self.main], [], [], DEADLINE)[0], received
            received += os.read(self.main, 4096)
        return received

    @property
    def is_silent(self) -> bool:
        """Whether nothing was written to it."""
        return not select.select([self.main], [], [], 0)[0]


@pytest.fixture
def tty() -> Iterator[Tty]:
    made = Tty()
    yield made
    os.close(made.main)
    os.close(made.slave)


def attached(serving: Serving, tty: str, tty_id: str) -> Client:
    """A client that says that it runs on a terminal."""
    client = serving.attach(tty=tty, tty_id=tty_id)
    serving.shows(client, "1 cat")
    return client


def wait_gone(serving: Serving) -> None:
    """Wait until only the first client is attached."""
    serving.until(lambda: len(serving.call("list-clients")["clients"]) == 1)


def test_the_terminal_of_a_killed_client_is_reset(serve: Serve, tty: Tty) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    attached(serving, tty.path, terminal_id(tty.slave)).close()
    reset = tty.read(b"\x1b[?25h")
    for mode in (1000, 1003, 1006, 1004, 2004, 2026, 1049):
        assert b"\x1b[?%dl" % mode in reset
    assert b"\x1b[<u" in reset
    assert b"\x1b[?7h" in reset


def test_the_terminal_of_a_client_that_restored_it_is_left_alone(serve: Serve, tty: Tty) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    client = attached(serving, tty.path, terminal_id(tty.slave))
    client.raw(frame(PAUSE, b""))
    client.close()
    wait_gone(serving)
    assert tty.is_silent


def test_a_terminal_of_another_name_space_is_left_alone(serve: Serve, tty: Tty, tmp_path: Path) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    file = tmp_path / "file"
    file.write_text("text")
    other = terminal_id(serving.first.socket.fileno())
    with file.open() as opened:
        own = terminal_id(opened.fileno())
    for path, tty_id in ((tty.path, ""), (tty.path, other), (str(file), own)):
        attached(serving, path, tty_id).close()
        wait_gone(serving)
    assert tty.is_silent
    assert file.read_text() == "text"


def test_the_terminal_of_a_client_that_was_detached_is_left_alone(serve: Serve, tty: Tty) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    client = attached(serving, tty.path, terminal_id(tty.slave))
    client.send("\x02d")
    serving.until(lambda: client.bye is not None)
    client.close()
    wait_gone(serving)
    assert tty.is_silent
