"""A person at a project whose workspace is opened by its file."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.fork_server import ForkServer
from tests.tui.host_programs import Host

from fugue_tui.geometry import Size

SHOP = """
name = "shop"

[[windows]]
name = "code"
direction = "horizontal"
splits = [
    { ratio = 0.75, pane = { name = "editor", command = "echo I edit; exec cat" } },
    { ratio = 0.25, pane = { name = "server", command = ["sh", "-c", "cat"], cwd = "web", env = { PORT = "3000" } } },
]

[[windows]]
name = "spare"
"""


class Desk:
    """A person at a terminal, with a home, a project in it, and nothing of the machine's own."""

    def __init__(self, room: Path, fork_server: ForkServer) -> None:
        self.room = room
        self._fork_server = fork_server
        self.home = room / "home"
        self.project = self.home / "shop"
        self.project.joinpath("web", "deep").mkdir(parents=True)
        self.file = self.project / ".fugue.toml"
        self.file.write_text(SHOP)
        self.env = {
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "HOME": str(self.home),
            "SHELL": "/bin/sh",
            "XDG_RUNTIME_DIR": str(room),
            "FUGUE_CONFIG": str(room / "config.toml"),
            "FUGUE_STATE": str(room / "state"),
        }
        self.hosts: list[Host] = []

    def type(self, words: str, where: Path | None = None) -> Host:
        """Run `fugue-tui` with these words on a terminal of its own, in a directory."""
        line = f"cd '{where or self.project}' && exec '{sys.executable}' -m fugue_tui {words}"
        self.hosts.append(Host(("sh", "-c", line), Size(100, 30), self.env))
        return self.hosts[-1]

    def run(self, *words: str, where: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """Run `fugue-tui` with these words without a terminal, in a forked process, to its end."""
        return self._fork_server.run(
            ("-m", "fugue_tui", *words), {**os.environ, **self.env}, str(where or self.project)
        )

    def panes(self, workspace: str = "shop") -> list[dict[str, Any]]:
        """The panes of a running workspace."""
        done = self.run("list-panes", "--json", "--workspace", workspace)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["panes"]

    def agreed(self) -> list[str]:
        """What is kept of what was agreed to."""
        folder = self.room / "state" / "trusted"
        return [path.read_text() for path in folder.iterdir()] if folder.exists() else []

    def leave(self) -> None:
        """End every process that has this room in its environment."""
        for host in self.hosts:
            host.close()
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if (
                    entry.name.isdecimal()
                    and f"XDG_RUNTIME_DIR={self.room}".encode() in (entry / "environ").read_bytes()
                ):
                    os.kill(int(entry.name), signal.SIGKILL)


@pytest.fixture
def desk(room: Path, fork_server: ForkServer) -> Iterator[Desk]:
    desk = Desk(room, fork_server)
    yield desk
    desk.leave()
