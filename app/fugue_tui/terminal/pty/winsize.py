"""Limits how often a program is notified of its size: at once, rarely for rapid changes, always of the last."""

import time
from collections.abc import Callable
from typing import Final

from fugue_tui.geometry import Size

PAUSE: Final = 0.02
"""Seconds between two notifications."""


class Winsize:
    """The requested size, and the size that the program was notified of. Not thread-safe."""

    __slots__ = ("_notified", "_notified_at", "_notify", "_requested")

    def __init__(self, size: Size, notify: Callable[[Size], None]) -> None:
        self._notify = notify
        self._requested = self._notified = size
        self._notified_at = 0.0

    def change(self, size: Size) -> float | None:
        """Notify of a size now, and return None; or return in how many seconds `catch_up` must be called."""
        waits = self._requested != self._notified
        self._requested = size
        if waits or size == self._notified:
            return None
        wait = self._notified_at + PAUSE - time.monotonic()
        if wait > 0:
            return wait
        self.catch_up()
        return None

    def repeat(self) -> None:
        """Notify of the size again, as it means something else now, unless another is about to be."""
        if self._requested == self._notified:
            self._notify(self._notified)

    def catch_up(self) -> None:
        """Notify of the requested size, unless the program has it."""
        if self._requested != self._notified:
            self._notified, self._notified_at = self._requested, time.monotonic()
            self._notify(self._requested)
