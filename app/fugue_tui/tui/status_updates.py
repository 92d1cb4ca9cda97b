"""Schedules updates of the status bar and the titles, and the release of idle panes' memory."""

import asyncio
from collections.abc import Callable, Collection
from math import inf
from typing import Final

from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer

LABEL_SECONDS: Final = 1.0
"""Delay after output before the names of the running programs are read."""
PAUSE_SECONDS: Final = 0.08
"""Minimum seconds between updates for changes that come in streams, such as of the states of agents: the first is shown
at once."""
WORDS_SECONDS: Final = 0.5
"""The same for what agents say in a state, such as their progress."""
REST_SECONDS: Final = 10.0
"""How often idle panes release memory while no client shows the screen."""


class StatusUpdates:
    """Runs an update in the next iteration of the event loop, while a client shows the screen. Main thread only."""

    def __init__(
        self,
        mux: Multiplexer,
        clients: ClientRegistry,
        update: Callable[[], object],
        update_states: Callable[[Collection[PaneId]], object],
        pause: Callable[[], float],
        held_until: Callable[[], float],
    ) -> None:
        """`update` schedules one update, `update_states` shows the states of some panes; `pause` is how many seconds to
        leave at least between updates for streams of changes, which wait until a time on the loop's clock."""
        self._mux, self._clients, self._update, self._update_states = mux, clients, update, update_states
        self._pause, self._held_until = pause, held_until
        self._requested = False
        self._timer: asyncio.TimerHandle | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._changed: dict[PaneId, float] = {}
        """When the changed state of each of these panes is due, on the loop's clock."""
        self._updated_at = self._words_at = float("-inf")
        self._ended = False

    def end(self) -> None:
        """Update no more: the view has ended."""
        self._ended = True
        for timer in (self._timer, self._soon):
            if timer is not None:
                timer.cancel()

    @property
    def held_seconds(self) -> float:
        """Seconds for which updates wait for the echo of a key; not positive if there is none to wait for."""
        return self._held_until() - asyncio.get_running_loop().time()

    def request(self) -> None:
        """Titles or states may have changed: update."""
        if not self._requested and self._clients.watched:
            self._requested = True
            self._update()

    def state_changed(self, pane: PaneId) -> None:
        """The state of a pane's agent has changed: show it at once, or a pause after the last update."""
        self._show_at(pane, self._updated_at + max(PAUSE_SECONDS, self._pause()))

    def words_changed(self, pane: PaneId) -> None:
        """What the agent in a pane says in its state has changed: show it after a longer pause."""
        if self._changed.get(pane, inf) <= self._words_at + WORDS_SECONDS:
            return  # It is shown as soon as that.
        self._show_at(pane, self._words_at + max(WORDS_SECONDS, self._pause()))

    def _show_at(self, pane: PaneId, due: float) -> None:
        """Show a pane's state at a time, or at once if that has passed."""
        if not self._clients.watched:
            return
        loop = asyncio.get_running_loop()
        due = self._changed[pane] = min(self._changed.get(pane, due), max(due, loop.time()))
        self._wake_at(due)

    def _wake_at(self, due: float) -> None:
        if self._soon is not None and self._soon.when() > due:
            self._soon.cancel()
            self._soon = None
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_at(due, self._show_states)

    def request_in(self, seconds: float) -> None:
        """The same after so many seconds."""
        asyncio.get_running_loop().call_later(seconds, self.request)

    def _show_states(self) -> None:
        self._soon = None
        loop = asyncio.get_running_loop()
        if (seconds := self.held_seconds) > 0:
            self._soon = loop.call_later(seconds, self._show_states)
            return
        now = self._updated_at = loop.time()
        if now >= self._words_at + WORDS_SECONDS:
            self._words_at = now
        changed = {pane for pane, due in self._changed.items() if due <= now}
        for pane in changed:
            del self._changed[pane]
        if self._changed:
            self._wake_at(min(self._changed.values()))
        if changed and not self._requested:
            self._update_states(changed)

    def updated(self) -> None:
        """An update has run."""
        self._requested = False
        self._changed.clear()
        self._updated_at = self._words_at = asyncio.get_running_loop().time()

    def output_arrived(self) -> None:
        """Programs have written output: the names of the running programs may change."""
        if self._timer is None and not self._ended:
            seconds = max(LABEL_SECONDS, self._pause()) if self._clients.watched else REST_SECONDS
            self._timer = asyncio.get_running_loop().call_later(seconds, self._elapsed)

    def _elapsed(self) -> None:
        self._timer = None
        self.request()
        if _rest(self._mux) or not self._clients.watched:
            self.output_arrived()


def _rest(mux: Multiplexer) -> bool:
    """Release memory of idle panes; whether more may be released later."""
    return any([terminal.rest() for terminal in mux.terminals.values()])  # noqa: C419  (each must be called)
