"""The main loop's timers, for modules that are loaded before asyncio: its import would delay the first
program of a workspace.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import TimerHandle


def call_later(seconds: float, call: Callable[[], object]) -> "TimerHandle":
    """Call something after a delay. Main thread only, once its loop runs."""
    from asyncio import get_running_loop

    return get_running_loop().call_later(seconds, call)
