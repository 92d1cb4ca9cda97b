"""The ASGI application: checks every request, serves the page, and joins its WebSockets to the workspace."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from fugue_tui.errors import FugueError
from fugue_tui.web import messages
from fugue_tui.web.access import Access, Names, Session
from fugue_tui.web.attached_view import AttachedView
from fugue_tui.web.messages import End, Ping, Pong, Read, Resize, Show
from fugue_tui.web.page_link import PageLink
from fugue_tui.web.views import Views

PAGE: Final = Path(__file__).parent / "page"
COOKIE: Final = "fugue"
LONGEST_TOKEN: Final = 256
UNSUPPORTED: Final = 1003
"""The code of a WebSocket that is closed for data that cannot be accepted (RFC 6455, 7.4.1)."""
BODY_SECONDS: Final = 10.0
"""How long a token may take to arrive."""
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self' {socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""xterm.js makes style elements; scripts come from files alone."""
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

_log = logging.getLogger(__name__)


class Guard:
    """Passes on what was sent to a known name and comes from the page itself; sets the headers of every answer."""

    def __init__(self, app: ASGIApp, names: Names, scheme: str) -> None:
        self._app, self._names = app, names
        self._socket_scheme = "wss" if scheme == "https" else "ws"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        needs_origin = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if fault := self._names.fault(hosts, origins, needs_origin=needs_origin):
            _log.warning("a request was refused: %s", fault)
            await _refuse(fault, scope, receive, send)
            return
        await self._app(scope, receive, self._with_headers(send, hosts[0]))

    def _with_headers(self, send: Send, host: str) -> Send:
        policy = _POLICY.format(socket=f"{self._socket_scheme}://{host}")

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update({**_HEADERS, "Content-Security-Policy": policy})
            await send(message)

        return sent


async def _refuse(reason: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await PlainTextResponse(f"{reason}\n", 403)(scope, receive, send)


class WebApplication:
    """What the server answers."""

    def __init__(self, access: Access, names: Names, views: Views, scheme: str, on_use: Callable[[], None]) -> None:
        """`on_use` is called when a link was used."""
        self._access, self._views, self._scheme, self._on_use = access, views, scheme, on_use
        routes = [
            Route("/", self._index),
            Route("/login", self._login, methods=["POST"]),
            Route("/s/{session}/", self._is_valid),
            WebSocketRoute("/s/{session}/socket", self._socket),
            Mount("/page", StaticFiles(directory=PAGE)),
        ]
        self.asgi = Guard(Starlette(routes=routes, lifespan=self._lifespan), names, scheme)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncGenerator[None]:
        yield
        self._views.close()

    async def _index(self, _: Request) -> Response:
        return FileResponse(PAGE / "index.html")

    async def _login(self, request: Request) -> Response:
        """Start a session by the token of a link, which is the body."""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _body(request)
        except TimeoutError:
            return PlainTextResponse("the token did not arrive\n", 408)
        if len(body) > LONGEST_TOKEN:
            return PlainTextResponse("this is no token\n", 413)
        token = body.decode("ascii", "replace")
        session = self._access.redeem(token)
        if session is None and self._access.has_expired(token):
            return PlainTextResponse("this link has expired\n", 410)
        if session is None:
            return PlainTextResponse("this link was used already, or another one has replaced it\n", 403)
        request.state.connection.is_trusted = True
        self._on_use()
        return self._started(session)

    def _started(self, session: Session) -> Response:
        response = JSONResponse({"session": session.id})
        response.set_cookie(
            COOKIE, session.cookie, path=f"/s/{session.id}/", secure=self._scheme == "https", httponly=True,
            samesite="strict",
        )  # fmt: skip
        return response

    async def _is_valid(self, request: Request) -> Response:
        """Whether the session of these URLs goes on, for a page that cannot connect."""
        request.state.connection.is_trusted = known = self._knows(request)
        return Response(status_code=204 if known else 403)

    def _knows(self, connection: Request | WebSocket) -> bool:
        return self._access.is_valid(connection.path_params["session"], connection.cookies.get(COOKIE, ""))

    async def _socket(self, socket: WebSocket) -> None:
        if not self._knows(socket):
            await socket.close(1008)
            return
        await socket.accept()
        page = PageLink(socket)
        try:
            await self._serve(socket, page)
        except (WebSocketDisconnect, RuntimeError):
            pass  # The page is gone, or was closed here.
        except ValueError as error:
            await _drop(page, error)
        finally:
            page.hang_up()

    async def _serve(self, socket: WebSocket, page: PageLink) -> None:
        """Serve a page until it is gone. Raises WebSocketDisconnect, or ValueError if it does not say what to show."""
        show = messages.parse(await socket.receive_text())
        if not isinstance(show, Show):
            raise ValueError("the first message must be the one that names what to show")
        key = (socket.path_params["session"], show.tab)
        try:
            view = await self._views.show(key, page, show.size.extent)
        except FugueError as error:
            _log.error("a page cannot attach: %s", error)
            await page.send(End(str(error)))
            await page.close()
            return
        try:
            while True:
                await _take(await socket.receive(), page, view)
        except ValueError as error:
            await _drop(page, error)
        finally:
            page.hang_up()
            await self._views.leave(key, view, page)


async def _body(request: Request) -> bytes:
    """The body of a request, at most a part more than a token."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_TOKEN:
            break
    return body


async def _drop(page: PageLink, error: ValueError) -> None:
    """Close the connection to a page that sends what is no message."""
    _log.warning("a page was dropped: %s", error)
    await page.close(UNSUPPORTED)


async def _take(message: Message, page: PageLink, view: AttachedView) -> None:
    """Handle one message of a page. Raises WebSocketDisconnect, or ValueError."""
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1006))
    if data := message.get("bytes"):
        await view.type(data)
        return
    match messages.parse(message.get("text") or ""):
        case Resize(size):
            await view.resize(size.extent)
        case Read(count):
            page.was_read(count)
        case Ping():
            await page.send(Pong())
        case Show():
            raise ValueError("a page shows one view")
