"""Results that come later: what a command answers with when the work goes on after `run` has returned.

A command keeps its bookkeeping on the main thread, has the work done elsewhere, and settles the result from there.
"""

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from fugue_tui.errors import Cancelled, FugueError

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work has come."""

    text: str
    """What is being done: untrusted if a program supplied it."""
    fraction: float | None = None
    """The share that is done, 0 to 1; None if that cannot be told."""


class Deferred(Generic[Result]):
    """One result that is settled, failed or cancelled once, whichever comes first; what comes after changes nothing."""

    def __init__(self, on_cancel: Callable[[], object] = lambda: None) -> None:
        self.on_cancel = on_cancel
        """Called on the main thread, once, if nobody wants the result any more: stop the work. Never after a result."""
        self._future: Future[Result] = Future()
        self._listeners: list[Callable[[Progress], None]] = []

    # For whoever does the work

    def settle(self, value: Result) -> bool:
        """Give the result, from any thread; False if it is over already."""
        try:
            self._future.set_result(value)
        except InvalidStateError:
            return False
        return True

    def fail(self, error: Exception) -> bool:
        """Say that there is no result, from any thread; False if it is over already. A FugueError is the caller's to
        read, anything else a bug."""
        try:
            self._future.set_exception(error)
        except InvalidStateError:
            return False
        return True

    def attempt(self, work: Callable[[], object]) -> None:
        """Do some work on which the result hangs, on any thread: what goes wrong with it, a bug too, is the answer."""
        try:
            work()
        except Exception as error:  # noqa: BLE001  (handed to whoever waits, who reports it)
            self.fail(error)

    def report(self, text: str, fraction: float | None = None) -> None:
        """Say how far the work is, from any thread; for nobody if it is over."""
        if not self.over:
            for call in tuple(self._listeners):
                call(Progress(text, fraction))

    # For whoever waits

    @property
    def over(self) -> bool:
        """Whether it was settled, failed or cancelled. Any thread."""
        return self._future.done()

    @property
    def error(self) -> BaseException | None:
        """Why there is no result; None if there is one. Only once it is over."""
        return self._future.exception(0)

    def result(self, seconds: float | None = 0) -> Result:
        """The result, or its error raised; waits for it, never on the main thread. Raises TimeoutError."""
        return self._future.result(seconds)

    def when_over(self, call: Callable[[], None]) -> None:
        """Have a callable called when it is over, on the thread that ends it; at once if it is."""
        self._future.add_done_callback(lambda _: call())

    def on_progress(self, call: Callable[[Progress], None]) -> None:
        """Have reports told from now on, on the thread that makes them."""
        self._listeners.append(call)

    def cancel(self, reason: FugueError | None = None) -> bool:
        """Nobody wants the result any more: stop the work. Main thread only; False if it is over already."""
        if not self.fail(reason or Cancelled("nobody waits for the answer any more; what was done so far stays done")):
            return False
        self.on_cancel()
        return True


def is_later(found: Result | Deferred[Result]) -> "TypeIs[Deferred[Result]]":
    """Whether a command's answer is one that comes later."""
    return isinstance(found, Deferred)
