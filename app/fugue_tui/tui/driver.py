"""Where frames go and keys come from: the seam between Textual and the terminals that show the workspace.

Keys and pastes are read on the app's own loop, so that those for a pane reach its program without passing Textual's
queues, unless something that came before them is still on its way there.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary, ref

from textual import events
from textual import geometry as textual_geometry
from textual.driver import Driver
from textual.message import Message

from fugue_tui.geometry import Size
from fugue_tui.tui.attach.client_host import ClientHost
from fugue_tui.tui.clients.client import AttachedClient
from fugue_tui.tui.clients.input_queue import InputQueue
from fugue_tui_widgets.key_events import HostKey

if TYPE_CHECKING:
    from textual.app import App


@runtime_checkable
class KeySink(Protocol):
    """An app that handles keys and pastes before Textual queues them."""

    clients: ClientHost

    @property
    def ready(self) -> bool:
        """Whether there is a screen to draw on."""
        ...

    def take_key(self, event: events.Key, viewer: AttachedClient | None = None) -> bool:
        """Whether the key was dealt with."""
        ...

    def take_paste(self, event: events.Paste) -> bool:
        """Whether the paste was dealt with."""
        ...


class TerminalDriver(Driver):
    """Writes to every attached client, and receives its input."""

    def __init__(
        self, app: "App[Any]", *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        assert isinstance(app, KeySink)
        self._sink: KeySink = app
        host = app.clients.terminal
        screen = host.size if host is not None else Size(*(size or (80, 24)))
        self._size = (screen.cols, screen.rows)
        self._manager = app.clients.open(self, screen)
        self._queues: WeakKeyDictionary[AttachedClient, InputQueue] = WeakKeyDictionary()

    @property
    def can_suspend(self) -> bool:
        """Only a terminal of the program's own can be handed to another program for a while."""
        return self._sink.clients.terminal is not None

    def write(self, data: str) -> None:
        """Send text to the terminals that mirror the screen."""
        self._manager.viewers.write(data.encode("utf-8", "replace"))

    def flush(self) -> None:
        """Nothing is held back."""

    def start_application_mode(self) -> None:
        """Let in who is there."""
        self._manager.open(self._sink.clients.terminal, self._sink.clients.first)

    def disable_input(self) -> None:
        """Stop reading."""
        self._manager.stop_input()

    def stop_application_mode(self) -> None:
        """Give the program's own terminal back as it was."""
        self._manager.close()

    def close(self) -> None:
        """Close what the terminal opened."""
        if self._sink.clients.terminal is not None:
            self._sink.clients.terminal.close()

    def lay_out(self, size: Size, *, at_once: bool = False) -> None:
        """Have the screen laid out for another size; Textual waits a little for more of them unless it is `at_once`."""
        self._size = (size.cols, size.rows)
        if at_once:
            self._app._size = None  # pyright: ignore[reportPrivateUsage]
        wanted = textual_geometry.Size(size.cols, size.rows)
        self.send_message(events.Resize(wanted, wanted))

    def deliver(self, viewer: AttachedClient, message: Message) -> None:
        """Give the app what a terminal sent, in the order in which it came."""
        queue = self._queues.get(viewer)
        if queue is None:
            take = partial(self._take, ref(viewer))
            queue = self._queues[viewer] = InputQueue(self._app, take, self._give_to_textual, ready=self._sink.ready)
        queue.put(message)

    def _take(self, viewer: "ref[AttachedClient]", message: Message) -> bool:
        """Whether the workspace took a message."""
        if isinstance(message, events.Key):
            message.set_sender(self._app)
            if isinstance(message, HostKey):
                message.owner = viewer()
            return self._sink.take_key(message, viewer())
        return isinstance(message, events.Paste) and self._sink.take_paste(message)

    def _give_to_textual(self, message: Message) -> None:
        """Queue what is for a dialog or the mouse's; Textual has no releases, and no keys that type several letters."""
        if isinstance(message, HostKey):
            if not message.press.acts:
                return
            if len(message.press.text) > 1:
                message = events.Paste(message.press.text)
        self.process_message(message)

    def send_message(self, message: Message) -> None:
        """Queue a message; the readers run on the app's own loop, so no thread is crossed."""
        self._app.post_message(message)
