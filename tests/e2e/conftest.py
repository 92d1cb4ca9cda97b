"""The whole program: on a terminal that is parsed and answered, with its socket, its log and its command line."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryFile, mkdtemp
from typing import Any, TypeAlias

import pytest
from tests.fork_server import ForkServer
from tests.tui.conftest import plain_shell as plain_shell
from tests.tui.host_programs import Host

from fugue_tui import sockets
from fugue_tui.errors import SocketError
from fugue_tui.geometry import Size
from fugue_tui.terminal.pty import process
from fugue_tui_mcp.peer_credentials import peer_of

TIMEOUT = 30.0
PROGRAM = ("-m", "fugue_tui")


def listener(path: Path) -> int:
    """The process that listens at a socket."""
    with sockets.connect(str(path)) as link:
        pid = peer_of(link).pid
    assert pid
    return pid


class Running:
    """A workspace that was started as a person starts it."""

    def __init__(
        self,
        room: Path,
        arguments: tuple[str, ...],
        size: Size = Size(80, 24),
        config: str = "",
        env: dict[str, str] | None = None,
        program: tuple[str, ...] = PROGRAM,
        server: bool = False,
        fork_server: ForkServer | None = None,
        name: str = "e2e",
    ) -> None:
        """`server` has it outlive its terminal, as it does by default; `program` is what Python runs instead of it."""
        self.room = room
        """Where its socket, its log and its configuration are."""
        self.name = name
        self.env = {
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "XDG_RUNTIME_DIR": str(room),
            "FUGUE_CONFIG": str(room / "config.toml"),
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(room / "cache")),
            **(env or {}),
        }
        (room / "config.toml").write_text(config or '[mcp]\ntrust = "full"\n')
        served = () if server else ("--foreground",)
        self.others: list[Host] = []
        self._fork_server = fork_server
        self.host = self._on_terminal(program, ("--workspace", self.name, *served, *arguments), size, self.env)

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
        env, argv = {**os.environ, **self.env}, (*PROGRAM, *words)
        with open(os.devnull) as null, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
            child = (
                self._fork_server.start(argv, env, (null.fileno(), out.fileno(), err.fileno()))
                if self._fork_server is not None
                else subprocess.Popen((sys.executable, *argv), stdin=null, stdout=out, stderr=err, env=env)
            )
            self.host.wait_until(lambda: child.poll() is not None, TIMEOUT)
            for file in (out, err):
                file.seek(0)
            return subprocess.CompletedProcess(argv, child.wait(), out.read(), err.read())

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
        return listener(self.socket)

    def again(self, *words: str, size: Size = Size(80, 24), env: dict[str, str] | None = None) -> Host:
        """Another terminal with `fugue-tui` and these words in it; its name if none are given."""
        self.others.append(
            self._on_terminal(PROGRAM, words or ("--workspace", self.name), size, self.env | (env or {}))
        )
        return self.others[-1]

    def end(self) -> None:
        """End it and every other workspace that listens in its directory, however they feel about it."""
        for path in {self.socket, *self.socket.parent.glob("*.sock")}:
            with suppress(SocketError, ProcessLookupError):
                if (server := listener(path)) != os.getpid():  # A test may listen there itself.
                    os.kill(server, signal.SIGKILL)
        for host in (self.host, *self.others):
            host.close()

    def _on_terminal(self, program: tuple[str, ...], words: tuple[str, ...], size: Size, env: dict[str, str]) -> Host:
        if self._fork_server is not None:
            return Host((*program, *words), size, env, self._fork_server)
        return Host((sys.executable, *program, *words), size, env)

    def wait_gone(self, sessions: list[int]) -> None:
        """Wait until no process of these sessions is left."""
        self.host.wait_until(lambda: not any(process.session_members(sessions).values()))


Launch: TypeAlias = Callable[..., Running]
"""`launch(*arguments, size=, config=, env=, program=, server=, name=, room=)`: a workspace with these arguments after
its name."""


@pytest.fixture
def room() -> Iterator[Path]:
    """A private directory with a short path."""
    directory = Path(mkdtemp(prefix="fugue-", dir="/tmp"))
    yield directory
    rmtree(directory, ignore_errors=True)


@pytest.fixture
def launch(room: Path, request: pytest.FixtureRequest) -> Iterator[Launch]:
    """Starts workspaces; whatever is left of them is ended when the test is over."""
    started: list[Running] = []
    forked = request.node.get_closest_marker("forked") is not None  # pyright: ignore[reportUnknownMemberType]
    fork_server = request.getfixturevalue("fork_server") if forked else None

    def launch(*arguments: str, **wanted: Any) -> Running:
        started.append(Running(wanted.pop("room", room), arguments, fork_server=fork_server, **wanted))
        return started[-1]

    yield launch
    for each in started:
        each.end()
