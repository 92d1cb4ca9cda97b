"""Reports internal errors, which neither end the app nor the programs in its panes."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, Final

from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen

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


def close_dialog_of(failed: MessagePump | None, app: App[Any]) -> None:
    """Close the dialog with a widget that handles no messages any more, and those on top of it."""
    screen = next((each for each in app.screen_stack[1:] if failed is not None and _is_within(failed, each)), None)
    while screen is not None and screen in app.screen_stack[1:]:
        app.pop_screen()


def _is_within(pump: MessagePump, screen: Screen[Any]) -> bool:
    found: MessagePump | None = pump
    while found is not None and found is not screen:
        found = found._parent  # pyright: ignore[reportPrivateUsage]
    return found is screen
