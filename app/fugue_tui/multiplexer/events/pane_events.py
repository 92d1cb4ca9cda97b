"""Events of panes besides output, and what a pane's program reported: bells, notifications, prompts."""

from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Final, Protocol, TypeAlias

from msgspec import Struct, field

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.agents.state import AgentStatus, AgentUsage, Reading
from fugue_tui.multiplexer.events.input_log import InputLog
from fugue_tui.terminal.emulator.event_queue import EventQueue
from fugue_tui.terminal.emulator.events import Bell, CommandFinished, Event, EventsDropped, Notification, PromptMark
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal

Post: TypeAlias = Callable[[Callable[[], None]], None]
"""Runs a callback on the main thread soon; any thread."""
Later: TypeAlias = Callable[[float, Callable[[], None]], object]
"""Calls something on the main thread after so many seconds."""
PACE: Final = 0.05
"""Seconds between two reads of a terminal's events after its queue overflowed."""


class Started(Struct, frozen=True):
    """The pane has a new terminal: it was opened, or its program was started again."""


class Ended(Struct, frozen=True):
    """The pane's program exited; the pane may stay, with its text."""

    exit: Exit


class ContextChanged(Struct, frozen=True):
    """Variables or aliases were injected into the pane's shell, or withdrawn from it."""


class SidebandUsed(Struct, frozen=True):
    """The pane's program printed a tag, or the frame need not show that any more."""

    note: str = ""
    """What it did, cleaned; empty for the latter."""
    silent: bool = False
    """Whether only the frame shows that, as the user was notified otherwise."""


class AgentReported(Struct, frozen=True):
    """A hook of the pane's agent reported what it does."""

    reading: Reading


class AgentUsageReported(Struct, frozen=True):
    """A hook of the pane's agent reported what it runs on."""

    usage: AgentUsage


class AgentChanged(Struct, frozen=True):
    """What is known of the pane's agent has changed."""

    status: AgentStatus | None
    """None if there is no agent any more."""
    entered: bool
    """Whether it is in another state now, or needs something else; not only in other words."""


PaneEvent: TypeAlias = (
    Event | Started | Ended | ContextChanged | SidebandUsed | AgentReported | AgentUsageReported | AgentChanged
)
"""Events of a pane besides output."""


class PaneCallbacks(Protocol):
    """Callbacks for the events of terminals, on the main thread."""

    def pane_changed(self, pane: PaneId, terminal: Terminal) -> None:
        """The terminal has something to draw."""
        ...

    def pane_event(self, pane: PaneId, terminal: Terminal, event: Event) -> None:
        """The program reported something besides text."""
        ...

    def pane_ended(self, pane: PaneId, terminal: Terminal, exit: Exit) -> None:
        """The program exited."""
        ...


class PaneReports(Struct):
    """What a pane's program reported since it was started; changed on the main thread only."""

    bells: int = 0
    """The number of bells; those that could not be reported one by one count as one."""
    notice: Notification | None = None
    """Its newest notification: untrusted text."""
    at_prompt: bool | None = None
    """Whether a shell waits for input; None if the program never marked its prompts (OSC 133)."""
    last_status: int | None = None
    """The exit status of the newest command, if the shell marks its prompts."""
    input: InputLog = field(default_factory=InputLog)
    """Who typed."""

    @property
    def typed_at(self) -> float | None:
        """When the user last typed, on the multiplexer's clock; None if never."""
        return self.input.typed_at

    def record(self, event: Event) -> None:
        """Record an event of the program."""
        match event:
            case Bell():
                self.bells += 1
            case Notification():
                self.notice = event
            case PromptMark(kind, exit_code):
                self.at_prompt = kind in ("A", "B")
                # Shells with Fugue's integration mark the end of a command at every prompt, also if none ran.
                self.last_status = exit_code if kind == "D" and not event.nonce else self.last_status
            case CommandFinished(command):
                self.last_status = command.confirmed_exit_code
            case _:
                pass  # The terminal itself keeps its title and directory.


class TerminalWatcher:
    """The watcher of one pane's terminal: passes events from the I/O threads to the main thread.

    Events wait in a bounded queue, which the main thread reads, one post at a time, until it is empty. While the queue
    is full the program's output is not read. A queue that overflowed is read again only after a pause."""

    def __init__(self, pane: PaneId, post: Post, later: Later, owner: "PaneCallbacks") -> None:
        self._pane, self._post, self._later, self._owner = pane, post, later, owner
        self._lock = Lock()
        self._queue = EventQueue[Event | Exit]()
        self._posted = self._paused = False
        self._events = deque[Event | Exit]()
        self._flooded = False

    def changed(self, terminal: Terminal) -> None:
        """The terminal has something to draw."""
        self._post(lambda: self._owner.pane_changed(self._pane, terminal))

    def on_event(self, terminal: Terminal, event: Event) -> None:
        """The program reported something besides text."""
        self._put(terminal, event)

    def ended(self, terminal: Terminal, exit: Exit) -> None:
        """The program exited, and all its output was fed."""
        self._put(terminal, exit)

    def _put(self, terminal: Terminal, event: Event | Exit) -> None:
        with self._lock:
            self._queue.put(event)
            if self._queue.full and not self._paused:
                self._paused = True
                terminal.pause_output(paused=True)
            posted, self._posted = self._posted, True
        if not posted:
            self._post_read(terminal)

    def _post_read(self, terminal: Terminal) -> None:
        self._post(partial(self._read, terminal))

    def _read(self, terminal: Terminal) -> None:
        """On the main thread: report one event, after posting the next read, so that other work may come between."""
        if not self._events:
            self._drain()
        event = self._events.popleft() if self._events else None
        if self._events:
            self._post_read(terminal)
        elif self._flooded:
            self._later(PACE, partial(self._read, terminal))
            self._resume(terminal)
        elif self._has_more():
            self._post_read(terminal)
        if isinstance(event, Exit):
            self._owner.pane_ended(self._pane, terminal, event)
        elif event is not None:
            self._owner.pane_event(self._pane, terminal, event)

    def _drain(self) -> None:
        with self._lock:
            events = self._queue.take()
        self._events.extend(events)
        self._flooded = self._paused or any(isinstance(event, EventsDropped) for event in events)

    def _resume(self, terminal: Terminal) -> None:
        with self._lock:
            paused, self._paused = self._paused, False
            if paused:
                terminal.pause_output(paused=False)

    def _has_more(self) -> bool:
        """Whether events arrived since the queue was read; if not, the next event posts a read."""
        with self._lock:
            self._posted = bool(self._queue)
            return self._posted
