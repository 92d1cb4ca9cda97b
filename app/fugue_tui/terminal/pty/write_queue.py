"""Bytes on their way to a program that may not read them. Bounded, and never waits."""

from collections import deque
from collections.abc import Callable
from typing import Final

CAPACITY: Final = 65 << 20
"""How many bytes may wait for one program: a paste of 64 MiB and its marks, and what is typed behind it."""
AT_ONCE: Final = 256 << 10
"""How many bytes `flush` hands on before it lets its caller do something else."""
REPLY_CAPACITY: Final = 64 << 10
"""How many bytes of answers to queries may wait; more are dropped."""


class WriteQueue:
    """A queue of bytes in the order in which they were accepted. Not thread-safe."""

    __slots__ = ("_pieces", "_replies", "size")

    def __init__(self) -> None:
        self._pieces: deque[memoryview] = deque()
        self._replies = 0
        self.size = 0
        """How many bytes wait."""

    def accept(self, data: bytes) -> bool:
        """Queue all of it, or nothing if there is no room: half a paste would have no end mark."""
        if self.size + len(data) > CAPACITY:
            return False
        if data:
            self._append(data)
        return True

    def accept_reply(self, data: bytes) -> bool:
        """Queue a whole answer, or drop it if too many wait already."""
        if self._replies + len(data) > REPLY_CAPACITY or self.size + len(data) > CAPACITY:
            return False
        self._replies += len(data)
        self._append(data)
        return True

    def flush(self, write: Callable[[memoryview], int]) -> None:
        """Hand pieces to `write` until all is gone, it takes nothing, or it took much."""
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
