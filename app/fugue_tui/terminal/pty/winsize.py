"""How often a program hears of its terminal's size: at once, but seldom in a storm, and always of the last one."""

import time
from collections.abc import Callable
from typing import Final

from fugue_tui.geometry import Size

PAUSE: Final = 0.02
"""Seconds between two tellings."""


class Winsize:
    """The size the terminal has, and the one its program was told. Not thread-safe."""

    __slots__ = ("_tell", "_told", "_told_at", "_wanted")

    def __init__(self, size: Size, tell: Callable[[Size], None]) -> None:
        self._tell = tell
        self._wanted = self._told = size
        self._told_at = 0.0

    def change(self, size: Size) -> float | None:
        """Tell a size now; or say in how many seconds `catch_up` must be called; or None if nothing is left to do."""
        waits = self._wanted != self._told
        self._wanted = size
        if waits or size == self._told:
            return None
        wait = self._told_at + PAUSE - time.monotonic()
        if wait > 0:
            return wait
        self.catch_up()
        return None

    def catch_up(self) -> None:
        """Tell the size that is wanted now, unless it is known."""
        if self._wanted != self._told:
            self._told, self._told_at = self._wanted, time.monotonic()
            self._tell(self._wanted)
