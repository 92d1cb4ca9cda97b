"""A selection of a terminal's text. It follows its text, and is dropped once the text is gone.

Every method needs the terminal's lock.
"""

from fugue_tui.geometry import Size
from fugue_tui.terminal.copy_mode.text_units import TextSpan, Unit, span_at
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import Pin, Point


class Selection:
    """The range between two pins, and the part of its text that the program can still overwrite."""

    def __init__(self, emulator: Emulator, at: Point, unit: Unit = Unit.CHARACTER) -> None:
        """Starts with the unit at a position."""
        self._emulator = emulator
        self.unit = unit
        """What the selection grows by."""
        self._rectangle = False
        self.where: TextSpan | None = span_at(emulator, at, unit)
        """Where it was at the last update; None if the other screen was in front."""
        self._anchor = self._ends = self._pinned(self.where)
        self._keep(self.where)

    def _pinned(self, where: TextSpan) -> tuple[Pin, Pin]:
        return self._emulator.pin(where.first), self._emulator.pin(where.last)

    def _found(self, pins: tuple[Pin, Pin]) -> TextSpan | None:
        first, last = pins[0].found(), pins[1].found()
        if first is None or last is None or first > last:
            return None
        return TextSpan(first, last, self._rectangle)

    def shape(self, to: Point, *, rectangle: bool) -> None:
        """Make it a rectangle or not, from its anchor to a position."""
        self._rectangle = rectangle
        self.extend(to)

    def swap(self, at: Point) -> Point | None:
        """Turn it around: the end where the cursor is becomes the anchor. Where the other end is."""
        anchor = self._found(self._anchor)
        if anchor is None:
            return None
        self._anchor = self._pinned(span_at(self._emulator, at, self.unit))
        self.extend(anchor.first)
        return anchor.first

    def extend(self, to: Point, unit: Unit | None = None) -> None:
        """Extend it from its anchor to a position, by whole units; a unit given here is kept."""
        self.unit = unit or self.unit
        anchor = self._found(self._anchor)
        if anchor is None:
            return
        if unit is not None:
            anchor = span_at(self._emulator, anchor.first, unit)
        end = span_at(self._emulator, to, self.unit)
        self.where = (_box if self._rectangle else _run)(anchor, end)
        self._ends = self._pinned(self.where)
        self._keep(self.where)

    def _keep(self, where: TextSpan) -> None:
        """Remember what is selected: where it is, and its text as far as it is on the screen."""
        self._unsure = False
        self._shape = _shape(where)
        self._settled = self._past(where)
        self._text = self._below(where, self._settled)

    def _past(self, where: TextSpan) -> int:
        """How many of its rows are in the history, where nothing is written over."""
        return max(0, min(where.rows, self._emulator.scrollback.lines - where.first.line))

    def _below(self, where: TextSpan, rows: int) -> str:
        """The text without the first rows, row by row."""
        if rows >= where.rows:
            return ""
        if where.rectangle:
            return "\n".join(self._rows(where, rows))
        start = Point(where.first.line + rows) if rows else where.first
        return self._emulator.between(start, where.stop, joined=False)

    def _rows(self, where: TextSpan, skipped: int = 0) -> list[str]:
        """The rows of a rectangle, without the first ones."""
        lines = range(where.first.line + skipped, where.last.line + 1)
        left, stop = where.first.column, where.stop.column
        return [self._emulator.between(Point(line, left), Point(line, stop), joined=False) for line in lines]

    def look(self) -> bool:
        """Update its position; False if its text was overwritten, cleared or pruned."""
        now = self.where = self._found(self._ends)
        if now is None:
            return self._is_hidden
        if self._unsure:
            self._keep(now)
            return True
        past = self._past(now)
        if _shape(now) != self._shape or past < self._settled or self._below(now, self._settled) != self._text:
            return False
        if past > self._settled:
            self._text = "\n".join(self._text.split("\n")[past - self._settled :])
            self._settled = past
        return True

    @property
    def _is_hidden(self) -> bool:
        """Whether it has no position only because the other screen is in front."""
        return all(pin.found() is None and not pin.lost() for pin in self._ends)

    def resized(self, before: str) -> bool:
        """The terminal has another size, and its text may wrap elsewhere; False if what was selected `before`, as
        `text` gave it, is not all that there is between its ends now."""
        now = self.where = self._found(self._ends)
        if now is None:
            self._unsure = True
            return self._is_hidden
        self._keep(now)
        return self.text() == before

    def text(self) -> str:
        """What is selected, rows that wrapped joined except in a rectangle; empty while the other screen is in front.
        Untrusted."""
        if self.where is not None and self.where.rectangle:
            return "\n".join(self._rows(self.where)).rstrip("\n")
        return self._emulator.between(self.where.first, self.where.stop) if self.where is not None else ""

    def marks(self, top: int, size: Size) -> dict[int, tuple[int, int]]:
        """For a view whose first row is the line `top`: from which to which column each row is selected."""
        where = self.where
        if where is None:
            return {}
        lines = range(max(top, where.first.line), min(top + size.rows, where.last.line + 1))
        return {line - top: _columns(where, line, size.cols) for line in lines}


def _shape(where: TextSpan) -> tuple[int, int, int]:
    return where.rows, where.first.column, where.last.column


def _run(one: TextSpan, other: TextSpan) -> TextSpan:
    return TextSpan(min(one.first, other.first), max(one.last, other.last))


def _box(one: TextSpan, other: TextSpan) -> TextSpan:
    """The rectangle around two spans."""
    ends = (one.first, one.last, other.first, other.last)
    lines, columns = [end.line for end in ends], [end.column for end in ends]
    return TextSpan(Point(min(lines), min(columns)), Point(max(lines), max(columns)), rectangle=True)


def _columns(where: TextSpan, line: int, cols: int) -> tuple[int, int]:
    if where.rectangle:
        return where.first.column, where.stop.column
    start = where.first.column if line == where.first.line else 0
    return start, where.stop.column if line == where.last.line else cols
