"""A workspace without a terminal of its own, and terminals attached to it over raw sockets."""

import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.fork_server import ForkServer
from tests.tui.host_programs import DEADLINE
from tests.tui.socket_clients import Answering, Client, hello

from fugue_tui import attach_protocol
from fugue_tui.attach_protocol import Hello
from fugue_tui.geometry import Size

SERVE = """
import asyncio, json, socket, sys
from pathlib import Path
from fugue_tui import private_log
from fugue_tui.config import model as config
from fugue_tui.server_start import ended_by_signals
from fugue_tui.tui.server_main import ServerOptions, run
from fugue_tui.attach_protocol import Hello
from fugue_tui_mcp.listener import listen
from fugue_tui.control.core.command import Command, Effect
from fugue_tui.control.core.deferred import Deferred, run_task

class TestSleep(Command[None], name="test-sleep", effect=Effect.READ):
    "Let the main loop pass so much time."
    def run(self, mux, origin) -> Deferred[None]:
        return run_task(asyncio.sleep(0.15))

class TestDrawModes(Command[tuple[str, ...]], name="test-draw-modes", effect=Effect.READ):
    "How each client is drawn on."
    def run(self, mux, origin):
        return tuple(client.draw_mode.name for client in mux.clients.all())

path, file, fd, hello, command, prelude = sys.argv[1:]
exec(prelude)
first = (socket.socket(fileno=int(fd)), Hello.load(hello.encode())) if fd else None
reading = config.read(Path(file))
private_log.keep(path.removesuffix(".sock") + ".log")
with ended_by_signals():
    sys.exit(run(ServerOptions(
        "test", reading.config, listener=listen(path), foreground=False, first=first,
        config_file=Path(file), faults=reading.faults, command=tuple(json.loads(command)),
    )))
"""


