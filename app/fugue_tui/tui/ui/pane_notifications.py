"""Bells, notifications and clipboard writes of programs: rate-limited and as cleaned text."""

import time
from collections.abc import Callable
from typing import Final

from fugue_tui.control.output.pane_titles import ended_keys
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.multiplexer.author import Author
from fugue_tui.multiplexer.events.pane_events import (
    AgentChanged,
    ContextChanged,
    Ended,
    PaneEvent,
    SidebandUsed,
    Started,
)
from fugue_tui.terminal.emulator.events import Bell, ClipboardWrite, Notification, StatusReport
from fugue_tui.tui.app_context import ServerContext
from fugue_tui.tui.ui.messages import Messages
from fugue_tui.tui.ui.program_clipboard import ProgramClipboard

_PAUSE: Final = 0.2
"""Minimum seconds between two bells, and between two clipboard writes."""


class PaneNotifications:
    """Forwards them to the user. Main thread only."""

    def __init__(
        self,
        app: ServerContext,
        alerts: Callable[[], Messages],
        *,
        ring: Callable[[], None],
        copy: Callable[[str], None],
    ) -> None:
        """`alerts` gives the messages of the view that was used last."""
        self._app, self._alerts = app, alerts
        self._ring_host = ring
        self._clipboard = ProgramClipboard(app, alerts, copy)
        self._last = {"bell": float("-inf"), "copy": float("-inf")}
        self.bell_windows: set[WindowId] = set()
        """The hidden windows with a bell, or to which an agent points."""

    def handle(self, pane: PaneId, event: PaneEvent) -> None:
        """Handle an event of a pane."""
        match event:
            case StatusReport():
                pass  # If it changes the state of an agent, that is an event of its own.
            case AgentChanged(entered=True):
                self._app.status_updates.state_changed(pane)
            case AgentChanged():
                self._app.status_updates.words_changed(pane)
            case Bell():
                self._ring(pane)
            case Notification(title, body):
                self._alerts().notify(f"{pane} {title} {body}")
            case SidebandUsed(note, silent=False) if note:
                self._alerts().notify(f"{pane} {note}")
                self._app.status_updates.request()
            case ClipboardWrite(text) if pane == self._app.mux.focused and self._allowed("copy"):
                self._clipboard.write(pane, text)
            case Started() | Ended() | ContextChanged():
                if isinstance(event, Ended) and pane in self._app.mux.terminals:
                    words = event.exit.words
                    keys = ended_keys(self._app.mux, pane)
                    self._app.mux.terminals[pane].show_footer(f"{words}: {keys}", f"{words}: Enter, x", words)
                self._app.mux.fit()  # A single pane has a title only if its program has exited, or was injected into.
                self._app.rebuild()
            case _:
                self._app.status_updates.request()

    def focus_kept(self, pane: PaneId, author: Author) -> None:
        """An agent wanted the focus for a pane, which may be new, while the user was typing."""
        self._app.mux.post(lambda: self._point_to(pane, author))

    def _point_to(self, pane: PaneId, author: Author) -> None:
        """Mark the tab of a pane, and inform the user."""
        if pane in self._app.mux.workspace.panes:
            self._mark(pane)
            self._app.alert(f"{author.label} points to {pane}")

    def _mark(self, pane: PaneId) -> None:
        window = self._app.mux.window_of(pane)
        if window.id not in self._app.mux.views.shown:
            self.bell_windows.add(window.id)
            self._app.status_updates.request()

    def _ring(self, pane: PaneId) -> None:
        self._mark(pane)
        if self._allowed("bell"):
            self._ring_host()

    def _allowed(self, what: str) -> bool:
        now = time.monotonic()
        if now - self._last[what] < _PAUSE:
            return False
        self._last[what] = now
        return True
