"""The panel that opens after the prefix and lists what each key does."""

from typing import Final, TypeAlias

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
    """Those of the lowest ranks come first where there is no room for all."""


_GAP: Final = 2
"""Cells between two columns."""
_Columns: TypeAlias = list[list[Hint]]


class WhichKey(ErrorBoundary, Static):
    """A list of keys in as many columns as fit with all their words; if they are too many, on pages, of which the first
    has the most important. Hidden until `show`."""

    DEFAULT_CSS = """
    WhichKey {
        display: none; dock: bottom; layer: overlay; height: auto; max-height: 100%;
        margin: 0 0 1 0; padding: 0 1; background: $surface; color: $foreground;
        border-top: heavy $primary; border-title-color: $primary; border-subtitle-color: $primary;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._pages: list[_Columns] = []
        self._page = 0
        self._title = ""

    def show(self, hints: list[Hint], cols: int, rows: int, title: str) -> None:
        """List the hints; `cols` is the width to fill, `rows` the height of the screen."""
        self._pages, self._page, self._title = _paged(hints, max(cols - 2, 10), max(rows - 2, 1)), 0, title
        self._draw()
        self.display = True

    def turn(self) -> bool:
        """Show the next page, after the last the first again; whether there are several."""
        if not self.display or len(self._pages) < 2:
            return False
        self._page = (self._page + 1) % len(self._pages)
        self._draw()
        return True

    def hide(self) -> None:
        """Close the panel."""
        self.display = False

    def _draw(self) -> None:
        more = f" · Tab: more, {self._page + 1} of {len(self._pages)}" if len(self._pages) > 1 else ""
        self.border_title = Content(f" {self._title}{more} ")
        columns = self._pages[self._page] if self._pages else []
        self.update(_table(columns, max(len(column) for page in self._pages for column in page) if self._pages else 0))


def _table(columns: _Columns, rows: int) -> Table:
    """The columns, as many rows high as the highest page."""
    table = Table.grid(padding=0)
    for column in columns[:-1]:
        table.add_column(width=_width(column), no_wrap=True)
    table.add_column(no_wrap=True)
    for row in range(rows):
        table.add_row(*(_cell(column, row) for column in columns))
    return table


def _cell(column: list[Hint], row: int) -> Text:
    if row >= len(column):
        return Text("")
    text = Text(set_cell_size(column[row].key, _key_width(column)), "bold")
    return text.append(f" {column[row].words}", "not bold")


def _paged(hints: list[Hint], cols: int, most: int) -> list[_Columns]:
    """Pages of columns of at most so many rows, each as wide as its words: the first with those of the lowest ranks."""
    pages: list[_Columns] = []
    while hints:
        kept = next(
            found for count in range(len(hints), 0, -1) if (found := _columns(_first(hints, count), cols, most))
        )
        pages.append(kept)
        shown = {hint for column in kept for hint in column}
        hints = [hint for hint in hints if hint not in shown]
    return pages


def _columns(hints: list[Hint], cols: int, most: int) -> _Columns:
    """The hints in columns, as many as fit; empty if not all hints fit."""
    for rows in range(1, min(len(hints), most) + 1):
        columns = [hints[at : at + rows] for at in range(0, len(hints), rows)]
        lone = len(columns[-1]) * 3 < rows and -(-len(hints) // (len(columns) - 1)) <= most
        if not lone and (sum(map(_width, columns)) - _GAP <= cols or len(hints) == 1):
            return columns
    return []


def _first(hints: list[Hint], count: int) -> list[Hint]:
    """So many hints, those of the lowest ranks, in their order."""
    kept = sorted(range(len(hints)), key=lambda at: (hints[at].rank, at))[:count]
    return [hints[at] for at in sorted(kept)]


def _key_width(column: list[Hint]) -> int:
    return max(cell_len(hint.key) for hint in column)


def _width(column: list[Hint]) -> int:
    """The cells of a column with all its words."""
    return _key_width(column) + 1 + max(cell_len(hint.words) for hint in column) + _GAP
