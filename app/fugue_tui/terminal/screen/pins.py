"""Places in a terminal's text that stay where they are while the text scrolls, wraps anew and is pruned.

A pin costs the engine a little with every line it is fed: whoever keeps pins keeps few, some two dozen a terminal.
It is given back when the last reference to it goes.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, TypeAlias

Guard: TypeAlias = AbstractContextManager[object]
"""The lock of the terminal whose text it is."""
Find: TypeAlias = Callable[[], "Point | None"]


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A place at one moment: a line as `Emulator.lines` counts them, and a column, both from 0."""

    line: int
    column: int = 0


START: Final = Point(0)


class Pin:
    """A place that follows its text. Its properties take the terminal's lock: any thread, but not under the lock."""

    __slots__ = ("__weakref__", "_find", "_guard", "_still", "alternate")

    def __init__(self, find: Find, still: Find, guard: Guard, *, alternate: bool) -> None:
        self._find = find
        self._still = still
        self._guard = guard
        self.alternate = alternate
        """Whether it is on the alternate screen."""

    @property
    def place(self) -> Point | None:
        """Where it is now; None if its line was pruned, or its screen is not the one in front."""
        with self._guard:
            return self._find()

    @property
    def line(self) -> int | None:
        """The line it is on, as `lines` counts them now; None as with `place`."""
        found = self.place
        return found.line if found else None

    @property
    def column(self) -> int:
        """The column it is at, 0 if it has no place."""
        found = self.place
        return found.column if found else 0

    @property
    def gone(self) -> bool:
        """Whether its line was pruned, so that it has no place any more, whichever screen is in front."""
        with self._guard:
            return self._still() is None

    def found(self) -> Point | None:
        """`place`, for who holds the terminal's lock."""
        return self._find()

    def lost(self) -> bool:
        """`gone`, for who holds the terminal's lock."""
        return self._still() is None

    def still(self) -> Point | None:
        """Where it is among the lines of its own screen, whichever is in front; None if its line was pruned. For who
        holds the terminal's lock."""
        return self._still()


@dataclass(frozen=True, slots=True)
class TextExtract:
    """The text between two places."""

    text: str = ""
    """Lines are parted by newlines; blanks at their ends and blank lines at the end are left out. Untrusted."""
    missed: bool = False
    """Whether the beginning was pruned: the text starts with the oldest line that is kept."""
    hidden: bool = False
    """Whether the text is on the screen that is not in front now, so that there is none to give."""
    start: Point = START
    """Where the text starts, as of the same moment, and where it stops."""
    stop: Point = START
