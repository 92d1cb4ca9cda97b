"""Holds further input to a terminal back, in order, while a text waits for its Enter. Main thread only."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from fugue_tui.errors import InputFull, TerminalGone

Result = TypeVar("Result")


class InputGate:
    """The input of one terminal: passes at once while the gate is open, else when it opens."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], object]] | None = None
        self._on_cancel: Callable[[], object] = lambda: None

    @property
    def closed(self) -> bool:
        """Whether input waits."""
        return self._waiting is not None

    def close(self, on_cancel: Callable[[], object] = lambda: None) -> None:
        """Hold input back, until `open`; whoever closes the gate opens it. `on_cancel` is called by `cancel`."""
        assert self._waiting is None
        self._waiting, self._on_cancel = deque(), on_cancel

    def cancel(self) -> None:
        """Drop the input that waits, and what it waits for, as Ctrl+C does with unread input of a terminal."""
        if self._waiting is not None:
            self._waiting = None
            self._on_cancel()

    def wait(self, call: Callable[[], object], result: Result) -> Result:
        """Make a call once the gate opens, after those that wait already."""
        assert self._waiting is not None
        self._waiting.append(call)
        return result

    def open(self, last: Callable[[], object] = lambda: None) -> None:
        """Make the last call of the one that closed the gate, and then those that wait."""
        waiting, self._waiting = self._waiting, None
        try:
            last()
        finally:
            while waiting and self._waiting is None:
                with suppress(TerminalGone, InputFull):
                    waiting.popleft()()
            if self._waiting is not None and waiting:
                self._waiting.extend(waiting)  # One of them has closed the gate again.
