"""One watched terminal: its output since, and the waits that search it. Owned by the search of WaitService, except
`_receive`, which is called under the terminal's lock, and `enter`, which acquires it.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.watch.new_output import NewOutput, OutputStart, fresh, start
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.observers import Closed, ObservedEvent
from fugue_tui.terminal.plain_text import PlainTextExtractor, TextStream
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal

OVERLAP: Final = 1 << 12
"""Bytes of searched text that are searched again: no match across two batches may be longer."""
PIECE: Final = 1 << 13
"""Bytes of output that are parsed between two searches."""
TURN: Final = 1 << 18
"""Bytes of output that are parsed before other terminals are served."""
BACKLOG: Final = 8 << 20
"""Bytes of output that may wait to be searched; of the rest only what stays on the screen is."""
SOON: Final = 0.002
"""Seconds between the first output and its search, so that the user sees it first."""
PACE: Final = 0.01
"""Seconds between two searches of the output."""
SETTLED: Final = 0.015
"""Seconds between output and reading the screen, so that a program can finish painting."""
SCREEN_PACE: Final = 0.06
"""Seconds between two reads of the screen."""
MOST_PINS: Final = 8
"""Pins per terminal; more would slow its output."""


class Wait(Protocol):
    """A wait for output."""

    done: bool
    entering: bool
    """Whether what was printed before it began is searched."""

    def search(self, pane: PaneId, since: OutputStart, text: bytes, begin: int, seen: str) -> None:
        """Search text from an offset on; matches that `seen` contains are old."""
        ...

    def ended(self, pane: PaneId, how: Exit | Closed) -> None:
        """The pane's output ended."""
        ...

    def fail(self, error: Exception) -> None:
        """End the wait by an internal error."""
        ...


class PanePosition:
    """One wait's position in one terminal's output."""

    __slots__ = ("done", "pane", "start", "start_offsets", "wait", "whole")

    def __init__(self, wait: Wait, pane: PaneId, start: OutputStart, *, whole: bool) -> None:
        self.wait, self.pane, self.start = wait, pane, start
        self.whole = whole
        """Whether the start is in the past, so that the screen may already have a match."""
        self.start_offsets: dict[TextStream, int] = {}
        """The offsets in the text streams where the wait began."""
        self.done: dict[TextStream, int] = {}
        """The offsets up to which the streams were searched."""


