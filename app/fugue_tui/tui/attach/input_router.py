"""What attached terminals send: whose it is, who may do what, and where on the screen a pointer is."""

import asyncio
from typing import Final

from textual import events
from textual.message import Message

from fugue_tui.errors import Refused
from fugue_tui.tui.app_context import AppContext, ScreenDriver
from fugue_tui.tui.clients.client import AttachedClient, DrawMode
from fugue_tui.tui.clients.host_input import PasteRefused
from fugue_tui.tui.clients.registry import ClientRegistry
from fugue_tui.tui.render.client_renderer import ClientRenderer
from fugue_tui.tui.render.client_scrollback import ClientScrollback
from fugue_tui_widgets.key_events import press_of

_WHEEL: Final = (events.MouseScrollUp, events.MouseScrollDown, events.MouseScrollLeft, events.MouseScrollRight)


class InputRouter:
    """Takes bytes and messages of terminals. Main thread only."""

    def __init__(
        self, viewers: ClientRegistry, app: AppContext, driver: ScreenDriver, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._viewers = viewers
        self._app = app
        self._driver = driver
        self._loop = loop
        self._ticks: dict[int, asyncio.TimerHandle] = {}
        self._prefixed: set[int] = set()
        self._focused = True
        self.pictures: ClientRenderer | None = None
        self.reading: ClientScrollback | None = None

    def fed(self, viewer: AttachedClient, data: bytes) -> None:
        """A terminal sent bytes."""
        for message in viewer.input.feed(data):
            self.take(viewer, message)
        self._await_escape(viewer)

    def drop(self, viewer: AttachedClient) -> None:
        """A terminal has gone."""
        if tick := self._ticks.pop(viewer.id, None):
            tick.cancel()
        self._prefixed.discard(viewer.id)
        if self.reading is not None:
            self.reading.drop(viewer)
        if self.pictures is not None:
            self.pictures.drop(viewer)
        self.refocus(viewer)

    def _await_escape(self, viewer: AttachedClient) -> None:
        """A lone ESC becomes the Escape key if nothing follows in time."""
        if tick := self._ticks.pop(viewer.id, None):
            tick.cancel()
        if viewer.input.pending:
            patience = viewer.abilities.patience(certain=viewer.input.certain)
            self._ticks[viewer.id] = self._loop.call_later(patience, self._escape, viewer)

    def _escape(self, viewer: AttachedClient) -> None:
        self._ticks.pop(viewer.id, None)
        for message in viewer.input.elapse():
            self.take(viewer, message)
        self._await_escape(viewer)

    def take(self, viewer: AttachedClient, message: Message) -> None:
        """A terminal said something."""
        if isinstance(message, PasteRefused):
            self._app.inform("a paste of more than 16 MiB was refused; load it from a file")
        elif isinstance(message, events.AppFocus | events.AppBlur):
            viewer.focused = isinstance(message, events.AppFocus)
            self.refocus(viewer)
        elif isinstance(message, events.MouseEvent) and not _placed(viewer, self._viewers, message):
            return
        elif viewer.read_only:
            self._look_on(viewer, message)
        else:
            if _is_use(message):
                self._viewers.use(viewer)
                if self.pictures is not None:
                    self.pictures.hurry(viewer)
            self._driver.deliver(viewer, message)

    def refocus(self, viewer: AttachedClient) -> None:
        """The app has the focus as long as any terminal has that can type."""
        typing = [each for each in self._viewers.all() if not each.read_only]
        focused = any(each.focused for each in typing)
        if typing and focused != self._focused:
            self._focused = focused
            self._driver.deliver(viewer, events.AppFocus() if focused else events.AppBlur())

    # Those who only look on

    def _look_on(self, viewer: AttachedClient, message: Message) -> None:
        reading = self.reading
        if reading is None or viewer.place is DrawMode.AWAY:
            return
        if isinstance(message, _WHEEL):
            reading.wheel(viewer, message)
        elif isinstance(message, events.Key):
            self._look_on_key(viewer, message, reading)
        elif isinstance(message, events.MouseDown | events.Paste):
            reading.tell(viewer)
        else:
            return
        self.looked_on(viewer)

    def looked_on(self, viewer: AttachedClient) -> None:
        """What a terminal that only looks on shows is another now."""
        if viewer in self._viewers.all():
            self._viewers.regroup()
            if self.pictures is not None and viewer.place is DrawMode.OWN:
                self.pictures.hurry(viewer)
                self.pictures.draw(viewer)

    def _look_on_key(self, viewer: AttachedClient, event: events.Key, reading: ClientScrollback) -> None:
        press = press_of(event)
        if not press.acts:
            return
        name = press.text if len(press.text) == 1 and press.name != "space" else press.role
        if viewer.id in self._prefixed:
            self._prefixed.discard(viewer.id)
            if name == "d":
                self._part(viewer)
        elif self._app.starts_command(event, viewer):
            self._prefixed.add(viewer.id)
        elif reading.key(viewer, "ctrl+c" if event.key == "ctrl+c" else name):
            return
        elif name == "q":
            self._part(viewer)
        else:
            reading.tell(viewer)

    def _part(self, viewer: AttachedClient) -> None:
        try:
            self._viewers.detach(viewer.id)
        except Refused:
            return


def _is_use(message: Message) -> bool:
    """Whether it is a user's action, and not a mere movement of the pointer."""
    acts = (events.Paste, events.MouseDown, *_WHEEL)
    return press_of(message).acts if isinstance(message, events.Key) else isinstance(message, acts)


def _placed(viewer: AttachedClient, viewers: ClientRegistry, event: events.MouseEvent) -> bool:
    """Put the pointer where it is on the whole screen; False for a press outside of it."""
    x, y = int(event.screen_x), int(event.screen_y)
    cell = viewer.picture.at(x, y) if viewer.place is DrawMode.OWN else (x, y)
    right, bottom = viewers.screen.cols - 1, viewers.screen.rows - 1
    inside = cell is not None and cell[0] <= right and cell[1] <= bottom
    if not inside and isinstance(event, (events.MouseDown, *_WHEEL)):
        return False
    x, y = cell or (x, y)
    event._x = event._screen_x = min(x, right)  # pyright: ignore[reportPrivateUsage]
    event._y = event._screen_y = min(y, bottom)  # pyright: ignore[reportPrivateUsage]
    return True
