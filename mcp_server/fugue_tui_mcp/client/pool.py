"""The connections to MCP servers, on a thread of their own with its loop. Imports the SDK for the first of them.

The thread begins with the first connection. A server that hangs or floods delays neither the workspace nor the thread
that serves agents.
"""

import asyncio
import importlib
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from fugue_tui.errors import ServerFailed
from fugue_tui.multiplexer.mcp_servers.connector import Handler, Launch, Progress
from fugue_tui.multiplexer.mcp_servers.model import ArgumentQuery, Call, Catalog, Content, LogLine
from fugue_tui_mcp import lazy_packages
from fugue_tui_mcp.client.log_buffer import LogBuffer

_log: Final = logging.getLogger(__name__)
CLOSE_SECONDS: Final = 5.0
"""How long closing all connections may take."""
Result = TypeVar("Result")


class ConnectionPool:
    """The connections, by name of the server; see `Connector`. Any thread."""

    def __init__(self, handler: Handler, quiet: Callable[[], None] = lambda: None) -> None:
        """`quiet` keeps libraries from writing to the screen; called on the thread before anything is loaded."""
        self._handler, self._quiet = handler, quiet
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._main, name="mcp-client", daemon=True)
        self._connections: dict[str, Any] = {}
        self._ending = set[Any]()
        self._logs: dict[str, LogBuffer] = {}
        self._closing = False

    def connect(self, server: str, launch: Launch) -> "Future[Catalog]":
        """See `Connector`."""
        return self._submit(self._connected(server, launch))

    def request(self, server: str, call: Call, seconds: float, progress: Progress) -> "Future[Content]":
        """See `Connector`."""

        async def send() -> Content:
            return await self._connection(server).request(call, seconds, progress)

        return self._submit(send())

    def complete(self, server: str, query: ArgumentQuery) -> "Future[tuple[str, ...]]":
        """See `Connector`."""

        async def send() -> tuple[str, ...]:
            return await self._connection(server).complete(query)

        return self._submit(send())

    def subscribe(self, server: str, uri: str, *, on: bool) -> "Future[None]":
        """See `Connector`."""

        async def send() -> None:
            await self._connection(server).subscribe(uri, on=on)

        return self._submit(send())

    def log(self, server: str) -> tuple[LogLine, ...]:
        """See `Connector`."""
        buffer = self._logs.get(server)
        return buffer.lines() if buffer is not None else ()

    def roots_changed(self) -> None:
        """See `Connector`."""

        async def notify() -> None:
            await asyncio.gather(*(each.roots_changed() for each in self._connections.values()))

        self._submit(notify())

    def disconnect(self, server: str) -> "Future[None]":
        """See `Connector`."""

        async def end() -> None:
            await self._ended(server)

        return self._submit(end())

    def close(self) -> None:
        """See `Connector`."""
        self._closing = True
        if not self._thread.is_alive():
            self._loop.close()
            return
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop)
        self._thread.join(CLOSE_SECONDS)

    async def _stop(self) -> None:
        connections = [*self._connections.values(), *self._ending]
        self._connections.clear()
        await asyncio.gather(*(each.close() for each in connections), return_exceptions=True)
        self._loop.stop()

    async def _ended(self, server: str) -> None:
        """End the connection to a server, if there is one."""
        if (connection := self._connections.pop(server, None)) is not None:
            self._ending.add(connection)
            await connection.close()
            self._ending.discard(connection)

    async def _connected(self, server: str, launch: Launch) -> Catalog:
        module = await asyncio.to_thread(_connection_module)
        await self._ended(server)
        buffer = self._logs.setdefault(server, LogBuffer())
        connection = self._connections[server] = module.Connection(server, launch, buffer, self._handler)
        try:
            return await connection.start()
        except BaseException:
            if self._connections.get(server) is connection:
                del self._connections[server]
            raise

    def _connection(self, server: str) -> Any:
        if server not in self._connections:
            raise ServerFailed(f"{server} is not connected")
        return self._connections[server]

    def _submit(self, work: Coroutine[Any, Any, Result]) -> "Future[Result]":
        if self._closing:
            work.close()
            failed: Future[Result] = Future()
            failed.set_exception(ServerFailed("the workspace is being left"))
            return failed
        if not self._thread.is_alive():
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _main(self) -> None:
        self._quiet()
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(lambda _, context: _log.error("%s", context.get("message", context)))
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(_cancel_all())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            self._loop.close()


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _connection_module() -> Any:
    lazy_packages.declare("mcp", "mcp.client")
    return importlib.import_module("fugue_tui_mcp.client.connection")
