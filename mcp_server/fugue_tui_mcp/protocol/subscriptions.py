"""Tells a client that resources changed: only those it subscribed to, not too often, and always the last change.

Nothing is followed while there is nobody to tell. Belongs to the loop of the thread.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final

from fugue_tui.control.dispatch.thread_gateway import ThreadGateway
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.multiplexer.events.log import LogEntry
from fugue_tui_mcp.protocol.resources import WatchedResource

PACE: Final = 0.5
"""Seconds between two tellings that the same resource changed."""

_COMMANDS: Final = frozenset({EventKind.COMMAND_STARTED, EventKind.COMMAND_FINISHED})
_WINDOWS: Final = frozenset(
    {
        EventKind.LAYOUT,
        EventKind.PANE_OPENED,
        EventKind.PANE_CLOSED,
        EventKind.WINDOW_OPENED,
        EventKind.WINDOW_CLOSED,
        EventKind.WINDOW_RENAMED,
    }
)
_UNLISTED: Final = frozenset(
    {EventKind.OUTPUT, EventKind.BELL, EventKind.NOTIFICATION, EventKind.CLIENT_ATTACHED, EventKind.CLIENT_DETACHED}
)
"""What changes nothing in the list of panes."""


def touches(entry: LogEntry, watched: WatchedResource) -> bool:
    """Whether what happened changes a resource."""
    match watched.view:
        case "panes":
            return entry.kind not in _UNLISTED
        case "layout":
            return entry.kind in _WINDOWS or entry.kind is EventKind.FOCUS
        case "last-command":
            return entry.pane == watched.pane and (
                entry.kind in _COMMANDS or entry.kind in (EventKind.OUTPUT, EventKind.EXIT)
            )
        case "state":
            return entry.pane == watched.pane or entry.kind is EventKind.LAYOUT
        case _:
            own = entry.pane == watched.pane and entry.kind in (
                EventKind.OUTPUT,
                EventKind.STARTED,
                EventKind.EXIT,
                EventKind.PANE_CLOSED,
            )
            return own or entry.kind is EventKind.LAYOUT


class Subscriptions:
    """What one client wants to be told."""

    def __init__(
        self, gate: ThreadGateway, updated: Callable[[str], Awaitable[None]], listed: Callable[[], Awaitable[None]]
    ):
        """`updated` tells that a resource changed, `listed` that the list of them did."""
        self._gate = gate
        self._loop = asyncio.get_running_loop()
        self._wanted = Counter[WatchedResource]()
        self._lists = 0
        self._updates = _Paced(updated)
        self._listings = _Paced(lambda _: listed())
        self._stop_following: Callable[[], None] | None = None
        self._stop_lists: Callable[[], None] | None = None

    @property
    def lists(self) -> bool:
        """Whether the client is told when other resources are there."""
        return self._lists > 0

    @property
    def count(self) -> int:
        """How many resources are watched."""
        return len(self._wanted)

    def add(self, wanted: Iterable[WatchedResource], *, lists: bool = False) -> None:
        """Tell of changes of these from now on, as often as they were added; with `lists`, also of the list's."""
        self._wanted.update(wanted)
        self._lists += lists
        self._follow()

    def remove(self, wanted: Iterable[WatchedResource], *, lists: bool = False) -> None:
        """Take back what was added once."""
        wanted = tuple(wanted)
        self._wanted.subtract(wanted)
        self._wanted = +self._wanted
        self._lists -= lists
        self._forget({each.uri for each in wanted})

    def remove_all(self, uri: str) -> None:
        """Tell nothing more of one resource, however often it was added."""
        self._wanted = Counter({each: count for each, count in self._wanted.items() if each.uri != uri})
        self._forget({uri})

    def close(self) -> None:
        """Tell nothing more."""
        self._wanted.clear()
        self._lists = 0
        self._follow()
        self._updates.close()
        self._listings.close()

    def _forget(self, uris: set[str]) -> None:
        """Tell no more of what nobody wants any more, also not what was due."""
        for uri in uris - {each.uri for each in self._wanted}:
            self._updates.forget(uri)
        self._follow()

    def _follow(self) -> None:
        """Follow what there is somebody to tell of, and nothing else."""
        if self._wanted and self._stop_following is None:
            self._stop_following = self._gate.follow(
                lambda entry: self._call(lambda: self._happened(entry)),
                lambda pane: self._call(lambda: self._looked(pane)),
            )
        elif not self._wanted and self._stop_following is not None:
            self._stop_following()
            self._stop_following = None
        if self._lists and self._stop_lists is None:
            self._stop_lists = self._gate.follow_panes(lambda: self._call(lambda: self._listings.touch("")))
        elif not self._lists and self._stop_lists is not None:
            self._stop_lists()
            self._stop_lists = None

    def _call(self, call: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # The loop is closed once the workspace is left.
            self._loop.call_soon_threadsafe(call)

    def _happened(self, entry: LogEntry) -> None:
        for each in self._wanted:
            if touches(entry, each):
                self._updates.touch(each.uri)

    def _looked(self, pane: PaneId) -> None:
        """A pane's view was moved, or other text selected in it."""
        for each in self._wanted:
            if each.view == "state" and each.pane == pane:
                self._updates.touch(each.uri)


class _Paced:
    """Tells of names that were touched, each at most so often, one after the other as fast as they are taken."""

    def __init__(self, tell: Callable[[str], Awaitable[None]]) -> None:
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._due = dict[str, None]()
        self._told = dict[str, float]()
        self._timers = dict[str, asyncio.TimerHandle]()
        self._telling: asyncio.Task[None] | None = None

    def touch(self, name: str) -> None:
        """Something changed: tell it now, or when it may be told again."""
        if name in self._due or name in self._timers:
            return
        wait = self._told.get(name, -PACE) + PACE - self._loop.time()
        if wait > 0:
            self._timers[name] = self._loop.call_later(wait, self._ready, name)
        else:
            self._ready(name)

    def forget(self, name: str) -> None:
        """Tell nothing more of it, whatever is due."""
        self._due.pop(name, None)
        self._told.pop(name, None)
        if timer := self._timers.pop(name, None):
            timer.cancel()

    def close(self) -> None:
        """Tell nothing more."""
        for timer in self._timers.values():
            timer.cancel()
        self._due.clear()
        if self._telling is not None:
            self._telling.cancel()

    def _ready(self, name: str) -> None:
        self._timers.pop(name, None)
        self._due[name] = None
        if self._telling is None or self._telling.done():
            self._telling = self._loop.create_task(self._tell_all())

    async def _tell_all(self) -> None:
        while self._due:
            name = next(iter(self._due))
            del self._due[name]
            self._told[name] = self._loop.time()
            await self._tell(name)
