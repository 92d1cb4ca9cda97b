"""Output observers of a terminal: raw bytes, events, exit."""

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct

from fugue_tui.terminal.emulator.events import Event
from fugue_tui.terminal.pty.spawn import Exit


class Closed(Struct, frozen=True):
    """The terminal was closed; nothing follows."""


class ViewChanged(Struct, frozen=True):
    """The view was scrolled, or the selection changed."""


CLOSED: Final = Closed()
LOOKED: Final = ViewChanged()
ObservedEvent: TypeAlias = memoryview | Event | Exit | ViewChanged | Closed
"""Output, valid until the call returns; an event; the exit; a change of the view; or the close."""
Observer: TypeAlias = Callable[[ObservedEvent], None]
"""Must return at once, and must not use the terminal: all but events and exits arrive under its lock."""


class Observers:
    """The callbacks of one terminal. They change, and receive output, under the terminal's lock."""

    __slots__ = ("_callbacks",)

    def __init__(self) -> None:
        self._callbacks: tuple[Observer, ...] = ()

    def __bool__(self) -> bool:
        return bool(self._callbacks)

    def add(self, tap: Observer) -> None:
        """Call a callback from now on."""
        self._callbacks = (*self._callbacks, tap)

    def remove(self, tap: Observer) -> None:
        """Stop calling a callback; an unknown one is ignored."""
        self._callbacks = tuple(each for each in self._callbacks if each is not tap)

    def clear(self) -> None:
        """Stop calling every callback."""
        self._callbacks = ()

    def __call__(self, what: ObservedEvent) -> None:
        """Call every callback."""
        for tap in self._callbacks:
            tap(what)
