"""Who listens to what a terminal takes in: its output as bytes, what its program said, and its end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from fugue_tui.terminal.emulator.events import Event
from fugue_tui.terminal.pty.spawn import Exit


@dataclass(frozen=True, slots=True)
class Closed:
    """The terminal was closed: nothing more of it will be heard."""


@dataclass(frozen=True, slots=True)
class ViewChanged:
    """Something changed that was not output: the view was moved, or other text is selected."""


CLOSED: Final = Closed()
LOOKED: Final = ViewChanged()
Tapped: TypeAlias = memoryview | Event | Exit | ViewChanged | Closed
"""Output, valid until the call returns; an event; how the program ended; that somebody looks at another part of it; or
that the terminal was closed."""
Tap: TypeAlias = Callable[[Tapped], None]
"""Must return at once, and must not touch the terminal: of all but events and ends it is told under its lock."""


class Observers:
    """The taps of one terminal. They change, and output is told, under the terminal's lock."""

    __slots__ = ("_taps",)

    def __init__(self) -> None:
        self._taps: tuple[Tap, ...] = ()

    def __bool__(self) -> bool:
        return bool(self._taps)

    def add(self, tap: Tap) -> None:
        """Have a callback told from now on."""
        self._taps = (*self._taps, tap)

    def remove(self, tap: Tap) -> None:
        """Tell a callback nothing more; one that is told nothing is left alone."""
        self._taps = tuple(each for each in self._taps if each is not tap)

    def __call__(self, what: Tapped) -> None:
        """Tell everyone."""
        for tap in self._taps:
            tap(what)
