"""Messages in the status bar that expire."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from textual.content import Content

from fugue_tui.sanitize import clean

SECONDS: Final = 4.0
"""How long a short message is shown."""
LONGEST_SECONDS: Final = 12.0
READ_A_SECOND: Final = 15
"""Characters that a user reads in a second."""
MOST: Final = 5
"""Maximum number of queued messages; the oldest are dropped."""


KEPT: Final = 200
"""Messages that can be listed after they were shown."""


class _Message(NamedTuple):
    text: str
    topic: str = ""
    failed: bool = False


class Messages:
    """One message at a time. Main thread only."""

    def __init__(self, changed: Callable[[], None], watched: Callable[[], bool]) -> None:
        self._current = _Message("")
        self._changed, self._watched = changed, watched
        self._timer: asyncio.TimerHandle | None = None
        self._was_queued = self._lasts = False
        self._notification = ""
        """The newest of a program, which waits for a message that lasts."""
        self._queue = deque[_Message](maxlen=MOST)
        self._past = deque[tuple[str, str]](maxlen=KEPT)

    @property
    def text(self) -> str:
        """The current message; empty for none."""
        return self._current.text

    @property
    def failed(self) -> bool:
        """Whether it says what went wrong."""
        return self._current.failed

    def show(self, text: str, *, failed: bool = False) -> None:
        """Show a message at once; one that was queued is shown again after it. `failed`: it says what went wrong."""
        if self._was_queued:
            self._queue.appendleft(self._current)
        self._set(_Message(clean(text, 200), failed=failed), queued=False)

    def show_lasting(self, text: str) -> None:
        """Show a message at once which no notification replaces, and which is shown again after other messages."""
        self._was_queued = self._was_queued and not self._lasts  # The latest of several is enough.
        self.show(text)
        self._was_queued = self._lasts = True

    def notify(self, text: str) -> None:
        """Show a program's notification, the newest one after a message that lasts."""
        if self._lasts:
            self._notification = text
        else:
            self.show(text)

    def queue(self, text: str, topic: str = "") -> None:
        """Queue a message until earlier ones have expired and a client shows the screen.

        It replaces earlier ones of its topic, also the current one; empty for a message that replaces none."""
        message = _Message(clean(text, 200), topic)
        if topic:
            self._queue = deque((each for each in self._queue if each.topic != topic), MOST)
        if message == self._current:
            return
        if topic and self._current.topic == topic:
            self._set(message, queued=True)
        elif message not in self._queue:
            self._queue.append(message)
        self.show_next()

    def show_next(self) -> None:
        """Show the next queued message if a client shows the screen."""
        if self._queue and not self.text and self._watched():
            self._set(self._queue.popleft(), queued=True)

    def past(self) -> Content:
        """The messages that were shown, the latest first, with the time of day."""
        lines = [f"{at}  {text}" for at, text in reversed(self._past)]
        return Content("\n".join(lines) or "no message was shown yet")

    def _set(self, message: _Message, *, queued: bool) -> None:
        self._past.append((time.strftime("%H:%M:%S"), message.text))
        self._current, self._was_queued, self._lasts = message, queued, False
        if self._timer is not None:
            self._timer.cancel()
        seconds = min(max(SECONDS, len(message.text) / READ_A_SECOND), LONGEST_SECONDS)
        self._timer = asyncio.get_running_loop().call_later(seconds, self._expire)
        self._changed()

    def _expire(self) -> None:
        if self._was_queued and not self._watched():
            self._queue.appendleft(self._current)  # The client detached before it was read.
        self._current, self._was_queued, self._lasts = _Message(""), False, False
        self._changed()
        self.show_next()
        if self._notification and not self.text:
            text, self._notification = self._notification, ""
            self.show(text)
