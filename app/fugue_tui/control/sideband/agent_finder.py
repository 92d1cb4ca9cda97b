"""Finds the agents that run in the foreground of panes. A pane that prints nothing costs nothing. Main thread only."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fugue_tui.control.restore.agent_resume import agent_in
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import PaneEvent, Started
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.terminal.observers import ObservedEvent
from fugue_tui.terminal.terminal import Terminal

if TYPE_CHECKING:
    from asyncio import TimerHandle

SECONDS: Final = (1.0, 2.0, 7.0)
"""Seconds from output until a pane is looked at, and from one look to the next; more output begins anew."""


class AgentFinder:
    """Looks at panes after they have printed something, such as the command line that starts an agent."""

    def __init__(self, mux: Multiplexer, found: Callable[[PaneId, str], None]) -> None:
        """`found` is called with a pane and its agent's name, empty for none."""
        self._mux, self._found = mux, found
        self._watched: dict[PaneId, _Watched] = {}

    def start(self) -> None:
        """Begin to look."""
        self._mux.on_event.connect(self._on_event)
        for pane in self._mux.terminals:
            self._watch(pane)
            self._look(pane, 0)

    def look(self, pane: PaneId) -> None:
        """Look at a pane now."""
        terminal = self._mux.terminals.get(pane)
        if terminal is not None:
            self._found(pane, agent_in(terminal.foreground_group) if terminal.exit is None else "")

    def forget(self, pane: PaneId) -> None:
        """The pane was closed."""
        if watched := self._watched.pop(pane, None):
            watched.stop()

    def _on_event(self, pane: PaneId, event: PaneEvent) -> None:
        if isinstance(event, Started):
            self._watch(pane)

    def _watch(self, pane: PaneId) -> None:
        self.forget(pane)
        if (terminal := self._mux.terminals.get(pane)) is not None:
            self._watched[pane] = _Watched(terminal, lambda: self._mux.post(lambda: self._printed(pane)))

    def _printed(self, pane: PaneId) -> None:
        if watched := self._watched.get(pane):
            watched.wait(SECONDS[0], lambda: self._look(pane, 1))

    def _look(self, pane: PaneId, step: int) -> None:
        watched = self._watched.get(pane)
        if watched is None:
            return
        watched.notified = False
        self.look(pane)
        if 0 < step < len(SECONDS):
            watched.wait(SECONDS[step], lambda: self._look(pane, step + 1))


class _Watched:
    """A terminal whose next output is reported once."""

    def __init__(self, terminal: Terminal, printed: Callable[[], None]) -> None:
        self.notified = False
        self._printed = printed
        self._timer: TimerHandle | None = None
        self._unobserve = terminal.observe(self._receive)

    def wait(self, seconds: float, call: Callable[[], None]) -> None:
        """Call something after some seconds, instead of what was to be called."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = call_later(seconds, call)

    def stop(self) -> None:
        """Observe the terminal no more."""
        self._unobserve()
        if self._timer is not None:
            self._timer.cancel()

    def _receive(self, what: ObservedEvent) -> None:
        """On the threads of the I/O loop, under the terminal's lock."""
        if not self.notified and isinstance(what, memoryview):
            self.notified = True
            self._printed()
