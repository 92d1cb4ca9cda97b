"""Calls under a key: said again by the same client, one is done once, and its answer is given again.

A client that got no answer cannot know whether its pane was opened; under a key it may ask again. Main thread only.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from fugue_tui.control.core.command import Command
from fugue_tui.errors import Cancelled, InvalidArgument, Refused, TimedOut
from fugue_tui.sanitize import clean

REMEMBERED: Final = 600.0
"""Seconds for which an answer is given again."""
MOST: Final = 256
"""Calls that are remembered of all clients together; the oldest goes first, but none that is under way."""

Given = TypeVar("Given")


@dataclass(slots=True)
class KeyedCall(Generic[Given]):
    """A call that was made under a key."""

    command: Command[Any]
    answer: Future[Given]
    since: float
    waiting: int = 0
    """How many still want the answer."""


class IdempotencyCache(Generic[Given]):
    """The calls that were made under keys lately."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._calls: dict[tuple[object, str], KeyedCall[Given]] = {}

    def find(self, client: object, key: str, command: Command[Any]) -> KeyedCall[Given] | None:
        """The call that the client made under that key. Raises InvalidArgument if it was another one."""
        self._forget()
        found = self._calls.get((client, key))
        if found is None:
            return None
        if found.command != command:
            said = f"{found.command.verb} was called under {clean(key)!a} with other arguments"
            raise InvalidArgument(f"{command.verb}: idempotency_key: {said}; use another key for another call")
        return found

    def begin(self, client: object, key: str, command: Command[Any]) -> KeyedCall[Given]:
        """A new call under a key, to be answered. Raises Refused while too many are under way."""
        if len(self._calls) >= MOST:
            oldest = next((name for name, call in self._calls.items() if call.answer.done()), None)
            if oldest is None:
                raise Refused(f"{MOST} calls under keys are under way; wait for some of them")
            del self._calls[oldest]
        call = self._calls[client, key] = KeyedCall(command, Future[Given](), self._clock())
        return call

    def _forget(self) -> None:
        """Forget what is old, and what came to nothing: what failed changed nothing, and may be tried again."""
        now = self._clock()
        for name, call in tuple(self._calls.items()):
            if call.answer.done() and (now - call.since > REMEMBERED or _came_to_nothing(call.answer)):
                del self._calls[name]


def _came_to_nothing(answer: Future[Any]) -> bool:
    if answer.cancelled():
        return False
    error = answer.exception(0)
    return error is not None and not isinstance(error, Cancelled | TimedOut)
