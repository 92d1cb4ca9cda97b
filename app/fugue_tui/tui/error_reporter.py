"""Reports internal errors, which neither end the app nor the programs in its panes."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, Final

logger = logging.getLogger(__name__)

_PAUSE: Final = 1.0
"""Seconds in which the same error is reported once."""


class ErrorReporter:
    """Logs errors and shows them to the user, each at most once a second. Main thread only."""

    def __init__(self, alert: Callable[[str], None]) -> None:
        self._alert = alert
        self._reported: dict[str, float] = {}

    def report(self, what: str, error: BaseException | None) -> None:
        """Log an error and show it; `what` names what failed."""
        now, key = time.monotonic(), f"{what}{error!r}"
        if now - self._reported.get(key, float("-inf")) < _PAUSE:
            return
        self._reported = {key: then for key, then in self._reported.items() if now - then < _PAUSE} | {key: now}
        logger.error("%s", what, exc_info=error)
        self._alert(f"internal error: {type(error).__name__ if error else what}; the log has the details")

    def on_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """The exception handler of the event loop: a callback raised."""
        self.report(str(context.get("message")), context.get("exception"))
