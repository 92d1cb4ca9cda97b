"""Places in a terminal of the fallback engine: rows are counted as they leave into the history, and nothing reflows."""

from itertools import islice

from fugue_tui.terminal.emulator.pending_events import EventSource
from fugue_tui.terminal.pyte.screen import Screen
from fugue_tui.terminal.screen.cells import Row, Run
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.terminal.screen.sgr import write_row


class PyteAnchors(EventSource):
    """The part of the engine that knows places; see `Emulator` for what each method promises."""

    _screen: Screen

    def pin(self, place: Point | None = None) -> Pin:
        """A pin at a place, or where the program writes next. It does not follow rows that are inserted or deleted."""
        screen = self._screen
        kept = len(screen.history)
        place = place or Point(kept + screen.cursor.y, screen.cursor.x)
        counted = _Counted(screen, place.line - kept + screen.pushed, place.column, alternate=screen.alternate)
        return Pin(counted.find, counted.still, self._guard, alternate=screen.alternate)

    def between(self, start: Point, stop: Point, *, joined: bool = True, ansi: bool = False) -> str:
        """The text from one place up to another."""
        if start >= stop:
            return ""
        rows = self._rows_between(start.line, stop.line + 1)
        rows[stop.line - start.line :] = [_cut(row, 0, stop.column) for row in rows[stop.line - start.line :]]
        rows[:1] = [_cut(row, start.column, self._screen.columns) for row in rows[:1]]
        parts: list[str] = []
        for row in rows:
            text = write_row(row).decode() if ansi else "".join(run.text for run in row.runs)
            parts += [text] if joined and row.wrapped else [text, "\n"]
        return "\n".join(line.rstrip() for line in "".join(parts).split("\n")).rstrip()

    def _rows_between(self, start: int, stop: int) -> list[Row]:
        kept = len(self._screen.history)
        rows = self._screen.history_rows(start, stop - start) if start < kept else []
        screen = islice(self._screen.buffer, max(0, start - kept), max(0, stop - kept))
        return rows + [line.row(self._screen.columns) for line in screen]


class _Counted:
    """A row, counted from the first that ever was, and a column."""

    __slots__ = ("_column", "_row", "_screen", "alternate")

    def __init__(self, screen: Screen, row: int, column: int, *, alternate: bool) -> None:
        self._screen, self._row, self._column = screen, row, column
        self.alternate = alternate

    def find(self) -> Point | None:
        return self.still() if self.alternate == self._screen.alternate else None

    def still(self) -> Point | None:
        line = self._row - self._screen.pushed + len(self._screen.history)
        return Point(line, self._column) if line >= 0 else None


def _cut(row: Row, start: int, stop: int) -> Row:
    """The columns of a row from `start` up to `stop`; a wide character belongs to the column it begins in."""
    runs: list[Run] = []
    column = 0
    for run in row.runs:
        inside, column = _inside(run, column, start, stop), column + run.cols
        if inside.text:
            runs.append(inside)
    return Row(tuple(runs), row.wrapped and column <= stop)


def _inside(run: Run, column: int, start: int, stop: int) -> Run:
    """What of a run that begins in a column lies inside."""
    if start <= column and column + run.cols <= stop:
        return run
    text, width = "", 0
    for char, cols in _cells(run.text):
        if start <= column < stop:
            text, width = text + char, width + cols
        column += cols
    return Run(text, run.style, width, run.link)


def _cells(text: str) -> list[tuple[str, int]]:
    """Each character with the marks on it, and its width."""
    from wcwidth import wcwidth

    cells: list[tuple[str, int]] = []
    for char in text:
        width = max(0, wcwidth(char))
        if width or not cells:
            cells.append((char, width))
        else:
            cells[-1] = (cells[-1][0] + char, cells[-1][1])
    return cells
