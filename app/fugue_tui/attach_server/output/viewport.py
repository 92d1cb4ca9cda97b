"""The part of the screen that a client shows if it is smaller than the screen."""

from fugue_tui.geometry import Rect, Size


class Viewport:
    """Maps the cells of one client to cells of the screen."""

    def __init__(self, size: Size) -> None:
        self.size = size
        """The client's size."""
        self.rows: tuple[int, ...] = ()
        """The row of the screen in each row of the client."""
        self._left = 0
        self._pins_last = False

    def fit(self, screen: Size, focus: Rect | None, context: Rect | None) -> None:
        """Choose the part: the same as before, unless `focus` is outside; then as much of `context` as fits with it.

        The last row of the screen, the status bar, is always shown."""
        cols, rows = min(self.size.cols, screen.cols), min(self.size.rows, screen.rows)
        self._pins_last = 1 < rows < screen.rows
        body, whole = (rows - 1, screen.rows - 1) if self._pins_last else (rows, screen.rows)
        top, context = self.rows[0] if self.rows else 0, context or focus
        if focus is not None and context is not None:
            wanted = (min(focus.y, whole - 1), min(focus.bottom, whole))
            top = _scrolled_to(top, body, wanted, (context.y, min(context.bottom, whole)), whole)
            self._left = _scrolled_to(self._left, cols, (focus.x, focus.right), (context.x, context.right), screen.cols)
        top, self._left = max(0, min(top, whole - body)), max(0, min(self._left, screen.cols - cols))
        self.rows = (*range(top, top + body), *([screen.rows - 1] if self._pins_last else []))

    def left(self, y: int) -> int:
        """The column of the screen in the first column of a row of the client."""
        return 0 if self._pins_last and y == len(self.rows) - 1 else self._left

    def at(self, x: int, y: int) -> tuple[int, int] | None:
        """The cell of the screen in a cell of the client; None if there is none."""
        return (x + self.left(y), self.rows[y]) if 0 <= y < len(self.rows) else None


def _scrolled_to(start: int, length: int, focus: tuple[int, int], context: tuple[int, int], whole: int) -> int:
    """Where a range of `length` cells with `focus` in it starts: where it did, or with as much of `context` as fits."""
    if start <= focus[0] and focus[1] <= start + length:
        return start
    for first, end in (context, focus):
        start = min(max(start, end - length), first)
    return max(0, min(start, whole - length))
