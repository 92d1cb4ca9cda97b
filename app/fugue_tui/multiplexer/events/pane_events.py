"""What is known of a running pane besides its screen: bells, notices, prompts, and when a person typed last."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Final, Protocol, TypeAlias

from fugue_tui.ids import PaneId
from fugue_tui.terminal.emulator.event_queue import EventQueue
from fugue_tui.terminal.emulator.events import Bell, CommandFinished, Event, EventsDropped, Notification, PromptMark
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal

Post: TypeAlias = Callable[[Callable[[], None]], None]
"""Runs something on the main thread soon; may be called from any thread."""
Later: TypeAlias = Callable[[float, Callable[[], None]], object]
"""Calls something after so many seconds, on any thread."""
PACE: Final = 0.05
"""Seconds between two looks at the events of a terminal that has more of them than can be told."""


@dataclass(frozen=True, slots=True)
class Started:
    """A program runs in the pane now: the pane is new, or its program was started again on a new terminal."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The pane's program is over; the pane may stay, with its text."""

    exit: Exit


PaneEvent: TypeAlias = Event | Started | Ended
"""What may happen to a pane besides output."""


class PaneCallbacks(Protocol):
    """Who hears about terminals, on the main thread."""

    def pane_changed(self, pane: PaneId, terminal: Terminal) -> None:
        """There is something to draw."""
        ...

    def pane_event(self, pane: PaneId, terminal: Terminal, event: Event) -> None:
        """The program said something besides text."""
        ...

    def pane_ended(self, pane: PaneId, terminal: Terminal, exit: Exit) -> None:
        """The program is over."""
        ...


@dataclass(slots=True)
class PaneReports:
    """What a pane's program said since it was started; changed on the main thread only."""

    started_at: float
    """When the program was started, on the multiplexer's clock."""
    bells: int = 0
    """How often it rang; bells that came faster than they could be told count as one."""
    notice: Notification | None = None
    """Its newest notification: untrusted text."""
    at_prompt: bool | None = None
    """Whether a shell waits for input; None if the program never marked its prompts (OSC 133)."""
    last_status: int | None = None
    """The exit status of the newest command that a marked shell ran."""
    typed_at: float | None = None
    """When a person typed last, on the multiplexer's clock; None if never."""

    def record(self, event: Event) -> None:
        """Take in what the program said."""
        match event:
            case Bell():
                self.bells += 1
            case Notification():
                self.notice = event
            case PromptMark(kind, exit_code):
                self.at_prompt = kind in ("A", "B")
                # Shells that Fugue set up tell at every prompt, also if nothing was run.
                self.last_status = exit_code if kind == "D" and not event.nonce else self.last_status
            case CommandFinished(command):
                self.last_status = command.exit_code
            case _:
                pass  # A title or a directory is the terminal's own to keep.


class TerminalWatcher:
    """The watcher of one pane's terminal: takes what the pump's threads tell over to the main thread.

    Events wait in a bounded queue, and the main thread is asked once to look at it, until it is empty. While the queue
    is full the program's output is not read. A queue that overflowed is looked at again only after a pause."""

    def __init__(self, pane: PaneId, post: Post, later: Later, owner: "PaneCallbacks") -> None:
        self._pane, self._post, self._later, self._owner = pane, post, later, owner
        self._lock = Lock()
        self._queue = EventQueue[Event | Exit]()
        self._asked = self._paused = False
        self._taken = deque[Event | Exit]()
        self._flooded = False

    def changed(self, terminal: Terminal) -> None:
        """There is something to draw."""
        self._post(lambda: self._owner.pane_changed(self._pane, terminal))

    def said(self, terminal: Terminal, event: Event) -> None:
        """The program said something besides text."""
        self._put(terminal, event)

    def ended(self, terminal: Terminal, exit: Exit) -> None:
        """The program is over, and all its output was fed."""
        self._put(terminal, exit)

    def _put(self, terminal: Terminal, event: Event | Exit) -> None:
        with self._lock:
            self._queue.put(event)
            if self._queue.full and not self._paused:
                self._paused = True
                terminal.pause_output(paused=True)
            asked, self._asked = self._asked, True
        if not asked:
            self._ask(terminal)

    def _ask(self, terminal: Terminal) -> None:
        self._post(partial(self._look, terminal))

    def _look(self, terminal: Terminal) -> None:
        """On the main thread: tell one event, after asking for the next, so that other work may come between."""
        if not self._taken:
            self._take()
        event = self._taken.popleft() if self._taken else None
        if self._taken:
            self._ask(terminal)
        elif self._flooded:
            self._later(PACE, partial(self._ask, terminal))
            self._resume(terminal)
        elif self._more():
            self._ask(terminal)
        if isinstance(event, Exit):
            self._owner.pane_ended(self._pane, terminal, event)
        elif event is not None:
            self._owner.pane_event(self._pane, terminal, event)

    def _take(self) -> None:
        with self._lock:
            taken = self._queue.take()
        self._taken.extend(taken)
        self._flooded = self._paused or any(isinstance(event, EventsDropped) for event in taken)

    def _resume(self, terminal: Terminal) -> None:
        with self._lock:
            paused, self._paused = self._paused, False
            if paused:
                terminal.pause_output(paused=False)

    def _more(self) -> bool:
        """Whether anything came since the queue was taken; if not, the next event asks for a look again."""
        with self._lock:
            self._asked = bool(self._queue)
            return self._asked
