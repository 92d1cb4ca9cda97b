"""What programs call out for: bells, notifications, the clipboard. Only so often, and only as cleaned text."""

import time
from collections.abc import Callable
from typing import Final

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.multiplexer.events.pane_events import Ended, PaneEvent, Started
from fugue_tui.terminal.emulator.events import Bell, ClipboardWrite, Notification
from fugue_tui.tui.app_context import AppContext

_PAUSE: Final = 0.2
"""Seconds between two bells, and between two writes to the clipboard, that reach the host."""


class PaneNotifications:
    """Tells the person. Main thread only."""

    def __init__(self, stage: AppContext, *, ring: Callable[[], None], copy: Callable[[str], None]) -> None:
        self._stage = stage
        self._ring_host = ring
        self._copy_to_host = copy
        self._last = {"bell": float("-inf"), "copy": float("-inf")}
        self.rung: set[WindowId] = set()
        """The windows out of sight in which something rang."""

    def take(self, pane: PaneId, event: PaneEvent) -> None:
        """Something happened to a pane besides output."""
        match event:
            case Bell():
                self._ring(pane)
            case Notification(title, body):
                self._stage.alert(f"{pane} {title} {body}")
            case ClipboardWrite(text):
                self._copy(pane, text)
            case Started() | Ended():
                self._stage.mux.fit()  # A pane that is alone carries a title as long as its program has ended.
                self._stage.rebuild()
            case _:
                self._stage.update_status()

    def _ring(self, pane: PaneId) -> None:
        window = self._stage.mux.window_of(pane)
        if window.id != self._stage.mux.workspace.active:
            self.rung.add(window.id)
            self._stage.update_status()
        if self._may("bell"):
            self._ring_host()

    def _copy(self, pane: PaneId, text: str) -> None:
        """Only what the person looks at may write to the clipboard, and it says so."""
        if pane == self._stage.mux.focused and self._may("copy"):
            self._copy_to_host(text)
            self._stage.alert(f"{pane} copied {len(text)} characters")

    def _may(self, what: str) -> bool:
        now = time.monotonic()
        if now - self._last[what] < _PAUSE:
            return False
        self._last[what] = now
        return True
