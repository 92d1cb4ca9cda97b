"""Delivers the input of one client in order.

The workspace handles keys and pastes at once. What Textual must handle (the mouse, and everything while a dialog is
open) passes through its queues, from widget to widget; later input waits until it was handled.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from textual import events
from textual.message import Message
from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from textual.app import App

_MAX_ROUNDS: Final = 8
"""How often the messages that a message caused are waited for: an event bubbles, posts a message, closes a screen."""
_TIMEOUT: Final = 5.0
"""Seconds after which input continues if a handler never ends."""


class InputQueue:
    """Delivers messages, each when those before it were handled. Main thread only."""

    def __init__(
        self,
        app: "App[Any]",
        take: Callable[[Message], bool],
        post: Callable[[Message], None],
        *,
        ready: bool,
    ) -> None:
        """`take` is whether the workspace handled a message; if not, `post` posts it to Textual. Nothing is delivered
        before the app is `ready`."""
        self._app = app
        self._take = take
        self._post = post
        self._queue: deque[Message] = deque()
        self._undelivered = None if ready else Message()
        self._task: asyncio.Task[None] | None = None

    def put(self, message: Message) -> None:
        """Deliver a message: at once if everything before it was handled."""
        if self._task is None and self._may_follow(message):
            self._deliver(message)
            return
        self._queue.append(message)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._drain())

    def _may_follow(self, message: Message) -> bool:
        """Whether a message cannot overtake an earlier one: Textual keeps mouse events in order, and one for the panes
        was handled once all of its queues are empty."""
        before = self._undelivered
        if before is None or not isinstance(before, events.MouseEvent):
            return before is None
        return isinstance(message, events.MouseEvent) or (len(self._app.screen_stack) == 1 and not _busy(self._app))

    def _deliver(self, message: Message) -> None:
        stack = len(self._app.screen_stack)
        if not self._take(message):
            self._post(message)
            self._undelivered = message
        else:  # A dialog that was opened must be there before it gets keys.
            self._undelivered = message if len(self._app.screen_stack) != stack else None

    async def _drain(self) -> None:
        try:
            while self._queue:
                if not self._may_follow(self._queue[0]):
                    await _settle(self._app)
                self._deliver(self._queue.popleft())
        except asyncio.CancelledError:
            self._queue.clear()
            raise
        finally:  # A message that failed is not delivered again.
            self._task = asyncio.get_running_loop().create_task(self._drain()) if self._queue else None


async def _settle(app: "App[Any]") -> None:
    """Wait until what was posted was handled, and what that caused."""
    try:
        async with asyncio.timeout(_TIMEOUT):
            for _ in range(_MAX_ROUNDS):
                await _handled(app)
                for pump in (*(app.screen.focused or app.screen).ancestors_with_self, *_busy(app)):
                    await _handled(pump)
                if not any(_busy(app)):
                    return
    except TimeoutError:
        return


async def _handled(pump: MessagePump) -> None:
    """Wait until a widget has handled what is in its queue."""
    reached = asyncio.get_running_loop().create_future()
    if pump.call_later(lambda: reached.done() or reached.set_result(None)):
        await reached


def _busy(app: "App[Any]") -> list[MessagePump]:
    """The app and the widgets on its screen whose queues are not empty."""
    pumps: list[MessagePump] = [app, *app.screen.walk_children(with_self=True)]
    return [pump for pump in pumps if pump.message_queue_size]
