"""Runs blocking file I/O in a background thread, so that a slow disk does not block the main thread."""

from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

from fugue_tui.control.core.deferred import Deferred
from fugue_tui.multiplexer import Multiplexer

Found = TypeVar("Found")
Result = TypeVar("Result")


def in_background(work: Callable[[], Result]) -> Deferred[Result]:
    """The result of `work`, which runs in a background thread and uses nothing that the main thread owns."""
    later: Deferred[Result] = Deferred()
    _start(later, lambda: later.settle(work()))
    return later


def in_background_then(
    mux: Multiplexer, work: Callable[[], Found], then: Callable[[Found], Result]
) -> Deferred[Result]:
    """The result of `then`, called on the main thread with the result of `work`; not called once cancelled."""
    later: Deferred[Result] = Deferred()

    def finish(found: Found) -> None:
        if not later.done:
            later.attempt(lambda: later.settle(then(found)))

    def run() -> None:
        found = work()
        mux.post(lambda: finish(found))

    _start(later, run)
    return later


def _start(later: Deferred[Any], work: Callable[[], object]) -> None:
    Thread(target=lambda: later.attempt(work), name="background", daemon=True).start()
