"""What a person points at in a terminal's text: a selection, and while they read back a cursor of their own.

Both follow the text, and the selection is part of what the terminal shows.
"""

from abc import ABC
from dataclasses import dataclass
from typing import TypeAlias

from fugue_tui.geometry import Size
from fugue_tui.terminal.copy_mode.motions import Motion
from fugue_tui.terminal.copy_mode.selection import Selection
from fugue_tui.terminal.copy_mode.text_units import TextSpan, Unit
from fugue_tui.terminal.emulator.locked import Looking
from fugue_tui.terminal.screen.cells import Cursor, Damage, Row
from fugue_tui.terminal.screen.highlight import highlight
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.terminal.screen.sgr import write_row

Marks: TypeAlias = dict[int, tuple[int, int]]
"""Rows of the view, each with the columns from which up to which it is selected."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the view, counted from 0; what lies outside of it counts as its edge."""

    x: int
    y: int


class Selecting(Looking, ABC):
    """A terminal in which text can be selected. Any thread, unless something else is said."""

    _selection: Selection | None = None
    _marks: Marks = {}  # noqa: RUF012  (never changed, only replaced)
    _reader: Pin | None = None

    # What is selected

    @property
    def selected(self) -> TextSpan | None:
        """Where the selected text is; None if there is none, or it is behind another screen."""
        with self.lock:
            return self.selection_now()

    def selection_now(self) -> TextSpan | None:
        """`selected`, for who holds the lock."""
        selection = self._check()
        return selection.where if selection is not None else None

    def marks_now(self) -> Marks:
        """What of the view is selected, for who holds the lock."""
        selection = self._check()
        return selection.marks(self.emulator.scrollback.top, self.size) if selection is not None else {}

    @property
    def selected_text(self) -> str:
        """What is selected, with rows that wrapped joined; empty if nothing is. Untrusted."""
        with self.lock:
            selection = self._check()
            return selection.text() if selection is not None else ""

    @property
    def shows_selection(self) -> bool:
        """Whether selected text was in sight when the screen was looked at last."""
        return bool(self._marks)

    def select(self, at: Point | Cell, unit: Unit = Unit.CHARACTER) -> None:
        """Begin to select at a place, or at a cell of the view: nothing else is selected any more."""
        with self.lock:
            if not self._closed:
                self._selection = Selection(self.emulator, self._place(at), unit)
                self._after_change()

    def extend(self, to: Point | Cell, unit: Unit | None = None) -> None:
        """Select up to there from where it was begun, by other units from now on if one is named."""
        with self.lock:
            if not self._closed and self._selection is not None:
                self._selection.extend(self._place(to), unit)
                self._after_change()

    def deselect(self) -> bool:
        """Select nothing; whether something was."""
        with self.lock:
            if self._selection is None:
                return False
            self._selection = None
            if not self._closed:
                self._after_change()
            return True

    def _place(self, at: Point | Cell) -> Point:
        """A place among the lines that there are."""
        bar, size = self.emulator.scrollback, self.emulator.size
        if isinstance(at, Cell):
            at = Point(bar.top + min(max(at.y, 0), size.rows - 1), at.x)
        return Point(
            min(max(at.line, 0), bar.lines + size.rows - 1),
            min(max(at.column, 0), size.cols - 1),
        )

    def _check(self) -> Selection | None:
        """Find the selection, or that it is over; a program that is in the midst of an update may yet put it back."""
        selection = self._selection
        if selection is not None and (self._closed or not (self.emulator.modes.synchronized or selection.look())):
            selection = self._selection = None
        return selection

    def pin_at(self, at: Cell) -> Pin:
        """A pin at a cell of the view; let go of it soon."""
        with self.lock:
            return self.emulator.pin(self._place(at))

    # The cursor of who reads back

    @property
    def reads(self) -> bool:
        """Whether there is a cursor for reading."""
        return self._reader is not None

    @property
    def reader(self) -> Cursor | None:
        """Where the person's own cursor is in the view; None if there is none. It may be out of sight."""
        with self.lock:
            if self._reader is None or self._closed:
                return None
            place = self._reader.found()
            if place is None:
                return Cursor(0, 0, visible=False, styled=True)
            bar, size = self.emulator.scrollback, self.emulator.size
            y = place.line - bar.top
            return Cursor(min(place.column, size.cols - 1), max(y, 0), visible=0 <= y < size.rows, styled=True)

    def read(self, motion: Motion) -> Point | None:
        """Have a cursor for reading, or move it, and keep it in sight; where it is then. The motion is asked under the
        lock; None if the terminal is closed."""
        with self.lock:
            if self._closed:
                return None
            place = self._place(motion(self.emulator, self._reading_from()))
            self._reader = self.emulator.pin(place)
            top, size = self.emulator.scrollback.top, self.emulator.size
            if place.line < top:
                self.emulator.scroll(top - place.line)
            elif place.line >= top + size.rows:
                self.emulator.scroll(top + size.rows - 1 - place.line)
            self._after_change()
            return place

    def _reading_from(self) -> Point:
        """Where the cursor is; at first where the program's own is, or at the view's edge if that is out of sight."""
        bar, size = self.emulator.scrollback, self.emulator.size
        place = self._reader.found() if self._reader is not None else None
        if place is None:
            x, y = self.emulator.caret
            place = Point(bar.lines + y, x)
        if self._reader is None and place.line >= bar.top + size.rows:
            return Point(bar.top + size.rows - 1)
        return place

    def leave(self) -> None:
        """Have no cursor for reading any more."""
        with self.lock:
            self._reader = None
            if not self._closed:
                self._after_change()

    # Drawing

    def row(self, y: int) -> Row:
        """Viewport row `y` as of the last refresh; only for the thread that refreshes."""
        row, mark = super().row(y), self._marks.get(y)
        return highlight(row, *mark) if mark and not self._closed else row

    def paint(self) -> list[bytes]:
        """Every row of the snapshot as VT text, whether or not it changed."""
        with self.lock:
            return [] if self._closed else self._paint(tuple(range(self.size.rows)))

    def _paint(self, rows: tuple[int, ...]) -> list[bytes]:
        painted = super()._paint(rows)
        if self._marks:
            for index, y in enumerate(rows):
                if mark := self._marks.get(y):
                    painted[index] = write_row(highlight(self.emulator.row(y), *mark))
        return painted

    def _refresh(self) -> Damage:
        damage = super()._refresh()
        return self._mark(damage) if self._selection is not None or self._marks else damage

    def _mark(self, damage: Damage) -> Damage:
        """The damage with the rows that are selected otherwise than they were."""
        old, self._marks = self._marks, self.marks_now()
        new = self._marks
        if damage.full:
            return damage
        moved = {y - damage.shift: mark for y, mark in old.items()}
        changed = {y for y in moved.keys() | new.keys() if moved.get(y) != new.get(y) and 0 <= y < self.size.rows}
        return Damage(False, tuple(sorted(changed.union(damage.rows))), damage.shift) if changed else damage

    # For who changes the size

    def _resize(self, size: Size) -> None:
        """Under the lock: give the emulator another size; what is selected stays so if all of it is still there."""
        selection = self._check()
        text = selection.text() if selection is not None else ""
        self.emulator.resize(size)
        if selection is not None and not selection.resized(text):
            self._selection = None
