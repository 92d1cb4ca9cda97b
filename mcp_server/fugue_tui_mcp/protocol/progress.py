"""Tells a client how far its call has come, as fast as it reads; what it is too slow for is counted and left out."""

import asyncio
from collections import deque
from contextlib import suppress
from typing import Final

from mcp.server.session import ServerSession

from fugue_tui.control.core.deferred import Progress
from fugue_tui.sanitize import clean_text

MOST: Final = 64
"""Reports that wait for a client; the oldest of more are left out."""
LONGEST: Final = 4_096
"""Characters of one report."""


class ProgressReports:
    """The reports of one call. All but `tell` belongs to the loop."""

    def __init__(self, session: ServerSession) -> None:
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._waiting = deque[Progress]()
        self._missed = 0
        self._last = 0.0
        self._sending: asyncio.Task[None] | None = None
        self._over = False

    def tell(self, progress: Progress) -> None:
        """Have a report sent. Any thread."""
        with suppress(RuntimeError):  # The loop is closed once the workspace is left.
            self._loop.call_soon_threadsafe(self._take, progress)

    async def finish(self) -> None:
        """Send what is left; nothing is sent after that."""
        if self._sending is not None:
            await self._sending

    def stop(self) -> None:
        """Send no more, whatever is told from now on."""
        self._over = True
        if self._sending is not None:
            self._sending.cancel()

    def _take(self, progress: Progress) -> None:
        if self._over:
            return
        if len(self._waiting) >= MOST:
            self._waiting.popleft()
            self._missed += 1
        self._waiting.append(progress)
        if self._sending is None or self._sending.done():
            self._sending = self._loop.create_task(self._send())

    async def _send(self) -> None:
        while self._waiting:
            progress = self._waiting.popleft()
            text, missed = clean_text(progress.text, LONGEST), self._missed
            if missed:
                self._missed, text = 0, f"[{missed} reports were missed]\n{text}"
            total = None if progress.fraction is None else 100.0
            await self._session.report_progress(self._value(progress), total, text)

    def _value(self, progress: Progress) -> float:
        """A number that always grows, as the protocol wants: the percentage, or else a count."""
        wanted = self._last + 1 if progress.fraction is None else progress.fraction * 100
        self._last = wanted if wanted > self._last else self._last + 0.001
        return self._last
