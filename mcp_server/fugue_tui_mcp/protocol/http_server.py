"""MCP over HTTP: checks every request before the SDK sees it. Importing this imports the SDK and uvicorn.

A request needs the token of this run, and names and origins that only this machine's own pages could send (against DNS
rebinding: MCP specification, Transports, Security Warning). The policy judges callers as on the socket.
"""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Callable
from typing import Final

from mcp_types import INVALID_REQUEST
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from fugue_tui.config.model import McpSettings
from fugue_tui.control.dispatch.thread_gateway import ThreadGateway
from fugue_tui.terminal.pty import process
from fugue_tui_mcp import jsonrpc, tcp_peer
from fugue_tui_mcp.connection import Limits
from fugue_tui_mcp.http_address import HOST, PATH
from fugue_tui_mcp.protocol.http_connection import HEADERS_SECONDS, HttpConnection
from fugue_tui_mcp.protocol.http_sessions import HttpPeer, HttpSessions, SessionNotFound, TooManySessions

HEADERS: Final = 16 << 10
"""Bytes of a request's headers."""
BODY_SECONDS: Final = 15.0
"""How long a request's body may take."""
KEEP_ALIVE_SECONDS: Final = 60
"""How long a connection may be idle between requests."""
STOP_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class _Rejected(Exception):
    """A request that is answered with an HTTP error."""

    def __init__(self, status: int, reason: str, **headers: str) -> None:
        super().__init__(reason)
        self.status, self.headers = status, headers


class _Connection(HttpConnection):
    """A connection of a process."""

    def __init__(self, config: Config, state: ServerState, limits: Limits) -> None:
        super().__init__(config, state, {}, asyncio.get_running_loop())
        self.peer: HttpPeer | None = None
        """The process at the other end, once it has shown the token."""
        self.headers_seconds = min(HEADERS_SECONDS, limits.first)


