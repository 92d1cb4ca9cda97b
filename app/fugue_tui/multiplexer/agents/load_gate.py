"""Lets changes wait until what an earlier run has kept was loaded. Main thread only."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class LoadGate:
    """Open unless it is held."""

    def __init__(self) -> None:
        self._held = False
        self._waiting: list[asyncio.Future[None]] = []

    def hold(self) -> None:
        """Let those who come wait until `release`."""
        self._held = True

    def release(self) -> None:
        """Let them wait no more."""
        self._held, waiting, self._waiting = False, self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)

    async def wait(self) -> None:
        """Return once it is open, at once if it is."""
        if self._held:
            from asyncio import get_running_loop

            opened: asyncio.Future[None] = get_running_loop().create_future()
            self._waiting.append(opened)
            await opened
