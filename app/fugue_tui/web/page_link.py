"""The connection to a page: sends it no more than its terminal keeps up with."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from fugue_tui.web import messages
from fugue_tui.web.messages import ToPage

WINDOW: Final = 1 << 17
"""Bytes that a page may have received and not shown yet. While it has more, the workspace sends nothing to this client
and draws the newest frame once it may: as for every slow terminal."""
TAKEN: Final = 4_001
"""The code of a WebSocket that closes because another page shows its view."""


class PageLink:
    """One WebSocket. Its methods do nothing once it is closed."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._unread = 0
        self._may_send = asyncio.Event()
        self._may_send.set()
        self.closed = False

    async def draw(self, data: bytes) -> None:
        """Have the terminal show bytes; waits while it has too many."""
        await self._may_send.wait()
        self._unread += len(data)
        self._update()
        if not self.closed:
            await self._send(self._socket.send_bytes(data))

    async def send(self, message: ToPage) -> None:
        """Send a message."""
        if not self.closed:
            await self._send(self._socket.send_text(messages.dump(message)))

    def was_read(self, count: int) -> None:
        """The terminal has shown bytes."""
        self._unread = max(self._unread - max(count, 0), 0)
        self._update()

    def hang_up(self) -> None:
        """The WebSocket is closed: nothing waits for it any more."""
        self.closed = True
        self._update()

    async def close(self, code: int = 1000) -> None:
        """Close the WebSocket."""
        if not self.closed:
            self.hang_up()
            with suppress(RuntimeError, WebSocketDisconnect):
                await self._socket.close(code)

    def _update(self) -> None:
        if self.closed or self._unread <= WINDOW:
            self._may_send.set()
        else:
            self._may_send.clear()

    async def _send(self, sent: Awaitable[None]) -> None:
        try:
            await sent
        except (RuntimeError, WebSocketDisconnect):
            self.hang_up()
