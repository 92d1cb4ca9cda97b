"""One MCP session: passes messages between a connection and the SDK. Importing this imports the SDK.

The low-level server supports the protocol before and from 2026-07-28; the client's first request decides.
"""

import asyncio
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import NotificationOptions
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import JSONRPCError, JSONRPCMessage, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from fugue_tui.sanitize import clean
from fugue_tui_mcp import jsonrpc
from fugue_tui_mcp.connection import Connection
from fugue_tui_mcp.jsonrpc import Frame
from fugue_tui_mcp.protocol.handlers import Handlers
from fugue_tui_mcp.protocol.truncate import cleaned

MAX_PENDING: Final = 512
"""Pending requests of one client; further ones wait in its socket."""
LINGER: Final = 120.0
"""Seconds to finish pending requests after a client has closed its sending half."""


class Session:
    """One client's session."""

    def __init__(self, handlers: Handlers, connection: Connection) -> None:
        self._handlers = handlers
        self._connection = connection
        self._pending: set[str | int] = set()
        self._completed = asyncio.Event()

    async def serve(self, first: Frame) -> None:
        """Serve until the client disconnects. Requests sent before it closed its sending half are still answered.

        Raises ConnectionError if the connection breaks or the client does not read.
        """
        incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        server = self._handlers.server()
        options = server.create_initialization_options(NotificationOptions(tools_changed=True, resources_changed=True))
        disconnected = False
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._write, outgoing)
                group.start_soon(self._read, first, incoming)
                await server.run(read, write, options)
                group.cancel_scope.cancel()
        except* ConnectionError:
            disconnected = True  # An exception raised here would be wrapped in a group.
        finally:
            self._handlers.close()
        if disconnected:
            raise ConnectionResetError("the client is disconnected")

    async def _read(self, first: Frame, incoming: MemoryObjectSendStream[Any]) -> None:
        async with incoming:
            async for frame in self._connection.frames(first):
                try:
                    message = jsonrpc_message_adapter.validate_python(frame.value, by_name=False)
                except ValidationError as error:
                    reason = f"{error.errors()[0]['loc']}: {error.errors()[0]['msg']}"
                    await self._connection.send(jsonrpc.error(frame.id, jsonrpc.INVALID_REQUEST, clean(reason)))
                    continue
                self._register(frame)
                await incoming.send(SessionMessage(message))
                await self._wait_until_fewer_than(MAX_PENDING)
            await self._finish_pending()

    async def _finish_pending(self) -> None:
        """Finish pending requests after the client has closed its sending half, unless it is disconnected."""
        with anyio.move_on_after(LINGER):
            while self._pending and not self._connection.hung_up():
                with anyio.move_on_after(0.1):
                    await self._wait_until_fewer_than(1)

    async def _write(self, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with outgoing:
            async for item in outgoing:
                message = item.message
                if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                    self._complete(message.id)
                if isinstance(message, JSONRPCError):
                    message = _clean(message)
                await self._connection.send(_line(message))

    def _register(self, frame: Frame) -> None:
        if frame.id is not None and frame.is_request and frame.method != "subscriptions/listen":
            self._pending.add(frame.id)
        if frame.method == "notifications/cancelled":
            params: Any = frame.value.get("params")
            id = params.get("requestId") if isinstance(params, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            if isinstance(id, str | int):
                self._complete(id)

    def _complete(self, id: str | int) -> None:
        self._pending.discard(id)
        self._completed.set()

    async def _wait_until_fewer_than(self, fewer: int) -> None:
        while len(self._pending) >= fewer:
            self._completed.clear()
            await self._completed.wait()


def _line(message: JSONRPCMessage) -> bytes:
    """A message as a line. Half of a surrogate pair, as in an id or a token of the client, is escaped."""
    try:
        return message.__pydantic_serializer__.to_json(message, by_alias=True, exclude_unset=True) + b"\n"
    except PydanticSerializationError:
        return jsonrpc.line(message.model_dump(by_alias=True, exclude_unset=True))


def _clean(failure: JSONRPCError) -> JSONRPCError:
    """A sanitized error response, as it may quote the client."""
    data = failure.error
    error = data.model_copy(update={"message": clean(data.message, 1_000), "data": cleaned(data.data)})
    return failure.model_copy(update={"error": error})
