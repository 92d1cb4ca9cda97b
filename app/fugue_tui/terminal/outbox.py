"""Bytes on their way to a program that may not read them. Bounded, and never waits."""

from collections import deque
from collections.abc import Callable
from typing import Final

CAPACITY: Final = 1 << 20
"""How many bytes may wait for one program; the rest is refused."""
REPLY_CAPACITY: Final = 64 << 10
"""How many bytes of answers to queries may wait; more are dropped."""


class Outbox:
    """A queue of bytes in the order in which they were accepted. Not thread-safe."""

    __slots__ = ("_pieces", "_replies", "size")

    def __init__(self) -> None:
        self._pieces: deque[memoryview] = deque()
        self._replies = 0
        self.size = 0
        """How many bytes wait."""

    def accept(self, data: bytes) -> int:
        """Queue what there is room for, and say how many bytes that was."""
        count = min(len(data), CAPACITY - self.size)
        if count > 0:
            self._append(data[:count])
        return max(count, 0)

    def accept_reply(self, data: bytes) -> bool:
        """Queue a whole answer, or drop it if too many wait already."""
        if self._replies + len(data) > REPLY_CAPACITY or self.size + len(data) > CAPACITY:
            return False
        self._replies += len(data)
        self._append(data)
        return True

    def flush(self, write: Callable[[memoryview], int]) -> None:
        """Hand pieces to `write` until all is gone, or it takes nothing."""
        while self._pieces:
            count = write(self._pieces[0])
            if count == 0:
                return
            self.size -= count
            rest = self._pieces.popleft()[count:]
            if rest:
                self._pieces.appendleft(rest)
        self._replies = 0

    def _append(self, data: bytes) -> None:
        self._pieces.append(memoryview(data))
        self.size += len(data)
