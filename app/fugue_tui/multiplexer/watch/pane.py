"""One terminal that is watched: what it printed since, and the waits that look at that. Belongs to the watch's thread,
but for `tap`, which is called under the terminal's lock, and `enter`, which takes it.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.watch.new_output import NewOutput, OutputStart, fresh, start
from fugue_tui.terminal.emulator.locked import LockedScreen
from fugue_tui.terminal.observers import Closed, Tapped
from fugue_tui.terminal.plain_text import PlainTextExtractor, TextStream
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal

OVERLAP: Final = 1 << 12
"""Bytes of text that were searched before and are searched again: no match that is cut in two may be longer."""
PIECE: Final = 1 << 13
"""Bytes of output that are taken in between two searches."""
TURN: Final = 1 << 18
"""Bytes of output that are taken in before others have their turn."""
BACKLOG: Final = 8 << 20
"""Bytes of output that may wait to be searched; what comes beyond is only searched for on the screen."""
SOON: Final = 0.002
"""Seconds after the first output before it is looked at, so that whoever types sees it first."""
PACE: Final = 0.01
"""Seconds between two looks at what is printed."""
SETTLED: Final = 0.015
"""Seconds after output before the screen is looked at, for a program that paints to be done with it."""
SCREEN_PACE: Final = 0.06
"""Seconds between two looks at the screen."""
MOST_PINS: Final = 8
"""Pins of one terminal; more would slow its output down."""


class Wait(Protocol):
    """What waits."""

    over: bool

    def search(self, pane: PaneId, since: OutputStart, text: bytes, begin: int, seen: str) -> None:
        """Look in text from an offset on; what is found in `seen` was there before."""
        ...

    def ended(self, pane: PaneId, how: Exit | Closed) -> None:
        """Nothing more comes from a pane."""
        ...

    def fail(self, error: Exception) -> None:
        """There was a bug."""
        ...


class PanePosition:
    """Where one wait stands in one terminal's text."""

    __slots__ = ("begun", "done", "pane", "start", "wait", "whole")

    def __init__(self, wait: Wait, pane: PaneId, start: OutputStart, *, whole: bool) -> None:
        self.wait, self.pane, self.start = wait, pane, start
        self.whole = whole
        """Whether the start is an earlier moment, so that there may be something on the screen already."""
        self.begun: dict[TextStream, int] = {}
        """The offsets in the transcript's tapes where the wait began."""
        self.done: dict[TextStream, int] = {}
        """The offsets up to which all was searched."""


