"""Limits how fast what a server sends is handled: one that floods fills its own pipe, and no other waits for it."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

MESSAGES: Final = 200.0
"""Messages a second of one server, in the long run."""
BYTES: Final = 8_000_000.0
"""Bytes a second of one server, in the long run."""
VALUE_BYTES: Final = 50
"""Bytes that a value in a message counts for besides its own: reading it holds up the other threads."""
BURST_SECONDS: Final = 4.0
"""How much of that it may send at once."""


class Pace:
    """A token bucket of messages and bytes, in seconds of what is allowed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, messages: float = MESSAGES) -> None:
        self._clock, self._messages = clock, messages
        self._left, self._at = BURST_SECONDS, clock()

    async def wait(self, size: int) -> None:
        """Wait until a message of so many bytes may be handled."""
        now = self._clock()
        self._left = min(self._left + now - self._at, BURST_SECONDS) - 1 / self._messages - size / BYTES
        self._at = now
        if self._left < 0:
            await asyncio.sleep(-self._left)
