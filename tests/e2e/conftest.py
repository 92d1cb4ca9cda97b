"""The whole program: on a terminal that is parsed and answered, with its socket, its log and its command line."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import Any, TypeAlias

import pytest
from tests.tui.conftest import plain_shell as plain_shell
from tests.tui.host_programs import Host

from fugue_tui import sockets
from fugue_tui.errors import SocketError
from fugue_tui.geometry import Size
from fugue_tui.terminal.pty import process
from fugue_tui_mcp.peer_credentials import peer_of

TIMEOUT = 30.0


class Running:
    """A workspace that was started as a person starts it."""

    def __init__(
        self,
        room: Path,
        arguments: tuple[str, ...],
        size: Size = Size(80, 24),
        config: str = "",
        env: dict[str, str] | None = None,
        program: tuple[str, ...] = ("-m", "fugue_tui"),
        server: bool = False,
    ) -> None:
        """`server` has it outlive its terminal, as it does for a person who asks for nothing else."""
        self.room = room
        """Where its socket, its log and its configuration are."""
        self.name = "e2e"
        self.env = {
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "XDG_RUNTIME_DIR": str(room),
            "FUGUE_CONFIG": str(room / "config.toml"),
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(room / "cache")),
            **(env or {}),
        }
        (room / "config.toml").write_text(config)
        served = () if server else ("--foreground",)
        self.others: list[Host] = []
        self.host = Host((sys.executable, *program, "--workspace", self.name, *served, *arguments), size, self.env)

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.room / "fugue-tui" / f"{self.name}.sock"

    @property
    def log(self) -> str:
        """What its log says; empty if there is none."""
        file = self.socket.with_suffix(".log")
        return file.read_text() if file.exists() else ""

    def ready(self) -> None:
        """Wait until it is on the screen and answers."""
        self.host.wait_text(self.name)
        self.host.wait_until(self.socket.exists)

    def shell(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run `fugue-tui` with these words while the workspace goes on."""
        env = {**os.environ, **self.env}
        command = [sys.executable, "-m", "fugue_tui", *words]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
        ) as child:
            self.host.wait_until(lambda: child.poll() is not None, TIMEOUT)
            out, err = child.communicate()
        return subprocess.CompletedProcess(command, child.returncode, out, err)

    def ask(self, *words: str) -> Any:
        """What a command answers, as JSON."""
        done = self.shell(words[0], "--json", "--workspace", self.name, *words[1:])
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout)

    def sessions(self) -> list[int]:
        """The sessions of the programs in the panes, which have the numbers of their first processes."""
        return [pane["pid"] for pane in self.ask("list-panes")["panes"]]

    @property
    def server(self) -> int:
        """The process that listens at its socket."""
        with sockets.connect(str(self.socket)) as link:
            pid = peer_of(link).pid
        assert pid
        return pid

    def again(self, *words: str, size: Size = Size(80, 24), env: dict[str, str] | None = None) -> Host:
        """Another terminal with `fugue-tui` and these words in it; its name if none are given."""
        program = (sys.executable, "-m", "fugue_tui", *(words or ("--workspace", self.name)))
        self.others.append(Host(program, size, self.env | (env or {})))
        return self.others[-1]

    def end(self) -> None:
        """End it, however it feels about it."""
        with suppress(SocketError):
            os.kill(self.server, signal.SIGKILL)
        for host in (self.host, *self.others):
            host.close()

    def wait_gone(self, sessions: list[int]) -> None:
        """Wait until no process of these sessions is left."""
        self.host.wait_until(lambda: not any(process.session_members(sessions).values()))


Launch: TypeAlias = Callable[..., Running]
"""`launch(*arguments, size=, config=, env=, program=, server=)`: a workspace with these arguments after its name."""


@pytest.fixture
def room() -> Iterator[Path]:
    """A private directory with a short path."""
    directory = Path(tempfile.mkdtemp(prefix="fugue-", dir="/tmp"))
    yield directory
    rmtree(directory, ignore_errors=True)


@pytest.fixture
def launch(room: Path) -> Iterator[Launch]:
    """Starts workspaces; whatever is left of them is ended when the test is over."""
    started: list[Running] = []

    def launch(*arguments: str, **wanted: Any) -> Running:
        started.append(Running(room, arguments, **wanted))
        return started[-1]

    yield launch
    for each in started:
        each.end()
