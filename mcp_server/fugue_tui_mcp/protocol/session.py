"""One MCP conversation: frames in, lines out, the SDK between them. Importing this imports the SDK.

The low-level server speaks both eras of the protocol; the client's first request decides which.
"""

import asyncio
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import NotificationOptions
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from fugue_tui.sanitize import clean
from fugue_tui_mcp import jsonrpc
from fugue_tui_mcp.connection import Connection
from fugue_tui_mcp.jsonrpc import Frame
from fugue_tui_mcp.protocol.handlers import Handlers
from fugue_tui_mcp.protocol.truncate import cleaned

BUSIEST: Final = 512
"""Requests that one client may have in hand; further ones wait in its socket."""
LINGER: Final = 120.0
"""Seconds that answers are finished for after a client has closed its sending half."""


class Session:
    """One client's conversation."""

    def __init__(self, face: Handlers, connection: Connection) -> None:
        self._face = face
        self._connection = connection
        self._pending: set[str | int] = set()
        self._settled = asyncio.Event()

    async def serve(self, first: Frame) -> None:
        """Answer until the client is gone. What it asked for before it closed its sending half is still answered.

        Raises ConnectionError if the client vanishes or does not read.
        """
        incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        server = self._face.server()
        options = server.create_initialization_options(NotificationOptions(tools_changed=True, resources_changed=True))
        gone = False
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._write, outgoing)
                group.start_soon(self._read, first, incoming)
                await server.run(read, write, options)
                group.cancel_scope.cancel()
        except* ConnectionError:
            gone = True  # What is raised in here would be wrapped in a group.
        finally:
            self._face.close()
        if gone:
            raise ConnectionResetError("the client is gone")

    async def _read(self, first: Frame, incoming: MemoryObjectSendStream[Any]) -> None:
        async with incoming:
            async for frame in self._connection.frames(first):
                try:
                    message = jsonrpc_message_adapter.validate_python(frame.value, by_name=False)
                except ValidationError as error:
                    reason = f"{error.errors()[0]['loc']}: {error.errors()[0]['msg']}"
                    await self._connection.send(jsonrpc.error(frame.id, jsonrpc.INVALID_REQUEST, clean(reason)))
                    continue
                self._note(frame)
                await incoming.send(SessionMessage(message))
                await self._until(BUSIEST)
            await self._answer_the_rest()

    async def _answer_the_rest(self) -> None:
        """The client sends nothing more: finish what it asked for, unless it is gone altogether."""
        with anyio.move_on_after(LINGER):
            while self._pending and not self._connection.hung_up():
                with anyio.move_on_after(0.1):
                    await self._until(1)

    async def _write(self, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with outgoing:
            async for item in outgoing:
                message = item.message
                if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                    self._settle(message.id)
                if isinstance(message, JSONRPCError):
                    message = _clean(message)
                line = message.__pydantic_serializer__.to_json(message, by_alias=True, exclude_unset=True)
                await self._connection.send(line + b"\n")

    def _note(self, frame: Frame) -> None:
        if frame.id is not None and frame.is_request and frame.method != "subscriptions/listen":
            self._pending.add(frame.id)
        if frame.method == "notifications/cancelled":
            params: Any = frame.value.get("params")
            id = params.get("requestId") if isinstance(params, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            if isinstance(id, str | int):
                self._settle(id)

    def _settle(self, id: str | int) -> None:
        self._pending.discard(id)
        self._settled.set()

    async def _until(self, fewer: int) -> None:
        while len(self._pending) >= fewer:
            self._settled.clear()
            await self._settled.wait()


def _clean(failure: JSONRPCError) -> JSONRPCError:
    """A failure without what a client's own words, said back to it, may hide."""
    told = failure.error
    error = told.model_copy(update={"message": clean(told.message, 1_000), "data": cleaned(told.data)})
    return failure.model_copy(update={"error": error})
