"""Serves agents and the command line: a Unix socket on a thread with its sock event loop, one task per connection.

The workspace is not accessed here: commands go through the `ThreadGateway`, which returns futures. The SDK is imported
soon after the start if an agent has ever connected to a workspace of the user, else for the first MCP client.
"""

import asyncio
import logging
import os
import socket
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias

from fugue_tui import attach_protocol
from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import Interface
from fugue_tui.control.dispatch.thread_gateway import Caller, ThreadGateway
from fugue_tui.errors import SocketError
from fugue_tui.terminal.pty import process
from fugue_tui_mcp import cli_handler, jsonrpc, sdk_import, workspace_summary
from fugue_tui_mcp.connection import Connection, Limits
from fugue_tui_mcp.http_address import file_of
from fugue_tui_mcp.http_listener import HttpListener
from fugue_tui_mcp.jsonrpc import Frame
from fugue_tui_mcp.listener import Listener
from fugue_tui_mcp.peer_credentials import peer_of

_log: Final = logging.getLogger(__name__)
STOP_SECONDS: Final = 2.0
RESTORE_SECONDS: Final = 2.0
"""Seconds between two checks that the socket is still at its path."""
IMPORT_SECONDS: Final = 5.0
"""Seconds from the start until the SDK is imported ahead of need: what the user starts with comes first."""
SEND_BUFFER: Final = 1 << 20
"""Bytes of a client's send buffer in the kernel: one long response."""
Attach: TypeAlias = Callable[[socket.socket, attach_protocol.Hello, Caller, bytes], None]
"""Takes over a client's socket: its hello, its process with ancestors, and the bytes already read."""


