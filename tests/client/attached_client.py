"""A client on a terminal, whose server is the test."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.client.client_terminal import PROGRAM, Peer, Server, Window

from fugue_tui.attach_protocol import Welcome

ENTERED = b"\x1b[?1049h"


class Attached:
    """A terminal that is attached to a server."""

    def __init__(self, private_dir: Path, server: Server, *words: str, **env: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FUGUE")}
        kept |= {"XDG_RUNTIME_DIR": str(private_dir), "TERM": "xterm-256color", **env}
        kept |= {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self.window = Window((*PROGRAM, "attach", *words), kept, (100, 30, 1000, 600))
        self.peer = server.accept()

    def enter(self, welcome: Welcome | None = None) -> "tuple[Window, Peer]":
        """Let it in, and wait until it has the terminal."""
        self.peer.welcome(welcome)
        self.window.shows(ENTERED)
        return self.window, self.peer


Attach = Callable[..., Attached]


@pytest.fixture
def server(private_dir: Path) -> Iterator[Server]:
    server = Server(private_dir / "fugue-tui" / "main.sock")
    yield server
    server.close()


@pytest.fixture
def attach(private_dir: Path, server: Server) -> Iterator[Attach]:
    """Starts `fugue-tui attach` on a terminal of 100 by 30 cells."""
    started: list[Attached] = []

    def attach(*words: str, **env: str) -> Attached:
        started.append(Attached(private_dir, server, *words, **env))
        return started[-1]

    yield attach
    for each in started:
        each.window.close()
