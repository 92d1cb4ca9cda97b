"""What may be asked of a terminal's emulator, under its lock, whether or not a program runs behind it.

Text from one place of a terminal to another.
"""

from abc import ABC, abstractmethod

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.fair_lock import FairLock
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.cells import Cursor, Damage, Modes, Row, Scrollback
from fugue_tui.terminal.screen.damage import spans
from fugue_tui.terminal.screen.pins import START, Pin, Point, TextExtract


def passage(
    emulator: Emulator, start: Pin | int, stop: Pin | int | None = None, *, joined: bool = True, ansi: bool = False
) -> TextExtract:
    """The text from a pin or the beginning of a line up to another, or to the end. For who holds the lock."""
    first, last = _place(emulator, start), _place(emulator, stop)
    missed = first is None and isinstance(start, Pin) and start.lost()
    if last is None or (first is None and not missed):
        ended = isinstance(stop, Pin) and last is None and stop.lost()
        return TextExtract(missed=missed or ended, hidden=not (missed or ended))
    begin = first or START
    return TextExtract(emulator.between(begin, last, joined=joined, ansi=ansi), missed, start=begin, stop=last)


def _place(emulator: Emulator, at: Pin | int | None) -> Point | None:
    if isinstance(at, Pin):
        return at.found()
    end = Point(emulator.scrollback.lines + emulator.size.rows)
    return end if at is None else min(end, Point(max(0, at)))


class Looking(ABC):
    """An emulator under one fair lock. After `close` there is nothing to see, and nothing raises."""

    def __init__(self, emulator: Emulator, size: Size) -> None:
        self.lock = FairLock()
        self.emulator = emulator
        self.size = size
        self.changes: int = 0
        """How often there was output, or something else that a save would show: a count that only grows."""
        self.moves: int = 0
        """How often the view was scrolled: a count that only grows."""
        self.newlines: int = 0
        """How many line feeds there were in the output."""
        self.fed: int = 0
        """How many bytes of output there were."""
        self._told = self._closed = False

    @property
    def seen_as(self) -> tuple[int, int]:
        """Equal at two moments if there is nothing to save between them. Any thread, and without waiting."""
        return self.changes, self.moves

    @property
    def closed(self) -> bool:
        """Whether `close` was called; the emulator is then gone."""
        return self._closed

    def refresh(self) -> Damage:
        """Snapshot the screen and say what changed since the last time."""
        with self.lock:
            return Damage() if self._closed else self._refresh()

    def frame(self) -> tuple[Damage, list[bytes], Cursor]:
        """Under one hold of the lock: the damage, its rows as VT text in the order of `damage.rows`, and the cursor."""
        with self.lock:
            if self._closed:
                return Damage(), [], Cursor(0, 0, visible=False)
            damage = self._refresh()
            return damage, self._paint(damage.rows), self.emulator.cursor

    def paint(self) -> list[bytes]:
        """Every row of the snapshot as VT text, whether or not it changed."""
        with self.lock:
            return [] if self._closed else self.emulator.paint(0, self.size.rows)

    def row(self, y: int) -> Row:
        """Viewport row `y` as of the last refresh; only for the thread that refreshes."""
        return Row(()) if self._closed else self.emulator.row(y)

    def scroll(self, lines: int) -> None:
        """Move the view: positive towards older lines."""
        with self.lock:
            if not self._closed:
                self.emulator.scroll(lines)
                self.moves += 1
                self._after_change()

    def scroll_to_bottom(self) -> None:
        """Follow new output again."""
        with self.lock:
            if not self._closed:
                self.emulator.scroll_to_bottom()
                self.moves += 1
                self._after_change()

    @property
    def modes(self) -> Modes:
        """The modes in force now."""
        with self.lock:
            return Modes() if self._closed else self.emulator.modes

    @property
    def scrollback(self) -> Scrollback:
        """How much history there is, and where the view stands in it."""
        with self.lock:
            return Scrollback(0, 0) if self._closed else self.emulator.scrollback

    def lines(self, start: int, stop: int, *, joined: bool = False) -> list[str]:
        """Plain text of lines `start` to `stop`, counted from the oldest kept; see `Emulator.lines`."""
        with self.lock:
            return [] if self._closed else self.emulator.lines(start, stop, joined=joined)

    def pin(self) -> Pin:
        """A pin where the program writes next. Any thread; keep few, and let go of them."""
        with self.lock:
            return self.emulator.pin()

    def text(
        self, start: Pin | int, stop: Pin | int | None = None, *, joined: bool = True, ansi: bool = False
    ) -> TextExtract:
        """The text from a pin or the beginning of a line up to another, or to the end of the screen. Any thread.

        Lines that wrapped softly are one with `joined`; with `ansi` it is VT text."""
        with self.lock:
            return TextExtract() if self._closed else passage(self.emulator, start, stop, joined=joined, ansi=ansi)

    def past(self, lines: int) -> list[Row]:
        """The rows that a view scrolled back by `lines` from the bottom would show, or as far as there is history.

        Any thread; the view itself and its damage stay as they are. Most of the work is done without the lock."""
        with self.lock:
            read = list[Row] if self._closed else self.emulator.past(lines)
        return read()

    def reset(self) -> None:
        """Bring the screen back to its first state, for when a program left it broken."""
        with self.lock:
            if not self._closed:
                self.emulator.reset()
                self.changes += 1
                self._after_change()

    def set_colours(self, fg: int, bg: int) -> None:
        """What programs that ask for the default colours are told; each 0xRRGGBB."""
        with self.lock:
            if not self._closed:
                self.emulator.set_colours(fg, bg)

    def _paint(self, rows: tuple[int, ...]) -> list[bytes]:
        painted: list[bytes] = []
        for first, count in spans(rows):
            painted += self.emulator.paint(first, count)
        return painted

    def _refresh(self) -> Damage:
        self._told = False
        damage = self.emulator.refresh()
        if self.emulator.modes.synchronized:
            self._look_again()
        return damage

    @abstractmethod
    def _after_change(self) -> None:
        """Under the lock: something changed that was not output."""

    @abstractmethod
    def _look_again(self) -> None:
        """Under the lock: an unfinished update is shown after a while anyway, so say then that there is a change."""
