"""Who typed into a terminal: the last authors, when, and how often. Main thread only."""

from collections import deque
from typing import Final

from msgspec import Struct, field

from fugue_tui.multiplexer.author import USER, Author

KEPT: Final = 16
"""Authors that are kept for each terminal."""

_HANDED_OVER: Final = float("-inf")
"""The time of the user's last key once what was typed is not the user's any more."""


class TypedEntry(Struct):
    """Consecutive inputs of one author."""

    author: Author
    at: float
    """The time of the last, on the multiplexer's clock."""
    count: int
    """How many keys, texts and pastes."""


class InputLog(Struct):
    """The inputs of one terminal.

    The user's keys cost only a time stamp: they are counted as what the terminal counts beyond the other inputs."""

    typed_at: float | None = None
    """When the user last typed; None if never."""
    own_count: int = 0
    """The terminal's count of inputs after the last one by another author than the user."""
    _counted: int = 0
    _entries: deque[TypedEntry] = field(default_factory=lambda: deque[TypedEntry](maxlen=KEPT))

    def record(self, author: Author, at: float, before: int, after: int) -> None:
        """Record an input which changed the terminal's count of inputs."""
        self.record_user(before)
        self._counted = after
        if author.yields:
            self.own_count = after
        self._add(author, at, after - before)

    def record_user(self, count: int) -> int:
        """Record the user's keys up to the terminal's present count of inputs; returns how many are new."""
        new, self._counted = count - self._counted, count
        if new > 0 and self.typed_at is not None and self.typed_at > _HANDED_OVER:
            self._add(USER, self.typed_at, new)
        return new

    def hand_over(self, count: int) -> None:
        """Count what was typed so far as not the user's."""
        self.record_user(count)
        self.own_count = count
        if self.typed_at is not None:
            self.typed_at = _HANDED_OVER

    def is_last_other(self) -> bool:
        """Whether another author than the user was the last."""
        newest = self._entries[-1] if self._entries else None
        return newest is not None and newest.author != USER and (self.typed_at is None or self.typed_at <= newest.at)

    @property
    def entries(self) -> tuple[TypedEntry, ...]:
        """The last authors, oldest first, after `record_user`."""
        return tuple(self._entries)

    @property
    def last(self) -> Author | None:
        """The last author; None if only the user's hands have typed."""
        if self.is_last_other():
            return self._entries[-1].author
        return USER if any(entry.author != USER for entry in self._entries) else None

    def _add(self, author: Author, at: float, count: int) -> None:
        newest = self._entries[-1] if self._entries else None
        if newest is not None and newest.author == author:
            newest.at, newest.count = at, newest.count + count
        else:
            self._entries.append(TypedEntry(author, at, count))
