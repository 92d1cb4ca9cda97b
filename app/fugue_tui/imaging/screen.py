"""A screen as it is drawn: rows of cells, and the cursor. Pure values, cut from an emulator's rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fugue_tui.terminal.screen.cells import PLAIN, Cursor, Row, Run, Style
from fugue_tui.terminal.screen.width import characters


@dataclass(frozen=True, slots=True)
class Cell:
    """One character with its place. Wide characters take two columns and are one cell."""

    x: int
    text: str
    cols: int
    style: Style


@dataclass(frozen=True, slots=True)
class Screen:
    """What a picture shows."""

    cols: int
    rows: tuple[Row, ...]
    cursor: Cursor | None = None
    """None, or where a visible cursor is drawn."""

    @property
    def text(self) -> str:
        """The rows as lines."""
        return "\n".join(row.text for row in self.rows)


def cells(row: Row, cols: int) -> Iterator[Cell]:
    """The cells of a row that lie within `cols`, left to right; blanks past its last run are left out."""
    x = 0
    for run in row.runs:
        for text, width in characters(run):
            if x + width > cols:
                return
            yield Cell(x, text, width, run.style)
            x += width


def plain(lines: Sequence[str], cols: int) -> Screen:
    """Lines of text without styles, as a screen."""
    from wcwidth import wcswidth

    rows = tuple(Row((Run(line, PLAIN, max(wcswidth(line), 0)),) if line else ()) for line in lines)
    return Screen(cols, rows)
