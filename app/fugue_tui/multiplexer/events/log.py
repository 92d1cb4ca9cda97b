"""The log of a workspace's events, numbered from 1. Main thread only.

Output is logged as counts, never as text, at most every quarter of a second per pane. Without subscribers, output is
counted only when the log is read or another event of the pane is logged: a flood costs the log nothing.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, Protocol

from msgspec import Struct, field

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.multiplexer.events.derive import NOTHING, EventDraft, EventKind, changes, draft
from fugue_tui.multiplexer.events.pane_events import PaneEvent, Post, Started
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.terminal.observers import ObservedEvent, ViewChanged
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import Workspace

KEPT: Final = 10_000
"""Entries kept: the newest."""
PACE: Final = 0.25
"""Seconds between two output entries of one pane while there are subscribers."""


class LogEntry(Struct, frozen=True):
    """One event."""

    number: int
    """Counts from 1 without gaps."""
    at: float
    """Seconds since the epoch; of output, its last byte's."""
    kind: EventKind
    pane: PaneId | None = None
    window: WindowId | None = None
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Details as JSON values; text is cleaned, and untrusted all the same."""


class LogSource(Protocol):
    """The logged workspace: the multiplexer."""

    on_change: CallbackList[[Workspace, Workspace]]
    on_event: CallbackList[[PaneId, PaneEvent]]
    terminals: dict[PaneId, Terminal]
    post: Post


class EventLog:
    """The log and its subscribers."""

    def __init__(self, mux: LogSource) -> None:
        self.started_at: Final = round(time.time(), 3)
        """Seconds since the epoch; identifies this log."""
        self._mux = mux
        self._entries: deque[LogEntry] = deque(maxlen=KEPT)
        self._number = 0
        self._counted: dict[PaneId, _Counted] = {}
        self._observers: dict[PaneId, _OutputObserver] = {}
        self.on_entry: Final = CallbackList[[LogEntry]]()
        """Called with each entry; unlike `follow`, output is not counted for that."""
        self._on_view = CallbackList[[PaneId]]()
        self._subscribers = 0
        mux.on_change.connect(self._changed)
        mux.on_event.connect(self._event)

    @property
    def newest(self) -> int:
        """The number of the newest entry; 0 if there is none."""
        self._count_output()
        return self._number

    def since(self, number: int) -> tuple[list[LogEntry], bool]:
        """The entries after a number, oldest first, and whether some were discarded."""
        self._count_output()
        oldest = self._number - len(self._entries) + 1
        start = max(0, number + 1 - oldest)
        return list(islice(self._entries, start, None)), number + 1 < oldest

    def follow(
        self, call: Callable[[LogEntry], None], on_view: Callable[[PaneId], None] = lambda pane: None
    ) -> Callable[[], None]:
        """Subscribe to entries; the result unsubscribes, and may be called once.

        `on_view` is called when a pane's scroll position or selection changed, which is not logged."""
        self._count_output()
        ends = self.on_entry.connect(call), self._on_view.connect(on_view)
        self._subscribers += 1
        if self._subscribers == 1:
            for pane, terminal in self._mux.terminals.items():
                self._observe(pane, terminal)

        def stop() -> None:
            for end in ends:
                end()
            self._subscribers -= 1
            if not self._subscribers:
                self._unobserve()

        return stop

    def record(self, kind: EventKind, pane: PaneId | None = None, window: WindowId | None = None, **facts: Any) -> None:
        """Append an entry, and notify subscribers."""
        self.add(EventDraft(kind, pane, window, facts))

    def add(self, new: EventDraft) -> None:
        """Append an entry that was derived, and notify subscribers."""
        self._write(new, time.time())

    def _write(self, new: EventDraft, at: float) -> None:
        self._number += 1
        entry = LogEntry(self._number, at, new.kind, new.pane, new.window, MappingProxyType(dict(new.facts)))
        self._entries.append(entry)
        self.on_entry(entry)

    def _event(self, pane: PaneId, event: PaneEvent) -> None:
        if isinstance(event, Started) and self._restarted(pane):
            return
        entry = draft(pane, event)
        if entry is not NOTHING:
            self._count(pane)
            self._write(entry, time.time())

    def _changed(self, old: Workspace, new: Workspace) -> None:
        for pane in old.panes.keys() - new.panes.keys():
            self._counted.pop(pane, None)
            if observer := self._observers.pop(pane, None):
                observer.unobserve()
        for pane in new.panes.keys() - old.panes.keys():
            self._reopened(pane)
        for entry in changes(old, new):
            self._write(entry, time.time())

    def _reopened(self, pane: PaneId) -> None:
        """Follow a pane that may be a closed one that came back; what it printed meanwhile is not counted."""
        if terminal := self._mux.terminals.get(pane):
            self._counted[pane] = _Counted(terminal.fed, terminal.newlines)
            if self._subscribers:
                self._observe(pane, terminal)

    def _restarted(self, pane: PaneId) -> bool:
        """Follow a pane's new terminal; whether it only waits for its program."""
        terminal = self._mux.terminals.get(pane)
        self._counted.pop(pane, None)
        if observer := self._observers.pop(pane, None):
            observer.unobserve()
        if self._subscribers and terminal is not None:
            self._observe(pane, terminal)
        return terminal is not None and terminal.waits

    # Output

    def _count_output(self) -> None:
        for pane in self._mux.terminals:
            self._count(pane)

    def _count(self, pane: PaneId) -> None:
        """Log what a pane printed since its last output entry."""
        terminal, before = self._mux.terminals.get(pane), self._counted.get(pane, _Counted())
        if terminal is None or terminal.fed == before.fed:
            return
        now = _Counted(terminal.fed, terminal.newlines)
        self._counted[pane] = now
        facts = {"bytes": now.fed - before.fed, "lines": now.newlines - before.newlines}
        at = time.time() - max(0.0, time.monotonic() - terminal.printed_at)
        self._write(EventDraft(EventKind.OUTPUT, pane, None, facts), at)

    def _observe(self, pane: PaneId, terminal: Terminal) -> None:
        on_output, on_view = lambda: self._printed(pane, observer), lambda: self._on_view(pane)
        self._observers[pane] = observer = _OutputObserver(terminal, self._mux.post, on_output, on_view)

    def _unobserve(self) -> None:
        for observer in self._observers.values():
            observer.unobserve()
        self._observers.clear()

    def _printed(self, pane: PaneId, observer: "_OutputObserver") -> None:
        """Count a pane's output now, or PACE seconds after its last output entry."""
        if self._observers.get(pane) is not observer:
            return
        wait = observer.counted_at + PACE - time.monotonic()
        if wait > 0:
            call_later(wait, lambda: self._printed(pane, observer))
            return
        observer.counted_at = time.monotonic()
        observer.notified = False
        self._count(pane)


class _Counted(Struct, frozen=True):
    """A terminal's counts at its last output entry."""

    fed: int = 0
    newlines: int = 0


class _OutputObserver:
    """Posts that a terminal printed, once until that was counted, and that its view changed."""

    def __init__(
        self, terminal: Terminal, post: Post, on_output: Callable[[], None], on_view: Callable[[], None]
    ) -> None:
        self.notified = self._view_notified = False
        self.counted_at = 0.0
        self._post, self._on_output, self._on_view = post, on_output, on_view
        self.unobserve = terminal.observe(self._receive)

    def _receive(self, what: ObservedEvent) -> None:
        match what:
            case memoryview() if not self.notified:
                self.notified = True
                self._post(self._on_output)
            case ViewChanged() if not self._view_notified:
                self._view_notified = True
                self._post(self._notify_view)
            case _:
                pass  # The rest arrives as events.

    def _notify_view(self) -> None:
        self._view_notified = False
        self._on_view()
