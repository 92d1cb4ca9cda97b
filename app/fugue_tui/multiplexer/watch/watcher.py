"""Waits for panes' output, on one thread that sleeps until a terminal prints or a timer is due.

Nothing is polled. The I/O threads only queue the output; all searching is done here, at most every hundredth of a
second per terminal, so that fifty waits do not slow the user's typing. The thread runs while there are waits or timers.
"""

import heapq
import logging
import threading
import time
from collections.abc import Callable, Mapping
from itertools import count

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.watch.new_output import OutputStart
from fugue_tui.multiplexer.watch.pane import PaneWatch
from fugue_tui.multiplexer.watch.wait import OnEnd, Wait, WaitCondition
from fugue_tui.terminal.terminal import Terminal

_logger = logging.getLogger(__name__)


class WaitService:
    """All open waits and timers. Any thread; `on_end`, `report` and timers are called on the watch thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wakeup = threading.Event()
        self._thread: threading.Thread | None = None
        self._waits: list[Wait] = []
        self._tick_at = 0.0
        """No wait's `tick` is due before this."""
        self._watched: dict[Terminal, PaneWatch] = {}
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = count()

    def wait(
        self,
        panes: Mapping[PaneId, tuple[Terminal, OutputStart | None]],
        condition: WaitCondition,
        on_end: OnEnd,
        report: Callable[[float], None] = lambda elapsed: None,
    ) -> Callable[[], None]:
        """Wait for a condition in some terminals, from now or from an earlier state of each.

        `on_end` is called once, `report` periodically; the result stops the wait without calling `on_end`."""
        wait = Wait(condition, on_end, report)
        with self._lock:
            for pane, (terminal, _) in panes.items():
                watched = self._watched.get(terminal) or PaneWatch(terminal, self._wakeup.set)
                self._watched[terminal] = watched
                watched.users.add(wait)
                wait.open[pane] = watched
            self._waits.append(wait)
            self._tick_at = 0.0
            for pane, (_, since) in panes.items():
                wait.open[pane].enter(wait, pane, since)
            self._wake()

        def stop() -> None:
            wait.stop()
            self._wakeup.set()

        return stop

    def after(self, seconds: float, call: Callable[[], object]) -> Callable[[], None]:
        """Call something on the watch thread after a delay; it must not block. The result cancels a call that has not
        started."""
        with self._lock:
            timer = (time.monotonic() + seconds, next(self._numbers), call)
            heapq.heappush(self._timers, timer)
            self._wake()

        def cancel() -> None:
            with self._lock:
                if timer in self._timers:
                    self._timers.remove(timer)
                    heapq.heapify(self._timers)
                    self._wakeup.set()

        return cancel

    @property
    def busy(self) -> int:
        """The number of open waits."""
        with self._lock:
            return sum(not wait.done for wait in self._waits)

    @property
    def awake(self) -> bool:
        """Whether the thread runs: only while there are waits or timers."""
        return self._thread is not None

    def _wake(self) -> None:
        """Under the lock: start or wake the thread."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
            self._thread.start()
        self._wakeup.set()

    def _run(self) -> None:
        while (seconds := self._next_delay()) is not None:
            self._wakeup.wait(seconds)
            self._wakeup.clear()
            self._search()
            for call in self._due_calls():
                _guarded(call, lambda error: None)

    def _next_delay(self) -> float | None:
        """Remove finished waits; seconds until the next work, None if there is nothing left."""
        with self._lock:
            for wait in [wait for wait in self._waits if wait.done]:
                self._leave(wait)
            if self._waits and time.monotonic() >= self._tick_at:
                self._tick_at = min(wait.due for wait in self._waits)
            times = [self._tick_at] if self._waits else []
            times += [due for watched in self._watched.values() if (due := watched.due) is not None]
            times += [self._timers[0][0]] if self._timers else []
            if not times:
                self._thread = None
                return None
            return max(0.0, min(times) - time.monotonic())

    def _leave(self, wait: Wait) -> None:
        self._waits.remove(wait)
        for terminal, watched in tuple(self._watched.items()):
            watched.users.discard(wait)
            watched.leave(wait)
            if not watched.users:
                watched.untap()
                del self._watched[terminal]

    def _search(self) -> None:
        now = time.monotonic()
        with self._lock:
            watched, waits = tuple(self._watched.values()), tuple(self._waits)
        for each in watched:
            _guarded(lambda each=each: each.poll(now), each.fail)
        for wait in waits if now >= self._tick_at else ():
            if not wait.done and now >= wait.due:
                _guarded(lambda wait=wait: wait.tick(now), wait.fail)

    def _due_calls(self) -> list[Callable[[], object]]:
        now, calls = time.monotonic(), list[Callable[[], object]]()
        with self._lock:
            while self._timers and self._timers[0][0] <= now:
                calls.append(heapq.heappop(self._timers)[2])
        return calls


def _guarded(call: Callable[[], object], fail: Callable[[Exception], object]) -> None:
    try:
        call()
    except Exception as error:  # a border: a bug in one wait must not end the others
        _logger.exception("internal error in a wait; other waits continue")
        fail(error)
