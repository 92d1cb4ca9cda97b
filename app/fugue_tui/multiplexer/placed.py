"""A workspace on a screen: where the panes of each window are, in the cells that they have between them."""

from collections.abc import Callable
from dataclasses import replace

from fugue_tui.geometry import Rect, Side, Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.move import neighbour
from fugue_tui.layout.solve import Solution, solve
from fugue_tui.layout.tree import Leaf
from fugue_tui.multiplexer.held import Held
from fugue_tui.workspace.model import Window, Workspace


class Placed(Held):
    """The present workspace, and how much room each of its panes has."""

    def __init__(self, workspace: Workspace, area: Size) -> None:
        super().__init__(workspace)
        self.area = area
        """The cells that panes have between them."""
        self.title_rows: Callable[[Window], int] = _none
        """How many rows above a window's panes are kept for titles."""
        self.line_style: Callable[[], str] = _thin
        """How dividers are drawn: `thin`, `thick`, `double` or `ascii`."""
        self._frames: dict[WindowId, tuple[Window, Rect, Solution]] = {}

    def frame(self, window: Window) -> Solution:
        """Where the window's panes are, in the cells of `area`; solved anew only if the window or its room changed."""
        room, known = self.room(window), self._frames.get(window.id)
        if known is not None and known[0] is window and known[1] == room:
            return known[2]
        solution = self._solve(window)
        self._frames[window.id] = (window, room, solution)
        return solution

    def room(self, window: Window) -> Rect:
        """The cells that a window's panes and dividers share; a row of titles above them is not among them."""
        above = min(self.title_rows(window), max(self.area.rows - 1, 0))
        return Rect(0, above, self.area.cols, self.area.rows - above)

    def rect(self, pane: PaneId) -> Rect | None:
        """Where a pane is in its window; None if it has no room or another is zoomed."""
        return self.frame(self.window_of(pane)).panes.get(pane)

    def neighbour(self, pane: PaneId, side: Side) -> PaneId | None:
        """The pane that lies on a side of another in the same window, as it is without zoom; None at the edge."""
        window = replace(self.window_of(pane), zoomed=False)
        return neighbour(self._solve(window), pane, side, recent=window.recent)

    def _solve(self, window: Window) -> Solution:
        layout = Leaf(window.active) if window.zoomed else window.layout
        return solve(layout, self.room(window), keep=window.active)

    def _sizes_in(self, after: Workspace) -> dict[PaneId, Size]:
        """The sizes that the panes of a workspace will have; the whole area for those that will have no room."""
        sizes = dict.fromkeys(after.panes, self.area)
        for window in after.windows:
            sizes |= {pane: rect.size for pane, rect in self._solve(window).panes.items()}
        return sizes


def _none(window: Window) -> int:
    return 0


def _thin() -> str:
    return "thin"
