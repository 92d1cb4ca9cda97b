"""Copy mode in one view of a terminal: the selection, and the user's own cursor in the scrollback.

Both follow the text, and the selection is part of what the view shows.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from fugue_tui.terminal.copy_mode.motions import Motion
from fugue_tui.terminal.copy_mode.selection import Selection
from fugue_tui.terminal.copy_mode.text_units import TextSpan, Unit
from fugue_tui.terminal.emulator.locked_screen import LockedScreen, ScreenLock
from fugue_tui.terminal.screen.cells import Cursor, Damage, Row
from fugue_tui.terminal.screen.highlight import Mark, marked
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.terminal.screen.sgr import write_row
from fugue_tui.terminal.scroll_position import ScrollPosition

Highlights: TypeAlias = dict[int, tuple[int, int]]
"""Rows of the view, each with the columns from which up to which it is selected."""
Overlay: TypeAlias = Callable[[LockedScreen], Mapping[int, Sequence[Mark]]]
"""Gives the rows of the view what else is marked in them, such as the matches of a search."""


class Cell(Struct, frozen=True):
    """A cell of the view, counted from 0; a cell outside counts as the nearest one inside."""

    x: int
    y: int


class CopyMode:
    """The selection and the copy-mode cursor of one view of a terminal. Any thread.

    Methods with a LockedScreen need the terminal's lock; all others acquire it."""

    def __init__(self, lock: ScreenLock, changed: Callable[[LockedScreen], None], position: ScrollPosition) -> None:
        """`changed` is called under the lock after every change; `position` is where the view is."""
        self._lock = lock
        self._changed = changed
        self._position = position
        self._selection: Selection | None = None
        self._marks: dict[int, tuple[Mark, ...]] = {}
        self._cursor: Pin | None = None
        self._overlay: Overlay | None = None
        self._overlaid: Mapping[int, Sequence[Mark]] = {}
        self.label = ""
        """What copy mode does here, in a word or two, for the pane's title; empty outside it."""

    # Selection

    @property
    def selected(self) -> TextSpan | None:
        """Where the selected text is; None if there is none, or it is on the screen that is not in front."""
        with self._lock as screen:
            return self.span(screen)

    def span(self, screen: LockedScreen) -> TextSpan | None:
        """The same under the lock."""
        selection = self._find(screen)
        return selection.where if selection is not None else None

    def highlights(self, screen: LockedScreen) -> Highlights:
        """The selected part of the view."""
        selection = self._find(screen)
        return selection.marks(self._position.top(screen), screen.size) if selection is not None else {}

    @property
    def selected_text(self) -> str:
        """The selected text, with wrapped rows joined; empty if there is none. Untrusted."""
        with self._lock as screen:
            selection = self._find(screen)
            return selection.text() if selection is not None else ""

    @property
    def shows_selection(self) -> bool:
        """Whether the last snapshot of the screen contains selected text."""
        return self._selection is not None and bool(self._marks)

    def select(self, at: Point | Cell, unit: Unit = Unit.CHARACTER) -> None:
        """Start a new selection at a position or at a cell of the view."""
        with self._lock as screen:
            if not screen.closed:
                self._selection = Selection(screen.emulator, self._point(screen, at), unit)
                self._changed(screen)

    def extend(self, to: Point | Cell, unit: Unit | None = None) -> None:
        """Extend the selection from its anchor to here; a unit changes what it grows by."""
        with self._lock as screen:
            if not screen.closed and self._selection is not None:
                self._selection.extend(self._point(screen, to), unit)
                self._changed(screen)

    def shape(self, to: Point | Cell, *, rectangle: bool) -> None:
        """Make the selection a rectangle from its anchor to here, or no rectangle."""
        with self._lock as screen:
            if not screen.closed and self._selection is not None:
                self._selection.shape(self._point(screen, to), rectangle=rectangle)
                self._changed(screen)

    def swap(self, at: Point) -> Point | None:
        """Turn the selection around, which is extended from the cursor's end from now on; where its other end is."""
        with self._lock as screen:
            if screen.closed or self._selection is None:
                return None
            other = self._selection.swap(at)
            self._changed(screen)
            return other

    def deselect(self) -> bool:
        """Clear the selection; whether there was one."""
        with self._lock as screen:
            if self._selection is None:
                return False
            self._selection = None
            if not screen.closed:
                self._changed(screen)
            return True

    def pin_at(self, at: Cell) -> Pin:
        """A pin at a cell of the view; release it soon."""
        with self._lock as screen:
            return screen.emulator.pin(self._point(screen, at))

    def _find(self, screen: LockedScreen) -> Selection | None:
        """Update the selection, and drop it if its text is gone; a synchronized update may still restore the text."""
        selection = self._selection
        if selection is not None and (screen.closed or not (screen.emulator.synchronized or selection.look())):
            selection = self._selection = None
        return selection

    # The copy-mode cursor

    @property
    def reads(self) -> bool:
        """Whether there is a copy-mode cursor."""
        return self._cursor is not None

    @property
    def reader(self) -> Cursor | None:
        """The copy-mode cursor in the view; None if there is none. It may be outside the view."""
        with self._lock as screen:
            if self._cursor is None or screen.closed:
                return None
            at = self._cursor.found()
            if at is None:
                return Cursor(0, 0, visible=False, styled=True)
            size, y = screen.size, at.line - self._position.top(screen)
            return Cursor(min(at.column, size.cols - 1), max(y, 0), visible=0 <= y < size.rows, styled=True)

    def read(self, motion: Motion) -> Point | None:
        """Move the copy-mode cursor, or create it, and scroll it into view; its position, None if the terminal is
        closed. The motion is called under the lock."""
        with self._lock as screen:
            if screen.closed:
                return None
            with self._position.lent(screen) as emulator:
                at = screen.clamp(motion(emulator, self._start(screen)))
                self._cursor = emulator.pin(at)
                top, rows = emulator.scrollback.top, screen.size.rows
                if at.line < top:
                    emulator.scroll(top - at.line)
                elif at.line >= top + rows:
                    emulator.scroll(top + rows - 1 - at.line)
                self._position.keep(screen, held=True)
            self._changed(screen)
            return at

    def _start(self, screen: LockedScreen) -> Point:
        """Where the cursor is, or the view's first row if its text is gone; initially at the program's cursor, or at
        the view's edge if that is outside the view."""
        bar, rows = screen.emulator.scrollback, screen.size.rows
        at = self._cursor.found() if self._cursor is not None else None
        if at is None and self._cursor is not None:
            return Point(bar.top)
        if at is None:
            x, y = screen.emulator.caret
            at = Point(bar.lines + y, x)
        if self._cursor is None and at.line >= bar.top + rows:
            return Point(bar.top + rows - 1)
        return at

    def place(self) -> Point | None:
        """Where the cursor is; None if there is none. Needs the lock."""
        return self._cursor.found() if self._cursor is not None else None

    def pin(self) -> Pin | None:
        """A pin where the cursor is; None if there is none."""
        with self._lock as screen:
            at = None if screen.closed else self.place()
            return screen.emulator.pin(at) if at is not None else None

    def leave(self) -> None:
        """Remove the copy-mode cursor, and what is marked besides the selection."""
        with self._lock as screen:
            self._cursor = self._overlay = None
            if not screen.closed:
                if not self._position.offset(screen):
                    self._position.pin = None
                self._changed(screen)

    # Drawing

    def set_overlay(self, overlay: Overlay | None) -> Overlay | None:
        """Mark more than the selection from now on; called under the lock for every snapshot. The one before."""
        with self._lock as screen:
            before, self._overlay = self._overlay, overlay
            if not screen.closed:
                self._changed(screen)
            return before

    def highlighted(self, y: int, row: Row) -> Row:
        """Row `y` of the last snapshot with its selected part in reverse video, and what else is marked."""
        marks = self._marks.get(y)
        return marked(row, marks) if marks else row

    def paint(self, row: Callable[[int], Row], rows: tuple[int, ...], painted: list[bytes]) -> None:
        """Replace the rows of the last snapshot, which `row` gives, in which something is marked."""
        if self._marks:
            for index, y in enumerate(rows):
                if marks := self._marks.get(y):
                    painted[index] = write_row(marked(row(y), marks))

    def refresh(self, screen: LockedScreen, damage: Damage) -> Damage:
        """The damage of a new snapshot with the rows whose marks changed."""
        if self._selection is None and self._overlay is None and not self._marks:
            return damage
        old, self._marks = self._marks, self._marked_rows(screen)
        new = self._marks
        if damage.full:
            return damage
        moved = {y - damage.shift: marks for y, marks in old.items()}
        changed = {y for y in moved.keys() | new.keys() if moved.get(y) != new.get(y) and 0 <= y < screen.size.rows}
        return Damage(False, tuple(sorted(changed.union(damage.rows))), damage.shift) if changed else damage

    def _marked_rows(self, screen: LockedScreen) -> dict[int, tuple[Mark, ...]]:
        if self._overlay is None:
            self._overlaid = {}
        elif not screen.emulator.synchronized:
            with self._position.lent(screen):
                self._overlaid = self._overlay(screen)
        selected = {y: (Mark(*columns),) for y, columns in self.highlights(screen).items()}
        return {y: (*self._overlaid.get(y, ()), *selected.get(y, ())) for y in self._overlaid.keys() | selected.keys()}

    def resize(self, screen: LockedScreen) -> Callable[[], None]:
        """The emulator is about to be resized; what is to be called then. The selection is kept if all of its text
        remains."""
        selection, at_bottom = self._find(screen), not self._position.offset(screen)
        text = selection.text() if selection is not None else ""

        def resized() -> None:
            if at_bottom:
                self._position.keep(screen, held=self.reads)
            if selection is not None and not selection.resized(text):
                self._selection = None

        return resized

    def _point(self, screen: LockedScreen, at: Point | Cell) -> Point:
        """An existing position of the text."""
        if isinstance(at, Cell):
            at = Point(self._position.top(screen) + min(max(at.y, 0), screen.size.rows - 1), at.x)
        return screen.clamp(at)
