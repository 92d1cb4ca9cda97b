"""The main loop's timers and threads, for modules that are loaded before asyncio: its import would delay the first
program of a workspace.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import TimerHandle


def call_later(seconds: float, call: Callable[[], object]) -> "TimerHandle":
    """Call something after a delay. Main thread only, once its loop runs."""
    from asyncio import get_running_loop

    return get_running_loop().call_later(seconds, call)


def run_in_pool(work: Callable[[], object]) -> None:
    """Have a thread of the pool do something that does not fail. Main thread only, once its loop runs."""
    from asyncio import get_running_loop

    with suppress(RuntimeError):  # The loop is being closed.
        get_running_loop().run_in_executor(None, work)
