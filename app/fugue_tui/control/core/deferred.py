"""Deferred results of commands whose work continues after `run` has returned.

The rest of such a command is a coroutine that runs as a task of the main loop.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, InvalidStateError
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from msgspec import Struct

from fugue_tui.errors import Cancelled, FugueError, TimedOut

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Result = TypeVar("Result")
Report: TypeAlias = Callable[[str, float | None], None]
"""Reports progress: the step, and the share that is done or None."""


class Progress(Struct, frozen=True):
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

    async def wait(self) -> Result:
        """The result, or its error raised; on a loop of any thread."""
        return await asyncio.shield(asyncio.wrap_future(self._future))

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


_current: Final[ContextVar[Deferred[Any] | None]] = ContextVar("_current", default=None)
_tasks: Final[set[asyncio.Task[Any]]] = set()
"""Tasks are kept here, as their loop refers to them only weakly."""


def run_task(work: Coroutine[Any, Any, Result]) -> Deferred[Result]:
    """The result of a coroutine, which begins with the next turn of the main loop, on whose thread this is called.

    Cancelling the result answers the caller at once and cancels the coroutine, which may take time to clean up; it has
    always begun before. When the loop ends, the result fails with TimedOut."""
    later = Deferred[Result]()
    started = False

    async def settle() -> None:
        nonlocal started
        started = True
        _current.set(later)
        try:
            later.settle(await work)
        except asyncio.CancelledError:
            later.fail(TimedOut("the workspace is being left"))
        except Exception as error:  # Handed to the caller; if none waits for it, a bug goes to the loop's handler.
            if not later.fail(error) and not isinstance(error, FugueError):
                raise

    def cancel() -> None:
        if task.done() or task.get_loop().is_closed():
            return
        if started:
            task.cancel()
        else:
            task.get_loop().call_soon(task.cancel)

    def close(_: object) -> None:
        if not started:
            work.close()  # The loop has ended before.
            later.fail(TimedOut("the workspace is being left"))

    task = spawn(settle())
    task.add_done_callback(close)
    later.on_cancel = cancel
    return later


async def finished(later: Deferred[Result]) -> Result:
    """The result of another command, whose progress becomes that of the command whose task awaits this; it is cancelled
    if that is."""
    report = reporter()
    later.on_progress(lambda progress: report(progress.text, progress.fraction))
    try:
        return await later.wait()
    except asyncio.CancelledError:
        later.cancel()
        raise


def spawn(work: Coroutine[Any, Any, object]) -> asyncio.Task[Any]:
    """Run a coroutine on the main loop until it ends."""
    task = asyncio.get_running_loop().create_task(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    return task


def is_given_up() -> bool:
    """Whether the caller of the command whose task calls this has cancelled it; not if the loop ends."""
    later = _current.get()
    return later is not None and later.done


def reporter() -> Report:
    """What reports the progress of the command whose task calls this; any thread may call the function returned."""
    later = _current.get()
    return later.report if later is not None else lambda text, fraction: None


def is_deferred(found: Result | Deferred[Result]) -> "TypeIs[Deferred[Result]]":
    """Whether a command's result is deferred."""
    return isinstance(found, Deferred)
