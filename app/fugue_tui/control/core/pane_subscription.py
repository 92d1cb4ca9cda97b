"""Hears what happens in one pane, as long as somebody wants to know. Main thread only."""

import time
from collections.abc import Callable
from typing import Protocol

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import PaneEvent
from fugue_tui.terminal.observers import Tapped
from fugue_tui.workspace.model import Workspace


class PaneListener(Protocol):
    """Who is told."""

    def said(self, event: PaneEvent) -> None:
        """Something happened in the pane besides output."""
        ...

    def printed(self) -> None:
        """There was output; told once for all that came since the last time."""
        ...

    def gone(self) -> None:
        """The pane was closed."""
        ...


class PaneSubscription:
    """Tells one listener of one pane until it is closed."""

    def __init__(self, mux: Multiplexer, pane: PaneId, listener: PaneListener) -> None:
        """Raises NotFound."""
        self._mux, self._pane, self._listener = mux, pane, listener
        self._posted = self._closed = False
        self._untie = [
            mux.terminal(pane).tap(self._heard),
            mux.on_event.connect(self._said),
            mux.on_change.connect(self._changed),
        ]

    def close(self) -> None:
        """Tell nothing more; may be called again."""
        self._closed = True
        while self._untie:
            self._untie.pop()()

    def _said(self, pane: PaneId, event: PaneEvent) -> None:
        if pane == self._pane and not self._closed:
            self._listener.said(event)

    def _changed(self, old: Workspace, new: Workspace) -> None:
        if self._pane not in new.panes and not self._closed:
            self._listener.gone()

    def _heard(self, what: Tapped) -> None:
        """On the pump's thread, under the terminal's lock."""
        if isinstance(what, memoryview) and not self._posted:
            self._posted = True
            self._mux.post(self._printed)

    def _printed(self) -> None:
        self._posted = False
        if not self._closed:
            self._listener.printed()


class SilenceTimer:
    """Says when nothing was heard for a while; once for each time that something was."""

    def __init__(self, mux: Multiplexer, seconds: float, call: Callable[[], object]) -> None:
        self._mux, self._seconds, self._call = mux, seconds, call
        self._until = 0.0
        self._waits = False

    def heard(self) -> None:
        """Something was."""
        self._until = time.monotonic() + self._seconds
        if not self._waits:
            self._waits = True
            after(self._mux, self._seconds, self._look)

    def _look(self) -> None:
        left = self._until - time.monotonic()
        if left > 0:
            after(self._mux, left, self._look)
            return
        self._waits = False
        self._call()


def after(mux: Multiplexer, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
    """Have something called on the main thread after a while. What is returned calls that off, on any thread."""
    return mux.wait_service.after(seconds, lambda: mux.post(call))
