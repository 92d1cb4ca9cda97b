"""Work on files that is done on a thread of its own, so that a slow disk or a strange file is nobody's trouble."""

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from fugue_tui.control.later import Later
from fugue_tui.multiplexer import Multiplexer

Found = TypeVar("Found")
Result = TypeVar("Result")


def errand(work: Callable[[], Result]) -> Later[Result]:
    """What some work comes to; it must touch nothing that belongs to the main thread."""
    later: Later[Result] = Later()
    _begin(work, later.settle, later.fail)
    return later


def fetched(mux: Multiplexer, work: Callable[[], Found], then: Callable[[Found], Result]) -> Later[Result]:
    """What is made on the main thread of what some work found; nothing, if nobody wants it by then."""
    later: Later[Result] = Later()

    def go_on(found: Found) -> None:
        if later.over:
            return
        try:
            later.settle(then(found))
        except Exception as error:  # noqa: BLE001  (handed to whoever waits, who reports it)
            later.fail(error)

    _begin(work, lambda found: mux.post(lambda: go_on(found)), later.fail)
    return later


def _begin(work: Callable[[], Found], done: Callable[[Found], object], failed: Callable[[Exception], object]) -> None:
    def do() -> None:
        try:
            done(work())
        except Exception as error:  # noqa: BLE001  (handed to whoever waits, who reports it)
            failed(error)

    Thread(target=do, name="errand", daemon=True).start()
