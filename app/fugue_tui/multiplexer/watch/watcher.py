"""Waits for panes' output, as a task of the main loop that sleeps until a terminal prints or a wait is due.

Nothing is polled. The I/O threads only queue the output; a thread of its own searches it, at most every hundredth
of a second per terminal, so that fifty waits do not slow the user's typing. Task and thread run while there are waits.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.watch.new_output import OutputStart
from fugue_tui.multiplexer.watch.pane import PaneWatch
from fugue_tui.multiplexer.watch.wait import OnEnd, Wait, WaitCondition
from fugue_tui.terminal.terminal import Terminal

if TYPE_CHECKING:
    import asyncio

_logger = logging.getLogger(__name__)


class WaitService:
    """All open waits. Main thread only; `on_end` and `report` are called on the searching thread."""

    def __init__(self, post: Callable[[Callable[[], None]], object]) -> None:
        """`post` runs a call on the main thread soon."""
        self._post = post
        self._posted = False
        self._task: asyncio.Task[None] | None = None
        self._wakeup: asyncio.Event | None = None
        self._waits: list[Wait] = []
        self._tick_at = 0.0
        """No wait's `tick` is due before this."""
        self._watched: dict[Terminal, PaneWatch] = {}

    def wait(
        self,
        panes: Mapping[PaneId, tuple[Terminal, OutputStart | None]],
        condition: WaitCondition,
        on_end: OnEnd,
        report: Callable[[float], None] = lambda elapsed: None,
        *,
        client: object = None,
    ) -> Callable[[], None]:
        """Wait for a condition in some terminals, from now or from an earlier state of each, for a client.

        `on_end` is called once, `report` periodically; the result stops the wait without calling `on_end`."""
        wait = Wait(condition, on_end, report, client)
        for pane, (terminal, _) in panes.items():
            watched = self._watched.get(terminal)
            if watched is None or watched.over:  # A closed pane may have come back.
                watched = PaneWatch(terminal, self._wake)
            self._watched[terminal] = watched
            watched.users.add(wait)
            wait.open[pane] = watched
        self._waits.append(wait)
        self._tick_at = 0.0
        for pane, (_, since) in panes.items():
            wait.open[pane].enter(wait, pane, since)
        self._start()

        def stop() -> None:
            wait.stop()
            self._start()

        return stop

    @property
    def busy(self) -> int:
        """The number of open waits."""
        return sum(not wait.done for wait in self._waits)

    def busy_for(self, client: object) -> int:
        """The number of open waits of a client."""
        return sum(not wait.done and wait.client == client for wait in self._waits)

    @property
    def awake(self) -> bool:
        """Whether the task runs: only while there are waits."""
        return self._task is not None

    def _wake(self) -> None:
        """Have output searched. Any thread, under a terminal's lock."""
        if not self._posted:
            self._posted = True
            self._post(self._start)

    def _start(self) -> None:
        """Start or wake the task."""
        import asyncio

        self._posted = False
        if self._wakeup is None:
            self._wakeup = asyncio.Event()
        self._wakeup.set()
        if self._task is None and self._waits:
            self._task = asyncio.get_running_loop().create_task(self._run(self._wakeup))

    async def _run(self, wakeup: "asyncio.Event") -> None:
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        loop = asyncio.get_running_loop()
        searcher = ThreadPoolExecutor(1, thread_name_prefix="search")  # Long jobs in the pool delay no wait.
        try:
            while (seconds := self._next_delay()) is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await wakeup.wait()
                wakeup.clear()
                now = time.monotonic()
                watched = [each for each in self._watched.values() if (due := each.due) is not None and due <= now]
                waits = [wait for wait in self._waits if now >= self._tick_at and now >= wait.due]
                if watched or waits:
                    await loop.run_in_executor(searcher, _search, now, watched, waits)
        finally:
            searcher.shutdown(wait=False)
            self._task = None

    def _next_delay(self) -> float | None:
        """Remove finished waits; seconds until the next work, None if there is nothing left."""
        for wait in [wait for wait in self._waits if wait.done]:
            self._leave(wait)
        if not self._waits:
            return None
        if time.monotonic() >= self._tick_at:
            self._tick_at = min(wait.due for wait in self._waits)
        times = [self._tick_at, *(due for watched in self._watched.values() if (due := watched.due) is not None)]
        return max(0.0, min(times) - time.monotonic())

    def _leave(self, wait: Wait) -> None:
        self._waits.remove(wait)
        for terminal, watched in tuple(self._watched.items()):
            watched.users.discard(wait)
            watched.leave(wait)
            if not watched.users:
                watched.unobserve()
                del self._watched[terminal]


def _search(now: float, watched: Iterable[PaneWatch], waits: Iterable[Wait]) -> None:
    """Search what is due. Any thread, one at a time."""
    for each in watched:
        _guarded(lambda each=each: each.poll(now), each.fail)
    for wait in waits:
        if not wait.done:
            _guarded(lambda wait=wait: wait.tick(now), wait.fail)


def _guarded(call: Callable[[], object], fail: Callable[[Exception], object]) -> None:
    try:
        call()
    except Exception as error:  # an error boundary: a bug in one wait must not end the others
        _logger.exception("internal error in a wait; other waits continue")
        fail(error)
