"""One wait: its condition and its result. Owned by WaitService's search, unless noted."""

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.watch.bookmarks import Bookmark
from fugue_tui.multiplexer.watch.new_output import OutputStart, behind, here
from fugue_tui.multiplexer.watch.pane import PaneWatch
from fugue_tui.multiplexer.watch.patterns import Pattern, first
from fugue_tui.terminal.observers import Closed
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal

REPORTED: Final = 5.0
"""Seconds between two progress reports of a wait."""
AROUND: Final = 2
"""Lines of context before and after a match."""
SHOWN: Final = 1_000
"""Bytes of context before and after a match at most."""
TAIL: Final = 20
"""Rows of the screen in the result if nothing matched."""


class WaitOutcome(StrEnum):
    """How a wait ended."""

    MATCHED = "matched"
    """A pattern matched."""
    STOPPED = "stopped"
    """A stop pattern matched."""
    EXITED = "exited"
    """The program exited, and nothing had matched."""
    IDLE = "idle"
    """Nothing was printed for the requested time."""
    TIMEOUT = "timeout"
    """The timeout passed."""
    CLOSED = "closed"
    """The pane was closed, or its program replaced by another."""


class WaitCondition(Struct, frozen=True):
    """What ends a wait: whichever happens first."""

    any_of: tuple[Pattern, ...] = ()
    stop_on: tuple[Pattern, ...] = ()
    idle: float | None = None
    """Seconds without output."""
    exit: bool = False
    """Whether the exit of any one of several programs ends the wait."""
    seconds: float = 30.0
    """The timeout."""


class WaitEnd(Struct, frozen=True):
    """The result of a wait. All text is untrusted."""

    outcome: WaitOutcome
    elapsed: float
    pane: PaneId | None = None
    """The pane of the match or of the last exit; None for all of them."""
    index: int | None = None
    """The index of the matching pattern in its list, from 0."""
    text: str = ""
    """The matched text."""
    excerpt: str = ""
    """The match with a few lines of context."""
    exit: Exit | None = None
    """How the program exited."""
    bookmark: Bookmark | None = None
    """Where to continue: after the match, or where the program writes now. None for several panes, or a closed one."""
    screen: str = ""
    """The last rows of the screen, if nothing matched in a single pane."""
    at_entry: bool = False
    """Whether the match was printed before the wait began."""
    skipped: int = 0
    """Bytes of output that were too many to be searched, except on the screen."""


OnEnd: TypeAlias = Callable[[WaitEnd | Exception], None]
"""Called once with the result of a wait, or with the exception of an internal error."""


class Wait:
    """One wait for one or several panes. Owned by the search, except `stop`."""

    def __init__(
        self, condition: WaitCondition, on_end: OnEnd, report: Callable[[float], None], client: object = None
    ) -> None:
        self.condition = condition
        self.client = client
        self.done = self.entering = False
        self.started_at = time.monotonic()
        self.open: dict[PaneId, PaneWatch] = {}
        """The panes whose output has not ended."""
        self._patterns = (*condition.any_of, *condition.stop_on)
        self._on_end, self._report = on_end, report
        self._report_at = self.started_at + REPORTED

    def stop(self) -> None:
        """End the wait without a result, if it is not done. Any thread."""
        self.done = True

    def fail(self, error: Exception) -> None:
        """End the wait by an internal error."""
        if not self.done:
            self.done = True
            self._on_end(error)

    def search(self, pane: PaneId, since: OutputStart, text: bytes, begin: int, seen: str) -> None:
        """Search text for the patterns, from an offset on."""
        found = None if self.done else first(self._patterns, text, begin, seen)
        if found is None:
            return
        index, (start, stop) = found
        matched, found_text = index < len(self.condition.any_of), text[start:stop].decode(errors="replace")
        self._end(
            WaitEnd(
                WaitOutcome.MATCHED if matched else WaitOutcome.STOPPED,
                self._elapsed,
                pane,
                index if matched else index - len(self.condition.any_of),
                found_text,
                excerpt(text, start, stop),
                bookmark=behind(self.open[pane].terminal, since, found_text),
                at_entry=self.entering,
            )
        )

    def ended(self, pane: PaneId, how: Exit | Closed) -> None:
        """A pane's output ended, and all of it was searched."""
        exit = how if isinstance(how, Exit) else None
        if self.open.keys() <= {pane} or (self.condition.exit and exit):
            screen, mark = self._snapshot(pane)
            outcome = WaitOutcome.EXITED if exit else WaitOutcome.CLOSED
            self._end(WaitEnd(outcome, self._elapsed, pane, exit=exit, bookmark=mark, screen=screen))
        else:
            self.open.pop(pane, None)

    @property
    def due(self) -> float:
        """When `tick` has something to do."""
        times = [self.started_at + self.condition.seconds, self._report_at]
        return min([*times, self._idle_at] if self.condition.idle is not None else times)

    def tick(self, now: float) -> None:
        """Report progress, and end the wait at its timeout or when idle; pending output is searched first."""
        late = now >= self.started_at + self.condition.seconds
        idle = self.condition.idle is not None and now >= self._idle_at
        if now >= self._report_at and not late:
            self._report_at = now + REPORTED
            self._report(now - self.started_at)
        if not (late or idle):
            return
        pane = next(iter(self.open)) if len(self.open) == 1 else None
        screen, mark = ("", None) if pane is None else self._snapshot(pane)
        for watched in tuple(self.open.values()):
            watched.search_now()
        if late or now >= self._idle_at:
            outcome = WaitOutcome.TIMEOUT if late else WaitOutcome.IDLE
            self._end(WaitEnd(outcome, self._elapsed, pane, bookmark=mark, screen=screen))

    @property
    def _idle_at(self) -> float:
        now = time.monotonic()
        return max([self.started_at, *(watched.quiet_since(now) for watched in self.open.values())]) + (
            self.condition.idle or 0.0
        )

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self.started_at

    def _snapshot(self, pane: PaneId) -> tuple[str, Bookmark | None]:
        """The end of a pane's screen, and a bookmark where its program writes; taken before the last search, so that
        nothing is missed."""
        watched = self.open[pane]
        return screen_tail(watched.terminal) or watched.tail(), here(watched.terminal)

    def _end(self, ending: WaitEnd) -> None:
        if not self.done:
            self.done = True
            skipped = sum(watched.skipped for watched in self.open.values())
            self._on_end(replace(ending, skipped=skipped))


def excerpt(text: bytes, start: int, stop: int) -> str:
    """A match with a few lines of context. Untrusted."""
    first, last = max(0, start - SHOWN), min(len(text), stop + SHOWN)
    before = text[first:start].decode(errors="replace").split("\n")[-AROUND - 1 :]
    behind = text[stop:last].decode(errors="replace").split("\n")[: AROUND + 1]
    middle = text[start:stop].decode(errors="replace")
    return ("\n".join(before) + middle + "\n".join(behind)).strip("\n")


def screen_tail(terminal: Terminal) -> str:
    """The last rows of a terminal's screen, without trailing blank ones; empty if it is closed. Untrusted."""
    with terminal.locked() as screen:
        if screen.closed:
            return ""
        lines = screen.emulator.lines(screen.emulator.scrollback.lines, screen.end.line, joined=True)
    return "\n".join("\n".join(lines).rstrip("\n").split("\n")[-TAIL:])
