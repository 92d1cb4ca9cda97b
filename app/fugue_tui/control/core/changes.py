"""Waits until a condition holds that callbacks announce. Main thread only."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any

from fugue_tui.multiplexer.callbacks import CallbackList


async def until(condition: Callable[[], bool], seconds: float, *announced: CallbackList[...]) -> bool:
    """Whether a condition holds within so many seconds; it is checked now, and whenever one of the lists is called."""
    changed = asyncio.Event()

    def check_again(*_: Any) -> None:
        changed.set()

    with ExitStack() as stack, suppress(TimeoutError):
        for each in announced:
            stack.callback(each.connect(check_again))
        async with asyncio.timeout(seconds):
            while not condition():
                changed.clear()
                await changed.wait()
    return condition()
