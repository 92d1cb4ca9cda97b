"""Places in a terminal of libghostty-vt: the engine's tracked references, and the text between two of them."""

from collections import deque
from typing import TYPE_CHECKING

from fugue_tui.terminal.emulator.pending_events import EventSource
from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.ghostty.formatter import Formatter
from fugue_tui.terminal.screen.pins import Guard, Pin, Point

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import GhosttyTerminal, GhosttyTrackedGridRef


class GhosttyPins:
    """The pins of one terminal. Every method is for who holds the terminal's lock."""

    def __init__(self, binding: Binding, terminal: "GhosttyTerminal") -> None:
        self._binding, self._terminal = binding, terminal
        self._ffi, self._lib = binding.ffi, binding.lib
        self._point = self._ffi.new("FuguePoint *")
        self._out = self._ffi.new("GhosttyPointCoordinate *")
        self._number = self._ffi.new("uint16_t *")
        self._count = self._ffi.new("size_t *")
        self._screen = self._ffi.new("GhosttyTerminalScreen *")
        self._flag = self._ffi.new("bool *")
        self.dropped: deque[GhosttyTrackedGridRef] = deque()
        """Native references without an owner; they may be released only under the lock."""

    def pin(self, place: Point | None, guard: Guard) -> Pin:
        """A pin at a place, or at the cursor."""
        self.sweep()
        past = 0
        if place is None:
            x, past = self._cursor()
            y, tag = self._get(self._lib.GHOSTTY_TERMINAL_DATA_CURSOR_Y), self._lib.GHOSTTY_POINT_TAG_ACTIVE
        else:
            columns = self._get(self._lib.GHOSTTY_TERMINAL_DATA_COLS)
            x, y, tag = min(place.column, columns - 1), place.line, self._lib.GHOSTTY_POINT_TAG_SCREEN
            past = int(place.column >= columns)
        self._point.tag, self._point.value.x, self._point.value.y = tag, x, y
        made = self._ffi.new("GhosttyTrackedGridRef *")
        self._binding.track(self._terminal, self._point[0], made)
        tracked = _Tracked(self, made[0], past, alternate=self.alternate)
        return Pin(tracked.find, tracked.still, guard, alternate=tracked.alternate)

    def _cursor(self) -> tuple[int, int]:
        """The cursor's column, and 1 if it is past that column because a wrap is due."""
        self._lib.ghostty_terminal_get(self._terminal, self._lib.GHOSTTY_TERMINAL_DATA_CURSOR_PENDING_WRAP, self._flag)
        return self._get(self._lib.GHOSTTY_TERMINAL_DATA_CURSOR_X), int(self._flag[0])

    def _get(self, what: int) -> int:
        self._lib.ghostty_terminal_get(self._terminal, what, self._number)
        return int(self._number[0])

    @property
    def alternate(self) -> bool:
        """Whether the alternate screen is in front."""
        self._lib.ghostty_terminal_get(self._terminal, self._lib.GHOSTTY_TERMINAL_DATA_ACTIVE_SCREEN, self._screen)
        return self._screen[0] == self._lib.GHOSTTY_TERMINAL_SCREEN_ALTERNATE

    @property
    def shows_cursor(self) -> bool:
        """Whether the program shows its cursor."""
        self._lib.ghostty_terminal_get(self._terminal, self._lib.GHOSTTY_TERMINAL_DATA_CURSOR_VISIBLE, self._flag)
        return bool(self._flag[0])

    @property
    def rows(self) -> int:
        """How many lines there are, history and screen."""
        self._lib.ghostty_terminal_get(self._terminal, self._lib.GHOSTTY_TERMINAL_DATA_TOTAL_ROWS, self._count)
        return int(self._count[0])

    def point(self, reference: "GhosttyTrackedGridRef") -> Point | None:
        """Where a reference is, among the lines of its own screen; None if it is nowhere."""
        if self._lib.ghostty_tracked_grid_ref_point(reference, self._lib.GHOSTTY_POINT_TAG_SCREEN, self._out):
            return None
        return Point(int(self._out.y), int(self._out.x))

    def sweep(self) -> None:
        """Give back what was dropped."""
        while self.dropped:
            self._lib.ghostty_tracked_grid_ref_free(self.dropped.popleft())


class _Tracked:
    """One native reference, given back soon after the last pin that holds it is gone."""

    __slots__ = ("_past", "_pins", "_reference", "alternate")

    def __init__(self, pins: GhosttyPins, reference: "GhosttyTrackedGridRef", past: int, *, alternate: bool) -> None:
        self._pins, self._reference, self._past = pins, reference, past
        self.alternate = alternate

    def find(self) -> Point | None:
        return self.still() if self.alternate == self._pins.alternate else None

    def still(self) -> Point | None:
        place = self._pins.point(self._reference)
        return place and Point(place.line, place.column + self._past)

    def __del__(self) -> None:
        # Any thread, at any time, even inside the engine: so only noted here.
        self._pins.dropped.append(self._reference)


class GhosttyAnchors(EventSource):
    """The part of the engine that knows places; see `Emulator` for what each method promises."""

    _pins: GhosttyPins
    _formatter: Formatter

    @property
    def shows_caret(self) -> bool:
        """Whether the program shows its cursor now."""
        return self._pins.shows_cursor

    def lines(self, start: int, stop: int, *, joined: bool = False) -> list[str]:
        """Plain text of history and screen."""
        start, stop = max(0, start), min(stop, self._pins.rows)
        if start >= stop:
            return []
        return self._formatter.lines(start, stop, self._inbox.size.cols, joined=joined)

    def is_prompt(self, line: int, *, continued: bool = False) -> bool:
        """Whether a line holds a prompt."""
        return 0 <= line < self._pins.rows and self._formatter.is_prompt(line, continued=continued)

    def pin(self, place: Point | None = None) -> Pin:
        """A pin at a place, or where the program writes next."""
        return self._pins.pin(place, self._guard)

    def pin_if_there(self, place: Point) -> Pin | None:
        """A pin at a place; None if there is no such line."""
        return self.pin(place) if 0 <= place.line < self._pins.rows else None

    def between(self, start: Point, stop: Point, *, joined: bool = True, ansi: bool = False) -> str:
        """The text from one place up to another."""
        cols = self._inbox.size.cols
        if start.column >= cols:
            rest = self.between(Point(start.line + 1), stop, joined=joined, ansi=ansi)
            return rest if joined and self._formatter.wraps(start.line) else f"\n{rest}".rstrip("\n")
        end = stop if stop.column else Point(stop.line - 1, cols)
        if start >= stop or start > end:
            return ""
        text = self._formatter.between(start, end, min(end.column, cols), joined=joined, ansi=ansi)
        if text.isascii() and not ansi:  # without blanks at the ends of its lines then
            return text.decode("ascii").rstrip("\n")
        lines = text.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        return "\n".join(line.rstrip() for line in lines).rstrip("\n")
