"""Positions that follow a terminal's text while it scrolls, reflows and is pruned.

A pin costs the engine a little with every line of output: keep few, some two dozen a terminal. It is released with the
last reference to it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, TypeAlias

from msgspec import Struct

Guard: TypeAlias = AbstractContextManager[object]
"""The terminal's lock."""
Find: TypeAlias = Callable[[], "Point | None"]


class Point(Struct, frozen=True, order=True):
    """A position now: a line as `Emulator.lines` counts them, and a column, both from 0."""

    line: int
    column: int = 0


START: Final = Point(0)


class Pin:
    """A position that follows its text. Properties acquire the terminal's lock; methods need it held."""

    __slots__ = ("__weakref__", "_find", "_guard", "_still", "alternate")

    def __init__(self, find: Find, still: Find, guard: Guard, *, alternate: bool) -> None:
        self._find = find
        self._still = still
        self._guard = guard
        self.alternate = alternate
        """Whether it is on the alternate screen."""

    @property
    def place(self) -> Point | None:
        """Its position; None if its line was pruned, or its screen is not in front."""
        with self._guard:
            return self._find()

    @property
    def line(self) -> int | None:
        """Its line; None as with `place`."""
        found = self.place
        return found.line if found else None

    @property
    def column(self) -> int:
        """Its column; 0 if it has no position."""
        found = self.place
        return found.column if found else 0

    @property
    def gone(self) -> bool:
        """Whether its line was pruned, whichever screen is in front."""
        with self._guard:
            return self._still() is None

    def found(self) -> Point | None:
        """`place` under the lock."""
        return self._find()

    def lost(self) -> bool:
        """`gone` under the lock."""
        return self._still() is None

    def still(self) -> Point | None:
        """Its position in its own screen, whichever is in front; None if its line was pruned. Under the lock."""
        return self._still()


class TextExtract(Struct, frozen=True):
    """The text between two positions."""

    text: str = ""
    """Lines separated by newlines, without trailing blanks and trailing blank lines. Untrusted."""
    missed: bool = False
    """Whether the beginning was pruned: the text starts with the oldest line that is kept."""
    hidden: bool = False
    """Whether the text is on the screen that is not in front, and so unavailable."""
    start: Point = START
    """Where the text starts and stops, read under the same hold of the lock."""
    stop: Point = START
