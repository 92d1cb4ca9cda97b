"""Text from one place of a terminal to another."""

from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import START, Passage, Pin, Place


def passage(
    emulator: Emulator, start: Pin | int, stop: Pin | int | None = None, *, joined: bool = True, ansi: bool = False
) -> Passage:
    """The text from a pin or the beginning of a line up to another, or to the end. For who holds the lock."""
    first, last = _place(emulator, start), _place(emulator, stop)
    missed = first is None and isinstance(start, Pin) and start.lost()
    if last is None or (first is None and not missed):
        ended = isinstance(stop, Pin) and last is None and stop.lost()
        return Passage(missed=missed or ended, hidden=not (missed or ended))
    begin = first or START
    return Passage(emulator.between(begin, last, joined=joined, ansi=ansi), missed, start=begin, stop=last)


def _place(emulator: Emulator, at: Pin | int | None) -> Place | None:
    if isinstance(at, Pin):
        return at.found()
    end = Place(emulator.scrollback.lines + emulator.size.rows)
    return end if at is None else min(end, Place(max(0, at)))
