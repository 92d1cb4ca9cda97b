"""Connects to an MCP server over streamable HTTP."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectSendStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.message import SessionMessage

from fugue_tui.config.servers import ServerSettings
from fugue_tui_mcp.client import oauth
from fugue_tui_mcp.client.pace import Pace


@asynccontextmanager
async def http_transport(settings: ServerSettings, open_page: Callable[[str], None]) -> AsyncGenerator[Any]:
    """A transport for the SDK's client; `open_page` is called if the user has to log in on a page."""
    headers, auth = dict(settings.headers), await _login(settings, open_page)
    async with (
        create_mcp_http_client(headers=headers, auth=auth) as client,
        streamable_http_client(settings.url, http_client=client) as (read, write),
        anyio.create_task_group() as group,
    ):
        incoming, paced = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        group.start_soon(_forward, read, incoming)
        yield paced, write
        group.cancel_scope.cancel()


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
