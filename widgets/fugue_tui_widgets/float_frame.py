"""The frame of a floating pane: its title moves it, its other borders resize it."""

from collections.abc import Callable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Offset, Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from fugue_tui.geometry import Side
from fugue_tui.ids import PaneId
from fugue_tui.layout.frame_lines import FrameLines
from fugue_tui.layout.grid_view import GridView
from fugue_tui_widgets.error_boundary import ErrorBoundary


class FloatFrame(ErrorBoundary, Widget):
    """Draws the frame below the view of a floating pane."""

    ALLOW_SELECT = False

    class Pressed(Message):
        """The frame was pressed: a drag begins."""

        def __init__(self, pane: PaneId) -> None:
            super().__init__()
            self.pane = pane

    class Dragged(Message):
        """The frame was dragged to another place, or to another size."""

        def __init__(self, pane: PaneId, region: Region, sides: frozenset[Side]) -> None:
            super().__init__()
            self.pane = pane
            self.region = region
            """Where it is to be on the screen."""
            self.sides = sides
            """The borders that are dragged; empty if all of it is."""

    class Released(Message):
        """The drag has ended."""

    def __init__(self, pane: PaneId, style: Callable[[str], RichStyle]) -> None:
        """`style` gives the style of one of the styles of frames."""
        super().__init__()
        self.pane, self._style = pane, style
        self._picture = GridView()
        self._lines: FrameLines | None = None
        self._drag: tuple[Offset, Region, frozenset[Side]] | None = None
        """Where the pointer was pressed, where the frame was then, and the borders that are dragged."""

    def show(self, picture: GridView) -> None:
        """Draw another picture of this pane alone."""
        if picture != self._picture:
            self._picture = picture
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """A row of the frame."""
        cols, rows = self.size
        if self._lines is None or self._lines.picture is not self._picture or self._lines.size != (cols, rows):
            self._lines = FrameLines.of(self._picture, cols, rows, cell_len)
        return Strip([Segment(text, self._style(style)) for text, style in self._lines.runs(y)], cols)

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin to move or resize the pane, and focus it."""
        event.stop()
        here = Offset(int(event.screen_x), int(event.screen_y))
        self._drag = (here, self.region, self._sides(here - self.region.offset))
        self.capture_mouse()
        self.post_message(self.Pressed(self.pane))

    async def on_mouse_move(self, event: events.MouseMove) -> None:
        """Move or resize it."""
        if self._drag is None:
            return
        event.stop()
        start, region, sides = self._drag
        by = Offset(int(event.screen_x), int(event.screen_y)) - start
        self.post_message(self.Dragged(self.pane, _dragged(region, sides, by), sides))

    async def on_mouse_up(self, event: events.MouseUp) -> None:
        """End the drag."""
        if self._drag is not None:
            event.stop()
            self._drag = None
            self.release_mouse()
            self.post_message(self.Released())

    def _sides(self, at: Offset) -> frozenset[Side]:
        """The borders at a cell of the frame; none for its title, which moves it."""
        found = {
            Side.LEFT: at.x == 0,
            Side.RIGHT: at.x == self.size.width - 1,
            Side.DOWN: at.y == self.size.height - 1,
        }
        return frozenset(side for side, here in found.items() if here)


def _dragged(region: Region, sides: frozenset[Side], by: Offset) -> Region:
    """The region with some borders moved, or all of it."""
    if not sides:
        return region.translate(by)
    x, width, height = region.x, region.width, region.height
    if Side.LEFT in sides:
        right, x = region.right, max(min(region.x + by.x, region.right - 1), 0)
        width = right - x
    elif Side.RIGHT in sides:
        width = max(width + by.x, 1)
    if Side.DOWN in sides:
        height = max(height + by.y, 1)
    return Region(x, region.y, width, height)
