"""Schedules updates of the status bar and the titles, and the release of idle panes' memory."""

import asyncio
from collections.abc import Callable
from typing import Final

from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.multiplexer import Multiplexer

LABEL_SECONDS: Final = 1.0
"""Delay after output before the names of the running programs are read."""
SOON_SECONDS: Final = 0.05
"""Delay of an update that nobody waits for, such as of the states of agents, which change in bursts."""
REST_SECONDS: Final = 10.0
"""How often idle panes release memory while no client shows the screen."""


class StatusUpdates:
    """Runs an update in the next iteration of the event loop, while a client shows the screen. Main thread only."""

    def __init__(self, mux: Multiplexer, clients: ClientRegistry, update: Callable[[], object]) -> None:
        """`update` schedules one update."""
        self._mux, self._clients, self._update = mux, clients, update
        self._requested = False
        self._timer: asyncio.TimerHandle | None = None
        self._soon: asyncio.TimerHandle | None = None

    def request(self) -> None:
        """Titles or states may have changed: update."""
        if not self._requested and self._clients.watched:
            self._requested = True
            self._update()

    def request_soon(self) -> None:
        """The same within `SOON_SECONDS`, once for all changes until then: an update draws the whole frame."""
        if self._soon is None and self._clients.watched:
            self._soon = asyncio.get_running_loop().call_later(SOON_SECONDS, self._now)

    def request_in(self, seconds: float) -> None:
        """The same after so many seconds."""
        asyncio.get_running_loop().call_later(seconds, self.request)

    def _now(self) -> None:
        self._soon = None
        self.request()

    def updated(self) -> None:
        """An update has run."""
        self._requested = False

    def output_arrived(self) -> None:
        """Programs have written output: the names of the running programs may change."""
        if self._timer is None:
            seconds = LABEL_SECONDS if self._clients.watched else REST_SECONDS
            self._timer = asyncio.get_running_loop().call_later(seconds, self._elapsed)

    def _elapsed(self) -> None:
        self._timer = None
        self.request()
        if _rest(self._mux) or not self._clients.watched:
            self.output_arrived()


def _rest(mux: Multiplexer) -> bool:
    """Release memory of idle panes; whether more may be released later."""
    return any([terminal.rest() for terminal in mux.terminals.values()])  # noqa: C419  (each must be called)
