"""One wait: what is wanted, and how it ends. Belongs to the watch's thread, but for what says otherwise."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.watch.bookmarks import Bookmark
from fugue_tui.multiplexer.watch.new_output import OutputStart, behind, here
from fugue_tui.multiplexer.watch.pane import PaneWatch
from fugue_tui.multiplexer.watch.patterns import Pattern, first
from fugue_tui.terminal.observers import Closed
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal

REPORTED: Final = 5.0
"""Seconds between two reports of a wait."""
AROUND: Final = 2
"""Lines before and behind a match that are shown with it."""
SHOWN: Final = 1_000
"""Bytes before and behind a match that are shown at most."""
TAIL: Final = 20
"""Rows of the screen that are shown where nothing matched."""


class WaitOutcome(StrEnum):
    """How a wait ended."""

    MATCHED = "matched"
    """One of the patterns came."""
    STOPPED = "stopped"
    """One of the patterns came that mean there is nothing more to wait for."""
    EXITED = "exited"
    """The program ended, and none of the patterns had come."""
    IDLE = "idle"
    """Nothing was printed for as long as was asked."""
    TIMEOUT = "timeout"
    """The time was over."""
    CLOSED = "closed"
    """The pane was closed, or its program replaced by another."""


@dataclass(frozen=True, slots=True)
class WaitCondition:
    """What is waited for: whichever comes first."""

    any_of: tuple[Pattern, ...] = ()
    stop_on: tuple[Pattern, ...] = ()
    idle: float | None = None
    """Seconds without output."""
    exit: bool = False
    """Whether the end of one program is enough, where several are waited for."""
    seconds: float = 30.0
    """How long at most."""


@dataclass(frozen=True, slots=True)
class WaitEnd:
    """What a wait came to. All text is untrusted."""

    outcome: WaitOutcome
    elapsed: float
    pane: PaneId | None = None
    """Where it came, or which program ended last; None for all of them."""
    index: int | None = None
    """Which pattern it was, counted from 0 in its list."""
    text: str = ""
    """What it matched."""
    excerpt: str = ""
    """That with a few lines around it."""
    exit: Exit | None = None
    """How the program ended."""
    bookmark: Bookmark | None = None
    """Where to go on: behind the match, or where the program writes now. None for several panes, or a closed one."""
    screen: str = ""
    """The last rows of the screen, if nothing matched in a pane."""
    skipped: int = 0
    """Bytes of output that came too fast to be searched, but for what stayed on the screen."""


Told: TypeAlias = Callable[[WaitEnd | Exception], None]
"""Hears once how a wait ended; of an exception if that was by a bug."""


class Wait:
    """One wait for one or several panes. `stop` may be called from any thread; the rest is the watch's own."""

    def __init__(self, wanted: WaitCondition, told: Told, report: Callable[[float], None]) -> None:
        self.wanted = wanted
        self.over = False
        self.begun = time.monotonic()
        self.open: dict[PaneId, PaneWatch] = {}
        """Where there is still something to come."""
        self._patterns = (*wanted.any_of, *wanted.stop_on)
        self._told, self._report = told, report
        self._report_at = self.begun + REPORTED

    def stop(self) -> None:
        """End it without telling; a wait that is over is left alone."""
        self.over = True

    def fail(self, error: Exception) -> None:
        """End it by a bug."""
        if not self.over:
            self.over = True
            self._told(error)

    def search(self, pane: PaneId, since: OutputStart, text: bytes, begin: int, seen: str) -> None:
        """Look for the patterns in text from an offset on."""
        found = None if self.over else first(self._patterns, text, begin, seen)
        if found is None:
            return
        index, (start, stop) = found
        matched, said = index < len(self.wanted.any_of), text[start:stop].decode(errors="replace")
        self._end(
            WaitEnd(
                WaitOutcome.MATCHED if matched else WaitOutcome.STOPPED,
                self._elapsed,
                pane,
                index if matched else index - len(self.wanted.any_of),
                said,
                excerpt(text, start, stop),
                bookmark=behind(self.open[pane].terminal, since, said),
            )
        )

    def ended(self, pane: PaneId, how: Exit | Closed) -> None:
        """Nothing more comes from a pane, and all that came was searched."""
        exit = how if isinstance(how, Exit) else None
        if self.open.keys() <= {pane} or (self.wanted.exit and exit):
            screen, mark = self._look_at(pane)
            outcome = WaitOutcome.EXITED if exit else WaitOutcome.CLOSED
            self._end(WaitEnd(outcome, self._elapsed, pane, exit=exit, bookmark=mark, screen=screen))
        else:
            self.open.pop(pane, None)

    @property
    def due(self) -> float:
        """When there is something to do by the clock."""
        times = [self.begun + self.wanted.seconds, self._report_at]
        return min([*times, self._idle_at] if self.wanted.idle is not None else times)

    def tick(self, now: float) -> None:
        """Do what is due by the clock; what came before is looked at first."""
        late, idle = now >= self.begun + self.wanted.seconds, self.wanted.idle is not None and now >= self._idle_at
        if now >= self._report_at and not late:
            self._report_at = now + REPORTED
            self._report(now - self.begun)
        if not (late or idle):
            return
        pane = next(iter(self.open)) if len(self.open) == 1 else None
        screen, mark = ("", None) if pane is None else self._look_at(pane)
        for watched in tuple(self.open.values()):
            watched.look_now()
        if late or now >= self._idle_at:
            outcome = WaitOutcome.TIMEOUT if late else WaitOutcome.IDLE
            self._end(WaitEnd(outcome, self._elapsed, pane, bookmark=mark, screen=screen))

    @property
    def _idle_at(self) -> float:
        return max([self.begun, *(watched.printed_at for watched in self.open.values())]) + (self.wanted.idle or 0.0)

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self.begun

    def _look_at(self, pane: PaneId) -> tuple[str, Bookmark | None]:
        """What a pane shows last, and where its program writes; both may be looked past again, but miss nothing."""
        watched = self.open[pane]
        return screen_tail(watched.terminal) or watched.tail(), here(watched.terminal)

    def _end(self, ending: WaitEnd) -> None:
        if not self.over:
            self.over = True
            skipped = sum(watched.skipped for watched in self.open.values())
            self._told(replace(ending, skipped=skipped))


def excerpt(text: bytes, start: int, stop: int) -> str:
    """A match with a few lines around it. Untrusted."""
    first, last = max(0, start - SHOWN), min(len(text), stop + SHOWN)
    before = text[first:start].decode(errors="replace").split("\n")[-AROUND - 1 :]
    behind = text[stop:last].decode(errors="replace").split("\n")[: AROUND + 1]
    middle = text[start:stop].decode(errors="replace")
    return ("\n".join(before) + middle + "\n".join(behind)).strip("\n")


def screen_tail(terminal: Terminal) -> str:
    """The last rows of a terminal's screen, without blank ones at its end; empty if it is closed. Untrusted."""
    with terminal.locked() as screen:
        if screen.closed:
            return ""
        lines = screen.emulator.lines(screen.emulator.scrollback.lines, screen.end.line, joined=True)
    return "\n".join("\n".join(lines).rstrip("\n").split("\n")[-TAIL:])
