"""Clients send variables of theirs to a server that asks, and new panes get those of the client that was used last."""

import os
import socket
from pathlib import Path

import pytest
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import Client, hello

from fugue_tui.attach_protocol import ENVIRONMENT, frame

pytestmark = pytest.mark.slow

SHOW = 'echo "[$DISPLAY][$(readlink "$SSH_AUTH_SOCK")]"; exec cat'


def opened(serving: Serving, client: Client, wanted: str) -> None:
    """Open a pane that shows its variables, and wait for these."""
    serving.call("zoom-pane", serving.call("create-pane", "--command", SHOW)["id"])
    serving.shows(client, wanted)


def sends(serving: Serving, client: Client, **values: str) -> None:
    """A client sends its variables."""
    client.raw(frame(ENVIRONMENT, b"".join(f"{name}={value}\0".encode() for name, value in values.items())))
    serving.handled()


def test_new_panes_get_the_variables_of_the_latest_client(serve: Serve, private_dir: Path) -> None:
    agent = socket.socket(socket.AF_UNIX)
    agent.bind(str(private_dir / "agent"))
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    assert serving.first.answer is not None
    assert "DISPLAY" in serving.first.answer["result"]["environment"].split()
    sends(serving, serving.first, DISPLAY=":first", SSH_AUTH_SOCK=str(private_dir / "agent"), PATH="/evil")
    opened(serving, serving.first, f"[:first][{private_dir}/agent]")
    other = serving.attach()
    serving.shows(other, "[:first]")
    sends(serving, other, DISPLAY=":other")
    opened(serving, other, "[:other][]")
    serving.first.send("x")
    serving.handled()
    opened(serving, other, f"[:first][{private_dir}/agent]")
    links = [each for each in os.listdir(Path(serving.path).parent) if each.startswith("ssh-agent")]
    assert len(links) == 1
    serving.end()
    assert [each for each in os.listdir(Path(serving.path).parent) if each.startswith("ssh-agent")] == []
    agent.close()


def test_a_client_that_sends_none_or_may_not_type_changes_nothing(serve: Serve) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    sends(serving, serving.first, DISPLAY=":first")
    watcher = serving.attach(read_only=True)
    old = serving.attach()
    serving.shows(old, "1 cat")
    sends(serving, watcher, DISPLAY=":watcher")
    old.send("x")
    opened(serving, old, "[:first]")
