"""The bridge of a client whose pipes are one socket, as programs on Node start their servers."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.mcp.bridge.test_stdio_bridge import HELLO
from tests.mcp.conftest import Served, request, until

from fugue_tui.config.model import McpSettings

pytestmark = pytest.mark.slow


LONG = {"name": "fugue_test_echo", "arguments": {"text": "x", "times": 300_000}}


class Client:
    """A client and its bridge."""

    def __init__(self, path: str) -> None:
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(40)
        with theirs:
            arguments, env = [sys.executable, "-m", "fugue_tui", "mcp"], {**os.environ, "FUGUE_SOCKET": path}
            end = theirs.fileno()
            self.process = subprocess.Popen(arguments, stdin=end, stdout=end, stderr=subprocess.PIPE, env=env)
        self.lines = self.socket.makefile("rb")

    def send(self, *messages: Any) -> None:
        """Send messages."""
        self.socket.sendall(b"".join(json.dumps(each).encode() + b"\n" for each in messages))

    def read(self) -> Any:
        """The next message."""
        return json.loads(self.lines.readline())

    def close(self) -> None:
        """Leave, whatever is unread."""
        self.lines.close()
        self.socket.close()


@pytest.fixture
def client(serve: Callable[..., Served]) -> Iterator[Client]:
    """One that has said hello."""
    made = Client(serve(settings=McpSettings(longest_answer=400_000)).path)
    made.send(request("initialize", HELLO, 0))
    made.read()
    yield made
    made.close()
    made.process.communicate(timeout=40)


def test_long_answers_reach_a_client_that_takes_its_time(client: Client) -> None:
    client.send(*(request("tools/call", LONG, number) for number in range(1, 11)))
    client.send(request("ping", {}, 11))
    answers = [client.read() for _ in range(11)]
    assert {each["id"] for each in answers} == set(range(1, 12))
    told = [each["result"]["content"][0]["text"] for each in answers if each["id"] < 11]
    assert {text.count("x") >= 300_000 for text in told} == {True}


def test_a_client_that_leaves_amid_its_answers_leaves_no_traceback(client: Client) -> None:
    client.send(*(request("tools/call", LONG, number) for number in range(1, 11)))
    until(lambda: client.socket.recv(1, socket.MSG_PEEK))
    client.close()
    assert client.process.communicate(timeout=40)[1] == b""
    assert client.process.returncode == 0
