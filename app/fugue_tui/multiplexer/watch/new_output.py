"""New text on a terminal's screen since some time, wherever the program put it.

Complements the plain text of the output, which has no positions: a row that was painted in pieces, or over existing
text, can only be read from the screen.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from fugue_tui.multiplexer.watch.bookmarks import Bookmark, bookmark
from fugue_tui.terminal.emulator.locked_screen import LockedScreen, passage
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.terminal.screen.width import columns
from fugue_tui.terminal.terminal import Terminal

MOST_ROWS: Final = 12_000
"""Rows read when all output is requested: the newest."""
_STEP: Final = 500
"""Rows read at a time when searching for one text."""
_ACROSS: Final = 100
"""Rows that such a text may span."""
RECENT_ROWS: Final = 200
"""Rows above the screen that are read with it when the last read was recent."""


class OutputStart(Struct, frozen=True, eq=False):
    """The start of new output: where the program was writing, and what the screen showed."""

    pin: Pin
    alternate: bool
    rows_above: int
    """Rows of the screen above the pin's."""
    seen: str
    """The text of the whole screen."""
    lines: frozenset[str]
    """The lines of that text."""
    after: str
    """The text after the pin: usually empty."""
    changes: int
    """The terminal's count of changes."""


class NewOutput(Struct, frozen=True):
    """Text that may be new."""

    text: bytes
    before: str
    """The earlier text: what it contains is not new."""


def start(screen: LockedScreen, pin: Pin | None = None) -> OutputStart:
    """The present state of an open terminal; the caller holds its lock.

    With an earlier pin no further one is made: what was printed since then counts as seen."""
    emulator = screen.emulator
    top, y = emulator.scrollback.lines, emulator.caret[1]
    point = pin.found() if pin else None
    if pin is None or point is None:
        pin, above = emulator.pin(), _lines(emulator, top, top + y)
    else:
        y = max(0, point.line - top)
        above = _lines(emulator, top, top + y)
    whole = _lines(emulator, top, top + emulator.size.rows)
    after = passage(emulator, pin).text
    lines = frozenset([*above, *whole])
    return OutputStart(pin, emulator.modes.alternate_screen, y, "\n".join(whole), lines, after, screen.changes)


def since_bookmark(terminal: Terminal, mark: Bookmark, back: int = 0) -> OutputStart:
    """The state at a bookmark, or at the start of the row `back` rows before it. Acquires the terminal's lock."""
    rows = mark.texts
    if back or mark.behind_is_unread:
        return OutputStart(_before(terminal, mark.pin, back), mark.pin.alternate, 0, "", frozenset(), "", -1)
    after = "\n".join([rows[mark.y][len(mark.head) :], *rows[mark.y + 1 :]]) if mark.y < len(rows) else ""
    seen = "\n".join(rows)
    return OutputStart(mark.pin, mark.pin.alternate, mark.y, seen, frozenset(rows), after.rstrip(), mark.changes)


def _before(terminal: Terminal, pin: Pin, rows: int) -> Pin:
    with terminal.locked() as screen:
        point = None if screen.closed or not rows else pin.found()
        return pin if point is None else screen.emulator.pin(Point(max(0, point.line - rows)))


def behind(terminal: Terminal, since: OutputStart, text: str) -> Bookmark | None:
    """A bookmark after the first occurrence of a text since `since`, or where the program writes now if the text is no
    longer there; None if the terminal is closed. Acquires its lock."""
    with terminal.locked() as screen:
        if screen.closed:
            return None
        emulator = screen.emulator
        alternate = emulator.modes.alternate_screen or since.alternate
        return bookmark(screen, at=None if alternate else _end_of(emulator, since.pin, text.rstrip()))


def here(terminal: Terminal) -> Bookmark | None:
    """A bookmark where the program writes now; None if the terminal is closed. Acquires its lock."""
    with terminal.locked() as screen:
        return None if screen.closed else bookmark(screen)


def _end_of(emulator: Emulator, pin: Pin, text: str) -> Point | None:
    start = pin.found()
    row = _last_row(emulator, start, text) if start and text else None
    if row is None:
        return None
    shown, end = emulator.between(Point(row), Point(row + 1), joined=False), text.rpartition("\n")[2]
    whole = shown.find(end)
    if whole >= 0:
        return Point(row, columns(shown[: whole + len(end)]))
    tail = next((end[at:] for at in range(len(end)) if shown.startswith(end[at:])), "")
    return Point(row, columns(tail)) if tail else None


def _last_row(emulator: Emulator, start: Point, text: str) -> int | None:
    """The row in which the first occurrence of a text after `start` ends; None if there is none."""
    end = emulator.scrollback.lines + emulator.size.rows
    if end - start.line > MOST_ROWS:
        return None
    for first in range(start.line, end, _STEP):
        begin, stop = max(start, Point(max(0, first - _ACROSS))), min(end, first + _STEP)
        if text in emulator.between(begin, Point(stop), joined=True):
            rows = range(first, stop)
            return rows[
                bisect_left(rows, True, key=lambda row: text in emulator.between(begin, Point(row + 1), joined=True))
            ]
    return None


def fresh(terminal: Terminal, since: OutputStart, *, whole: bool = False) -> list[NewOutput]:
    """The new output, all of it (`whole`) or the recent part; empty if the terminal is closed. Acquires its lock."""
    with terminal.locked() as screen:
        if screen.closed:
            return []
        emulator = screen.emulator
        if emulator.modes.alternate_screen:
            return _on_alternate(emulator, since)
        rows = MOST_ROWS if whole else RECENT_ROWS
        return [] if since.alternate else _on_primary(emulator, since, rows)


def _on_alternate(emulator: Emulator, since: OutputStart) -> list[NewOutput]:
    top = emulator.scrollback.lines
    now = _lines(emulator, top, top + emulator.size.rows)
    if not since.alternate:
        return [_block(now, "")]
    return [_block((line for line in now if line not in since.lines), since.seen)]


def _on_primary(emulator: Emulator, since: OutputStart, rows: int) -> list[NewOutput]:
    top = emulator.scrollback.lines
    oldest, end = max(0, top - rows), top + emulator.size.rows
    point = since.pin.found()
    if point is None or point.line < oldest:
        return [_block(_lines(emulator, oldest, end), "")]
    above = _lines(emulator, max(oldest, point.line - since.rows_above), point.line)
    behind = passage(emulator, since.pin).text
    known = frozenset(since.after.split("\n"))
    new = [line for line in behind.split("\n") if line not in known]
    blanks = _blanks(emulator) if new else ""
    return [
        _block((line for line in above if line not in since.lines), since.seen),
        _block(new, since.after),
        *([_block([*new[:-1], new[-1] + blanks], since.after)] if blanks else []),
    ]


def _blanks(emulator: Emulator) -> str:
    """The blanks between the last text of the screen and the cursor, such as a prompt's."""
    x, y = emulator.caret
    row = emulator.scrollback.lines + y
    shown = emulator.between(Point(row), Point(row + 1), joined=False)
    below = Point(emulator.scrollback.lines + emulator.size.rows)
    if not shown or emulator.between(Point(row + 1), below).strip():
        return ""
    return " " * (x - columns(shown))


def _block(lines: Iterable[str], before: str) -> NewOutput:
    return NewOutput("\n".join(lines).encode(errors="replace"), before)


def _lines(emulator: Emulator, start: int, stop: int) -> list[str]:
    return emulator.lines(start, stop, joined=True) if start < stop else []
