"""Parses the input of attached clients, and decides what each may do and where on the screen its pointer is."""

import asyncio

from fugue_tui.attach_server.client import AttachedClient, DrawMode
from fugue_tui.attach_server.input.input_parser import Focused, HostEvent, Pasted, Pointer, Reply
from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.attach_server.served_app import ServedApp
from fugue_tui.terminal.input.keys import KeyPress


class InputRouter:
    """Passes the input of clients on to the app. Main thread only."""

    def __init__(self, app: ServedApp, clients: ClientRegistry) -> None:
        self._app = app
        self._clients = clients

    def feed(self, client: AttachedClient, data: bytes) -> None:
        """Handle bytes that a client sent."""
        for event in client.parser.feed(data):
            self._handle(client, event)
        self._schedule_escape(client)

    def _schedule_escape(self, client: AttachedClient) -> None:
        """A lone ESC becomes the Escape key if nothing follows in time."""
        if client.escape_timer is not None:
            client.escape_timer.cancel()
            client.escape_timer = None
        if client.parser.pending:
            seconds = client.capabilities.escape_timeout(certain=client.parser.certain)
            client.escape_timer = asyncio.get_running_loop().call_later(seconds, self._end_sequence, client)

    def _end_sequence(self, client: AttachedClient) -> None:
        client.escape_timer = None
        for event in client.parser.elapse():
            self._handle(client, event)
        self._schedule_escape(client)

    def _handle(self, client: AttachedClient, event: HostEvent) -> None:
        match event:
            case KeyPress():
                self._pass_on(client, event, acts=event.acts)
            case Pointer():
                if (pointer := self._on_screen(client, event)) is not None:
                    self._pass_on(client, pointer, acts=pointer.acts)
            case Pasted(refused=True):
                self._app.inform("a paste of more than 16 MiB was refused; load it from a file")
            case Pasted():
                self._pass_on(client, event, acts=True)
            case Focused():
                client.focused = event.gained
                if event.gained:  # Many hosts change their colours without a word, as the system's do.
                    client.query_colours()
                self._clients.update_focus(client)
            case Reply():
                self._clients.receive(client, event.text)

    def _pass_on(self, client: AttachedClient, event: HostEvent, *, acts: bool) -> None:
        """`acts` is whether the user did more than move the pointer or release a key."""
        if client.read_only:
            if client.draw_mode is not DrawMode.SUSPENDED:
                self._app.handle_read_only(client, event)
            return
        if acts:
            self._clients.use(client)
            client.next_frame = 0.0
        self._app.handle(client, event)

    def _on_screen(self, client: AttachedClient, event: Pointer) -> Pointer | None:
        """The event in cells of the whole screen; None for a press outside of it, and for negative cells."""
        x, y = event.x - 1, event.y - 1
        if x < 0 or y < 0:
            return None
        cell = client.viewport.at(x, y) if client.draw_mode is DrawMode.OWN else (x, y)
        right, bottom = self._clients.screen.cols - 1, self._clients.screen.rows - 1
        inside = cell is not None and cell[0] <= right and cell[1] <= bottom
        if not inside and event.acts:
            return None
        x, y = cell or (x, y)
        return Pointer(event.code, min(x, right) + 1, min(y, bottom) + 1, event.released)
