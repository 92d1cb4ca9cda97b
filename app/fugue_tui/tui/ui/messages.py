"""Messages for the person that go away by themselves."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from fugue_tui.sanitize import clean

SECONDS: Final = 4.0
"""How long a short message stays."""
LONGEST_SECONDS: Final = 12.0
READ_A_SECOND: Final = 15
"""Characters that a person reads in passing."""
MOST: Final = 5
"""How many messages wait for their turn; the oldest of more are dropped."""


class Messages:
    """One message at a time. Main thread only."""

    def __init__(self, changed: Callable[[], None], watched: Callable[[], bool]) -> None:
        self.text = ""
        """What to show now; empty for nothing."""
        self._changed, self._watched = changed, watched
        self._timer: asyncio.TimerHandle | None = None
        self._lasting = False
        self._waiting = deque[str](maxlen=MOST)

    def show(self, text: str) -> None:
        """Show a message at once and for a while; one that `tell` showed comes again after it."""
        if self._lasting:
            self._waiting.appendleft(self.text)
        self._put(clean(text, 200), lasting=False)

    def tell(self, text: str) -> None:
        """Show a message when it is its turn and somebody looks."""
        text = clean(text, 200)
        if text not in self._waiting and text != self.text:
            self._waiting.append(text)
        self.looked()

    def looked(self) -> None:
        """Somebody may look now: show what waited for that."""
        if self._waiting and not self.text and self._watched():
            self._put(self._waiting.popleft(), lasting=True)

    def _put(self, text: str, *, lasting: bool) -> None:
        self.text, self._lasting = text, lasting
        if self._timer is not None:
            self._timer.cancel()
        seconds = min(max(SECONDS, len(text) / READ_A_SECOND), LONGEST_SECONDS)
        self._timer = asyncio.get_running_loop().call_later(seconds, self._calm)
        self._changed()

    def _calm(self) -> None:
        if self._lasting and not self._watched():
            self._waiting.appendleft(self.text)  # Whoever looked has left before it was read.
        self.text, self._lasting = "", False
        self._changed()
        self.looked()
