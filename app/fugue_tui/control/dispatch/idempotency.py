"""Idempotency keys: a call that the same client repeats under its key runs once, and gets the first result.

A client that got no response cannot know whether its pane was opened; with a key it may retry. Main thread only.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct

from fugue_tui.control.core.command import Command
from fugue_tui.errors import Cancelled, InvalidArgument, Refused, TimedOut
from fugue_tui.sanitize import clean

REMEMBERED: Final = 600.0
"""Seconds for which a result is kept."""
MOST: Final = 256
"""Calls that are kept for all clients together; the oldest is evicted first, but none that is running."""

Result = TypeVar("Result")


class KeyedCall(Struct, Generic[Result]):
    """A call with an idempotency key."""

    command: Command[Any]
    answer: Future[Result]
    since: float
    waiting: int = 0
    """How many requests wait for the result."""


class IdempotencyCache(Generic[Result]):
    """The recent calls with idempotency keys."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._calls: dict[tuple[object, str], KeyedCall[Result]] = {}

    def find(self, client: object, key: str, command: Command[Any]) -> KeyedCall[Result] | None:
        """The client's call with that key. Raises InvalidArgument if it was another command."""
        self._evict()
        found = self._calls.get((client, key))
        if found is None:
            return None
        if found.command != command:
            reason = f"{found.command.verb} was called under {clean(key)!a} with other arguments"
            raise InvalidArgument(f"{command.verb}: idempotency_key: {reason}; use another key for another call")
        return found

    def begin(self, client: object, key: str, command: Command[Any]) -> KeyedCall[Result]:
        """A new call with a key. Raises Refused while too many are running."""
        if len(self._calls) >= MOST:
            oldest = next((name for name, call in self._calls.items() if call.answer.done()), None)
            if oldest is None:
                message = f"{MOST} calls under keys are under way; wait for some of them"
                raise Refused(message, retry_after_ms=1000)
            del self._calls[oldest]
        call = self._calls[client, key] = KeyedCall(command, Future[Result](), self._clock())
        return call

    def _evict(self) -> None:
        """Drop expired calls, and failed ones: those changed nothing, and may be retried."""
        now = self._clock()
        for name, call in tuple(self._calls.items()):
            if call.answer.done() and (now - call.since > REMEMBERED or _failed(call.answer)):
                del self._calls[name]


def _failed(answer: Future[Any]) -> bool:
    if answer.cancelled():
        return False
    error = answer.exception(0)
    return error is not None and not isinstance(error, Cancelled | TimedOut)
