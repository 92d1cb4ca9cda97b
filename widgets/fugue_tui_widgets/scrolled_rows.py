"""What lists and tables of rows share: they scroll by rows, keep the cursor in view, and draw only what is visible."""

from abc import abstractmethod
from typing import ClassVar

from rich.style import Style as RichStyle
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip

from fugue_tui_widgets.error_boundary import ErrorBoundary


class ScrolledRows(ErrorBoundary, ScrollView, can_focus=False):
    """Rows with a cursor, drawn line by line by the class that has them."""

    ALLOW_SELECT = False
    HEADER: ClassVar[int] = 0
    """Lines above the rows, which do not scroll."""

    def __init__(self) -> None:
        super().__init__()
        self._at = 0
        """The row under the cursor."""
        self._palette: dict[str, RichStyle] = {}
        """Styles that were looked up, until the theme changes."""

    @abstractmethod
    def _line(self, y: int, left: int, right: int) -> Strip:
        """The cells of a line of the widget from one column up to another."""

    @property
    def page(self) -> int:
        """The rows that are visible at a time."""
        return max(self.size.height - self.HEADER, 1)

    @property
    def _room(self) -> int:
        """The cells of a row."""
        return self.scrollable_content_region.width

    def _row_at(self, y: int) -> int:
        """The number of the row on a line, which may be beyond the last one; negative on the header."""
        return y - self.HEADER + int(self.scroll_y) if y >= self.HEADER else -1

    def _show_rows(self, first: int, last: int) -> None:
        """Scroll as little as is needed to show these rows, the first one at any rate."""
        top = int(self.scroll_y)
        wanted = min(max(top, last - self.page + 1), first)
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw the rows in their new places."""
        super().watch_scroll_y(old_value, new_value)
        self.refresh()

    def notify_style_update(self) -> None:
        """Draw the rows again in the colours of another theme."""
        super().notify_style_update()
        self._palette.clear()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The visible lines, without Textual's cache of styles, which would give them a background."""
        if not self.is_attached:  # Removed, but on the screen until the next layout; it has no styles any more.
            return [Strip.blank(crop.width)] * crop.height
        return [self._line(y, crop.x, crop.right) for y in range(crop.y, crop.bottom)]

    def render_line(self, y: int) -> Strip:
        """A whole line."""
        return self._line(y, 0, self._room)
