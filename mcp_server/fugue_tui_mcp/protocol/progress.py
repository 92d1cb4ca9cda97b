"""Sends progress notifications as fast as the client reads; excess ones are dropped and counted."""

import asyncio
from collections import deque
from contextlib import suppress
from typing import Final

from mcp.server.session import ServerSession

from fugue_tui.control.core.deferred import Progress
from fugue_tui.sanitize import clean_text

MOST: Final = 64
"""Queued reports; beyond that, the oldest are dropped."""
LONGEST: Final = 4_096
"""Characters of one report."""


class ProgressReports:
    """The progress of one call. All but `report` runs on the event loop."""

    def __init__(self, session: ServerSession) -> None:
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._queue = deque[Progress]()
        self._dropped = 0
        self._last = 0.0
        self._sender: asyncio.Task[None] | None = None
        self._stopped = False

    def report(self, progress: Progress) -> None:
        """Queue a report. Any thread."""
        with suppress(RuntimeError):  # The loop is closed when the workspace ends.
            self._loop.call_soon_threadsafe(self._enqueue, progress)

    async def finish(self) -> None:
        """Wait until all queued reports are sent."""
        if self._sender is not None:
            await self._sender

    def stop(self) -> None:
        """Discard queued and later reports."""
        self._stopped = True
        if self._sender is not None:
            self._sender.cancel()

    def _enqueue(self, progress: Progress) -> None:
        if self._stopped:
            return
        if len(self._queue) >= MOST:
            self._queue.popleft()
            self._dropped += 1
        self._queue.append(progress)
        if self._sender is None or self._sender.done():
            self._sender = self._loop.create_task(self._send())

    async def _send(self) -> None:
        while self._queue:
            progress = self._queue.popleft()
            text, dropped = clean_text(progress.text, LONGEST), self._dropped
            if dropped:
                self._dropped, text = 0, f"[{dropped} reports were missed]\n{text}"
            total = None if progress.fraction is None else 100.0
            await self._session.report_progress(self._value(progress), total, text)

    def _value(self, progress: Progress) -> float:
        """An increasing number, as the protocol requires: the percentage, or a count."""
        value = self._last + 1 if progress.fraction is None else progress.fraction * 100
        self._last = value if value > self._last else self._last + 0.001
        return self._last
