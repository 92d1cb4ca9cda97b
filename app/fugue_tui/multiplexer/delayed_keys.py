"""Delayed keystrokes: after a paste, Enter is sent when the delay has passed, or immediately before further input."""

import threading
from collections.abc import Callable

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.pane_events import Post


class DelayedKeys:
    """At most one pending call per pane. Main thread only; timers of other threads measure the delays."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._pending: dict[PaneId, tuple[Callable[[], None], threading.Timer]] = {}

    def schedule(self, pane: PaneId, seconds: float, call: Callable[[], None]) -> None:
        """Call something for a pane after a delay; a call that is already pending is made now."""
        self.flush(pane)
        timer = threading.Timer(seconds, lambda: self._post(lambda: self._due(pane, timer)))
        timer.daemon = True
        self._pending[pane] = (call, timer)
        timer.start()

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

    def _due(self, pane: PaneId, timer: threading.Timer) -> None:
        if pane in self._pending and self._pending[pane][1] is timer:
            self.flush(pane)
