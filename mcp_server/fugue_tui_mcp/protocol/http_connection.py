"""A connection of uvicorn that cannot hold the server up: deadlines for what it sends, and a limit for how many there
are. Importing this imports uvicorn."""

import asyncio
from typing import Any, Final

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

CONNECTIONS: Final = 64
"""Connections at a time that are no WebSockets; beyond that, the oldest that is not trusted gives way."""
HEADERS_SECONDS: Final = 10.0
"""How long a request's headers may take from their first byte, and the first request from the connection."""


class HttpConnection(H11Protocol):
    """A connection with a deadline for the headers of each request, which find it in their state as `connection`."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, {**app_state, "connection": self}, _loop)
        self.is_trusted = False
        """Whether it has shown what only the user has."""
        self.headers_seconds = HEADERS_SECONDS
        self.made_at = 0.0
        """When it was made, on the loop's clock."""
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Accept it, and drop another one if there are too many."""
        others: list[HttpConnection] = [
            each for each in self.connections if isinstance(each, HttpConnection) and not each.transport.is_closing()
        ]
        super().connection_made(transport)
        self.made_at = self.loop.time()
        if len(others) >= CONNECTIONS:
            _oldest([each for each in others if not each.is_trusted] or [self]).transport.abort()
        self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """It was closed."""
        self._cancel_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived."""
        before = self.cycle
        super().data_received(data)
        is_websocket = self.transport.get_protocol() is not self
        if is_websocket or self.cycle is not before:
            self._cancel_deadline()
        elif before is None or before.response_complete:  # pyright: ignore[reportUnnecessaryComparison]
            self._expect_headers()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if self.cycle.response_complete and self.conn.trailing_data[0]:
            self._expect_headers()

    def _expect_headers(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.headers_seconds, self.transport.abort)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def _oldest(connections: list[HttpConnection]) -> HttpConnection:
    return min(connections, key=lambda each: each.made_at)
