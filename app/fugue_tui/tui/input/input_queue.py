"""The input of one terminal, given to the app in the order in which it came.

The workspace takes keys and pastes at once. What Textual must deal with (the mouse, and everything while a dialog is
open) goes by its queues, from widget to widget; what comes behind that waits until it has arrived.
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

_ROUNDS: Final = 8
"""How often what was brought about is waited for too: an event bubbles up, is a message, closes a screen, ..."""
_PATIENCE: Final = 5.0
"""Seconds after which input goes on, if a handler never ends."""


class InputQueue:
    """Passes messages on, each when those before it have arrived. Main thread only."""

    def __init__(
        self,
        app: "App[Any]",
        take: Callable[[Message], bool],
        post: Callable[[Message], None],
        *,
        ready: bool,
    ) -> None:
        """`take` says whether the workspace took a message; if not, `post` gives it to Textual. An app that is not
        `ready` yet gets nothing before it is."""
        self._app = app
        self._take = take
        self._post = post
        self._waiting: deque[Message] = deque()
        self._under_way = None if ready else Message()
        self._task: asyncio.Task[None] | None = None

    def put(self, message: Message) -> None:
        """Pass a message on: at once if nothing before it is under way."""
        if self._task is None and self._may_follow(message):
            self._pass(message)
            return
        self._waiting.append(message)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._drain())

    def _may_follow(self, message: Message) -> bool:
        """Whether a message cannot overtake what is under way: mouse events stay in order by themselves, and one for
        the panes has arrived once no queue holds anything."""
        before = self._under_way
        if before is None or not isinstance(before, events.MouseEvent):
            return before is None
        return isinstance(message, events.MouseEvent) or (len(self._app.screen_stack) == 1 and not _busy(self._app))

    def _pass(self, message: Message) -> None:
        stack = len(self._app.screen_stack)
        if not self._take(message):
            self._post(message)
            self._under_way = message
        else:  # A dialog that was opened must be there before it gets keys.
            self._under_way = message if len(self._app.screen_stack) != stack else None

    async def _drain(self) -> None:
        try:
            while self._waiting:
                if not self._may_follow(self._waiting[0]):
                    await _settle(self._app)
                self._pass(self._waiting.popleft())
        except asyncio.CancelledError:
            self._waiting.clear()
            raise
        finally:  # What failed has had its turn; the rest has not.
            self._task = asyncio.get_running_loop().create_task(self._drain()) if self._waiting else None


async def _settle(app: "App[Any]") -> None:
    """Wait until what was posted has been dealt with, and what that brought about."""
    try:
        async with asyncio.timeout(_PATIENCE):
            for _ in range(_ROUNDS):
                await _reach(app)
                for pump in (*(app.screen.focused or app.screen).ancestors_with_self, *_busy(app)):
                    await _reach(pump)
                if not any(_busy(app)):
                    return
    except TimeoutError:
        return


async def _reach(pump: MessagePump) -> None:
    """Wait until a widget has dealt with what it has got so far."""
    reached = asyncio.get_running_loop().create_future()
    if pump.call_later(lambda: reached.done() or reached.set_result(None)):
        await reached


def _busy(app: "App[Any]") -> list[MessagePump]:
    """Which of the app and what is on its screen have got something to deal with."""
    pumps: list[MessagePump] = [app, *app.screen.walk_children(with_self=True)]
    return [pump for pump in pumps if pump.message_queue_size]
