"""The interface of the app that clients are attached to."""

from collections.abc import Callable
from typing import Protocol

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.attach_server.input.input_parser import HostEvent
from fugue_tui.config.model import Config
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.geometry import Size
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.views import View


class ServedApp(Protocol):
    """Lays out one screen for all clients, paints it on them, and handles their input. Main thread only."""

    mux: Multiplexer
    settings: Config
    dispatcher: Dispatcher
    view: View

    @property
    def shown_size(self) -> Size | None:
        """The size that the screen is laid out for; None before there is a screen."""
        ...

    def enter(self, call: Callable[..., object], *args: object) -> None:
        """Run a call as part of the view, whatever is handled now."""
        ...

    def when_mounted(self, call: Callable[[], object]) -> None:
        """Run a call once there is a screen."""
        ...

    def used(self) -> None:
        """The user acts in this view."""
        ...

    def wants_size(self) -> None:
        """The size that the clients of this view want has changed."""
        ...

    def wanted_size(self) -> Size | None:
        """The size for the screen: as wanted by the clients of this view, and of others that show the same window."""
        ...

    def lay_out(self, size: Size, *, at_once: bool = False) -> None:
        """Lay the screen out for another size: at once, or after a burst of resizes only for the last."""
        ...

    def handle(self, client: AttachedClient, event: HostEvent) -> None:
        """Handle input of a client, in the order of the calls."""
        ...

    def handle_read_only(self, client: AttachedClient, event: HostEvent) -> None:
        """Handle input of a read-only client, which scrolls only its own view."""
        ...

    def paint_mirror(self, client: AttachedClient) -> None:
        """Paint on a client what the mirrors show."""
        ...

    def mirror_added(self) -> None:
        """A client is a mirror from now on."""
        ...

    def paint_own(self, client: AttachedClient) -> None:
        """Paint the whole screen on a client that is no mirror."""
        ...

    def resume_painting(self) -> None:
        """A client can accept output again: paint what it waits for."""
        ...

    def pause_rendering(self) -> None:
        """Lay out and draw nothing until `resume_rendering`: no client shows the screen."""
        ...

    def resume_rendering(self, *, overdue: bool) -> None:
        """Lay out and draw again; what is overdue at once, unless the screen will be laid out again."""
        ...

    def synchronize(self, supported: bool) -> None:
        """Whether output may use synchronized output (mode 2026)."""
        ...

    def follow_host(self, client: AttachedClient) -> None:
        """A client is the latest of the view, or its terminal has reported more of its colours."""
        ...

    def images_changed(self) -> None:
        """A client shows other images than before."""
        ...

    def client_attached(self, client: AttachedClient) -> None:
        """A client has attached."""
        ...

    def client_detached(self, client: AttachedClient) -> None:
        """A client has detached."""
        ...

    def inform(self, text: str) -> None:
        """Show a message in the status bar for a while, after earlier ones and once a client shows the screen."""
        ...

    def leave(self, status: int = 0) -> None:
        """End the program with an exit status."""
        ...
