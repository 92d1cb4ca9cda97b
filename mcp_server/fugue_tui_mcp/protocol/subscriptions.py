"""Notifies a client of changes of its subscribed resources, rate-limited, and always of the last change.

Without subscriptions, no events are followed. Runs on the event loop.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final

from fugue_tui.control.dispatch.thread_gateway import Caller, ThreadGateway
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.multiplexer.events.log import LogEntry
from fugue_tui_mcp.protocol.resources import WatchedResource

PACE: Final = 0.5
"""Seconds between two notifications for the same resource."""

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
    {
        EventKind.OUTPUT,
        EventKind.AGENT,
        EventKind.BELL,
        EventKind.NOTIFICATION,
        EventKind.CLIENT_ATTACHED,
        EventKind.CLIENT_DETACHED,
    }
)
"""Events that do not change the list of panes."""


def touches(entry: LogEntry, watched: WatchedResource) -> bool:
    """Whether an event changes a resource."""
    match watched.view:
        case "panes":
            return entry.kind not in _UNLISTED
        case "agents":
            return entry.kind in (EventKind.AGENT, EventKind.PANE_CLOSED, EventKind.PANE_RENAMED)
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
    """The subscriptions of one client."""

    def __init__(
        self,
        gateway: ThreadGateway,
        caller: Caller,
        updated: Callable[[str], Awaitable[None]],
        listed: Callable[[], Awaitable[None]],
    ):
        """`updated` reports a changed resource, `listed` a changed list of resources."""
        self._gateway, self._caller = gateway, caller
        self._loop = asyncio.get_running_loop()
        self._resources = Counter[WatchedResource]()
        self._lists = 0
        self._updates = _RateLimiter(updated)
        self._listings = _RateLimiter(lambda _: listed())
        self._stop_following: Callable[[], None] | None = None
        self._stop_lists: Callable[[], None] | None = None

    @property
    def lists(self) -> bool:
        """Whether the client is notified when the list of resources changes."""
        return self._lists > 0

    @property
    def count(self) -> int:
        """The number of subscribed resources."""
        return len(self._resources)

    def add(self, resources: Iterable[WatchedResource], *, lists: bool = False) -> None:
        """Subscribe to resources, counted; with `lists`, also to the list of resources."""
        self._resources.update(resources)
        self._lists += lists
        self._follow()

    def remove(self, resources: Iterable[WatchedResource], *, lists: bool = False) -> None:
        """Undo one `add`."""
        resources = tuple(resources)
        self._resources.subtract(resources)
        self._resources = +self._resources
        self._lists -= lists
        self._forget({each.uri for each in resources})

    def remove_all(self, uri: str) -> None:
        """Unsubscribe from a resource, however often it was added."""
        self._resources = Counter({each: count for each, count in self._resources.items() if each.uri != uri})
        self._forget({uri})

    def close(self) -> None:
        """Send no more notifications."""
        self._resources.clear()
        self._lists = 0
        self._follow()
        self._updates.close()
        self._listings.close()

    def _forget(self, uris: set[str]) -> None:
        """Discard due notifications of resources without subscriptions."""
        for uri in uris - {each.uri for each in self._resources}:
            self._updates.forget(uri)
        self._follow()

    def _follow(self) -> None:
        """Follow events exactly while there are subscriptions."""
        if self._resources and self._stop_following is None:
            self._stop_following = self._gateway.follow(
                self._caller,
                lambda entry: self._call(lambda: self._on_event(entry)),
                lambda pane: self._call(lambda: self._on_view(pane)),
            )
        elif not self._resources and self._stop_following is not None:
            self._stop_following()
            self._stop_following = None
        if self._lists and self._stop_lists is None:
            self._stop_lists = self._gateway.follow_panes(
                self._caller, lambda: self._call(lambda: self._listings.touch(""))
            )
        elif not self._lists and self._stop_lists is not None:
            self._stop_lists()
            self._stop_lists = None

    def _call(self, call: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # The loop is closed when the workspace ends.
            self._loop.call_soon_threadsafe(call)

    def _on_event(self, entry: LogEntry) -> None:
        for each in self._resources:
            if touches(entry, each):
                self._updates.touch(each.uri)

    def _on_view(self, pane: PaneId) -> None:
        """Handle a change of a pane's viewport or selection."""
        for each in self._resources:
            if each.view == "state" and each.pane == pane:
                self._updates.touch(each.uri)


class _RateLimiter:
    """Sends notifications for names, rate-limited for each, one at a time."""

    def __init__(self, notify: Callable[[str], Awaitable[None]]) -> None:
        self._notify = notify
        self._loop = asyncio.get_running_loop()
        self._due = dict[str, None]()
        self._sent = dict[str, float]()
        self._timers = dict[str, asyncio.TimerHandle]()
        self._sender: asyncio.Task[None] | None = None

    def touch(self, name: str) -> None:
        """Send a notification now, or as soon as the rate allows."""
        if name in self._due or name in self._timers:
            return
        wait = self._sent.get(name, -PACE) + PACE - self._loop.time()
        if wait > 0:
            self._timers[name] = self._loop.call_later(wait, self._ready, name)
        else:
            self._ready(name)

    def forget(self, name: str) -> None:
        """Discard the name's due notification."""
        self._due.pop(name, None)
        self._sent.pop(name, None)
        if timer := self._timers.pop(name, None):
            timer.cancel()

    def close(self) -> None:
        """Send no more notifications."""
        for timer in self._timers.values():
            timer.cancel()
        self._due.clear()
        if self._sender is not None:
            self._sender.cancel()

    def _ready(self, name: str) -> None:
        self._timers.pop(name, None)
        self._due[name] = None
        if self._sender is None or self._sender.done():
            self._sender = self._loop.create_task(self._send_due())

    async def _send_due(self) -> None:
        while self._due:
            name = next(iter(self._due))
            del self._due[name]
            self._sent[name] = self._loop.time()
            await self._notify(name)
