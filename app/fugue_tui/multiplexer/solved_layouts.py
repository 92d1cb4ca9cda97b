"""The positions of panes in their windows, in cells: each window's layout, solved for the area that its panes share."""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from fugue_tui.geometry import Rect, Side, Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.floating import with_floats
from fugue_tui.layout.move import neighbour
from fugue_tui.layout.solve import Solution, solve
from fugue_tui.layout.tree import Leaf, floats, panes
from fugue_tui.workspace.find import active_tile
from fugue_tui.workspace.model import Window, Workspace


class SolvedLayouts:
    """Solves the layouts of windows, and caches the solutions. Main thread only."""

    def __init__(self, area: Size) -> None:
        self.area = area
        """The cells that the panes of a window share which has no area of its own."""
        self._areas: dict[WindowId, Size] = {}
        self.title_rows: Callable[[Window], int] = lambda window: 0
        """How many rows above a window's panes are reserved for titles."""
        self._solved: dict[WindowId, tuple[Window, Rect, Solution]] = {}

    def area_of(self, window: WindowId) -> Size:
        """The cells that all panes of a window share."""
        return self._areas.get(window, self.area)

    def resize(self, window: WindowId, area: Size, *, others: bool) -> None:
        """Change the area of a window, and whether all others have that too or keep theirs."""
        if others:
            self.area = area
            self._areas.clear()
        else:
            self._areas[window] = area

    def keep(self, windows: Iterable[WindowId]) -> None:
        """Have windows without areas of their own keep the present one."""
        for window in windows:
            self._areas.setdefault(window, self.area)

    def of(self, window: Window) -> Solution:
        """The positions of the window's panes in its area; solved again only if the window or its bounds changed."""
        bounds, cached = self.bounds(window), self._solved.get(window.id)
        if cached is not None and cached[0] is window and cached[1] == bounds:
            return cached[2]
        solution = self._solve(window)
        self._solved[window.id] = (window, bounds, solution)
        return solution

    def bounds(self, window: Window) -> Rect:
        """The cells of a window's panes and dividers, below the row of titles."""
        area = self.area_of(window.id)
        above = min(self.title_rows(window), max(area.rows - 1, 0))
        return Rect(0, above, area.cols, area.rows - above)

    def neighbour(self, window: Window, pane: PaneId, side: Side) -> PaneId | None:
        """The pane next to another on one side, regardless of zoom, or past the edge the one at the other edge.

        None if no other pane lies that way.
        """
        solution = self._solve(replace(window, zoomed=False))
        return neighbour(solution, pane, side, recent=window.recent, wrap=True)

    def sizes(self, workspace: Workspace) -> dict[PaneId, Size]:
        """The sizes of a workspace's panes; a whole area for those that are not visible in their window."""
        sizes = dict[PaneId, Size]()
        for window in workspace.windows:
            sizes |= dict.fromkeys(panes(window.layout), self.area_of(window.id))
            sizes |= self._solve(window).sizes
        return sizes

    def forget(self, window: WindowId) -> None:
        """Drop the solution of a closed window, and its area."""
        self._solved.pop(window, None)
        self._areas.pop(window, None)

    def _solve(self, window: Window) -> Solution:
        return solved(window, self.bounds(window))


def solved(window: Window, bounds: Rect) -> Solution:
    """The positions of a window's panes within some bounds."""
    keep, recent = active_tile(window), (window.active, *window.recent)
    solution = solve(Leaf(keep) if window.zoomed else window.layout, bounds, keep=keep, recent=recent)
    return with_floats(solution, floats(window.layout), bounds, recent)
