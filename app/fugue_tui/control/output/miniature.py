"""A window in fewer cells than it has: its panes in their places, each cut around its cursor, with the dividers.

Terminals are read at once, on the main thread; the rows may be composed on any.
"""

from collections.abc import Callable, Sequence

from fugue_tui.control.output.screenshot import composed
from fugue_tui.geometry import Rect, Size
from fugue_tui.layout.grid_view import GridView
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.solved_layouts import solved
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import Window


def miniature(mux: Multiplexer, window: Window, size: Size) -> Callable[[], Sequence[Row]]:
    """Composes a window's rows, as many and as wide as there is room for."""
    solution = solved(window, Rect(0, 0, size.cols, size.rows))
    grid = GridView(solution, focus=window.active, line_style=mux.line_style())
    for pane in solution.panes:
        mux.contents.refresh(pane)
    parts = [(rect, _reader(mux.terminals[pane])) for pane, rect in solution.panes.items()]

    def make() -> Sequence[Row]:
        return composed(grid, size, [(rect, _around(*read(), rect.rows), None) for rect, read in parts]).rows

    return make


def _reader(terminal: Terminal) -> Callable[[], tuple[list[Row], int]]:
    """Reads a screen, and the row of its cursor."""
    with terminal.locked() as screen:
        if screen.closed:
            return lambda: ([], 0)
        read, y = screen.emulator.past(0), screen.emulator.caret[1]
    return lambda: (read(), y)


def _around(rows: list[Row], y: int, height: int) -> list[Row]:
    """So many rows up to the cursor's, or from the first one on if that is among them."""
    first = max(0, y + 1 - height)
    return rows[first : first + height]
