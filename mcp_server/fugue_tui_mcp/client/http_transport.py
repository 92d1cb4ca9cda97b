"""Connects to an MCP server over streamable HTTP, within the limits of `stdio_transport`."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf
from typing import Any

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectSendStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.message import SessionMessage

from fugue_tui.config.servers import ServerSettings
from fugue_tui_mcp.client import oauth
from fugue_tui_mcp.client.pace import VALUE_BYTES, Pace
from fugue_tui_mcp.client.stdio_transport import LONGEST, MOST_VALUES


@asynccontextmanager
async def http_transport(settings: ServerSettings, open_page: Callable[[str], None]) -> AsyncGenerator[Any]:
    """A transport for the SDK's client; `open_page` is that of `oauth.provider`."""
    headers, auth = dict(settings.headers), await _login(settings, open_page)
    # What is compressed says nothing of its size.
    async with (
        create_mcp_http_client(headers={"Accept-Encoding": "identity", **headers}, auth=auth) as client,
        streamable_http_client(settings.url, http_client=client, max_sse_event_size=LONGEST) as (read, write),
        anyio.create_task_group() as group,
    ):
        client.event_hooks = {"response": [_bound]}
        incoming, paced = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        group.start_soon(_forward, read, incoming)
        yield paced, write
        group.cancel_scope.cancel()


async def _bound(response: httpx2.Response) -> None:
    """Bound what is read of a response."""
    stream = response.stream
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("identity", ""):
        stream = _Refused("it compresses what it sends, although it was asked not to")
    if isinstance(stream, httpx2.AsyncByteStream):
        is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
        response.stream = _Bounded(stream, is_stream=is_stream)


class _Refused(httpx2.AsyncByteStream):
    """A body that cannot be read."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def __aiter__(self) -> AsyncIterator[bytes]:
        raise httpx2.StreamError(self._reason)
        yield b""


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error once a message is too large, and is not read faster than `Pace` allows."""

    def __init__(self, stream: httpx2.AsyncByteStream, *, is_stream: bool) -> None:
        self._stream, self._is_stream = stream, is_stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pace, size, values, wrong = Pace(messages=inf), 0, 0, httpx2.SSEError if self._is_stream else httpx2.StreamError
        async for chunk in self._stream:
            commas = chunk.count(b",")
            await pace.wait(len(chunk) + commas * VALUE_BYTES)
            if self._is_stream and (b"\n\n" in chunk or b"\r\n\r\n" in chunk):
                size = values = 0
            size, values = size + len(chunk), values + commas
            if size > LONGEST:
                raise wrong("it sent a message of more than 16 MiB")
            if values > MOST_VALUES:
                raise wrong(f"it sent a message of more than {MOST_VALUES:,} values")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _forward(read: Any, incoming: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    """Pass messages on, not faster than one server may send them."""
    pace = Pace()
    async with incoming:
        async for message in read:
            await pace.wait(1_000)
            await incoming.send(message)


async def _login(settings: ServerSettings, open_page: Callable[[str], None]) -> httpx2.Auth | None:
    """What logs in by OAuth, unless the settings say who the user is."""
    given = any(name.lower() == "authorization" for name in settings.headers)
    return await oauth.provider(settings.url, open_page) if settings.oauth and not given else None
