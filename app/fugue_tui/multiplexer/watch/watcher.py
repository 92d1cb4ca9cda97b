"""All waits for what panes print: one thread that sleeps until a terminal prints, or a time has come.

Nothing is polled. The terminals' own threads only put their output into a queue; all searching is done here, at most
every hundredth of a second a terminal, so that fifty waits cost a person who types nothing. The thread lives while
there is something to wait for.
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
from fugue_tui.multiplexer.watch.wait import Told, Wait, WaitCondition
from fugue_tui.terminal.terminal import Terminal

_logger = logging.getLogger(__name__)


class WaitService:
    """All that is waited for. Any thread, but `told`, `report` and timers are called on the watch's own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._thread: threading.Thread | None = None
        self._waits: list[Wait] = []
        self._tick_at = 0.0
        """No wait has anything to do by the clock before this."""
        self._watched: dict[Terminal, PaneWatch] = {}
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = count()

    def wait(
        self,
        panes: Mapping[PaneId, tuple[Terminal, OutputStart | None]],
        wanted: WaitCondition,
        told: Told,
        report: Callable[[float], None] = lambda elapsed: None,
    ) -> Callable[[], None]:
        """Wait for one of several things to come in some terminals, after now or after an earlier moment of each.

        `told` is called once, `report` now and then; what is returned ends the wait without a word."""
        wait = Wait(wanted, told, report)
        with self._lock:
            for pane, (terminal, _) in panes.items():
                watched = self._watched.get(terminal) or PaneWatch(terminal, self._bell.set)
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
            self._bell.set()

        return stop

    def after(self, seconds: float, call: Callable[[], object]) -> Callable[[], None]:
        """Have something called on the watch's thread after a while; it must not take long. What is returned calls that
        off, if it has not begun."""
        with self._lock:
            timer = (time.monotonic() + seconds, next(self._numbers), call)
            heapq.heappush(self._timers, timer)
            self._wake()

        def call_off() -> None:
            with self._lock:
                if timer in self._timers:
                    self._timers.remove(timer)
                    heapq.heapify(self._timers)
                    self._bell.set()

        return call_off

    @property
    def busy(self) -> int:
        """How many waits are open."""
        with self._lock:
            return sum(not wait.over for wait in self._waits)

    @property
    def awake(self) -> bool:
        """Whether its thread runs: while anything is watched or timed, and no longer."""
        return self._thread is not None

    def _wake(self) -> None:
        """Under the lock: see to it that the thread runs and looks."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
            self._thread.start()
        self._bell.set()

    def _run(self) -> None:
        while (seconds := self._rest()) is not None:
            self._bell.wait(seconds if seconds >= 0 else None)
            self._bell.clear()
            self._look()
            for call in self._timely():
                _guarded(call, lambda error: None)

    def _rest(self) -> float | None:
        """Let go of what is over; seconds until there is something to do, -1 for never, None if nothing is left."""
        with self._lock:
            for wait in [wait for wait in self._waits if wait.over]:
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

    def _look(self) -> None:
        now = time.monotonic()
        with self._lock:
            watched, waits = tuple(self._watched.values()), tuple(self._waits)
        for each in watched:
            _guarded(lambda each=each: each.look(now), each.fail)
        for wait in waits if now >= self._tick_at else ():
            if not wait.over and now >= wait.due:
                _guarded(lambda wait=wait: wait.tick(now), wait.fail)

    def _timely(self) -> list[Callable[[], object]]:
        now, calls = time.monotonic(), list[Callable[[], object]]()
        with self._lock:
            while self._timers and self._timers[0][0] <= now:
                calls.append(heapq.heappop(self._timers)[2])
        return calls


def _guarded(call: Callable[[], object], fail: Callable[[Exception], object]) -> None:
    try:
        call()
    except Exception as error:  # a border: a bug in one wait must not end the others
        _logger.exception("a fault in the watch; other waits go on")
        fail(error)
