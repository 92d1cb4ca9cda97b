"""The events and output of one pane, for coroutines of the main loop."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from msgspec import Struct

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import PaneEvent
from fugue_tui.terminal.observers import ObservedEvent
from fugue_tui.workspace.model import Workspace


class Printed(Struct, frozen=True):
    """The pane printed: once for all output since the last such event."""


class PaneClosed(Struct, frozen=True):
    """The pane was closed."""


PaneUpdate: TypeAlias = PaneEvent | Printed | PaneClosed


class PaneUpdates:
    """A queue of what happens in one pane; leave the context to end it. Main thread only."""

    def __init__(self, mux: Multiplexer, pane: PaneId) -> None:
        """Raises NotFound."""
        self._mux, self._pane = mux, pane
        self._queue: deque[PaneUpdate] = deque()
        self._arrived = asyncio.Event()
        self._posted = False
        self._unsubscribe: list[Callable[[], object]] = [
            mux.terminal(pane).observe(self._on_output),
            mux.on_event.connect(self._on_event),
            mux.on_change.connect(self._on_change),
        ]

    def __enter__(self) -> "PaneUpdates":
        return self

    def __exit__(self, *_: object) -> None:
        while self._unsubscribe:
            self._unsubscribe.pop()()

    async def next(self, seconds: float | None = None) -> PaneUpdate | None:
        """The next event; None after so many seconds without one."""
        if not self._queue:
            self._arrived.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._arrived.wait()
        return self._queue.popleft() if self._queue else None

    def _put(self, update: PaneUpdate) -> None:
        self._queue.append(update)
        self._arrived.set()

    def _on_event(self, pane: PaneId, event: PaneEvent) -> None:
        if pane == self._pane:
            self._put(event)

    def _on_change(self, old: Workspace, new: Workspace) -> None:
        if self._pane in old.panes and self._pane not in new.panes:
            self._put(PaneClosed())

    def _on_output(self, what: ObservedEvent) -> None:
        """On the I/O thread, under the terminal's lock."""
        if isinstance(what, memoryview) and not self._posted:
            self._posted = True
            self._mux.post(self._printed)

    def _printed(self) -> None:
        self._posted = False
        self._put(Printed())
