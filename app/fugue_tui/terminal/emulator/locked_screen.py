"""What a terminal's lock guards: its emulator, and the counts that go with the emulator's text."""

from typing import TypeAlias

from msgspec import Struct

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.fair_lock import FairLock
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import START, Pin, Point, TextExtract


class LockedScreen(Struct, eq=False):
    """A terminal's emulator and size while the lock is held: `with terminal.locked() as screen`.

    A function that has a LockedScreen as its parameter runs under the lock. Do not keep one after the `with` block."""

    emulator: Emulator
    size: Size
    closed: bool = False
    """Whether the terminal was closed; the emulator's text is then gone."""
    changes: int = 0
    """How often there was output, or another change that a save would contain. Only grows."""
    moves: int = 0
    """How often the view was scrolled. Only grows."""
    newlines: int = 0
    """Line feeds in the output."""
    fed: int = 0
    """Bytes of output."""
    erased: int = 0
    """How often the program erased the scrollback; positions in it are then at its beginning."""

    @property
    def end(self) -> Point:
        """The end of the text: the line below the screen."""
        return Point(self.emulator.scrollback.lines + self.size.rows)

    def clamp(self, at: Point) -> Point:
        """The nearest cell that exists."""
        return Point(min(max(at.line, 0), self.end.line - 1), min(max(at.column, 0), self.size.cols - 1))


ScreenLock: TypeAlias = FairLock[LockedScreen]


def passage(
    emulator: Emulator, start: Pin | int, stop: Pin | int | None = None, *, joined: bool = True, ansi: bool = False
) -> TextExtract:
    """The text from a pin or the beginning of a line up to another, or to the end. Needs the terminal's lock."""
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
