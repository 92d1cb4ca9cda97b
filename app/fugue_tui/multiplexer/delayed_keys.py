"""Keystrokes that are owed: an Enter that follows text after a pause, or before any input that comes first."""

import threading
from collections.abc import Callable

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.pane_events import Post


class DelayedKeys:
    """At most one owed call a pane. Main thread only; a pause is waited out elsewhere."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._owed: dict[PaneId, tuple[Callable[[], None], threading.Timer]] = {}

    def make(self, pane: PaneId, seconds: float, call: Callable[[], None]) -> None:
        """Owe a call to a pane, due after some seconds; what was owed before is called now."""
        self.keep(pane)
        timer = threading.Timer(seconds, lambda: self._post(lambda: self._due(pane, timer)))
        timer.daemon = True
        self._owed[pane] = (call, timer)
        timer.start()

    def keep(self, pane: PaneId) -> None:
        """Make the call that is owed to a pane now, if there is one."""
        if owed := self._owed.pop(pane, None):
            call, timer = owed
            timer.cancel()
            call()

    def drop(self, pane: PaneId) -> None:
        """Owe nothing to a pane any more."""
        if owed := self._owed.pop(pane, None):
            owed[1].cancel()

    def _due(self, pane: PaneId, timer: threading.Timer) -> None:
        if pane in self._owed and self._owed[pane][1] is timer:
            self.keep(pane)
