"""Whether what was typed into a terminal was entered too: if not, it may stand at a prompt that nobody has marked."""

import time
from threading import Lock
from typing import Final

from fugue_tui.terminal.input.keys import KeyPress, Modifiers

_ENDS: Final = frozenset("cdjmu")
"""Keys that with Ctrl enter a line or clear it away."""
_CLEARED: Final = 2.0
"""Seconds that a shell has to show that it has cleared a line away."""


class TypedAhead:
    """What was typed into one terminal last. Any thread."""

    __slots__ = ("_cleared_at", "_entered", "_group", "_known", "_lock", "count")

    def __init__(self) -> None:
        self._lock = Lock()
        self.count = 0
        """How often something was typed."""
        self._known = self._group = 0
        self._cleared_at = 0.0
        self._entered = True

    def pressed(self, key: KeyPress, group: int) -> None:
        """A key went to a process group."""
        ctrl = bool(key.modifiers & Modifiers.CTRL)
        self._note(group, entered=key.name in _ENDS if ctrl else key.role == "enter")

    def wrote(self, data: bytes, group: int) -> None:
        """Text or a paste went to a process group."""
        self._note(group, entered=data.endswith((b"\r", b"\n")))

    def settle(self) -> None:
        """A command has begun, or a prompt was cleared: what was entered until now stands at no prompt any more."""
        with self._lock:
            self._known = self.count if self._entered else -1

    @property
    def nothing_since(self) -> bool:
        """Whether nothing was typed since it was settled: then nobody has typed what stands at the prompt."""
        with self._lock:
            return self.count == self._known

    def is_left_at(self, group: int, *, tells: bool = False) -> bool:
        """Whether what was typed last went to that process group, and was not entered; one that `tells` when it shows
        a prompt must have done so since a line was to be cleared away."""
        with self._lock:
            cleared = self._entered and not (tells and self._cleared_at)
            return not cleared and self._group == group

    def prompted(self) -> None:
        """The shell has told that it shows a prompt."""
        with self._lock:
            self._cleared_at = 0.0

    def is_clearing(self, printed_at: float = 0.0) -> bool:
        """Whether a line that was not entered is still to be cleared away, by a shell that was silent since then."""
        with self._lock:
            return printed_at < self._cleared_at and time.monotonic() < self._cleared_at + _CLEARED

    def _note(self, group: int, *, entered: bool) -> None:
        with self._lock:
            self.count += 1
            self._cleared_at = time.monotonic() if entered and not self._entered else 0.0
            self._group, self._entered = group, entered
