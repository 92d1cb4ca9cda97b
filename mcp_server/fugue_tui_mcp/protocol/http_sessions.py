"""The clients that use MCP over HTTP, each with its own handlers. Importing this imports the SDK.

Before protocol 2026-07-28 a client has a session, which only the process that opened it may use. From then on every
request stands alone, and those of one process are one client.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any, Final
from uuid import uuid4

import anyio
from mcp.server.lowlevel import NotificationOptions
from mcp.server.runner import serve_loop
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from msgspec import Struct
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import Interface
from fugue_tui.control.dispatch.thread_gateway import Caller, ThreadGateway
from fugue_tui_mcp.protocol.handlers import Handlers

MOST: Final = 64
"""Sessions, and clients without one, at a time; the one unused for longest gives way."""
IDLE_SECONDS: Final = 1_800.0
"""How long a session lasts without a request."""

_log = logging.getLogger(__name__)


class HttpPeer(Struct, frozen=True):
    """The process at the other end of a connection, as the kernel says."""

    pids: tuple[int, ...]
    """It and its ancestors, nearest first; empty if unknown."""
    inside: bool
    """Whether it came out of a pane, or cannot be shown not to have."""
    process: Hashable
    """Identifies the process."""


class HttpClient(Struct, eq=False):
    """One client: a session, or a process without one."""

    process: Hashable
    caller: Caller
    app: ASGIApp
    task: "asyncio.Task[None]"
    requests: int = 0
    """Requests in flight."""
    used_at: float = 0.0


class SessionNotFound(Exception):
    """The session has ended, or belongs to another process."""


class TooManySessions(Exception):
    """All sessions are in use."""


class HttpSessions:
    """All clients. Belongs to the loop of the thread."""

    def __init__(self, gateway: ThreadGateway, settings: Callable[[], McpSettings]) -> None:
        self._gateway, self._settings = gateway, settings
        self._sessions: dict[Hashable, HttpClient] = {}
        self._processes: dict[Hashable, HttpClient] = {}
        self._tasks = set[asyncio.Task[None]]()

    def clients(self) -> list[str]:
        """The names of the clients; empty for those without one. Any thread."""
        return [each.caller.client for each in [*self._sessions.values(), *self._processes.values()]]

    def drop_all(self) -> None:
        """End every session."""
        for client in [*self._sessions.values(), *self._processes.values()]:
            client.task.cancel()
        self._sessions.clear()
        self._processes.clear()

    async def close(self) -> None:
        """End every session, and wait until it has ended."""
        self.drop_all()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def handle(self, peer: HttpPeer, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request. Raises SessionNotFound or TooManySessions before anything is sent."""
        headers = Headers(scope=scope)
        version, id = headers.get(MCP_PROTOCOL_VERSION_HEADER), headers.get(MCP_SESSION_ID_HEADER)
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            await self._serve(await self._without_session(peer), scope, receive, send)
        elif id is None:
            await self._open_session(peer, scope, receive, send)
        elif (client := self._sessions.get(id)) is not None and client.process == peer.process:
            await self._serve(client, scope, receive, send)
            if scope["method"] == "DELETE":
                await _finished(client)
        else:
            raise SessionNotFound

    async def _serve(self, client: HttpClient, scope: Scope, receive: Receive, send: Send) -> None:
        client.requests += 1
        try:
            await client.app(scope, receive, send)
        finally:
            client.requests -= 1
            client.used_at = asyncio.get_running_loop().time()

    async def _open_session(self, peer: HttpPeer, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a session for a request without one, and end it unless the request has opened it."""
        id, caller = uuid4().hex, _caller(peer)
        transport = StreamableHTTPServerTransport(id, idle_timeout=IDLE_SECONDS)
        client = await self._start(
            self._sessions, id, peer, caller, transport.handle_request,
            lambda ready: self._run_session(id, Handlers(self._gateway, caller, self._settings), transport, ready),
        )  # fmt: skip
        accepted = False

        async def watch(message: Message) -> None:
            nonlocal accepted
            accepted |= message["type"] == "http.response.start" and message["status"] < 400
            await send(message)

        try:
            await self._serve(client, scope, receive, watch)
        finally:
            if not accepted:
                client.task.cancel()

    async def _run_session(
        self, id: str, handlers: Handlers, transport: StreamableHTTPServerTransport, ready: "asyncio.Future[None]"
    ) -> None:
        server = handlers.server()
        options = server.create_initialization_options(NotificationOptions(tools_changed=True, resources_changed=True))
        try:
            async with server.lifespan(server) as state, transport.connect() as (incoming, outgoing):
                ready.set_result(None)
                try:
                    with transport.idle_scope or anyio.CancelScope():
                        await serve_loop(
                            server, incoming, outgoing, lifespan_state=state, session_id=id, init_options=options
                        )
                finally:
                    self._sessions.pop(id, None)
                    with anyio.CancelScope(shield=True):
                        await transport.terminate()
        finally:
            handlers.close()

    async def _without_session(self, peer: HttpPeer) -> HttpClient:
        """The client of a process that uses no sessions."""
        if (client := self._processes.get(peer.process)) is not None:
            return client
        caller = _caller(peer)
        handlers = Handlers(self._gateway, caller, self._settings)
        manager = StreamableHTTPSessionManager(handlers.server(), max_sessions=1)
        return await self._start(
            self._processes, peer.process, peer, caller, manager.handle_request,
            lambda ready: self._run_manager(peer.process, handlers, manager, ready),
        )  # fmt: skip

    async def _run_manager(
        self,
        process: Hashable,
        handlers: Handlers,
        manager: StreamableHTTPSessionManager,
        ready: "asyncio.Future[None]",
    ) -> None:
        try:
            async with manager.run():
                ready.set_result(None)
                await asyncio.Event().wait()
        finally:
            handlers.close()

    async def _start(
        self,
        clients: dict[Hashable, HttpClient],
        key: Hashable,
        peer: HttpPeer,
        caller: Caller,
        app: ASGIApp,
        run: Callable[["asyncio.Future[None]"], Any],
    ) -> HttpClient:
        """Start the task of a client, for which another may give way. Raises TooManySessions."""
        if len(clients) >= MOST:
            idle = [each for each, client in clients.items() if not client.requests]
            if not idle:
                raise TooManySessions
            clients.pop(min(idle, key=lambda each: clients[each].used_at)).task.cancel()
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        task = loop.create_task(run(ready))
        self._tasks.add(task)
        task.add_done_callback(lambda _: ready.done() or ready.set_exception(SessionNotFound()))
        task.add_done_callback(self._ended)
        clients[key] = client = HttpClient(peer.process, caller, app, task, used_at=loop.time())
        await ready
        _end_with_process(peer, client, lambda: clients.pop(key, None))
        return client

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a session over HTTP failed", exc_info=error)


async def _finished(client: HttpClient) -> None:
    """Wait for the end of a session that its client has ended."""
    with suppress(asyncio.CancelledError):
        await asyncio.wait((client.task,))


def _end_with_process(peer: HttpPeer, client: HttpClient, forget: Callable[[], object]) -> None:
    """End a client with its process, which is all that may use it: what it waits for would be done for nobody. Where
    the kernel does not tell, it lasts until it is idle for long enough."""
    if not peer.pids or not hasattr(os, "pidfd_open"):
        return
    loop = asyncio.get_running_loop()
    try:
        process = os.pidfd_open(peer.pids[0])
    except OSError:
        return

    def end() -> None:
        loop.remove_reader(process)
        forget()
        client.task.cancel()

    def close(_: object) -> None:
        loop.remove_reader(process)
        os.close(process)

    loop.add_reader(process, end)
    client.task.add_done_callback(close)


def _caller(peer: HttpPeer) -> Caller:
    return Caller(Interface.MCP, peer.pids, inside=peer.inside, direct=True)
