"""The fallback engine's cells and lines, and how they become rows and come back."""

from itertools import groupby
from typing import Final, NamedTuple

from wcwidth import wcwidth

from fugue_tui.terminal.screen.cells import PLAIN, Row, Run, Style


class Cell(NamedTuple):
    """One cell. `data` is a character with its combining marks, or empty under the right half of a wide one."""

    data: str = " "
    style: Style = PLAIN
    link: str | None = None


BLANK: Final = Cell()


class Line(dict[int, Cell]):
    """One sparse line of cells; what is not stored looks like `default`."""

    __slots__ = ("default", "wrapped")

    def __init__(self, default: Cell = BLANK) -> None:
        super().__init__()
        self.default = default
        self.wrapped = False

    def __missing__(self, column: int) -> Cell:
        return self.default

    def row(self, columns: int) -> Row:
        """The line as runs, without trailing blanks in the default style."""
        cells = [self[x] for x in range(self._end(columns))]
        return Row(tuple(_runs(cells)), self.wrapped)

    def _end(self, columns: int) -> int:
        """The column after the last cell that is not a default blank; blanks before a soft wrap are text."""
        if self.default != BLANK:
            return columns
        end = min(columns, max(self, default=-1) + 1)
        while end and self[end - 1] == BLANK and not self.wrapped:
            end -= 1
        return end

    def cut(self, columns: int) -> None:
        """Drop what lies right of the last column, and half a wide character at it."""
        if self[columns].data == "":
            self[columns - 1] = self[columns - 1]._replace(data=" ")
        for column in [column for column in self if column >= columns]:
            del self[column]

    @classmethod
    def restore(cls, row: Row) -> "Line":
        """The line that a row was made from."""
        line = cls()
        line.wrapped = row.wrapped
        for run in row.runs:
            for char in run.text:
                line._append(char, run)
        return line

    def _append(self, char: str, run: Run) -> None:
        """Put a character behind what is stored, or a mark on top of it."""
        end, width = len(self), wcwidth(char)
        if width <= 0 and end:
            head = end - 1 if self[end - 1].data else end - 2
            self[head] = self[head]._replace(data=self[head].data + char)
            return
        self[end] = Cell(char, run.style, run.link)
        if width == 2:
            self[end + 1] = Cell("", run.style, run.link)

    def is_blank(self) -> bool:
        """Whether nothing shows on the line."""
        return self.default == BLANK and all(cell == BLANK for cell in self.values())


def _runs(cells: list[Cell]) -> list[Run]:
    """Neighbouring cells of one look, joined."""
    runs: list[Run] = []
    for (style, link), group in groupby(cells, key=lambda cell: (cell.style, cell.link)):
        run = list(group)
        runs.append(Run("".join(cell.data for cell in run), style, len(run), link))
    return runs
