"""What was copied in the workspace: the text that is pasted next, and a bounded history, in memory only."""

from collections import deque
from enum import StrEnum
from typing import Final

from msgspec import Struct

from fugue_tui.ids import PaneId

MOST: Final = 50
"""Entries kept at most; the oldest is evicted."""
HEAVIEST: Final = 2 << 20
"""Bytes of all entries at most; a text that is longer by itself is not kept."""


class CopySource(StrEnum):
    """How a text was copied."""

    SELECTION = "selection"
    """By the user, with the mouse or in copy mode."""
    PROGRAM = "program"
    """By a program, with OSC 52."""


class Copied(Struct, frozen=True):
    """One text that was copied."""

    text: str
    source: CopySource
    pane: PaneId
    at: float
    """Seconds since the epoch."""


class Clipboard:
    """The text that is pasted next, and the history. Main thread only."""

    def __init__(self) -> None:
        self.text = ""
        """What was copied last, also if the history leaves it out."""
        self._entries: deque[Copied] = deque()

    @property
    def entries(self) -> tuple[Copied, ...]:
        """The history, newest first."""
        return tuple(self._entries)

    def add(self, copied: Copied) -> None:
        """Add a text to the history, before the others; the same text is not there twice."""
        for same in [each for each in self._entries if each.text == copied.text]:
            self._entries.remove(same)
        if _weight(copied) > HEAVIEST:
            return
        self._entries.appendleft(copied)
        while len(self._entries) > MOST or sum(map(_weight, self._entries)) > HEAVIEST:
            self._entries.pop()

    def clear(self) -> None:
        """Forget everything."""
        self.text = ""
        self._entries.clear()


def _weight(copied: Copied) -> int:
    return len(copied.text.encode("utf-8", "replace"))
