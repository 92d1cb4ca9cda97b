"""Shows a part of a screen: rows of cells, in the place of which the caller is interested."""

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from fugue_tui.terminal.screen.cells import Row
from fugue_tui_widgets.error_boundary import ErrorBoundary
from fugue_tui_widgets.strips import strip_of


class Shown(Struct, frozen=True):
    """What is shown."""

    rows: Sequence[Row] = ()
    """Rows without hidden characters."""
    y: int = 0
    """The row that is to be visible, in the middle if there is more than fits."""
    x: int = 0
    """The column that is to be visible."""
    title: str = ""
    """Cleaned text."""


class CellPreview(ErrorBoundary, Widget):
    """Rows as they look in a pane, cut to the room that there is."""

    ALLOW_SELECT = False
    DEFAULT_CSS: ClassVar[str] = "CellPreview { width: 1fr; height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self._shown = Shown()
        self._back = 0

    def show(self, shown: Shown) -> None:
        """Show something else."""
        if shown == self._shown:
            return
        if (shown.title, shown.y, shown.x) != (self._shown.title, self._shown.y, self._shown.x):
            self._back = 0
        self._shown = shown
        self.refresh()

    def on_mouse_scroll_up(self) -> None:
        """Show what is above."""
        self._scroll(-3)

    def on_mouse_scroll_down(self) -> None:
        """Show what is below."""
        self._scroll(3)

    def _scroll(self, rows: int) -> None:
        top = self._top
        self._back += rows
        if self._top == top:
            self._back -= rows
        else:
            self.refresh()

    @property
    def _top(self) -> int:
        """The first row that is visible."""
        most = max(len(self._shown.rows) - self.size.height, 0)
        return min(max(self._shown.y - self.size.height // 2 + self._back, 0), most)

    @property
    def _left(self) -> int:
        """The first column that is visible: as far to the left as shows the wanted one with some room behind it."""
        width = self.size.width
        return max(self._shown.x - width * 3 // 4, 0) if self._shown.x >= width - 1 else 0

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows, without Textual's cache of styles: colours 0 to 15 are the host's own."""
        return [self.render_line(y).crop(crop.x, crop.right) for y in range(crop.y, crop.bottom)]

    def render_line(self, y: int) -> Strip:
        """A row, as wide as the widget."""
        number, width, left = self._top + y, self.size.width, self._left
        if number >= len(self._shown.rows):
            return Strip.blank(width)
        return strip_of(self._shown.rows[number], left + width).crop(left, left + width)
