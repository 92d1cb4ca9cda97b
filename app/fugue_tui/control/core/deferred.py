"""Deferred results of commands whose work continues after `run` has returned.

A command keeps its state on the main thread, does the work elsewhere, and settles the result from there.
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
    """The progress of the work."""

    text: str
    """The current step: untrusted if a program supplied it."""
    fraction: float | None = None
    """The share that is done, 0 to 1; None if unknown."""


class Deferred(Generic[Result]):
    """One result that is settled, failed or cancelled; only the first of these has an effect."""

    def __init__(self, on_cancel: Callable[[], object] = lambda: None) -> None:
        self.on_cancel = on_cancel
        """Called on the main thread, once, if the result is cancelled: stop the work. Never after a result."""
        self._future: Future[Result] = Future()
        self._listeners: list[Callable[[Progress], None]] = []

    # For the worker

    def settle(self, value: Result) -> bool:
        """Set the result, from any thread; False if it is done already."""
        try:
            self._future.set_result(value)
        except InvalidStateError:
            return False
        return True

    def fail(self, error: Exception) -> bool:
        """Set an error, from any thread; False if it is done already. A FugueError is shown to the caller, anything
        else is a bug."""
        try:
            self._future.set_exception(error)
        except InvalidStateError:
            return False
        return True

    def attempt(self, work: Callable[[], object]) -> None:
        """Call `work` on this thread; any exception, a bug too, becomes the error."""
        try:
            work()
        except Exception as error:  # noqa: BLE001  (handed to the caller, who reports it)
            self.fail(error)

    def report(self, text: str, fraction: float | None = None) -> None:
        """Report progress, from any thread; ignored once done."""
        if not self.done:
            for call in tuple(self._listeners):
                call(Progress(text, fraction))

    # For the caller

    @property
    def done(self) -> bool:
        """Whether it is settled, failed or cancelled. Any thread."""
        return self._future.done()

    @property
    def error(self) -> BaseException | None:
        """Why there is no result; None if there is one. Only once done."""
        return self._future.exception(0)

    def result(self, seconds: float | None = 0) -> Result:
        """The result, or its error raised; waits for it, so never on the main thread. Raises TimeoutError."""
        return self._future.result(seconds)

    def on_done(self, call: Callable[[], None]) -> None:
        """Call back when done, on the thread that completes it; at once if it is done already."""
        self._future.add_done_callback(lambda _: call())

    def on_progress(self, call: Callable[[Progress], None]) -> None:
        """Call back with progress from now on, on the thread that reports it."""
        self._listeners.append(call)

    def cancel(self, reason: FugueError | None = None) -> bool:
        """Stop the work, as no caller waits for the result. Main thread only; False if it is done already."""
        if not self.fail(
            reason or Cancelled("no caller waits for the result any more; what was done so far stays done")
        ):
            return False
        self.on_cancel()
        return True


def is_deferred(found: Result | Deferred[Result]) -> "TypeIs[Deferred[Result]]":
    """Whether a command's result is deferred."""
    return isinstance(found, Deferred)
