"""A message for the person that goes away by itself."""

import asyncio
from collections.abc import Callable
from typing import Final

from fugue_tui.text import clean

SECONDS: Final = 4.0
"""How long a message stays."""


class Alerts:
    """The newest message only. Main thread only."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.text = ""
        """What to show now; empty for nothing."""
        self._changed = changed
        self._timer: asyncio.TimerHandle | None = None

    def show(self, text: str) -> None:
        """Show a message for a while, in place of the one before."""
        self.text = clean(text, 200)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(SECONDS, self._calm)
        self._changed()

    def _calm(self) -> None:
        self.text = ""
        self._changed()
