"""Marks on the tabs of windows that the user does not look at: output, silence, and long commands that have ended."""

import asyncio
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer.events.pane_events import PaneEvent
from fugue_tui.sanitize import clean
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished
from fugue_tui.tui.app_context import ServerContext
from fugue_tui.tui.ui.agent_notifications import PAUSE_SECONDS, notification_sequence
from fugue_tui.tui.ui.view_model import window_label
from fugue_tui.workspace.model import Window, Workspace

CHECK_SECONDS: Final = 1.0
"""Seconds between two looks at monitored windows."""


class _Seen(Struct):
    """The output of a monitored window as of the last look."""

    fed: int
    at: float
    """When it last differed, on the monotonic clock."""


class WindowMonitor:
    """The marks of hidden windows. Main thread only."""

    def __init__(self, app: ServerContext) -> None:
        self._app = app
        self.clock: Callable[[], float] = app.mux.clock
        """The monotonic clock."""
        self._marks: dict[WindowId, str] = {}
        self._done: dict[WindowId, bool] = {}
        """Windows in which a long command has ended, and whether it failed."""
        self._seen: dict[WindowId, _Seen] = {}
        self._shown = set[WindowId]()
        self._timer: asyncio.TimerHandle | None = None
        self._sent_at = float("-inf")

    def start(self) -> None:
        """Begin to follow the panes."""
        self._app.mux.on_event.connect(self._event)
        self._app.mux.on_change.connect(self._changed)
        self._app.mux.user_options.on_change.connect(self._schedule)

    def marks(self, window: Window) -> tuple[str, str]:
        """What follows a window's name, and its tone: the outcome of a command."""
        mark, failed = self._marks.get(window.id, ""), self._done.get(window.id)
        if failed is None:
            return mark, ""
        plain = self._app.mux.line_style() == "ascii"
        glyph = ("x" if plain else "✗") if failed else ("+" if plain else "✓")
        return mark + glyph, "error" if failed else "done"

    def check(self) -> None:
        """Look at the output of the monitored windows."""
        self._timer = None
        for window in self._app.mux.workspace.windows:
            if window.id in self._app.mux.user_options.monitors:
                self._look(window)
        self._schedule()

    def _look(self, window: Window) -> None:
        monitor, now = self._app.mux.user_options.monitors[window.id], self.clock()
        fed = sum(self._app.mux.terminals[pane].fed for pane in panes(window.layout))
        seen, shown = self._seen.get(window.id), window.id in self._app.mux.views.shown
        if seen is None or fed != seen.fed:
            self._seen[window.id] = _Seen(fed, now)
            if seen is not None and monitor.activity and not shown:
                self._mark(window, "#", "has output")
        elif monitor.silence and not shown and now - seen.at >= monitor.silence:
            self._mark(window, "~", f"was silent for {monitor.silence} s")

    def _mark(self, window: Window, mark: str, words: str) -> None:
        if self._marks.get(window.id) != mark:
            self._marks[window.id] = mark
            self._notify(f"window {window_label(self._app.mux, window)} {words}")

    def _event(self, pane: PaneId, event: PaneEvent) -> None:
        if isinstance(event, CommandFinished) and pane in self._app.mux.workspace.panes:
            self._finished(pane, event.command)

    def _finished(self, pane: PaneId, command: CommandRecord) -> None:
        """A command has ended: mark its window if it ran long, and nobody looks at it."""
        least, window = self._app.settings.ui.done_seconds, self._app.mux.window_of(pane)
        hidden = window.id not in self._app.mux.views.shown
        if command.own or not least or (command.seconds or 0) < least or not hidden:
            return
        code = command.confirmed_exit_code
        self._done[window.id] = self._done.get(window.id, False) or bool(code)
        outcome = f"failed with {code}" if code else "is done"
        self._notify(
            f"{clean(command.line, 40) or 'a command'} in window {window_label(self._app.mux, window)} {outcome}"
        )

    def _notify(self, text: str) -> None:
        """Show a message, and send the host's notification unless one was sent a moment ago."""
        self._app.status_updates.request()
        if self.clock() - self._sent_at < PAUSE_SECONDS:
            return
        self._sent_at = self.clock()
        self._app.inform(text)
        if not self._app.clients.focused and (
            sequence := notification_sequence(self._app.settings.agents.notify, text)
        ):
            self._app.clients.send(sequence)

    def _changed(self, old: Workspace, new: Workspace) -> None:
        """Forget the marks of the windows that are shown now, and of closed ones."""
        there, shown = {window.id for window in new.windows}, set(self._app.mux.views.shown)
        for known in (self._marks, self._done):
            for window in [window for window in known if window in shown or window not in there]:
                del known[window]
        for window in shown ^ self._shown:
            self._seen.pop(window, None)  # What was printed while it was shown is no news.
        self._shown = shown

    def _schedule(self) -> None:
        if self._timer is None and self._app.mux.user_options.monitors:
            self._timer = asyncio.get_running_loop().call_later(CHECK_SECONDS, self.check)
