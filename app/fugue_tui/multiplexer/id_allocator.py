"""Allocates the ids of panes and windows, which are never reused."""

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.workspace.model import Workspace


class IdAllocator:
    """The highest ids in use, and those reserved for a workspace that may be restored."""

    def __init__(self) -> None:
        self._last_pane, self._last_window = 0, 0
        self._reserved_pane, self._reserved_window = 0, 0

    def next_pane(self) -> PaneId:
        """An id that no pane ever had."""
        self._last_pane += 1
        return PaneId(self._last_pane)

    def next_window(self) -> WindowId:
        """An id that no window ever had."""
        self._last_window += 1
        return WindowId(self._last_window)

    @property
    def last(self) -> tuple[PaneId, WindowId]:
        """The highest ids ever used."""
        return PaneId(self._last_pane), WindowId(self._last_window)

    def record(self, workspace: Workspace) -> None:
        """Mark a workspace's ids as used."""
        self._last_pane = max(self._last_pane, *workspace.panes, 0)
        self._last_window = max(self._last_window, *(window.id for window in workspace.windows), 0)

    def reserve(self, pane: int, window: int) -> None:
        """Allocate ids above these from now on; those below belong to a workspace that may be restored."""
        self._last_pane, self._last_window = max(self._last_pane, pane), max(self._last_window, window)
        self._reserved_pane, self._reserved_window = pane, window

    def claim(self, saved: Workspace, present: Workspace) -> bool:
        """Whether a restored workspace can have its old ids, as they are reserved and unused; the reservation ends."""
        used = {window.id for window in present.windows}
        panes_fit = all(pane <= self._reserved_pane and pane not in present.panes for pane in saved.panes)
        fits = panes_fit and all(each.id <= self._reserved_window and each.id not in used for each in saved.windows)
        if fits:
            self._reserved_pane, self._reserved_window = 0, 0
        return fits
