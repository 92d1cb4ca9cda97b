"""Bookmarks: opaque tokens for positions in a pane's output, kept between calls.

A bookmark is a pin and the contents of the screen at that time; its token is the `cursor` of commands. The newest few
of each terminal are kept, as long as the terminal.
"""

import os
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from functools import cached_property
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary

from msgspec import Struct

from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.sanitize import clean
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.screen.pins import START, Pin, Point
from fugue_tui.terminal.terminal import Terminal

KEPT: Final = 16
"""Bookmarks kept per terminal: each slows its engine a little."""
BRIEF: Final = 4
"""Brief bookmarks among them, which are used soon or never."""


class CapturedRows:
    """The rows of a screen at one time. Any thread."""

    def __init__(self, read: Callable[[], list[Row]]) -> None:
        self._read: Callable[[], list[Row]] | None = read
        self._lock = Lock()

    @cached_property
    def _rows(self) -> tuple[Row, ...]:
        read, self._read = self._read, None
        return tuple(read()) if read is not None else ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows, decoded on first use."""
        with self._lock:
            return self._rows


class Bookmark(Struct, frozen=True, eq=False):
    """A position in a terminal's text, and the state of the terminal at that time."""

    pin: Pin
    """Where reading continues."""
    behind: "Bookmark | None"
    """On the alternate screen, the newest bookmark of the primary one; else None."""
    changes: int
    """The terminal's count of changes; -1 if existing text follows the position."""
    newlines: int
    """The terminal's count of line feeds."""
    erased: int
    """How often the terminal's scrollback had been erased."""
    size: Size
    y: int
    """The screen's row of the position."""
    head: str
    """The text of that row before the position."""
    texts: tuple[str, ...]
    """The screen's rows as text; only those above the position if existing text follows it."""
    seen: CapturedRows
    """The screen's rows at that time."""

    @property
    def behind_is_unread(self) -> bool:
        """Whether existing text follows the position."""
        return self.changes < 0


def bookmark(screen: LockedScreen, old: Bookmark | None = None, at: Point | None = None) -> Bookmark:
    """A bookmark where the program writes now, or at an earlier point; `old` is the caller's previous one.

    The caller holds the terminal's lock."""
    emulator, size = screen.emulator, screen.size
    pin, history = emulator.pin(at), emulator.scrollback.lines
    point = pin.found() or Point(history)
    shown = history + size.rows if at is None else point.line
    return Bookmark(
        pin=pin,
        behind=(old.behind if old.pin.alternate else old) if pin.alternate and old is not None else None,
        changes=screen.changes if at is None else -1,
        newlines=screen.newlines,
        erased=screen.erased,
        size=size,
        y=point.line - history,
        head=emulator.between(Point(point.line), point),
        texts=tuple(emulator.lines(history, shown)),
        seen=CapturedRows(emulator.screen_rows()),
    )


class BookmarkPosition(Struct, frozen=True):
    """The bookmark of a cursor."""

    pane: PaneId
    terminal: Terminal
    bookmark: Bookmark
    back: int = 0
    """How many rows before the bookmark the position is."""


class Bookmarks:
    """The bookmarks of every terminal. Main thread only."""

    def __init__(self) -> None:
        self._run = os.urandom(2).hex()
        self._serial = 0
        self._kept: WeakKeyDictionary[Terminal, OrderedDict[int, Bookmark]] = WeakKeyDictionary()
        self._brief: WeakKeyDictionary[Terminal, deque[int]] = WeakKeyDictionary()
        self._reached: WeakKeyDictionary[Terminal, Bookmark] = WeakKeyDictionary()

    def keep(self, pane: PaneId, terminal: Terminal, new: Bookmark, *, brief: bool = False) -> str:
        """The cursor of a bookmark; the newest one's again if the terminal has not changed since.

        Only a few `brief` ones are kept, so that they do not evict requested ones."""
        kept = self._kept.setdefault(terminal, OrderedDict())
        if kept and new.changes >= 0:
            serial, last = next(reversed(kept.items()))
            if (last.changes, last.behind is None) == (new.changes, new.behind is None):
                return self._written(pane, serial)
        self._serial += 1
        kept[self._serial] = new
        if brief:
            self._drop_brief(terminal, kept)
        while len(kept) > KEPT:
            kept.popitem(last=False)
        return self._written(pane, self._serial)

    def find(self, cursor: str, terminals: Mapping[PaneId, Terminal]) -> BookmarkPosition:
        """The bookmark of a cursor. Raises InvalidArgument if it is malformed, unknown or discarded."""
        run, pane, serial, back = _parts(cursor)
        terminal = terminals.get(PaneId(pane))
        kept = self._kept.get(terminal) if terminal is not None and run == self._run else None
        if terminal is None or kept is None or serial not in kept:
            raise InvalidArgument(
                f"cursor: {clean(cursor, 40)} is not known (any more): a pane keeps its newest {KEPT} until it is "
                "closed or its program is started again; read-pane without a cursor gives a new one"
            )
        kept.move_to_end(serial)
        found = BookmarkPosition(PaneId(pane), terminal, kept[serial], back)
        if back and found.bookmark.size.cols != terminal.size.cols:
            raise InvalidArgument(f"cursor: pane %{pane} was made wider or narrower since; search again")
        return found

    def reach(self, terminal: Terminal, found: Bookmark) -> None:
        """Note how far the caller that opened a terminal's pane has read."""
        self._reached[terminal] = found

    def reached(self, terminal: Terminal) -> Bookmark | None:
        """How far the caller that opened a terminal's pane has read: its birth at first."""
        return self._reached.get(terminal) or self.birth(terminal)

    def birth(self, terminal: Terminal) -> Bookmark | None:
        """A bookmark where a terminal's program began to print; None if it has none or is closed. Acquires its lock."""
        with terminal.locked() as screen:
            if screen.closed or terminal.birth is None:
                return None
            return bookmark(screen, at=terminal.birth.found() or START)

    def drop(self, terminal: Terminal) -> None:
        """Discard all bookmarks of a terminal."""
        self._kept.pop(terminal, None)
        self._brief.pop(terminal, None)
        self._reached.pop(terminal, None)

    def _drop_brief(self, terminal: Terminal, kept: OrderedDict[int, Bookmark]) -> None:
        brief = self._brief.setdefault(terminal, deque())
        brief.append(self._serial)
        if len(brief) > BRIEF:
            kept.pop(brief.popleft(), None)

    def _written(self, pane: PaneId, serial: int) -> str:
        return f"c{self._run}.{int(pane)}.{serial}"


def _parts(cursor: str) -> tuple[str, int, int, int]:
    run, *numbers = cursor.strip().removeprefix("c").split(".")
    if len(numbers) in (2, 3) and all(each.isdecimal() and each.isascii() and len(each) < 10 for each in numbers):
        pane, serial, back = map(int, [*numbers, "0"][:3])
        return run, pane, serial, back
    return "", 0, 0, 0
