"""The panel that opens after the prefix and lists what each key does."""

from typing import Final

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.table import Table
from rich.text import Text
from textual.content import Content
from textual.widgets import Static

from fugue_tui_widgets.error_boundary import ErrorBoundary


class Hint(Struct, frozen=True):
    """One key and what it does, in a few words."""

    key: str
    words: str
    rank: int = 0
    """Those of the lowest ranks are shown where there is no room for all."""


LEAST: Final = 24
"""The fewest cells of a column."""


class WhichKey(ErrorBoundary, Static):
    """A list of keys in as many columns as fit, in narrower ones if they are too many, or else of the most important;
    hidden until `show`."""

    DEFAULT_CSS = """
    WhichKey {
        display: none; dock: bottom; layer: overlay; height: auto; max-height: 100%;
        margin: 0 0 1 0; padding: 0 1; background: $surface; color: $foreground;
        border-top: heavy $primary; border-title-color: $primary;
    }
    """

    def show(self, hints: list[Hint], cols: int, rows: int, title: str) -> None:
        """List the hints; `cols` is the width to fill, `rows` the height of the screen."""
        self.border_title = Content(f" {title} ")
        self.update(self._table(hints, max(cols - 4, 10), max(rows - 2, 1)))
        self.display = True

    def hide(self) -> None:
        """Close the panel."""
        self.display = False

    def _table(self, hints: list[Hint], cols: int, most: int) -> Table:
        hints = _fitting(hints, max(cols // LEAST, 1) * most)
        key_width = max((cell_len(hint.key) for hint in hints), default=1)
        width = min(key_width + max((cell_len(hint.words) for hint in hints), default=1) + 3, 40, cols)
        count = max(cols // width, -(-len(hints) // most), 1)
        rows = -(-len(hints) // count)
        columns = [hints[at : at + rows] for at in range(0, len(hints), rows)]
        keys = [max(cell_len(hint.key) for hint in column) for column in columns]
        widths = _widths(columns, keys, cols)
        table = Table.grid(padding=0)
        for width in widths:
            table.add_column(width=width, no_wrap=True)
        for row in range(rows):
            cells = zip(columns, keys, widths, strict=True)
            table.add_row(*(self._cell(column[row], key, width) for column, key, width in cells if row < len(column)))
        return table

    @staticmethod
    def _cell(hint: Hint, key_width: int, width: int) -> Text:
        text = Text(set_cell_size(hint.key, key_width), "bold")
        return text.append(f" {_cut(hint.words, width - key_width - 2)}", "not bold")


def _fitting(hints: list[Hint], most: int) -> list[Hint]:
    """All hints, or so many of them, those of the lowest ranks, in their order."""
    if len(hints) <= most:
        return hints
    kept = sorted(range(len(hints)), key=lambda at: (hints[at].rank, at))[:most]
    return [hints[at] for at in sorted(kept)]


def _widths(columns: list[list[Hint]], keys: list[int], cols: int) -> list[int]:
    """As wide as the longest words of each column, the widest narrowed until all fit."""
    widths = [key + 3 + max(cell_len(hint.words) for hint in column) for column, key in zip(columns, keys, strict=True)]
    while sum(widths) > cols and max(widths) > 4:
        widths[widths.index(max(widths))] -= 1
    return widths


def _cut(words: str, width: int) -> str:
    """As much as fits, with an ellipsis if it is cut."""
    return words if cell_len(words) <= width else f"{set_cell_size(words, max(width - 1, 0))}…"
