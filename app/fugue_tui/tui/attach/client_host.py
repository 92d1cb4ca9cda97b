"""The terminals that the app is shown on, whether the app has a screen yet or not."""

from base64 import b64encode
from collections.abc import Collection

from fugue_tui.attach_protocol import Bye
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.geometry import Size
from fugue_tui.tui.app_context import AppContext, ScreenDriver
from fugue_tui.tui.attach.manager import ClientManager
from fugue_tui.tui.clients.client import AttachedClient
from fugue_tui.tui.clients.handshake import Handshake
from fugue_tui.tui.clients.registry import ClientRegistry
from fugue_tui.tui.render.scheduler import RenderScheduler


class ClientHost:
    """Attaches clients, and sends them what is not part of the screen. Main thread only."""

    def __init__(self, app: AppContext, terminal: HostTerminal | None, first: Handshake | None) -> None:
        self._app = app
        self.terminal = terminal
        """The terminal that the program was started in; None for a server."""
        self.first = first
        """The client that a server starts with."""
        self.manager: ClientManager | None = None
        """None in tests without terminals, where Textual draws for itself."""
        self.bye = Bye()
        """Sent to every client at the end."""

    def open(self, driver: ScreenDriver, size: Size) -> ClientManager:
        """Create the manager, once there is a driver to lay out the screen."""
        self.manager = ClientManager(self._app, driver, size)
        return self.manager

    def begin(self, frames: RenderScheduler) -> ClientRegistry | None:
        """Attach the first client and draw: there is a screen now."""
        if self.manager is not None:
            self.manager.begin(frames)
        return self.registry

    @property
    def registry(self) -> ClientRegistry | None:
        """The attached clients; None where Textual draws for itself."""
        return self.manager.viewers if self.manager is not None else None

    @property
    def watched(self) -> bool:
        """Whether any client shows the screen."""
        return self.registry is None or self.registry.watched

    def admit(self, arrival: Handshake) -> None:
        """Attach a client, or refuse it."""
        if self.manager is not None:
            self.manager.admit(arrival)

    def changed(self, rows: Collection[int] | None = None) -> None:
        """Redraw these rows of the screen and the cursor, or all rows, on clients that are no mirrors."""
        if self.manager is not None:
            self.manager.changed(rows)

    def displayed(self) -> None:
        """Textual wrote to the mirrors."""
        if self.manager is not None:
            self.manager.displayed()

    def bell(self) -> None:
        """Ring the bell of every client."""
        if self.registry is not None:
            self.registry.tell(b"\a")

    def copy(self, text: str) -> None:
        """Set the clipboard of every client that is not read-only."""
        if self.registry is not None:
            self.registry.tell(_clipboard(text), typing=True)

    def copy_at(self, viewer: AttachedClient | None, text: str) -> None:
        """Set the clipboard of one client, if it is still attached."""
        if viewer is not None and self.registry is not None and viewer in self.registry.all():
            viewer.writer.write(_clipboard(text))


def _clipboard(text: str) -> bytes:
    """OSC 52: sets the clipboard of a terminal."""
    return b"\x1b]52;c;" + b64encode(text.encode("utf-8", "replace")) + b"\a"
