"""Brings work to the main thread: one wake-up of the loop however much is posted before it looks."""

from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class Mailbox:
    """A queue of calls. Posting works from any thread and before there is a loop; `attach` delivers what has waited."""

    def __init__(self) -> None:
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
            loop.call_soon_threadsafe(self._deliver, context=self._context)
        except RuntimeError:
            return  # The loop is closed: the program is leaving.

    def attach(self) -> None:
        """Deliver on the running loop, in the caller's context, from now on."""
        from asyncio import get_running_loop

        with self._lock:
            self._loop = get_running_loop()
            self._context = copy_context()
            self._woken = True
        self._loop.call_soon(self._deliver)

    def _deliver(self) -> None:
        with self._lock:
            calls, self._calls = self._calls, deque()
            self._woken = False
        try:
            while calls:
                calls.popleft()()
        finally:
            if calls:
                self._return(calls)

    def _return(self, calls: deque[Callable[[], None]]) -> None:
        """A call broke, which is the loop's to tell; those behind it come with the next turn."""
        with self._lock:
            self._calls = calls + self._calls
            self._woken = True
        if self._loop is not None:
            self._loop.call_soon(self._deliver, context=self._context)


def _nothing() -> None:
    return
