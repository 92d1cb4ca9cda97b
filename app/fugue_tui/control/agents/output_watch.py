"""A terminal whose next output is reported once, so that a flood costs no more than a line. Main thread only."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.terminal.observers import ObservedEvent
from fugue_tui.terminal.terminal import Terminal

if TYPE_CHECKING:
    from asyncio import TimerHandle


class OutputWatch:
    """Calls back when a terminal prints, and again only after `rearm`."""

    def __init__(self, terminal: Terminal, printed: Callable[[], None]) -> None:
        """`printed` is called on any thread."""
        self.terminal = terminal
        self._notified = False
        self._printed = printed
        self._timer: TimerHandle | None = None
        self._unobserve = terminal.observe(self._receive)

    def rearm(self) -> None:
        """Report the next output."""
        self._notified = False

    def wait(self, seconds: float, call: Callable[[], None]) -> None:
        """Call something after some seconds, instead of what was to be called."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = call_later(seconds, call)

    def stop(self) -> None:
        """Report and call nothing more."""
        self._unobserve()
        if self._timer is not None:
            self._timer.cancel()

    def _receive(self, what: ObservedEvent) -> None:
        """On the threads of the I/O loop, under the terminal's lock."""
        if not self._notified and isinstance(what, memoryview):
            self._notified = True
            self._printed()
