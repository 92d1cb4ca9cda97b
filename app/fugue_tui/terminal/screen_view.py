"""A terminal's screen as one view shows it: the live screen or a part of the scrollback, with a selection of its own.

Views that follow the output share the emulator's snapshots. One that is scrolled back has rows of its own, which are
read again only when its text can have changed, so that it costs nothing while the program goes on printing.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeAlias

from msgspec import Struct

from fugue_tui.geometry import Size
from fugue_tui.terminal.copy_mode.copy_mode import CopyMode
from fugue_tui.terminal.emulator.locked_screen import LockedScreen, ScreenLock
from fugue_tui.terminal.emulator.protocol import Emulator, ViewportRows
from fugue_tui.terminal.screen.cells import Cursor, Damage, Row, Scrollback
from fugue_tui.terminal.screen.damage import compare, spans
from fugue_tui.terminal.screen.footer import Footer
from fugue_tui.terminal.screen.images import Image, Pixels, Placement
from fugue_tui.terminal.screen.pins import Pin
from fugue_tui.terminal.screen.readers import everything
from fugue_tui.terminal.scroll_position import ScrollPosition

_Version: TypeAlias = tuple[Pin | None, Size, int | None]
"""The first line, the size, and of a view that shows a part of the screen the number of its changes."""


class LiveScreen(Struct, frozen=True, eq=False):
    """What the views of one terminal share. Functions with a LockedScreen need the lock."""

    lock: ScreenLock
    screen: LockedScreen
    """What the lock guards, for what the thread that refreshes may read without it."""
    footer: Footer
    looked: Callable[[LockedScreen], None]
    """A view is about to read what it shows: the next change is notified of."""
    refresh: Callable[[LockedScreen, object], Damage]
    """Takes a snapshot of the screen; what changed since the last one that a view took."""
    changed: Callable[[LockedScreen], None]
    """A view shows something else."""


class ScreenView:
    """What one view shows of a terminal. `row` and `cursor` belong to the thread that refreshes, all else to any."""

    def __init__(self, live: LiveScreen, first_line: Pin | None = None) -> None:
        """`first_line` is where it begins to show the scrollback; None to follow the output."""
        self._live, self._lock, self._screen, self._footer = live, live.lock, live.screen, live.footer
        self._position = ScrollPosition(first_line)
        self.copy_mode = CopyMode(live.lock, live.changed, self._position)
        """The selection and the copy-mode cursor."""
        self._picture: ViewportRows | None = None
        """What is shown of the scrollback; None for the live screen."""
        self._version: _Version = (None, Size(0, 0), None)
        self._rows: list[bytes] = []
        self._had_footer = False

    @property
    def scrollback(self) -> Scrollback:
        """The length of the scrollback, and how far the view is scrolled back in it."""
        with self._lock as screen:
            if screen.closed:
                return Scrollback(0, 0)
            return Scrollback(screen.emulator.scrollback.lines, self._position.offset(screen))

    def lent(self, screen: LockedScreen) -> AbstractContextManager[Emulator]:
        """The emulator with its viewport where the view is, until the block ends. Needs an open terminal's lock."""
        return self._position.lent(screen)

    def offset(self, screen: LockedScreen) -> int:
        """How far the view is scrolled back. Needs an open terminal's lock."""
        return self._position.offset(screen)

    # Drawing

    def refresh(self) -> Damage:
        """Take in what the view shows now; what changed since the last time."""
        with self._lock as screen:
            return Damage() if screen.closed else self._refresh(screen)

    def frame(self) -> tuple[Damage, list[bytes], Cursor]:
        """Under one hold of the lock: the damage, its rows as VT text in the order of `damage.rows`, and the cursor."""
        with self._lock as screen:
            if screen.closed:
                return Damage(), [], Cursor(0, 0, visible=False)
            damage = self._refresh(screen)
            return damage, self._paint(screen, damage.rows), self._source(screen).cursor

    def paint(self) -> list[bytes]:
        """Every row as VT text, whether or not it changed."""
        with self._lock as screen:
            return [] if screen.closed else self._paint(screen, tuple(range(screen.size.rows)))

    def row(self, y: int) -> Row:
        """Row `y` as of the last refresh."""
        screen = self._screen
        if screen.closed:
            return Row(())
        return self._footer.over(y, self.copy_mode.highlighted(y, self._source(screen).row(y)), screen.size)

    @property
    def cursor(self) -> Cursor:
        """The program's cursor as of the last refresh."""
        return self._source(self._screen).cursor

    @property
    def images(self) -> tuple[Placement, ...]:
        """Where images are as of the last refresh, lowest first."""
        screen = self._screen
        if screen.closed:
            return ()
        return screen.emulator.images if self._picture is None else self._picture.placements

    @property
    def cell(self) -> tuple[int, int]:
        """Width and height of a cell in the pixels of its images."""
        return self._screen.emulator.graphics.cell

    def pixels(self, image: Image) -> Pixels | None:
        """The pixels of an image, decoded without the lock; None if it is gone, or broken."""
        with self._lock as screen:
            read = None if screen.closed else screen.emulator.pixels(image)
        return read() if read else None

    def _source(self, screen: LockedScreen) -> ViewportRows | Emulator:
        return screen.emulator if self._picture is None else self._picture

    def _refresh(self, screen: LockedScreen) -> Damage:
        self._live.looked(screen)
        offset = self._position.offset(screen)
        damage = self._capture(screen, offset) if offset else self._follow(screen)
        return self.copy_mode.refresh(screen, damage)

    def _follow(self, screen: LockedScreen) -> Damage:
        damage = self._live.refresh(screen, self)
        if self._picture is None:
            return damage
        self._picture, self._rows = None, []
        return everything(screen.size.rows)

    def _capture(self, screen: LockedScreen, offset: int) -> Damage:
        """Read the rows of a view that is scrolled back, if they can have changed. A synchronized update is not shown
        before it is finished."""
        rows, place = screen.size.rows, (self._position.pin, screen.size)
        shown = self._picture is not None and self._version[:2] == place
        version = (*place, screen.changes if offset < rows else None)
        damage = Damage()
        if not shown or (version != self._version and not screen.emulator.synchronized):
            with self._position.lent(screen) as emulator:
                self._picture = emulator.capture()
            before, self._rows, self._version = self._rows, self._picture.rows, version
            damage = compare(before, self._rows)
        return self._with_footer(damage, rows)

    def _with_footer(self, damage: Damage, rows: int) -> Damage:
        had, self._had_footer = self._had_footer, self._footer.is_shown
        if damage.full or not (had or self._had_footer):
            return damage
        rows_of_footer = {rows - 1, rows - 1 - damage.shift}
        return Damage(False, tuple(sorted(rows_of_footer.union(damage.rows))), damage.shift)

    def _paint(self, screen: LockedScreen, rows: tuple[int, ...]) -> list[bytes]:
        painted: list[bytes] = []
        for first, count in spans(rows):
            painted += (
                screen.emulator.paint(first, count) if self._picture is None else self._rows[first : first + count]
            )
        row = self._source(screen).row
        self.copy_mode.paint(row, rows, painted)
        last = screen.size.rows - 1
        self._footer.paint(screen.size, rows, painted, lambda: self.copy_mode.highlighted(last, row(last)))
        return painted

    # Scrolling

    def scroll(self, lines: int) -> None:
        """Scroll the view: positive towards older lines."""
        self._scroll(lambda emulator: emulator.scroll(lines))

    def scroll_to_bottom(self) -> None:
        """Follow new output again."""
        self._scroll(lambda emulator: emulator.scroll_to_bottom())

    def _scroll(self, scroll: Callable[[Emulator], None]) -> None:
        with self._lock as screen:
            if screen.closed:
                return
            with self._position.lent(screen) as emulator:
                scroll(emulator)
                self._position.keep(screen, held=self.copy_mode.reads)
            screen.moves += 1
            self._live.changed(screen)
