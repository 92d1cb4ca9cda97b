"""The status bar and the titles: shown with the next turn of the loop, and only if anyone looks."""

import asyncio
from collections.abc import Callable
from typing import Final

from fugue_tui.multiplexer import Multiplexer
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.ui import view_model

LABEL_SECONDS: Final = 1.0
"""How long after output the labels that follow the running programs are looked at."""
REST_SECONDS: Final = 10.0
"""How often quiet panes are asked for memory while nobody looks."""


class StatusUpdater:
    """Main thread only."""

    def __init__(self, app: AppContext, later: Callable[[Callable[[], None]], object]) -> None:
        self._app = app
        self._later = later
        self._due = False
        self._labels: asyncio.TimerHandle | None = None

    @property
    def _watched(self) -> bool:
        return self._app.viewers is None or self._app.viewers.watched

    def request(self) -> None:
        """Titles or states may have changed."""
        if not self._due and self._watched:
            self._due = True
            self._later(self._show)

    def _show(self) -> None:
        self._due = False
        if self._app.ready:
            self._app.grid.show(view_model.front_picture(self._app.mux))
            self.show_status()

    def show_status(self) -> None:
        """Bring the bar up to date."""
        if self._watched:
            words = self._app.status_text()
            self._app.show_status(view_model.status_picture(self._app.mux, words))

    def output_arrived(self) -> None:
        """Programs did something: what runs where may be another soon, so look at the labels in a while."""
        if self._labels is None:
            seconds = LABEL_SECONDS if self._watched else REST_SECONDS
            self._labels = asyncio.get_running_loop().call_later(seconds, self._relabel)

    def _relabel(self) -> None:
        self._labels = None
        self.request()
        if rest(self._app.mux) or not self._watched:
            self.output_arrived()


def rest(mux: Multiplexer) -> bool:
    """Let quiet panes give memory back; whether there may be more to give."""
    return any([terminal.rest() for terminal in mux.terminals.values()])  # noqa: C419  (each must be asked)
