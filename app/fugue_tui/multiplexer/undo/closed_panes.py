"""Panes that were closed a moment ago: their programs live on, hidden, until they come back or their time is over."""

from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.grants import Grants
from fugue_tui.multiplexer.agents.agents import Agents
from fugue_tui.multiplexer.events.pane_events import PaneReports
from fugue_tui.multiplexer.input.lease import Lease
from fugue_tui.multiplexer.restored_pane import RestoredPane
from fugue_tui.multiplexer.watch.bookmarks import Bookmarks
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal

if TYPE_CHECKING:
    from asyncio import TimerHandle

SECONDS: Final = 30.0
"""How long a closed pane's program lives on."""
MOST: Final = 16
"""How many closed panes' programs live on; the oldest end."""


class ClosedPane(Struct):
    """What is known of a pane besides its record."""

    terminal: Terminal
    reports: PaneReports
    owner: str
    """Who opened it; empty for the user."""
    exit: Exit | None
    """How its program ended; None while it runs."""
    restored: RestoredPane | None
    """With a pane that waits for its program."""


class OpenPanes(Protocol):
    """The panes that are open: the multiplexer."""

    terminals: dict[PaneId, Terminal]
    pane_reports: dict[PaneId, PaneReports]
    owners: dict[PaneId, str]
    exits: dict[PaneId, Exit]
    restored_panes: dict[PaneId, RestoredPane]
    lease: Lease
    bookmarks: Bookmarks
    grants: Grants
    agents: Agents


class ClosedPanes:
    """The closed panes whose programs live on. Main thread only."""

    def __init__(self, mux: OpenPanes) -> None:
        self._mux = mux
        self._panes: dict[PaneId, tuple[ClosedPane, TimerHandle]] = {}

    def __contains__(self, pane: object) -> bool:
        return pane in self._panes

    def terminals(self) -> dict[PaneId, Terminal]:
        """The terminal of every pane, the oldest first."""
        return {pane: closed.terminal for pane, (closed, _) in self._panes.items()}

    def find(self, pane: PaneId, terminal: Terminal) -> ClosedPane | None:
        """The closed pane with this terminal; None if there is none."""
        closed = self._panes[pane][0] if pane in self._panes else None
        return closed if closed is not None and closed.terminal is terminal else None

    def hide(self, pane: PaneId) -> None:
        """Keep an open pane's program for `SECONDS`. A pane whose old text has yet to arrive is dropped."""
        if pane in self._mux.restored_panes and self._mux.restored_panes[pane].pending:
            self.drop(pane)
        elif closed := self._take_out(pane):
            closed.terminal.drop_observers()
            self._panes[pane] = closed, call_later(SECONDS, lambda: self._expire(pane))
        while len(self._panes) > MOST:
            self._expire(next(iter(self._panes)))

    def show(self, pane: PaneId) -> None:
        """Make a closed pane an open one again, before it is assigned."""
        closed, timer = self._panes.pop(pane)
        timer.cancel()
        mux = self._mux
        mux.terminals[pane], mux.pane_reports[pane] = closed.terminal, closed.reports
        if closed.owner:
            mux.owners[pane] = closed.owner
        if closed.exit is not None:
            mux.exits[pane] = closed.exit
        if closed.restored is not None:
            mux.restored_panes[pane] = closed.restored

    def drop(self, pane: PaneId) -> None:
        """End an open pane's program; without an open one nothing happens."""
        if closed := self._take_out(pane):
            closed.terminal.close()

    def end(self) -> None:
        """End every closed pane's program."""
        for pane in tuple(self._panes):
            self._expire(pane)

    def _take_out(self, pane: PaneId) -> ClosedPane | None:
        mux = self._mux
        mux.lease.drop(pane)
        terminal = mux.terminals.pop(pane, None)
        if terminal is None:
            return None
        mux.grants.end_pane(pane)
        mux.agents.end_partners(pane)
        mux.bookmarks.drop(terminal)
        reports, owner = mux.pane_reports.pop(pane), mux.owners.pop(pane, "")
        if owner:
            mux.owners |= {each: owner for each, opener in mux.owners.items() if opener == str(pane)}
        return ClosedPane(terminal, reports, owner, mux.exits.pop(pane, None), mux.restored_panes.pop(pane, None))

    def _expire(self, pane: PaneId) -> None:
        closed, timer = self._panes.pop(pane)
        timer.cancel()
        closed.terminal.close()
