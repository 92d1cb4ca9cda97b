"""Runs calls of other threads on the main thread, with one wake-up of the loop however many are posted.

They run for about half a millisecond at a time, so that keys are read and screens drawn in between.
"""

import time
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio

SLICE: Final = 0.0004
"""Seconds after which running stops until the next iteration of the loop."""


class MainThreadQueue:
    """A queue of calls. They may be posted by any thread and before there is a loop; `attach` starts running them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._calls: deque[Callable[[], None]] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context: Context | None = None
        self._woken = False
        self.on_early: Callable[[], None] = _nothing
        """Called for every post before there is a loop, on the posting thread."""

    def post(self, call: Callable[[], None]) -> None:
        """Run a call on the main thread soon; dropped once the loop is closed."""
        with self._lock:
            self._calls.append(call)
            loop = self._loop
            if self._woken:
                return
            self._woken = loop is not None
        if loop is None:
            self.on_early()
            return
        try:
            loop.call_soon_threadsafe(self._run, context=self._context)
        except RuntimeError:
            return  # The loop is closed: the program is leaving.

    def attach(self) -> None:
        """Run calls on the running loop, in the caller's context, from now on."""
        from asyncio import get_running_loop

        with self._lock:
            self._loop = get_running_loop()
            self._context = copy_context()
            self._woken = True
        self._loop.call_soon(self._run)

    def _run(self) -> None:
        """Run queued calls for about half a millisecond; the others run in the next iteration of the loop."""
        until = self._clock() + SLICE
        try:
            while call := self._next():
                call()
                if self._clock() >= until:
                    break
        finally:
            self._reschedule()

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            return self._calls.popleft() if self._calls else None

    def _reschedule(self) -> None:
        with self._lock:
            self._woken = bool(self._calls)
        if self._woken and self._loop is not None:
            self._loop.call_soon(self._run, context=self._context)


def _nothing() -> None:
    return