class PaneWatch:
    """A terminal, the plain text of its output from now on, and its waits."""

    def __init__(self, terminal: Terminal, wake: Callable[[], None]) -> None:
        self.terminal = terminal
        self.users: set[Wait] = set()
        """The present and entering waits; changed by WaitService, under its lock."""
        self.printed_at = 0.0
        """When the terminal last printed."""
        self.over = False
        """Whether nothing follows, as the pane was closed."""
        self.skipped = 0
        """Bytes of output that were too many to be searched."""
        self._wake = wake
        self._queue: deque[bytes | PanePosition | Exit | Closed] = deque()
        self._received, self._parsed = 0, 0
        self._positions: list[PanePosition] = []
        self._screens: dict[OutputStart, list[NewOutput]] = {}
        self._search_at = self._screen_read_at = self._pending_at = 0.0
        self._screen_at: float | None = None
        with terminal.locked() as screen:
            rows, alternate = screen.size.rows, screen.emulator.modes.alternate_screen
        self._text = PlainTextExtractor(rows, alternate=alternate)
        self.unobserve = terminal.observe(self._receive)

    def quiet_since(self, now: float) -> float:
        """When the terminal last printed, or a line was entered: now, if a text waits for its Enter."""
        pending = now if self.terminal.gate.closed else 0.0
        return max(self.printed_at, self.terminal.sent.entered_at, pending)

    def _receive(self, what: ObservedEvent) -> None:
        match what:
            case memoryview():
                self.printed_at = time.monotonic()
                if not self._queue:
                    self._pending_at = self.printed_at + SOON
                if self._received - self._parsed > BACKLOG:
                    self.skipped += len(what)
                else:
                    self._received += len(what)
                    self._queue.append(bytes(what))
            case Exit() | Closed():
                self.over = isinstance(what, Closed)
                self._queue.append(what)
            case _:
                return
        self._wake()

    def enter(self, wait: Wait, pane: PaneId, since: OutputStart | None) -> None:
        """Start a wait, now or at an earlier state."""
        with self.terminal.locked() as screen:
            begin = since or self._start(screen)
            self._queue.append(PanePosition(wait, pane, begin, whole=since is not None))
        if self.terminal.exit is not None:
            self._queue.append(self.terminal.exit)
        self._wake()

    def _start(self, screen: LockedScreen) -> OutputStart:
        """The present state; waits that start between two batches of output share it."""
        starts = [position.start for position in tuple(self._positions)]
        now = screen.changes
        if shared := next((each for each in starts if each.changes == now), None):
            return shared
        pins = {id(each.pin): each.pin for each in starts}
        return start(screen, next(reversed(pins.values())) if len(pins) >= MOST_PINS else None)

    def fail(self, error: Exception) -> None:
        """End all waits by an internal error, and search no more."""
        self._queue.clear()
        self._screen_at = None
        for wait in tuple(self.users):
            wait.fail(error)

    def leave(self, wait: Wait) -> None:
        """Remove a wait."""
        self._positions = [position for position in self._positions if position.wait is not wait]
        left = {position.start for position in self._positions}
        self._screens = {each: found for each, found in self._screens.items() if each in left}

    @property
    def due(self) -> float | None:
        """When to search next; None if there is nothing to search."""
        times = [max(self._search_at, self._pending_at)] if self._queue else []
        times += [self._screen_at] if self._screen_at is not None else []
        return min(times) if times else None

    def poll(self, now: float) -> None:
        """Search what is due."""
        if self._queue and now >= max(self._search_at, self._pending_at):
            before, started = self._parsed, time.monotonic()
            self._consume()
            ended = time.monotonic()
            if self._parsed != before:
                self._search_at = ended + max(PACE, ended - started)
        if self._screen_at is not None and now >= self._screen_at:
            self._read_screen()

    def search_now(self) -> None:
        """Search everything that arrived so far."""
        self._consume()
        if self._screen_at is not None:
            self._read_screen()

    def tail(self) -> str:
        """The last output as lines, for a terminal whose screen is closed. Untrusted."""
        return bytes(self._text.flow.text[-OVERLAP:]).decode(errors="replace")

    def _consume(self) -> None:
        budget = TURN
        while self._queue and budget > 0:
            match item := self._queue.popleft():
                case bytes():
                    budget -= len(item)
                    self._parse(item)
                case PanePosition():
                    self._begin(item)
                case Exit() | Closed():
                    self._read_screen()
                    for position in tuple(self._positions):
                        position.wait.ended(position.pane, item)

    def _parse(self, data: bytes) -> None:
        while self._queue and len(data) < PIECE and isinstance(more := self._queue[0], bytes):
            data += more
            self._queue.popleft()
        self._parsed += len(data)
        for at in range(0, len(data), PIECE):
            self._text.feed(data[at : at + PIECE])
            self._search_streams()
        if self._screen_at is None:
            self._screen_at = max(time.monotonic() + SETTLED, self._screen_read_at + SCREEN_PACE)

    def _begin(self, position: PanePosition) -> None:
        if position.wait.done:
            return
        self._positions.append(position)
        position.start_offsets = {stream: stream.end for stream in self._text.streams}
        position.done = dict(position.start_offsets)
        if position.whole:
            position.wait.entering = True
            self._search_screen(position, fresh(self.terminal, position.start, whole=True))
            position.wait.entering = False

    def _search_streams(self) -> None:
        for stream in self._text.streams:
            behind = [position for position in self._positions if position.done[stream] < stream.end]
            text = bytes(stream.text) if behind else b""
            for position in behind:
                begin = max(position.start_offsets[stream], position.done[stream] - OVERLAP) - stream.base
                seen = position.start.seen if stream is self._text.painted else ""
                position.wait.search(position.pane, position.start, text, max(0, begin), seen)
                position.done[stream] = stream.end

    def _read_screen(self) -> None:
        self._screen_at, self._screen_read_at = None, time.monotonic()
        found: dict[OutputStart, list[NewOutput]] = {}
        for position in tuple(self._positions):
            since = position.start
            if since not in found:
                found[since] = fresh(self.terminal, since)
            if self._screens.get(since) != found[since]:
                self._search_screen(position, found[since])
        self._screens = found

    def _search_screen(self, position: PanePosition, found: list[NewOutput]) -> None:
        for each in found:
            for text, begin in _pieces(each.text):
                position.wait.search(position.pane, position.start, text, begin, each.before)


def _pieces(text: bytes) -> Iterator[tuple[bytes, int]]:
    """A text in pieces small enough for any pattern, cut at line ends, each with the offset to search from."""
    at = 0
    while at < len(text):
        end = at + PIECE
        if end < len(text) and (line_end := text.rfind(b"\n", at + 1, end)) > 0:
            end = line_end
        begin = max(0, at - OVERLAP - 1)
        yield text[begin:end], min(1, begin)
        at = end
