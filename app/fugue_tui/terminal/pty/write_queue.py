"""Bytes that wait until a program reads them. Bounded; never blocks."""

from collections import deque
from collections.abc import Callable
from typing import Final

CAPACITY: Final = 65 << 20
"""How many bytes may be queued: a paste of 64 MiB with its brackets, and keys behind it."""
AT_ONCE: Final = 256 << 10
"""How many bytes `flush` writes before it returns."""
REPLY_CAPACITY: Final = 64 << 10
"""How many bytes of terminal replies may be queued; more are dropped."""


class WriteQueue:
    """A queue of bytes in the order in which they were accepted. Not thread-safe."""

    __slots__ = ("_pieces", "_replies", "size")

    def __init__(self) -> None:
        self._pieces: deque[memoryview] = deque()
        self._replies = 0
        self.size = 0
        """Bytes in the queue."""

    def accept(self, data: bytes) -> bool:
        """Queue all of it, or nothing if there is no room: half a paste would have no end mark."""
        if self.size + len(data) > CAPACITY:
            return False
        if data:
            self._append(data)
        return True

    def accept_reply(self, data: bytes) -> bool:
        """Queue a whole reply, or drop it if too many are queued."""
        if self._replies + len(data) > REPLY_CAPACITY or self.size + len(data) > CAPACITY:
            return False
        self._replies += len(data)
        self._append(data)
        return True

    def clear(self) -> None:
        """Drop everything."""
        self._pieces.clear()
        self._replies = self.size = 0

    def flush(self, write: Callable[[memoryview], int]) -> None:
        """Pass pieces to `write` until the queue is empty, it accepts nothing, or AT_ONCE bytes were written."""
        least = self.size - AT_ONCE
        while self._pieces:
            count = write(self._pieces[0][:AT_ONCE])
            self.size -= count
            rest = self._pieces.popleft()[count:]
            if rest:
                self._pieces.appendleft(rest)
            if count == 0 or (self._pieces and self.size <= least):
                return
        self._replies = 0

    def _append(self, data: bytes) -> None:
        self._pieces.append(memoryview(data))
        self.size += len(data)
