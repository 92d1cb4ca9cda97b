"""Tracks whether the last input to a terminal was submitted with Enter; if not, it may be at an unmarked prompt."""

import time
from threading import Lock
from typing import Final

from fugue_tui.terminal.input.keys import KeyPress, Modifiers

_ENDS: Final = frozenset("cdjmu")
"""Keys that with Ctrl submit a line or clear it."""
_CLEARED: Final = 2.0
"""Seconds that a shell has to show that it has cleared a line."""


class TypedAhead:
    """The last input to one terminal. Any thread."""

    __slots__ = ("_cleared_at", "_entered", "_group", "_known", "_lock", "count", "entered_at")

    def __init__(self) -> None:
        self._lock = Lock()
        self.count = 0
        """How often there was input."""
        self.entered_at = 0.0
        """When input last ended with Enter, or cleared the line, on the monotonic clock; 0 if never."""
        self._known = self._group = 0
        self._cleared_at = 0.0
        self._entered = True

    def pressed(self, key: KeyPress, group: int) -> None:
        """Record a key sent to a process group."""
        ctrl = bool(key.modifiers & Modifiers.CTRL)
        self._note(group, entered=key.name in _ENDS if ctrl else key.role == "enter")

    def wrote(self, data: bytes, group: int) -> None:
        """Record text or a paste sent to a process group."""
        self._note(group, entered=data.endswith((b"\r", b"\n")))

    def settle(self) -> None:
        """Record that a command began, or a prompt was cleared: input submitted so far is at no prompt any more."""
        with self._lock:
            self._known = self.count if self._entered else -1

    @property
    def nothing_since(self) -> bool:
        """Whether there was no input since `settle`, so that the text at the prompt was not typed."""
        with self._lock:
            return self.count == self._known

    @property
    def entered(self) -> bool:
        """Whether the last input ended with Enter, or cleared the line."""
        return self._entered

    def is_left_at(self, group: int, *, marks: bool = False) -> bool:
        """Whether the last input went to this process group and was not submitted; a shell that `marks` when it shows
        a prompt must have done so since a line was to be cleared."""
        with self._lock:
            cleared = self._entered and not (marks and self._cleared_at)
            return not cleared and self._group == group

    def prompted(self) -> None:
        """Record that the shell marked a prompt."""
        with self._lock:
            self._cleared_at = 0.0

    def is_clearing(self, printed_at: float = 0.0) -> bool:
        """Whether a shell that has printed nothing since then has yet to clear a line that was not submitted."""
        with self._lock:
            return printed_at < self._cleared_at and time.monotonic() < self._cleared_at + _CLEARED

    def _note(self, group: int, *, entered: bool) -> None:
        with self._lock:
            self.count += 1
            now = time.monotonic()
            self.entered_at = now if entered else self.entered_at
            self._cleared_at = now if entered and not self._entered else 0.0
            self._group, self._entered = group, entered
