"""Lets changes wait until what an earlier run has kept was loaded. Main thread only."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class LoadGate:
    """Open unless it is held."""

    def __init__(self) -> None:
        self._wanted: Callable[[], object] | None = None
        self._waiting: list[asyncio.Future[None]] = []

    def hold(self, wanted: Callable[[], object]) -> None:
        """Let those who come wait until `release`; `wanted` is called for each of them."""
        self._wanted = wanted

    def release(self) -> None:
        """Let them wait no more."""
        self._wanted, waiting, self._waiting = None, self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)

    async def wait(self) -> None:
        """Return once it is open, at once if it is."""
        if self._wanted is not None:
            from asyncio import get_running_loop

            opened: asyncio.Future[None] = get_running_loop().create_future()
            self._waiting.append(opened)
            self._wanted()
            await opened
