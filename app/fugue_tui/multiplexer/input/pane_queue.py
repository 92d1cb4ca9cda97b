"""FIFO queue of jobs that need exclusive use of a pane. Main thread only."""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId

if TYPE_CHECKING:
    import asyncio

MOST: Final = 16
"""Jobs that may wait for one pane."""


class Turn:
    """A place in a queue."""

    def __init__(self, started: "asyncio.Event", leave: Callable[["Turn"], None]) -> None:
        self.started = started
        """Set once it is at the head of the queue."""
        self._leave = leave

    def leave(self) -> None:
        """Let the next begin. May be called again, and before it has begun."""
        self._leave(self)


class PaneQueue:
    """One queue per pane."""

    def __init__(self) -> None:
        self._queues: dict[PaneId, deque[Turn]] = {}

    def waiting(self, pane: PaneId) -> int:
        """The length of a pane's queue, with the running job."""
        return len(self._queues.get(pane, ()))

    def join(self, pane: PaneId) -> Turn:
        """Join the queue; the caller must leave it. Raises Refused if it is full."""
        from asyncio import Event  # Loaded once there are commands.

        queue = self._queues.setdefault(pane, deque())
        if len(queue) > MOST:
            raise Refused(f"{MOST} commands wait for pane {pane} already; wait for some of them", retry_after_ms=1000)
        queue.append(Turn(Event(), lambda turn: self._leave(pane, turn)))
        queue[0].started.set()
        return queue[-1]

    def _leave(self, pane: PaneId, turn: Turn) -> None:
        queue = self._queues.get(pane, deque())
        if turn in queue:
            queue.remove(turn)
            if queue:
                queue[0].started.set()
            else:
                del self._queues[pane]
