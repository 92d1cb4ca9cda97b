"""One log of what happens in a workspace, numbered from 1, for whoever wants to know what came since. Main thread only.

Output is told as counts, never as text, and at most every quarter of a second a pane. While nobody follows, output is
counted only when somebody reads, or when something else happens to the pane: a flood costs the log nothing.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, Protocol

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.multiplexer.events.callbacks import CallbackList
from fugue_tui.multiplexer.events.derive import NOTHING, EventDraft, EventKind, changes, told
from fugue_tui.multiplexer.events.pane_events import PaneEvent, Post, Started
from fugue_tui.multiplexer.watch.watcher import WaitService
from fugue_tui.terminal.observers import Tapped, ViewChanged
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import Workspace

KEPT: Final = 10_000
"""Entries that are kept: the newest."""
PACE: Final = 0.25
"""Seconds between two entries on the output of one pane, while somebody follows."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One thing that happened."""

    number: int
    """Counts from 1 without gaps; never used again."""
    at: float
    """Seconds since the epoch; of output, when the last of it came."""
    kind: EventKind
    pane: PaneId | None = None
    window: WindowId | None = None
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What is known of it, as JSON values; text is cleaned, and untrusted all the same."""


class Observed(Protocol):
    """The workspace that is logged."""

    on_change: CallbackList[[Workspace, Workspace]]
    on_event: CallbackList[[PaneId, PaneEvent]]
    terminals: dict[PaneId, Terminal]
    wait_service: WaitService
    post: Post


class EventLog:
    """The log, and who follows it."""

    def __init__(self, mux: Observed) -> None:
        self.started_at: Final = round(time.time(), 3)
        """When that was, in seconds since the epoch: what tells one log from another."""
        self._mux = mux
        self._entries: deque[LogEntry] = deque(maxlen=KEPT)
        self._number = 0
        self._counted: dict[PaneId, _Counted] = {}
        self._ears: dict[PaneId, _Ear] = {}
        self._followed = CallbackList[[LogEntry]]()
        self._looked = CallbackList[[PaneId]]()
        self._followers = 0
        mux.on_change.connect(self._changed)
        mux.on_event.connect(self._happened)

    @property
    def newest(self) -> int:
        """The number of the newest entry; 0 if there is none."""
        self._count_output()
        return self._number

    def since(self, number: int) -> tuple[list[LogEntry], bool]:
        """What came after an entry, oldest first, and whether some of it is not kept any more."""
        self._count_output()
        oldest = self._number - len(self._entries) + 1
        start = max(0, number + 1 - oldest)
        return list(islice(self._entries, start, None)), number + 1 < oldest

    def follow(
        self, call: Callable[[LogEntry], None], looked: Callable[[PaneId], None] = lambda pane: None
    ) -> Callable[[], None]:
        """Have every entry told from now on; what is returned ends that, and may be called once.

        `looked` hears what is not written down: that a pane's view was moved, or other text selected in it."""
        self._count_output()
        ends = self._followed.connect(call), self._looked.connect(looked)
        self._followers += 1
        if self._followers == 1:
            for pane, terminal in self._mux.terminals.items():
                self._listen(pane, terminal)

        def stop() -> None:
            for end in ends:
                end()
            self._followers -= 1
            if not self._followers:
                self._deafen()

        return stop

    def record(self, kind: EventKind, pane: PaneId | None = None, window: WindowId | None = None, **facts: Any) -> None:
        """Write something down, and tell who follows."""
        self._write(EventDraft(kind, pane, window, facts), time.time())

    def _write(self, news: EventDraft, at: float) -> None:
        self._number += 1
        entry = LogEntry(self._number, at, news.kind, news.pane, news.window, MappingProxyType(dict(news.facts)))
        self._entries.append(entry)
        self._followed(entry)

    def _happened(self, pane: PaneId, event: PaneEvent) -> None:
        if isinstance(event, Started) and self._begins(pane):
            return
        news = told(pane, event)
        if news is not NOTHING:
            self._count(pane)
            self._write(news, time.time())

    def _changed(self, old: Workspace, new: Workspace) -> None:
        for pane in old.panes.keys() - new.panes.keys():
            self._counted.pop(pane, None)
            if ear := self._ears.pop(pane, None):
                ear.untap()
        for news in changes(old, new):
            self._write(news, time.time())

    def _begins(self, pane: PaneId) -> bool:
        """Take in that there is another terminal in a pane; whether it only waits for its program."""
        terminal = self._mux.terminals.get(pane)
        self._counted.pop(pane, None)
        if ear := self._ears.pop(pane, None):
            ear.untap()
        if self._followers and terminal is not None:
            self._listen(pane, terminal)
        return terminal is not None and terminal.waits

    # Output

    def _count_output(self) -> None:
        for pane in self._mux.terminals:
            self._count(pane)

    def _count(self, pane: PaneId) -> None:
        """Write down what a pane printed since that was done last."""
        terminal, before = self._mux.terminals.get(pane), self._counted.get(pane, _Counted())
        if terminal is None or terminal.fed == before.fed:
            return
        now = _Counted(terminal.fed, terminal.newlines)
        self._counted[pane] = now
        facts = {"bytes": now.fed - before.fed, "lines": now.newlines - before.newlines}
        at = time.time() - max(0.0, time.monotonic() - terminal.printed_at)
        self._write(EventDraft(EventKind.OUTPUT, pane, None, facts), at)

    def _listen(self, pane: PaneId, terminal: Terminal) -> None:
        heard, looked = lambda: self._heard(pane, ear), lambda: self._looked(pane)
        self._ears[pane] = ear = _Ear(terminal, self._mux.post, heard, looked)

    def _deafen(self) -> None:
        for ear in self._ears.values():
            ear.untap()
        self._ears.clear()

    def _heard(self, pane: PaneId, ear: "_Ear") -> None:
        """A pane has printed: count it now, or when a quarter of a second is over."""
        if self._ears.get(pane) is not ear:
            return
        wait = ear.counted_at + PACE - time.monotonic()
        if wait > 0:
            self._mux.wait_service.after(wait, lambda: self._mux.post(lambda: self._heard(pane, ear)))
            return
        ear.counted_at = time.monotonic()
        ear.told = False
        self._count(pane)


@dataclass(frozen=True, slots=True)
class _Counted:
    """The counts of a terminal when they were written down last."""

    fed: int = 0
    newlines: int = 0


class _Ear:
    """Hears that a terminal prints, once until that was counted, and that it is looked at otherwise."""

    def __init__(self, terminal: Terminal, post: Post, heard: Callable[[], None], looked: Callable[[], None]) -> None:
        self.told = self._look_told = False
        self.counted_at = 0.0
        self._post, self._heard, self._looked = post, heard, looked
        self.untap = terminal.tap(self._tap)

    def _tap(self, what: Tapped) -> None:
        match what:
            case memoryview() if not self.told:
                self.told = True
                self._post(self._heard)
            case ViewChanged() if not self._look_told:
                self._look_told = True
                self._post(self._tell_look)
            case _:
                pass  # What else comes is told as an event.

    def _tell_look(self) -> None:
        self._look_told = False
        self._looked()