class Serving:
    """A server in a process of its own, and whoever is attached to it."""

    def __init__(
        self,
        fork_server: ForkServer,
        sockets: Path,
        room: Path,
        *command: str,
        config: str = "",
        first: Hello | None = None,
        prelude: str = "",
    ) -> None:
        self.path = str(sockets / "test.sock")
        self.config = room / "served.toml"
        self.config.write_text(config or "[ui]\nwhich_key_delay_ms = 10000\n")
        self.clients: list[Client] = []
        ours, theirs = socket.socketpair()
        fd = str(theirs.fileno()) if first is not None else ""
        words = (self.path, str(self.config), fd, (first or Hello()).dump().decode(), _json(command), prelude)
        self.started = time.monotonic()
        errors, stderr = os.pipe()
        self._errors = os.fdopen(errors)
        null = os.open(os.devnull, os.O_RDWR)
        argv, passed = ("-c", SERVE, *words), (theirs.fileno(),)
        self.process = fork_server.start(argv, os.environ, (null, null, stderr), pass_fds=passed)
        for fd in (null, stderr):
            os.close(fd)
        theirs.close()
        if first is not None:
            self.clients.append(Client(ours, first))
        else:
            ours.close()

    @property
    def first(self) -> Client:
        """The client that came with the server."""
        return self.clients[0]

    @property
    def log(self) -> str:
        """What its log says."""
        file = Path(self.path.removesuffix(".sock") + ".log")
        return file.read_text() if file.exists() else ""

    def connect(self) -> socket.socket:
        """A connection, once the server listens."""
        end = time.monotonic() + DEADLINE
        while True:
            connected = socket.socket(socket.AF_UNIX)
            try:
                connected.connect(self.path)
                return connected
            except OSError:
                connected.close()
                assert time.monotonic() < end, "nobody listens"
                assert self.process.poll() is None, self.errors
                time.sleep(0.01)

    def attach(self, size: Size = Size(80, 24), *, answering: Answering | None = None, **said: Any) -> Client:
        """Another terminal; it is let in while something is waited for."""
        given = hello(size, **said)
        client = Client(self.connect(), given, answering)
        client.raw(attach_protocol.request(given))
        self.clients.append(client)
        return client

    @property
    def errors(self) -> str:
        """What the server's process said at its end."""
        return self._errors.read()

    def until(self, condition: Callable[[], object], *only: Client, seconds: float = DEADLINE) -> None:
        """Be every terminal (or only these) until a condition holds; fails after the deadline, with the screens."""
        end = time.monotonic() + seconds
        while not condition():
            screens = "\n----\n".join(client.text for client in self.clients)
            assert time.monotonic() < end, f"the deadline passed; the log: {self.log}\nthe screens:\n{screens}"
            self.step(*only)

    def step(self, *only: Client) -> bool:
        """Let every terminal (or only these) take what there is; whether there was any."""
        clients = [client for client in only or self.clients if client.open]
        ready = select.select([client.socket for client in clients], [], [], 0.02)[0]
        return [client.step() for client in clients if client.socket in ready].count(True) > 0

    def settle(self) -> None:
        """Wait until nothing is sent any more: nothing came while the server's own loop slept for several frames."""
        before = -1
        while (sent := sum(len(client.received) for client in self.clients)) != before:
            before = sent
            self.call("test-sleep")
            while self.step():
                pass

    def handled(self) -> None:
        """Wait until the server has read what the terminals have sent: its loop has turned twice since."""
        for _ in range(2):
            self.call("test-draw-modes")

    def shows(self, client: Client, *words: str) -> None:
        """Wait until all words stand on a terminal."""
        self.until(lambda: all(word in client.text for word in words))

    def call(self, *words: str, only: tuple[Client, ...] = ()) -> Any:
        """Run a command, as the command line does; its answer as JSON. Every terminal, or `only` these, go on."""
        import json

        connected = self.connect()
        request = {"jsonrpc": "2.0", "id": 1, "method": "fugue/cli", "params": {"words": list(words)}}
        connected.sendall(json.dumps(request).encode() + b"\n")
        line = b""

        def answered() -> bool:
            nonlocal line
            if select.select([connected], [], [], 0)[0]:
                line += connected.recv(1 << 16)
            return line.endswith(b"\n")

        self.until(answered, *only)
        connected.close()
        result = json.loads(line)["result"]
        assert not result["exit"], result
        return result["json"]

    def end(self, number: int = signal.SIGTERM) -> int:
        """End the server, and wait for it; its status."""
        self.process.send_signal(number)
        self.until(lambda: self.process.poll() is not None)
        return self.process.wait()

    def close(self) -> None:
        """End everything, however it feels about it."""
        for client in self.clients:
            client.close()
        self.process.kill()
        self.process.wait()
        self._errors.close()


Serve: TypeAlias = Callable[..., Serving]
"""`serve(*command, config=, first=, prelude=)`: a server whose first pane runs a command, `cat` if none is named."""


@pytest.fixture
def serve(fork_server: ForkServer, private_dir: Path, tmp_path: Path) -> Iterator[Serve]:
    """Starts servers, which end with the test."""
    started: list[Serving] = []

    def serve(*command: str, **wanted: Any) -> Serving:
        started.append(Serving(fork_server, private_dir, tmp_path, *(command or ("cat",)), **wanted))
        return started[-1]

    yield serve
    for each in started:
        each.close()


@pytest.fixture
def serve_mirrored(serve: Serve) -> Serve:
    """The same for a workspace whose terminals all show the same."""

    def serve_mirrored(*command: str, config: str = "[ui]\nwhich_key_delay_ms = 10000\n", **wanted: Any) -> Serving:
        mirrored = "[session]\nviews = 'mirrored'\n"
        config = config.replace("[session]\n", mirrored) if "[session]\n" in config else mirrored + config
        return serve(*command, config=config, **wanted)

    return serve_mirrored


def _json(words: tuple[str, ...]) -> str:
    import json

    return json.dumps(words)
