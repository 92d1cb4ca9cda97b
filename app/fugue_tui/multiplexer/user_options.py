"""What the user has set for panes and windows, and no workspace value holds: the marked pane, synchronized input,
monitored windows."""

from collections.abc import Collection

from msgspec import Struct

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import panes, tiled
from fugue_tui.multiplexer.access.current_call import current_call
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.workspace.model import Window, Workspace


class Monitor(Struct, frozen=True):
    """What a window is monitored for while it is not shown."""

    activity: bool = False
    """Output."""
    silence: int = 0
    """So many seconds without output; 0 for not."""


class Synchronized(Struct, frozen=True):
    """Which panes of a window get the same input."""

    panes: frozenset[PaneId]
    tiles: bool
    """Whether they are its tiles, also those that the user adds later; a floating one gets nothing."""

    def of(self, window: Window) -> tuple[PaneId, ...]:
        """Those of them that the window has."""
        found = panes(tiled(window.layout) if self.tiles else window.layout)
        return tuple(pane for pane in found if pane in self.panes)

    def with_added(self, old: Window, new: Window) -> "Synchronized":
        """The same with the tiles that the window has got."""
        added = frozenset(panes(tiled(new.layout))) - frozenset(panes(tiled(old.layout)))
        return Synchronized(self.panes | added, self.tiles) if self.tiles and added else self


class UserOptions:
    """The user's options of panes and windows. Main thread only."""

    def __init__(self, on_workspace: CallbackList[[Workspace, Workspace]]) -> None:
        self.on_change = CallbackList[[]]()
        """An option has changed, which titles or the status bar show."""
        self._marked: PaneId | None = None
        self._synchronized: dict[WindowId, Synchronized] = {}
        self.monitors: dict[WindowId, Monitor] = {}
        """The monitored windows; `monitor` changes it."""
        on_workspace.connect(self._changed)

    @property
    def marked(self) -> PaneId | None:
        """The pane that join-pane and swap-pane take by default; None if there is none."""
        return self._marked

    def mark(self, pane: PaneId | None) -> None:
        """Mark a pane instead of any other; None for none."""
        self._marked = pane
        self.on_change()

    def synchronized(self, window: Window) -> tuple[PaneId, ...]:
        """The panes of a window that all get what the user types into one of them; empty if that is off."""
        chosen = self._synchronized.get(window.id)
        return () if chosen is None else chosen.of(window)

    def synchronize(self, window: Window, chosen: Collection[PaneId] | None) -> None:
        """Send the user's input to all of these panes of a window; None for all its tiles, also those that the user
        adds later."""
        found = panes(tiled(window.layout)) if chosen is None else chosen
        self._synchronized[window.id] = Synchronized(frozenset(found), chosen is None)
        self.on_change()

    def end_synchronized(self, window: WindowId) -> None:
        """Send the user's input to the focused pane only."""
        self._synchronized.pop(window, None)
        self.on_change()

    def monitor(self, window: WindowId, monitor: Monitor) -> None:
        """Monitor a window for this from now on."""
        self.monitors.pop(window, None)
        if monitor != Monitor():
            self.monitors[window] = monitor
        self.on_change()

    def _changed(self, old: Workspace, new: Workspace) -> None:
        if self._marked not in new.panes:
            self._marked = None
        if self.monitors:
            there = {window.id for window in new.windows}
            self.monitors = {window: monitor for window, monitor in self.monitors.items() if window in there}
        if self._synchronized:
            self._add_tiles(old, new)
            several = {window.id for window in new.windows if len(self.synchronized(window)) > 1}
            self._synchronized = {window: chosen for window, chosen in self._synchronized.items() if window in several}

    def _add_tiles(self, old: Workspace, new: Workspace) -> None:
        """Synchronize the tiles that the user has added: no agent gets the user's input by a pane of its own."""
        author = current_call.get().author
        if author is not None and author.yields:
            return
        before, after = ({window.id: window for window in each.windows} for each in (old, new))
        self._synchronized = {
            window: chosen.with_added(before[window], after[window]) if window in before and window in after else chosen
            for window, chosen in self._synchronized.items()
        }
