"""The input of the renderers: rows of cells, and the cursor. Pure values, copied from an emulator."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from fugue_tui.terminal.screen.cells import PLAIN, Cursor, Row, Run, Style
from fugue_tui.terminal.screen.images import Area, Pixels
from fugue_tui.terminal.screen.width import characters


class Cell(Struct, frozen=True):
    """One character at its column. A wide character is one cell of two columns."""

    x: int
    text: str
    cols: int
    style: Style


class PaneImage(Struct, frozen=True):
    """A part of an image that a program printed, and where it is, in cells and parts of them."""

    x: float
    y: float
    cols: float
    rows: float
    pixels: Pixels
    source: Area


class Screen(Struct, frozen=True):
    """The rows and the cursor of an image."""

    cols: int
    rows: tuple[Row, ...]
    cursor: Cursor | None = None
    """The position of a visible cursor; None to draw none."""
    images: tuple[PaneImage, ...] = ()
    """Above the text, lowest first."""

    @property
    def text(self) -> str:
        """The rows as lines."""
        return "\n".join(row.text for row in self.rows)


def cells(row: Row, cols: int) -> Iterator[Cell]:
    """The cells of a row within `cols`, left to right; trailing blanks are omitted."""
    x = 0
    for run in row.runs:
        for text, width in characters(run):
            if x + width > cols:
                return
            yield Cell(x, text, width, run.style)
            x += width


def plain(lines: Sequence[str], cols: int) -> Screen:
    """A screen of unstyled lines of text."""
    from wcwidth import wcswidth

    rows = tuple(Row((Run(line, PLAIN, max(wcswidth(line), 0)),) if line else ()) for line in lines)
    return Screen(cols, rows)
