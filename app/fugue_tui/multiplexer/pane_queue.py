"""FIFO queue of jobs that need exclusive use of a pane. Main thread only."""

from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId

MOST: Final = 16
"""Jobs that may wait for one pane."""

Done: TypeAlias = Callable[[], None]
Begin: TypeAlias = Callable[[Done], None]
"""Starts a job; the callback it receives must be called at least once when the job is done. Raising also ends it."""


class PaneQueue:
    """One queue per pane."""

    def __init__(self) -> None:
        self._queues: dict[PaneId, deque[Begin]] = {}

    def waiting(self, pane: PaneId) -> int:
        """The length of a pane's queue, with the running job."""
        return len(self._queues.get(pane, ()))

    def join(self, pane: PaneId, begin: Begin) -> Done:
        """Queue a job, or start it at once if the queue is empty. Raises Refused if the queue is full.

        The result removes the job, if it has not started."""
        queue = self._queues.setdefault(pane, deque())
        if len(queue) > MOST:
            raise Refused(f"{MOST} commands wait for pane {pane} already; wait for some of them", retry_after_ms=1000)
        queue.append(begin)
        if len(queue) == 1:
            self._begin(pane)

        def remove() -> None:
            queue = self._queues.get(pane, ())
            if begin in tuple(queue)[1:]:
                self._queues[pane].remove(begin)

        return remove

    def _begin(self, pane: PaneId) -> None:
        begin = self._queues[pane][0]

        def done() -> None:
            queue = self._queues.get(pane)
            if not queue or queue[0] is not begin:
                return
            queue.popleft()
            if queue:
                self._begin(pane)
            else:
                del self._queues[pane]

        try:
            begin(done)
        except BaseException:
            done()
            raise
