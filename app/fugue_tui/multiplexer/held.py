"""A workspace that is held: what is in it, what is in front, and the ids that nothing in it ever had."""

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.workspace import find
from fugue_tui.workspace.model import Window, Workspace


class Held:
    """The present workspace, and what can be told from it alone."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._last_pane, self._last_window = 0, 0
        self._spare_pane, self._spare_window = 0, 0

    @property
    def workspace(self) -> Workspace:
        """The state as it is now; `assign` changes it."""
        return self._workspace

    def next_pane(self) -> PaneId:
        """An id that no pane ever had."""
        self._last_pane += 1
        return PaneId(self._last_pane)

    def next_window(self) -> WindowId:
        """An id that no window ever had."""
        self._last_window += 1
        return WindowId(self._last_window)

    @property
    def last_ids(self) -> tuple[PaneId, WindowId]:
        """The highest ids that were ever given."""
        return PaneId(self._last_pane), WindowId(self._last_window)

    def keep_free(self, pane: int, window: int) -> None:
        """Give out higher ids than these from now on: the ones below belong to a workspace that may come back."""
        self._last_pane, self._last_window = max(self._last_pane, pane), max(self._last_window, window)
        self._spare_pane, self._spare_window = pane, window

    def take_kept(self, saved: Workspace) -> bool:
        """Whether a workspace that comes back may have its old ids, as they were kept free for it; once."""
        panes_fit = all(pane <= self._spare_pane and pane not in self._workspace.panes for pane in saved.panes)
        taken = {window.id for window in self._workspace.windows}
        fits = panes_fit and all(each.id <= self._spare_window and each.id not in taken for each in saved.windows)
        if fits:
            self._spare_pane, self._spare_window = 0, 0
        return fits

    @property
    def front(self) -> Window | None:
        """The window in front; None before the first and after the last."""
        return find.active_window(self._workspace) if self._workspace.windows else None

    @property
    def focused(self) -> PaneId | None:
        """The pane that the person's keys go to; None if there is none."""
        return self.front.active if self.front else None

    @property
    def last_pane(self) -> PaneId | None:
        """The pane of the window in front that had the focus before; None if none did."""
        return self.front.recent[0] if self.front and self.front.recent else None

    def window(self, window_id: WindowId) -> Window:
        """A window by its id. Raises NotFound."""
        return find.window_of(self._workspace, window_id)

    def window_of(self, pane: PaneId) -> Window:
        """The window in which a pane is. Raises NotFound."""
        return find.window_with(self._workspace, pane)

    def _hold(self, new: Workspace) -> Workspace:
        """Take another workspace in hand, and give the one before."""
        old, self._workspace = self._workspace, new
        self._last_pane = max(self._last_pane, *new.panes, 0)
        self._last_window = max(self._last_window, *(window.id for window in new.windows), 0)
        return old
