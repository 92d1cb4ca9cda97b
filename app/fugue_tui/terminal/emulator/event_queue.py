"""Events for another thread: in order, and bounded however many arrive before they are read.

What only matters as it is now (titles, directories, the clipboard, bells) and notifications are thinned: of each kind
the newest are kept. Prompt marks and commands cannot be thinned without harm: once many wait the queue is `full`, and
who fills it should read no more of the program's output until it is not.
"""

from collections import deque
from collections.abc import Mapping
from typing import Final, Generic, TypeVar

from fugue_tui.sideband.tag import ParseError, Tag
from fugue_tui.terminal.emulator.events import (
    Bell,
    ClipboardWrite,
    CommandFinished,
    CommandStarted,
    CwdChanged,
    EventsDropped,
    Notification,
    PromptMark,
    Reply,
    StatusReport,
    TitleChanged,
)

KEPT: Final = 8
"""Events of one kind that wait at most; of more, the newest."""
FULL: Final = 256
"""Prompt marks and commands that may wait before the queue is full."""
MOST: Final = 4_096
"""The most prompt marks and commands in a queue that is full and still filled."""

Item = TypeVar("Item")

_LIMITS: Final[Mapping[type[object], int]] = {
    Bell: 1,
    ClipboardWrite: 1,
    TitleChanged: KEPT,
    CwdChanged: KEPT,
    Notification: KEPT,
    StatusReport: 64,
    Tag: 64,
    ParseError: KEPT,
    Reply: 1 << 20,  # Their bytes are bounded by the emulator.
}


class EventQueue(Generic[Item]):
    """The events of one terminal, and other items in order with them. Not thread-safe."""

    __slots__ = ("_dropped", "_events", "_number", "_places")

    def __init__(self) -> None:
        self._events: dict[int, Item] = {}
        self._places: dict[type[object], deque[int]] = {}
        self._number = 0
        self._dropped = 0

    def __len__(self) -> int:
        return len(self._events) + bool(self._dropped)

    @property
    def full(self) -> bool:
        """Whether nothing should be added that cannot be thinned."""
        return sum(len(self._places.get(kind, ())) for kind in (PromptMark, CommandStarted, CommandFinished)) >= FULL

    def put(self, event: Item | EventsDropped) -> None:
        """Add an event; where too many of its kind wait, the oldest of them goes."""
        if isinstance(event, EventsDropped):
            self._dropped += event.count
            return
        places = self._places.setdefault(type(event), deque())
        if len(places) >= _LIMITS.get(type(event), MOST):
            del self._events[places.popleft()]
            self._dropped += type(event) is not Bell  # A second bell adds nothing.
        self._number += 1
        self._events[self._number] = event
        places.append(self._number)

    def take(self) -> list[Item | EventsDropped]:
        """Everything since the last call, in order; first the count of dropped events, which were the oldest."""
        taken: list[Item | EventsDropped] = [EventsDropped(self._dropped)] if self._dropped else []
        taken += self._events.values()
        self._events.clear()
        self._places.clear()
        self._dropped = 0
        return taken
