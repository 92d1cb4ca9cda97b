"""What was copied in the workspace: the text that is pasted next, and a bounded list of buffers, in memory only."""

from collections import deque
from enum import StrEnum
from itertools import count
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.errors import NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.sanitize import clean

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
    COMMAND = "command"
    """By set-buffer or load-buffer."""


class Copied(Struct, frozen=True):
    """One text that was copied."""

    text: str
    source: CopySource
    pane: PaneId | None
    """Where; None outside of panes."""
    at: float
    """Seconds since the epoch."""
    name: str = ""
    """The buffer's name; an automatic one such as `buffer3` once it is added, unless it was given."""
    named: bool = False
    """Whether its name was given: it is not evicted."""


class Clipboard:
    """The text that is pasted next, and the buffers. Main thread only."""

    def __init__(self) -> None:
        self.text = ""
        """What was copied last, also if no buffer keeps it."""
        self._entries: deque[Copied] = deque()
        self._numbers = count()

    @property
    def entries(self) -> tuple[Copied, ...]:
        """The buffers, newest first."""
        return tuple(self._entries)

    def add(self, copied: Copied) -> None:
        """Add an automatic buffer before the others; the same text is not in two of them."""
        for same in [each for each in self._entries if each.text == copied.text and not each.named]:
            self._entries.remove(same)
        if _weight(copied) > HEAVIEST:
            return
        self._entries.appendleft(replace(copied, name=f"buffer{next(self._numbers)}", named=False))
        self._evict()

    def set(self, copied: Copied) -> None:
        """Set a named buffer. Raises Refused if there is no room beside the other named ones."""
        others = [each for each in self._entries if each.name != copied.name]
        named = [copied, *(each for each in others if each.named)]
        if len(named) > MOST or sum(map(_weight, named)) > HEAVIEST:
            raise Refused(f"there is no room for it: {MOST} buffers of {HEAVIEST >> 20} MiB together; delete-buffer")
        self._entries = deque([replace(copied, named=True), *others])
        self._evict()

    def find(self, name: str) -> Copied:
        """The buffer of that name. Raises NotFound."""
        found = next((each for each in self._entries if each.name == name), None)
        if found is None:
            raise NotFound(f"no buffer {clean(name, 40)!a}; list-buffers shows what there is")
        return found

    def newest(self) -> Copied:
        """The automatic buffer that was added last. Raises NotFound."""
        found = next((each for each in self._entries if not each.named), None)
        if found is None:
            raise NotFound("there is no buffer yet; select with the mouse, or by keys in copy mode")
        return found

    def delete(self, buffer: Copied) -> None:
        """Delete a buffer; what is pasted next is then the newest automatic one."""
        self._entries.remove(buffer)
        if self.text == buffer.text:
            self.text = next((each.text for each in self._entries if not each.named), "")

    def _evict(self) -> None:
        while len(self._entries) > MOST or sum(map(_weight, self._entries)) > HEAVIEST:
            self._entries.remove(next(each for each in reversed(self._entries) if not each.named))

    def clear(self) -> None:
        """Forget everything."""
        self.text = ""
        self._entries.clear()


def _weight(copied: Copied) -> int:
    return len(copied.text.encode("utf-8", "replace"))
