"""The view model of the grid of panes."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field

from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.solve import Divider, Solution


class Title(Struct, frozen=True):
    """The title line above a pane."""

    text: str
    """Sanitized text, such as `%1 vim`."""
    state: str = ""
    """A short state such as `exit 1` or `history -120`, shown at the right end."""
    tone: str = ""
    """What the state means, for its colour: `blocked`, `working`, `done`, `error`; empty for nothing special."""
    colour: str = ""
    """The colour of the text as Rich writes it, such as `blue`, `color(208)` or `#ff8000`; empty for the frame's."""
    mode: str = ""
    """What keys do in the pane besides reaching its program, such as `copy mode`: precedes the state, and is
    shown however narrow the pane is."""


class GridView(Struct, frozen=True):
    """The state of a grid. Rectangles are relative to the grid's first cell."""

    solution: Solution = field(default_factory=lambda: Solution({}, (), ()))
    titles: Mapping[PaneId, Title] = field(default_factory=lambda: MappingProxyType({}))
    """Empty if titles are off."""
    focus: PaneId | None = None
    title_row: bool = False
    """Whether the row above the topmost panes is part of the frame."""
    line_style: str = "thin"
    """`thin`, `thick`, `double` or `ascii`."""
    synchronized: frozenset[PaneId] = frozenset()
    """The panes that get the same input, whose frames show that."""
    framed: bool = False
    """Whether the frame around a lone pane shows that it has the focus."""

    @property
    def focused_frame(self) -> Rect | None:
        """The focused pane with its frame, as far as that is in the grid; None if it is not visible."""
        if self.focus is None or (own := self.solution.panes.get(self.focus)) is None:
            return None
        tiles = self.solution.tiles
        if self.focus not in tiles:
            return dict(self.solution.floats)[self.focus]
        right, bottom = (max(getattr(rect, end) for rect in tiles.values()) for end in ("right", "bottom"))
        x, y = max(own.x - 1, 0), max(own.y - 1, 0)
        return Rect(x, y, min(own.right + 1, right) - x, min(own.bottom + 1, bottom) - y)


def float_view(grid: GridView, pane: PaneId, frame: Rect) -> GridView | None:
    """A floating pane of a grid alone, relative to its frame; None if it has no frame."""
    own = grid.solution.panes[pane]
    if own == frame:
        return None
    cols, rows = frame.cols, frame.rows
    sides = (Rect(0, 0, cols, 1), Rect(0, rows - 1, cols, 1), Rect(0, 0, 1, rows), Rect(cols - 1, 0, 1, rows))
    lines = tuple(Divider((), 0, Axis.VERTICAL, each) for each in sides)
    solution = Solution({pane: Rect(own.x - frame.x, own.y - frame.y, own.cols, own.rows)}, lines, ())
    titles = {pane: title} if (title := grid.titles.get(pane)) is not None else {}
    focus = pane if pane == grid.focus else None
    return GridView(solution, titles, focus, False, grid.line_style, grid.synchronized & {pane}, framed=True)
