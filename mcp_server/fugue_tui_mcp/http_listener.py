"""Serves MCP over HTTP on a port of 127.0.0.1 while the configuration says so. Imports the SDK for the first client."""

import asyncio
import importlib
import logging
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from fugue_tui import tcp_listener
from fugue_tui.config.model import McpSettings
from fugue_tui.control.dispatch.thread_gateway import ThreadGateway
from fugue_tui.errors import SocketError
from fugue_tui_mcp import http_address, lazy_packages
from fugue_tui_mcp.connection import Limits
from fugue_tui_mcp.http_address import HOST, PATH, HttpAddress

TOKEN_BYTES: Final = 32

_log = logging.getLogger(__name__)


class HttpListener:
    """The port, and the file that names it. Belongs to the loop of the thread."""

    def __init__(
        self,
        file: str,
        gateway: ThreadGateway,
        limits: Limits,
        settings: Callable[[], McpSettings],
        load: Callable[[], object],
    ) -> None:
        """`load` imports the SDK; it is called on another thread."""
        self._file, self._gateway, self._limits, self._settings, self._load = file, gateway, limits, settings, load
        self._serving: asyncio.Task[None] | None = None
        self._port = 0
        self._server: Any = None
        self._address: HttpAddress | None = None

    def apply(self) -> None:
        """Open or close the port, as the settings say."""
        settings = self._settings()
        wanted = settings.tcp and settings.enabled
        if self._serving is not None and (not wanted or settings.tcp_port not in (0, self._port)):
            self._serving.cancel()
            self._serving = None
        if wanted and self._serving is None:
            try:
                listening = tcp_listener.listen(HOST, settings.tcp_port)
            except OSError as error:
                _log.error("MCP is not served over HTTP: port %s: %s", settings.tcp_port, error)
                return
            self._port = listening.getsockname()[1]
            self._serving = asyncio.get_running_loop().create_task(self._serve(listening, self._port))

    def clients(self) -> list[str]:
        """The names of the clients. Any thread."""
        server = self._server
        return server.sessions.clients() if server is not None else []

    def drop_all(self) -> None:
        """Drop every client."""
        if self._server is not None:
            self._server.drop_all()

    def restore(self) -> None:
        """Write the file of the address again, whose directory was removed."""
        if self._address is not None:
            with suppress(SocketError):
                http_address.write(self._file, self._address)

    async def close(self) -> None:
        """Drop every client and stop listening."""
        if (serving := self._serving) is not None:
            self._serving = None
            serving.cancel()
            await asyncio.wait((serving,))

    async def _serve(self, listening: socket.socket, port: int) -> None:
        address = HttpAddress(f"http://{HOST}:{port}{PATH}", secrets.token_urlsafe(TOKEN_BYTES))
        try:
            http_address.write(self._file, address)
            self._address = address
            await _readable(listening)
            module: Any = await asyncio.to_thread(_import_server, self._load)
            self._server = module.HttpServer(self._gateway, self._settings, self._limits, address.token, port)
            await self._server.serve(listening)
        except SocketError as error:
            _log.error("MCP is not served over HTTP: %s", error)
        finally:
            self._server = self._address = None
            http_address.remove(self._file)
            listening.close()


async def _readable(listening: socket.socket) -> None:
    """Wait for the first connection, which stays in the backlog."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(listening, lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        with suppress(OSError, ValueError):
            loop.remove_reader(listening)


def _import_server(load: Callable[[], object]) -> object:
    load()
    lazy_packages.declare("uvicorn")  # Its initializer imports its command line.
    return importlib.import_module("fugue_tui_mcp.protocol.http_server")
