"""Work on files that is done on a thread of its own, so that a slow disk or a strange file is nobody's trouble."""

from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

from fugue_tui.control.core.deferred import Deferred
from fugue_tui.multiplexer import Multiplexer

Found = TypeVar("Found")
Result = TypeVar("Result")


def errand(work: Callable[[], Result]) -> Deferred[Result]:
    """What some work comes to; it must touch nothing that belongs to the main thread."""
    later: Deferred[Result] = Deferred()
    _begin(later, lambda: later.settle(work()))
    return later


def fetched(mux: Multiplexer, work: Callable[[], Found], then: Callable[[Found], Result]) -> Deferred[Result]:
    """What is made on the main thread of what some work found; nothing, if nobody wants it by then."""
    later: Deferred[Result] = Deferred()

    def go_on(found: Found) -> None:
        if not later.over:
            later.attempt(lambda: later.settle(then(found)))

    def look() -> None:
        found = work()
        mux.post(lambda: go_on(found))

    _begin(later, look)
    return later


def _begin(later: Deferred[Any], work: Callable[[], object]) -> None:
    Thread(target=lambda: later.attempt(work), name="errand", daemon=True).start()
