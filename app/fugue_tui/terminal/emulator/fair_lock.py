"""A lock that serves its waiters in turn.

An ordinary lock is taken again at once by a thread that has just let it go, so a reader that feeds without end starves
everyone else. Here each comer first queues on a second lock: who waits for the data holds the queue, and the reader
must line up behind it.
"""

from threading import Lock
from types import TracebackType
from typing import Self


class FairLock:
    """A context manager like `threading.Lock`, but a waiter waits for at most one hold of each thread before it.

    Not reentrant.
    """

    __slots__ = ("_data", "_next")

    def __init__(self) -> None:
        self._next = Lock()
        self._data = Lock()

    def __enter__(self) -> Self:
        with self._next:
            self._data.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._data.release()
