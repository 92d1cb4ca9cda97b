"""Delayed keystrokes: after a paste, Enter is sent when the delay has passed, or immediately before further input."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.watch.main_loop import call_later

if TYPE_CHECKING:
    from asyncio import TimerHandle


class DelayedKeys:
    """At most one pending call per pane. Main thread only."""

    def __init__(self) -> None:
        self._pending: dict[PaneId, tuple[Callable[[], None], TimerHandle]] = {}

    def schedule(self, pane: PaneId, seconds: float, call: Callable[[], None]) -> None:
        """Call something for a pane after a delay; a call that is already pending is made now."""
        self.flush(pane)
        self._pending[pane] = call, call_later(seconds, lambda: self.flush(pane))

    def flush(self, pane: PaneId) -> None:
        """Make a pane's pending call now, if there is one."""
        if pending := self._pending.pop(pane, None):
            call, timer = pending
            timer.cancel()
            call()

    def cancel(self, pane: PaneId) -> None:
        """Discard a pane's pending call, if there is one."""
        if pending := self._pending.pop(pane, None):
            pending[1].cancel()
