"""Subscribes to the events and output of one pane. Main thread only."""

import time
from collections.abc import Callable
from typing import Protocol

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import PaneEvent
from fugue_tui.terminal.observers import Tapped
from fugue_tui.workspace.model import Workspace


class PaneListener(Protocol):
    """The subscriber of one pane."""

    def said(self, event: PaneEvent) -> None:
        """Called for each event other than output."""
        ...

    def printed(self) -> None:
        """Called once for all output since the last call."""
        ...

    def gone(self) -> None:
        """Called when the pane was closed."""
        ...


class PaneSubscription:
    """Notifies one listener of one pane until it is closed."""

    def __init__(self, mux: Multiplexer, pane: PaneId, listener: PaneListener) -> None:
        """Raises NotFound."""
        self._mux, self._pane, self._listener = mux, pane, listener
        self._posted = self._closed = False
        self._unsubscribe = [
            mux.terminal(pane).tap(self._on_output),
            mux.on_event.connect(self._on_event),
            mux.on_change.connect(self._on_change),
        ]

    def close(self) -> None:
        """Stop the notifications; may be called again."""
        self._closed = True
        while self._unsubscribe:
            self._unsubscribe.pop()()

    def _on_event(self, pane: PaneId, event: PaneEvent) -> None:
        if pane == self._pane and not self._closed:
            self._listener.said(event)

    def _on_change(self, old: Workspace, new: Workspace) -> None:
        if self._pane not in new.panes and not self._closed:
            self._listener.gone()

    def _on_output(self, what: Tapped) -> None:
        """On the I/O thread, under the terminal's lock."""
        if isinstance(what, memoryview) and not self._posted:
            self._posted = True
            self._mux.post(self._printed)

    def _printed(self) -> None:
        self._posted = False
        if not self._closed:
            self._listener.printed()


class SilenceTimer:
    """Calls back after a period without restarts; once for each series of restarts."""

    def __init__(self, mux: Multiplexer, seconds: float, call: Callable[[], object]) -> None:
        self._mux, self._seconds, self._call = mux, seconds, call
        self._until = 0.0
        self._pending = False

    def restart(self) -> None:
        """Start the period anew."""
        self._until = time.monotonic() + self._seconds
        if not self._pending:
            self._pending = True
            after(self._mux, self._seconds, self._expire)

    def _expire(self) -> None:
        left = self._until - time.monotonic()
        if left > 0:
            after(self._mux, left, self._expire)
            return
        self._pending = False
        self._call()


def after(mux: Multiplexer, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
    """Call back on the main thread after some seconds. The function returned cancels that, on any thread."""
    return mux.wait_service.after(seconds, lambda: mux.post(call))
