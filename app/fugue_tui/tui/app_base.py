"""An app whose screen is shown on any number of attached terminals, or on none, and that outlives its own bugs."""

import asyncio
import logging
from base64 import b64encode
from collections.abc import Callable, Collection
from typing import Any, Final

from textual import constants
from textual._context import active_message_pump
from textual.app import App
from textual.geometry import Offset
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen

from fugue_tui.attach_protocol import Bye
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.geometry import Size
from fugue_tui.sanitize import clean
from fugue_tui.tui.attach.manager import ClientManager
from fugue_tui.tui.clients.client import AttachedClient
from fugue_tui.tui.clients.handshake import Handshake
from fugue_tui.tui.clients.registry import ClientRegistry
from fugue_tui.tui.driver import TerminalDriver
from fugue_tui.tui.render.client_renderer import compositor_of
from fugue_tui.tui.ui.messages import Messages

logger = logging.getLogger(__name__)

_PAUSE: Final = 1.0
"""Seconds in which the same bug is told once."""


class AttendedApp(App[int], inherit_bindings=False):
    """What every app on attached terminals does. Returns the exit status of the program."""

    def __init__(self, host: HostTerminal | None, first: Handshake | None, news: Callable[[], None]) -> None:
        """`news` is called when there may be something else to say on the screen."""
        constants.COLOR_SYSTEM = "truecolor"  # Mirrors show every colour, wherever this process was started.
        super().__init__(driver_class=TerminalDriver)
        self.host_terminal = host
        self.first = first
        self.gallery: ClientManager | None = None
        """What looks after the attached terminals; None in tests without any."""
        self.farewell = Bye()
        """What they are told at the end."""
        self.alerts = Messages(news, lambda: self.watched)
        self.outlives = False
        """Whether bugs are outlived: from the moment on when everything stands, and where terminals are attached."""
        self._resting = False
        self._told: dict[str, float] = {}

    # Who looks

    @property
    def viewers(self) -> ClientRegistry | None:
        """The terminals that show this; None where Textual draws for itself."""
        return self.gallery.viewers if self.gallery is not None else None

    @property
    def watched(self) -> bool:
        """Whether anybody looks."""
        return self.viewers is None or self.viewers.watched

    def admit(self, arrival: Handshake) -> None:
        """Let a client in."""
        if self.gallery is not None:
            self.gallery.admit(arrival)

    def leave(self, status: int = 0, message: str = "") -> None:
        """End the program with an exit status; whoever is attached is told the message."""
        self.farewell = Bye("ended", clean(message), status)
        self.exit(status)

    def rest(self) -> None:
        """Nobody looks: lay out and draw nothing."""
        if not self._resting:
            self._resting = True
            self._begin_batch()

    def rouse(self, *, overdue: bool) -> None:
        """Somebody looks: lay out and draw again, what is `overdue` at once."""
        if self._resting:
            self._resting = False
            self._end_batch()
            if overdue:
                self.screen._on_timer_update()  # pyright: ignore[reportPrivateUsage]
            self.alerts.looked()

    # What they see

    @property
    def background_screens(self) -> list[Screen[Any]]:
        """The screens that show through the one on top."""
        return list(self._background_screens)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]

    @property
    def on_panes(self) -> bool:
        """Whether no dialog is open."""
        return len(self.screen_stack) == 1

    @property
    def shown_size(self) -> Size | None:
        """The size that the screen on top is laid out for; None before there is one."""
        if not self._is_mounted:
            return None
        size = compositor_of(self.screen).size
        return Size(size.width, size.height)

    @property
    def knows_synchronized_output(self) -> bool:
        """Whether every mirror said that it knows mode 2026."""
        return self._sync_available

    def cursor_at(self, x: int, y: int) -> None:
        """Let Textual leave the host's cursor where input methods look for it."""
        self.cursor_position = Offset(x, y)

    def synchronize(self, known: bool) -> None:
        """Whether what is written may use synchronized output."""
        self._sync_available = known

    def changed(self, rows: Collection[int] | None = None) -> None:
        """The screen is another: these rows, or all of it, and the cursor."""
        if self.gallery is not None:
            self.gallery.changed(rows)

    def bell(self) -> None:
        """Ring at everybody's terminal."""
        if self.viewers is not None:
            self.viewers.tell(b"\a")

    def copy_to_clipboard(self, text: str) -> None:
        """Put text on the clipboards of everybody who may type."""
        self._clipboard = text
        if self.viewers is not None:
            self.viewers.tell(_clipboard(text), typing=True)

    def copy_at(self, viewer: AttachedClient | None, text: str) -> None:
        """Put text on the clipboard of one terminal, if it is still attached."""
        self._clipboard = text
        if viewer is not None and self.viewers is not None and viewer in self.viewers.all():
            viewer.writer.write(_clipboard(text))

    # What nobody meant to happen

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        self.alerts.show(text)

    def inform(self, text: str) -> None:
        """Show a message in the status bar for a while, after those before it and not before somebody looks."""
        self.alerts.tell(text)

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A callback of the loop broke: a bug is logged and told, and the panes live on."""
        self.broke(str(context.get("message")), context.get("exception"))

    def broke(self, what: str, error: BaseException | None) -> None:
        """A bug came to light: log it, and tell the person, each once a second at most."""
        now, key = asyncio.get_running_loop().time(), f"{what}{error!r}"
        if now - self._told.get(key, float("-inf")) < _PAUSE:
            return
        self._told = {key: then for key, then in self._told.items() if now - then < _PAUSE} | {key: now}
        logger.error("%s", what, exc_info=error)
        self.alert(f"internal error: {type(error).__name__ if error else what}; the log has the details")

    async def _dispatch_message(self, message: Message) -> None:
        """A bug in a handler of the app itself would end everybody's programs."""
        try:
            await super()._dispatch_message(message)
        except Exception as error:
            if not self.outlives:
                raise
            self.broke("a message to the app", error)

    def _handle_exception(self, error: Exception) -> None:
        """A bug in a widget ends the dialog that it is in, and nothing else."""
        if not self.outlives:
            logger.error("the start", exc_info=error)
            super()._handle_exception(error)
            return
        self.broke("a widget", error)
        asyncio.get_running_loop().call_soon(self._abandon, active_message_pump.get(None))

    def _abandon(self, broken: MessagePump | None) -> None:
        """Close the dialog whose widget no longer hears anything, and those on top of it."""
        screen = next((each for each in self.screen_stack[1:] if broken is not None and _within(broken, each)), None)
        while screen is not None and screen in self.screen_stack[1:]:
            self.pop_screen()


def _clipboard(text: str) -> bytes:
    """OSC 52: what a terminal is told to put on the clipboard."""
    return b"\x1b]52;c;" + b64encode(text.encode("utf-8", "replace")) + b"\a"


def _within(pump: MessagePump, screen: Screen[Any]) -> bool:
    found: MessagePump | None = pump
    while found is not None and found is not screen:
        found = found._parent  # pyright: ignore[reportPrivateUsage]
    return found is screen
