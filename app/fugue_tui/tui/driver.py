"""Textual's driver: its output goes to the attached clients, whose input reaches the app in order.

Keys and pastes for a pane reach its program without passing Textual's queues, unless something that came before them is
still in those.
"""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary, ref

from textual import events
from textual import geometry as textual_geometry
from textual.driver import Driver
from textual.message import Message

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.attach_server.input.input_parser import HostEvent
from fugue_tui.geometry import Size
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.host_events import HostMessages
from fugue_tui.tui.input.input_queue import InputQueue
from fugue_tui_widgets.key_events import HostKey

if TYPE_CHECKING:
    from textual.app import App


class TerminalDriver(Driver):
    """Writes to every mirror, and delivers the input of clients."""

    def __init__(
        self, app: "App[Any]", *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._context = cast(AppContext, app)
        self._clients = self._context.clients
        self._host = host = self._context.server.attach_server.terminal
        self._screen = host.size if host is not None else Size(*(size or (80, 24)))
        self._size = (self._screen.cols, self._screen.rows)
        self._queues: WeakKeyDictionary[AttachedClient, tuple[HostMessages, InputQueue]] = WeakKeyDictionary()

    @property
    def can_suspend(self) -> bool:
        """Only a terminal of the program's own can be handed to another program for a while."""
        return self._host is not None

    def write(self, data: str) -> None:
        """Send text to the mirrors."""
        self._clients.write(data.encode("utf-8", "replace"))

    def flush(self) -> None:
        """Nothing is buffered."""

    def start_application_mode(self) -> None:
        """There is no screen yet; the first view takes over the program's own terminal."""
        # From Python 3.12 on, Textual has tasks begin while they are created: one may have ended before it is kept.
        asyncio.get_running_loop().set_task_factory(None)
        self._clients.screen = self._screen
        self._context.driver_started()

    def disable_input(self) -> None:
        """Clients are read until the server ends."""

    def stop_application_mode(self) -> None:
        """The program's own terminal is restored when the server ends."""

    def lay_out(self, size: Size, *, at_once: bool = False) -> None:
        """Have the screen laid out for another size; Textual waits a little for more of them unless it is `at_once`."""
        self._size = (size.cols, size.rows)
        if at_once:
            self._app._size = None  # pyright: ignore[reportPrivateUsage]
        wanted = textual_geometry.Size(size.cols, size.rows)
        self.send_message(events.Resize(wanted, wanted))

    def deliver(self, client: AttachedClient, event: HostEvent) -> None:
        """Give the app the input of a client, in order."""
        if client not in self._queues:
            take = partial(self._take, ref(client))
            queue = InputQueue(self._app, take, self._post, ready=self._context.ready)
            self._queues[client] = HostMessages(), queue
        messages, queue = self._queues[client]
        if (message := messages.convert(event)) is not None:
            queue.put(message)

    def _take(self, client: "ref[AttachedClient]", message: Message) -> bool:
        """Whether the workspace consumed a message."""
        if isinstance(message, events.Key):
            message.set_sender(self._app)
            if isinstance(message, HostKey):
                message.owner = client()
            return self._context.take_key(message, client())
        return isinstance(message, events.Paste) and self._context.take_paste(message)

    def _post(self, message: Message) -> None:
        """Queue a message for Textual, which has no key releases, and no keys that type several letters."""
        if isinstance(message, HostKey):
            if not message.press.acts:
                return
            if len(message.press.text) > 1:
                message = events.Paste(message.press.text)
        self.process_message(message)

    def send_message(self, message: Message) -> None:
        """Queue a message; clients are read on the app's own loop, so no thread is crossed."""
        self._app.post_message(message)
