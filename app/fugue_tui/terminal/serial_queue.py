"""What a terminal has to tell, handled in order and by one thread at a time.

Events are found under the terminal's lock, by whichever thread feeds or changes it, and handled without that lock: two
threads that handled what each has found would tell it at once, and out of order.
"""

from collections import deque
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Generic, TypeVar

Item = TypeVar("Item")


class SerialQueue(Generic[Item]):
    """Items in the order in which they were put. Any thread."""

    def __init__(self, handle: Callable[[Item], None]) -> None:
        """`handle` is called by `drain`, for one item at a time."""
        self._handle = handle
        self._items: deque[Item] = deque()
        self._lock = Lock()
        self._handling = False

    def put(self, items: Iterable[Item]) -> None:
        """Add items; for who holds the lock under which they were found."""
        with self._lock:
            self._items += items

    def drain(self) -> None:
        """Handle all that is there; returns at once if another thread does, which then handles this too.

        Raises the first fault of the handler, after the rest was handled."""
        fault: Exception | None = None
        while self._take():
            try:
                self._handle(self._items[0])
            except Exception as error:  # noqa: BLE001  (raised below: what is behind it must be told too)
                fault = fault or error
            with self._lock:
                self._items.popleft()
                self._handling = False
        if fault is not None:
            raise fault

    def _take(self) -> bool:
        """Whether it is this thread's to handle the first item."""
        with self._lock:
            free = bool(self._items) and not self._handling
            self._handling |= free
        return free