class PaneWatch:
    """A terminal, its transcript from now on, and who waits for what."""

    def __init__(self, terminal: Terminal, wake: Callable[[], None]) -> None:
        self.terminal = terminal
        self.users: set[Wait] = set()
        """The waits that are here or about to come; the watch's own to keep, under its lock."""
        self.printed_at = 0.0
        """When there was output last."""
        self.skipped = 0
        """Bytes of output that came too fast to be searched."""
        self._wake = wake
        self._feed: deque[bytes | PanePosition | Exit | Closed] = deque()
        self._came, self._taken = 0, 0
        self._places: list[PanePosition] = []
        self._screens: dict[OutputStart, list[NewOutput]] = {}
        self._look_at = self._looked = self._pending_at = 0.0
        self._screen_at: float | None = None
        with terminal.locked() as screen:
            rows, alternate = screen.size.rows, screen.emulator.modes.alternate_screen
        self._transcript = PlainTextExtractor(rows, alternate=alternate)
        self.untap = terminal.tap(self._tap)

    def _tap(self, what: Tapped) -> None:
        match what:
            case memoryview():
                self.printed_at = time.monotonic()
                if not self._feed:
                    self._pending_at = self.printed_at + SOON
                if self._came - self._taken > BACKLOG:
                    self.skipped += len(what)
                else:
                    self._came += len(what)
                    self._feed.append(bytes(what))
            case Exit() | Closed():
                self._feed.append(what)
            case _:
                return
        self._wake()

    def enter(self, wait: Wait, pane: PaneId, since: OutputStart | None) -> None:
        """Let a wait begin, at this very moment or at an earlier one."""
        with self.terminal.locked() as screen:
            begin = since or self._start(screen)
            self._feed.append(PanePosition(wait, pane, begin, whole=since is not None))
        if self.terminal.exit is not None:
            self._feed.append(self.terminal.exit)
        self._wake()

    def _start(self, screen: LockedScreen) -> OutputStart:
        """This moment; waits that begin between two batches of output share theirs."""
        starts = [place.start for place in tuple(self._places)]
        now = screen.changes
        if shared := next((each for each in starts if each.changes == now), None):
            return shared
        pins = {id(each.pin): each.pin for each in starts}
        return start(screen, next(reversed(pins.values())) if len(pins) >= MOST_PINS else None)

    def fail(self, error: Exception) -> None:
        """End all waits by a bug, and look at nothing more."""
        self._feed.clear()
        self._screen_at = None
        for wait in tuple(self.users):
            wait.fail(error)

    def leave(self, wait: Wait) -> None:
        """Let a wait go."""
        self._places = [place for place in self._places if place.wait is not wait]
        left = {place.start for place in self._places}
        self._screens = {each: found for each, found in self._screens.items() if each in left}

    @property
    def due(self) -> float | None:
        """When to look next; None if there is nothing to look at."""
        times = [max(self._look_at, self._pending_at)] if self._feed else []
        times += [self._screen_at] if self._screen_at is not None else []
        return min(times) if times else None

    def look(self, now: float) -> None:
        """Look at what there is to look at."""
        if self._feed and now >= max(self._look_at, self._pending_at):
            before, begun = self._taken, time.monotonic()
            self._take_in()
            ended = time.monotonic()
            if self._taken != before:
                self._look_at = ended + max(PACE, ended - begun)
        if self._screen_at is not None and now >= self._screen_at:
            self._look_at_screen()

    def look_now(self) -> None:
        """Look at everything that came so far."""
        self._take_in()
        if self._screen_at is not None:
            self._look_at_screen()

    def tail(self) -> str:
        """What was printed last, line by line, of a terminal whose screen is gone. Untrusted."""
        return bytes(self._transcript.flow.text[-OVERLAP:]).decode(errors="replace")

    def _take_in(self) -> None:
        budget = TURN
        while self._feed and budget > 0:
            match item := self._feed.popleft():
                case bytes():
                    budget -= len(item)
                    self._take(item)
                case PanePosition():
                    self._begin(item)
                case Exit() | Closed():
                    self._look_at_screen()
                    for place in tuple(self._places):
                        place.wait.ended(place.pane, item)

    def _take(self, data: bytes) -> None:
        while self._feed and len(data) < PIECE and isinstance(more := self._feed[0], bytes):
            data += more
            self._feed.popleft()
        self._taken += len(data)
        for at in range(0, len(data), PIECE):
            self._transcript.feed(data[at : at + PIECE])
            self._search_tapes()
        if self._screen_at is None:
            self._screen_at = max(time.monotonic() + SETTLED, self._looked + SCREEN_PACE)

    def _begin(self, place: PanePosition) -> None:
        if place.wait.over:
            return
        self._places.append(place)
        place.begun = {tape: tape.end for tape in self._transcript.tapes}
        place.done = dict(place.begun)
        if place.whole:
            self._search_screen(place, fresh(self.terminal, place.start, whole=True))

    def _search_tapes(self) -> None:
        for tape in self._transcript.tapes:
            late = [place for place in self._places if place.done[tape] < tape.end]
            text = bytes(tape.text) if late else b""
            for place in late:
                begin = max(place.begun[tape], place.done[tape] - OVERLAP) - tape.base
                seen = place.start.seen if tape is self._transcript.painted else ""
                place.wait.search(place.pane, place.start, text, max(0, begin), seen)
                place.done[tape] = tape.end

    def _look_at_screen(self) -> None:
        self._screen_at, self._looked = None, time.monotonic()
        looked: dict[OutputStart, list[NewOutput]] = {}
        for place in tuple(self._places):
            since = place.start
            if since not in looked:
                looked[since] = fresh(self.terminal, since)
            if self._screens.get(since) != looked[since]:
                self._search_screen(place, looked[since])
        self._screens = looked

    def _search_screen(self, place: PanePosition, found: list[NewOutput]) -> None:
        for each in found:
            for text, begin in _pieces(each.text):
                place.wait.search(place.pane, place.start, text, begin, each.before)


def _pieces(text: bytes) -> Iterator[tuple[bytes, int]]:
    """A text in pieces that any pattern may search whole, each with where to begin in it; they end with lines."""
    at = 0
    while at < len(text):
        end = at + PIECE
        if end < len(text) and (line_end := text.rfind(b"\n", at + 1, end)) > 0:
            end = line_end
        begin = max(0, at - OVERLAP - 1)
        yield text[begin:end], min(1, begin)
        at = end