class HttpServer:
    """Serves one port. Belongs to the loop of the thread."""

    def __init__(
        self, gateway: ThreadGateway, settings: Callable[[], McpSettings], limits: Limits, token: str, port: int
    ) -> None:
        self.sessions = HttpSessions(gateway, settings)
        self._limits = limits
        self._token = token.encode()
        hosts = (f"{HOST}:{port}", f"localhost:{port}")
        self._hosts = {host.encode() for host in hosts}
        self._origins = {f"http://{host}".encode() for host in hosts}
        self._state = ServerState()
        self._config = Config(
            self._serve, http=H11Protocol, ws="none", lifespan="off", interface="asgi3", log_config=None,
            access_log=False, proxy_headers=False, timeout_keep_alive=KEEP_ALIVE_SECONDS,
            h11_max_incomplete_event_size=HEADERS,
        )  # fmt: skip
        self._config.load()

    async def serve(self, listening: socket.socket) -> None:
        """Serve until cancelled."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(self._config, self._state, self._limits), sock=listening)
        try:
            await loop.create_future()  # From Python 3.12 on, serve_forever would wait for the clients to leave.
        finally:
            server.close()
            self.drop_all()
            await self.sessions.close()
            if self._state.tasks:
                _, late = await asyncio.wait(self._state.tasks, timeout=STOP_SECONDS)
                for task in late:
                    task.cancel()

    def drop_all(self) -> None:
        """End every session and every connection."""
        self.sessions.drop_all()
        for connection in list(self._state.connections):
            connection.transport.abort()  # pyright: ignore[reportUnknownMemberType]

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection: _Connection = scope["state"]["connection"]

        async def limited(message: Message) -> None:
            try:
                async with asyncio.timeout(self._limits.stall):
                    await send(message)
            except TimeoutError:
                _log.warning("an HTTP client was dropped: it did not read for %s s", self._limits.stall)
                connection.transport.abort()

        try:
            self._check(scope)
            if connection.peer is None:
                connection.peer = await asyncio.to_thread(_identified, connection.server, connection.client)
                connection.is_trusted = True
            body = await self._body(scope, receive) if scope["method"] == "POST" else None
            await self.sessions.handle(
                connection.peer, scope, receive if body is None else _again(body, receive), limited
            )
        except _Rejected as error:
            await _answer(error)(scope, receive, limited)
        except SessionNotFound:
            await _answer(_Rejected(404, "no such session; initialize another"))(scope, receive, limited)
        except TooManySessions:
            await _answer(_Rejected(503, "all sessions are in use; try again later"))(scope, receive, limited)

    def _check(self, scope: Scope) -> None:
        """Raise _Rejected for a request that may not reach the SDK."""
        if _only(scope, b"host").lower() not in self._hosts:
            raise _Rejected(403, "the Host header must name this server")
        if _values(scope, b"origin") and _only(scope, b"origin").lower() not in self._origins:
            raise _Rejected(403, "requests of other origins are refused")
        kind, _, token = _only(scope, b"authorization").partition(b" ")
        if kind.lower() != b"bearer" or not secrets.compare_digest(token.strip(), self._token):
            raise _Rejected(401, "the token is missing or wrong", **{"WWW-Authenticate": "Bearer"})
        if scope["path"] != PATH:
            raise _Rejected(404, f"there is only {PATH}")
        if scope["method"] not in ("POST", "GET", "DELETE"):
            raise _Rejected(405, "only POST, GET and DELETE are served", Allow="POST, GET, DELETE")
        if scope["method"] == "POST":
            media_type = _only(scope, b"content-type").partition(b";")[0].strip().lower()
            if media_type != b"application/json" or _values(scope, b"content-encoding"):
                raise _Rejected(415, "only application/json, not encoded, is accepted")

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body. Raises _Rejected if it is too long or too slow."""
        too_long = _Rejected(413, f"a request has at most {self._limits.line} bytes")
        length = _values(scope, b"content-length")
        if length and length[0].isdigit() and int(length[0][:20]) > self._limits.line:
            raise too_long
        body, more = bytearray(), True
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while more:
                    message = await receive()
                    more = bool(message.get("more_body"))
                    body += message.get("body", b"")
                    if len(body) > self._limits.line:
                        raise too_long
        except TimeoutError:
            raise _Rejected(408, f"the body did not arrive within {BODY_SECONDS:g} seconds") from None
        return bytes(body)


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


def _only(scope: Scope, name: bytes) -> bytes:
    """The value of a header that is sent once; empty if it is missing or repeated."""
    values = _values(scope, name)
    return values[0] if len(values) == 1 else b""


def _again(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns a body that was read already, then what follows it."""
    pending = [body]

    async def read() -> Message:
        return {"type": "http.request", "body": pending.pop(), "more_body": False} if pending else await receive()

    return read


def _answer(error: _Rejected) -> Response:
    """A JSON-RPC error with an HTTP status."""
    content = jsonrpc.error(None, INVALID_REQUEST, str(error))
    return Response(content, error.status, error.headers, "application/json")


def _identified(local: tuple[str, int | None] | None, remote: tuple[str, int] | None) -> HttpPeer:
    """The process that connected; one that is unknown counts as inside. Raises _Rejected for another user's."""
    unknown = HttpPeer((), inside=True, process="unknown")
    if local is None or local[1] is None or remote is None:
        return unknown
    peer = tcp_peer.peer_of((local[0], local[1]), remote)
    if peer.uid is not None and peer.uid != os.getuid():
        _log.warning("an HTTP client was refused: it belongs to user %s", peer.uid)
        raise _Rejected(403, "other users are refused")
    found = sorted((process.came_from(pid, os.getpid()) for pid in peer.pids), key=lambda each: not each[1])
    if not found:
        return unknown
    pids, inside = found[0]
    return HttpPeer(pids, inside, (pids[0], process.start_ticks(pids[0])))
