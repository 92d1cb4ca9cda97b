"""A queue whose items are handled in order and by one thread at a time.

Events are found under the terminal's lock, by any thread that feeds or changes it, and handled without that lock: two
threads that each handled their own events would call back at once and out of order.
"""

from collections import deque
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Generic, TypeVar

Item = TypeVar("Item")


class SerialQueue(Generic[Item]):
    """Items in the order of `put`. Any thread."""

    def __init__(self, handle: Callable[[Item], None]) -> None:
        """`handle` is called by `drain`, for one item at a time."""
        self._handle = handle
        self._items: deque[Item] = deque()
        self._lock = Lock()
        self._handling = False

    def put(self, items: Iterable[Item]) -> None:
        """Add items; the caller holds the lock under which they were found."""
        with self._lock:
            self._items += items

    def drain(self) -> None:
        """Handle all items; returns at once if another thread does so, which then handles these too.

        Raises the first error of the handler, after the rest was handled."""
        fault: Exception | None = None
        while self._take():
            try:
                self._handle(self._items[0])
            except Exception as error:  # noqa: BLE001  (raised below, after the items behind it)
                fault = fault or error
            with self._lock:
                self._items.popleft()
                self._handling = False
        if fault is not None:
            raise fault

    def _take(self) -> bool:
        """Whether this thread has to handle the first item."""
        with self._lock:
            free = bool(self._items) and not self._handling
            self._handling |= free
        return free
