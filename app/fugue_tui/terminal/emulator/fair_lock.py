"""A mutex that owns the value it guards and serves its waiters in turn.

An ordinary lock is acquired again at once by the thread that has just released it, so a reader that feeds without end
starves all others. Here each thread first queues on a second lock: the one that waits for the value holds the queue,
and the reader has to line up behind it.
"""

from threading import Lock
from types import TracebackType
from typing import Generic, TypeVar

Value = TypeVar("Value")


class FairLock(Generic[Value]):
    """`with lock as value`: a waiter waits for at most one hold of each thread before it. Not reentrant."""

    __slots__ = ("_data", "_next", "_value")

    def __init__(self, value: Value) -> None:
        self._next = Lock()
        self._data = Lock()
        self._value = value

    def __enter__(self) -> Value:
        with self._next:
            self._data.acquire()
        return self._value

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._data.release()
