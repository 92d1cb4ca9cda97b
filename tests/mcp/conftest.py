"""A workspace served on a socket: a real program on a real terminal, a main thread, and the server's thread."""

import asyncio
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from msgspec import Struct

from fugue_tui import sockets
from fugue_tui.config.model import McpSettings
from fugue_tui.control import command_table as command_table
from fugue_tui.control.core.command import USER, Command, Effect, Origin
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.thread_gateway import ThreadGateway
from fugue_tui.control.schema.command_line import command
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui_mcp.connection import Limits
from fugue_tui_mcp.listener import listen
from fugue_tui_mcp.socket_server import SocketServer

DEADLINE = 40.0
Value = TypeVar("Value")


class TestEcho(Command[str], name="test-echo", effect=Effect.READ, plain=True):
    """Say something back."""

    __test__ = False

    text: str = ""
    """What to say."""
    times: int = 1

    def run(self, mux: Any, origin: Origin) -> str:
        return self.text * self.times


class Who(Struct):
    """A caller."""

    kind: str
    pane: str
    executable: str
    process: str


class TestOrigin(Command[Who], name="test-origin", effect=Effect.READ):
    """Say who calls."""

    __test__ = False

    def run(self, mux: Any, origin: Origin) -> Who:
        return Who(origin.kind, "" if origin.pane is None else str(origin.pane), origin.executable, origin.process)


class TestBug(Command[None], name="test-bug", effect=Effect.READ):
    """Fail by a bug."""

    __test__ = False

    def run(self, mux: Any, origin: Origin) -> None:
        raise RuntimeError("a secret")


class TestHold(Command[None], name="test-hold", effect=Effect.READ):
    """Block the main thread until the test releases it."""

    __test__ = False

    def run(self, mux: Any, origin: Origin) -> None:
        HELD.set()
        assert LET_GO.wait(DEADLINE)


HELD, LET_GO = threading.Event(), threading.Event()


class Served:
    """A workspace with one pane in which `cat` runs, on a socket."""

    def __init__(
        self,
        path: str,
        limits: Limits | None = None,
        settings: McpSettings | None = None,
        engine: str = "ghostty",
        workspace: str = "",
    ) -> None:
        self.path = path
        self.links: list[Link] = []
        self.settings = settings or McpSettings()
        self._loop = asyncio.new_event_loop()
        self._io_loop = IOLoop()
        self._io_loop.start()
        self.launcher = Launcher(self._io_loop, engine, 500)
        self.mux = Multiplexer(workspace or "test", spawner=self.launcher, post=self._post, socket=path)
        self.mux.permissions = McpSettings(trust="full")
        self.dispatcher = Dispatcher(self.mux)
        gateway = ThreadGateway(self.dispatcher, self._post)
        self.server = SocketServer(listen(path, workspace), gateway, limits, settings=lambda: self.settings)
        self._main = threading.Thread(target=self._run_main_thread, name="main of the test")
        self._main.start()
        self.on_main(lambda: command("create-pane --name first --command cat").run(self.mux, USER))
        self.server.start()

    def on_main(self, call: Callable[[], Value]) -> Value:
        """Run something on the main thread."""
        done: Future[Value] = Future()
        self._post(lambda: done.set_result(call()))
        return done.result(DEADLINE)

    def skip(self, seconds: float) -> None:
        """Have so many seconds pass at once for the timers of the main loop."""
        now = self._loop.time
        self.on_main(lambda: vars(self._loop).update(time=lambda: now() + seconds))

    def close(self, *, returns: bool = False) -> None:
        """Stop everything. Idempotent."""
        if not self._main.is_alive():
            return
        self.server.stop(returns=returns)
        self.on_main(self.mux.close)
        self._post(self._loop.stop)
        self._main.join(DEADLINE)
        self._io_loop.stop()

    def link(self) -> "Link":
        """A raw connection."""
        self.links.append(Link(sockets.connect(self.path)))
        return self.links[-1]

    def outcomes(self) -> list[tuple[str, str]]:
        """The commands in the audit log with their outcomes."""
        return self.on_main(lambda: [(entry.command, entry.outcome) for entry in self.dispatcher.audit])

    def _post(self, call: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # The loop is closed.
            self._loop.call_soon_threadsafe(call)

    def _run_main_thread(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.get_loop().run_forever()


class Link:
    """A client that sends raw bytes."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        connected.settimeout(DEADLINE)
        self.file = connected.makefile("rb")

    def send(self, *messages: Any) -> None:
        """Send messages, or raw bytes."""
        for each in messages:
            self.socket.sendall(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n")

    def read(self) -> Any:
        """The next message; None at the end."""
        line = self.file.readline()
        return json.loads(line) if line else None

    def ask(self, method: str, params: Any = None, id: Any = 1) -> Any:
        """Send a request and read the next message."""
        self.send(request(method, params, id))
        return self.read()

    def initialize(self) -> Any:
        """Do the handshake of clients before 2026-07-28."""
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        answer = self.ask("initialize", client, 0)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, tool: str, arguments: Any = None, id: Any = 1) -> Any:
        """Call a tool; its result."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments or {}}, id)["result"]

    def close(self) -> None:
        """Close the connection."""
        self.file.close()
        self.socket.close()


def request(method: str, params: Any = None, id: Any = 1) -> dict[str, Any]:
    """A JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": id, "method": method} | ({} if params is None else {"params": params})


def until(condition: Callable[[], object]) -> None:
    """Wait for a condition."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "the deadline passed"
        time.sleep(0.005)


@pytest.fixture
def serve(private_dir: Path) -> Iterator[Callable[..., Served]]:
    """Starts workspaces and stops them at the end."""
    HELD.clear()
    LET_GO.clear()
    started: list[Served] = []

    def start(
        limits: Limits | None = None,
        name: str = "test",
        settings: McpSettings | None = None,
        engine: str = "ghostty",
        workspace: str = "",
    ) -> Served:
        path = os.path.join(private_dir, f"{workspace or name}.sock")
        started.append(Served(path, limits, settings, engine, workspace))
        return started[-1]

    yield start
    LET_GO.set()
    for each in started:
        each.close()
        for link in each.links:
            link.close()


@pytest.fixture
def served(serve: Callable[..., Served]) -> Served:
    """A workspace on a socket."""
    return serve()
