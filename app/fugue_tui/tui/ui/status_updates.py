"""Updates the status bar and the titles, while a client shows the screen."""

import asyncio
from collections.abc import Callable
from typing import Final

from fugue_tui.multiplexer import Multiplexer
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.ui import view_model

LABEL_SECONDS: Final = 1.0
"""Delay after output before the names of the running programs are read."""
REST_SECONDS: Final = 10.0
"""How often idle panes release memory while no client shows the screen."""


class StatusUpdater:
    """Schedules updates of the status bar and titles. Main thread only."""

    def __init__(self, app: AppContext, later: Callable[[Callable[[], None]], object]) -> None:
        self._app = app
        self._later = later
        self._due = False
        self._labels: asyncio.TimerHandle | None = None

    def request(self) -> None:
        """Schedule an update for the next iteration of the event loop."""
        if not self._due and self._app.clients.watched:
            self._due = True
            self._later(self._show)

    def _show(self) -> None:
        self._due = False
        if self._app.ready:
            self._app.grid.show(view_model.grid_model(self._app.mux))
            self.show_status()

    def show_status(self) -> None:
        """Update the bar now."""
        if self._app.clients.watched:
            self._app.show_status(view_model.status_content(self._app.mux, self._app.status_text()))

    def output_arrived(self) -> None:
        """Schedule an update of the names of the running programs."""
        if self._labels is None:
            seconds = LABEL_SECONDS if self._app.clients.watched else REST_SECONDS
            self._labels = asyncio.get_running_loop().call_later(seconds, self._relabel)

    def _relabel(self) -> None:
        self._labels = None
        self.request()
        if rest(self._app.mux) or not self._app.clients.watched:
            self.output_arrived()


def rest(mux: Multiplexer) -> bool:
    """Release memory of idle panes; whether more may be released later."""
    return any([terminal.rest() for terminal in mux.terminals.values()])  # noqa: C419  (each must be called)