class SocketServer:
    """Serves a listener on a thread of its sock, from `start` to `stop`."""

    def __init__(
        self,
        listener: Listener,
        gateway: ThreadGateway,
        limits: Limits | None = None,
        *,
        attach: Attach | None = None,
        agents: bool = True,
        settings: Callable[[], McpSettings] = McpSettings,
    ) -> None:
        """`attach` receives terminals; None refuses them. `agents` enables MCP. `attach` and `settings` are called on
        the server's thread."""
        self._attach = attach
        self._agents = agents
        self._settings = settings
        self.path = listener.path
        self._listener = listener
        self._gateway = gateway
        self._limits = limits or Limits()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._main, name="mcp", daemon=True)
        self._stop = asyncio.Event()
        self._unreachable = False
        self._connections: dict[asyncio.Task[None], tuple[Connection, Caller]] = {}
        self._http = HttpListener(file_of(listener.path), gateway, self._limits, settings, sdk_import.session_module)

    def start(self) -> None:
        """Start serving."""
        self._thread.start()

    def stop(self, *, returns: bool = False) -> None:
        """Drop every client, stop listening and wait for the thread, for two seconds at most; whether the workspace
        `returns`, see `Listener.close`."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(STOP_SECONDS)
        elif not self._loop.is_closed():
            self._loop.close()
        self._listener.close(returns=returns)

    def disconnect(self) -> None:
        """Drop all clients; new ones may connect. Any thread."""
        self._loop.call_soon_threadsafe(self._drop_all)

    def clients(self) -> list[str]:
        """The names of the connected clients; empty for those without one. Any thread."""
        return [*(caller.client for _, caller in list(self._connections.values())), *self._http.clients()]

    def apply_settings(self) -> None:
        """Open or close the port for MCP over HTTP, as the settings say. Any thread."""
        with suppress(RuntimeError):  # The loop is closed when the workspace ends.
            self._loop.call_soon_threadsafe(self._apply_settings)

    def _main(self) -> None:
        quiet()
        self._loop.set_exception_handler(lambda _, context: _log.error("%s", context.get("message", context)))
        try:
            self._loop.run_until_complete(self._serve())
            self._loop.run_until_complete(_cancel_all())  # sse-starlette leaves one.
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        server = await self._listening()
        self._apply_settings()
        ahead = self._loop.create_task(self._import_ahead())
        while not await self._stopped(RESTORE_SECONDS):
            if self._restored():
                self._http.restore()
                server.close()
                server = await self._listening()
        server.close()
        ahead.cancel()
        tasks = list(self._connections)
        self._drop_all()
        await self._http.close()
        if tasks:
            await asyncio.wait(tasks, timeout=STOP_SECONDS / 2)

    async def _import_ahead(self) -> None:
        """Import the SDK before a client needs it, if the user has agents."""
        if self._agents and sdk_import.is_expected():
            await asyncio.sleep(IMPORT_SECONDS)
            await asyncio.to_thread(sdk_import.session_module)

    async def _listening(self) -> asyncio.Server:
        return await asyncio.start_unix_server(self._connected, sock=self._listener.socket, limit=self._limits.line)

    async def _stopped(self, seconds: float) -> bool:
        """Whether serving ends within so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                return await self._stop.wait()
        return False

    def _restored(self) -> bool:
        """Whether the socket was bound again, because its path was gone."""
        try:
            restored = self._listener.restore()
        except SocketError as error:
            if not self._unreachable:
                _log.warning("the socket is gone and cannot be made again yet: %s", error)
            self._unreachable = True
            return False
        if restored:
            _log.warning("the socket was gone and was made again: %s", self._listener.named)
        self._unreachable = False
        return restored

    def _drop_all(self) -> None:
        for task in list(self._connections):
            task.cancel()
        self._http.drop_all()

    def _apply_settings(self) -> None:
        if self._agents and not self._stop.is_set():
            self._http.apply()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer, self._limits)
        sock: socket.socket = writer.get_extra_info("socket")
        caller = _caller(sock)
        if caller is None:
            connection.abort()
            return
        with suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        active = [task for task in self._connections if not task.cancelling()]
        if len(active) >= self._limits.connections:
            _log.warning("%s clients are connected: the one idle for longest was dropped", len(active))
            self._drop_one(active)
        task = self._loop.create_task(self._handle(connection, caller))
        self._connections[task] = connection, caller
        task.add_done_callback(self._on_done)

    def _drop_one(self, active: "list[asyncio.Task[None]]") -> None:
        """Drop a connection that never sent anything, else one of the program with the most: the one idle for
        longest."""
        counts = Counter(_program(self._connections[task][1]) for task in active)

        def rank(task: "asyncio.Task[None]") -> tuple[bool, int, float]:
            connection, caller = self._connections[task]
            sent, at = connection.last_activity
            return sent, -counts[_program(caller)], at

        task = min(active, key=rank)
        task.cancel()
        self._connections[task][0].abort()

    def _on_done(self, task: "asyncio.Task[None]") -> None:
        """Close its connection, also if the task was cancelled before it began."""
        self._connections.pop(task)[0].abort()
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a connection failed", exc_info=error)

    async def _handle(self, connection: Connection, caller: Caller) -> None:
        with suppress(ConnectionError):
            first = await connection.first()
            if first is not None and first.method == attach_protocol.METHOD:
                await self._terminal(connection, caller, first)
            elif first is not None and first.method == cli_handler.METHOD:
                await self._command_line(connection, caller, first)
            elif first is not None and not self._agents:
                await connection.send(jsonrpc.error(first.id, jsonrpc.UNAVAILABLE, _NO_AGENTS))
            elif first is not None and first.method == workspace_summary.METHOD:
                await connection.send(await workspace_summary.answer(first, self._gateway, caller))
            elif first is not None:
                await self._mcp(connection, caller, first)
            await connection.finish()

    async def _command_line(self, connection: Connection, caller: Caller, first: Frame) -> None:
        caller.interface = Interface.CLI
        async for frame in connection.frames(first):
            answer = cli_handler.answer(frame, self._gateway, caller)
            await connection.send(await connection.unless_hung_up(answer))

    async def _terminal(self, connection: Connection, caller: Caller, first: Frame) -> None:
        """Hand a terminal over to the app to attach it."""
        try:
            hello = attach_protocol.Hello.load(first.value.get("params", {}))
        except SocketError as error:
            await connection.send(jsonrpc.error(first.id, jsonrpc.INVALID_PARAMS, str(error)))
            return
        if fault := attach_protocol.protocol_fault(hello) or (
            "" if self._attach else "terminals cannot be attached to it"
        ):
            await connection.send(attach_protocol.refusal(fault))
        elif self._attach is not None:
            sock, early = connection.hand_over()
            self._attach(sock, hello, caller, early)

    async def _mcp(self, connection: Connection, caller: Caller, first: Frame) -> None:
        session = await asyncio.to_thread(sdk_import.session_module)
        handlers = session.Handlers(self._gateway, caller, self._settings)
        await asyncio.to_thread(sdk_import.expect)
        end = self._gateway.note_session(caller)
        try:
            await session.Session(handlers, connection).serve(first)
        finally:
            end()


_NO_AGENTS: Final = "agents are disabled: mcp.enabled is false in the configuration of fugue-tui"


def quiet() -> None:
    """Keep libraries from writing to the screen: unhandled log records and warnings are not printed to stderr."""
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.NullHandler())
    logging.captureWarnings(capture=True)


async def _cancel_all() -> None:
    """Cancel every other task of the loop."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _program(caller: Caller) -> int | None:
    """The process that a connection counts for: the program of the pane that the peer came out of, else the peer's
    client."""
    own = os.getpid()
    return caller.pids[caller.pids.index(own) - 1] if own in caller.pids[1:] else caller.program


def _caller(connected: socket.socket) -> Caller | None:
    try:
        peer = peer_of(connected)
    except OSError as error:
        _log.warning("a client was refused: its user cannot be determined: %s", error)
        return None
    if peer.uid != os.getuid():
        _log.warning("a client was refused: it belongs to user %s", peer.uid)
        return None
    pids, inside = process.came_from(peer.pid, os.getpid())
    return Caller(Interface.MCP, pids, inside=inside, direct=peer.pid is None or not process.is_fugue(peer.pid))
