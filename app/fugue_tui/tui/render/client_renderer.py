"""Draws on clients that are no mirrors: on each at its own pace, from the rows of Textual's compositor."""

import asyncio
import time
from collections.abc import Collection, Iterator
from typing import Final
from weakref import WeakKeyDictionary

from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from fugue_tui.attach_server.client import AttachedClient, DrawMode
from fugue_tui.geometry import Rect, Size
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.render.client_scrollback import ClientScrollback
from fugue_tui.tui.render.client_view import ClientView, ScreenCursor, ScreenState
from fugue_tui.tui.render.compositor import compositor_of
from fugue_tui.tui.render.host_images import HostImages
from fugue_tui.tui.render.mirror_updates import MirrorRows

_FRAME: Final = 1 / 60
_SHARE: Final = 4
"""A client whose frame took t seconds to draw is not drawn on again before this many times t."""
_BEGIN: Final = b"\x1b[?2026h"
_END: Final = b"\x1b[?2026l"


class ClientRenderer:
    """Draws on clients that are no mirrors. Main thread only."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self.images: HostImages | None = None
        """Shows the images of panes."""
        self.scrollback = ClientScrollback(app, self._scrolled)
        self.caret: ScreenCursor | None = None
        """The cursor on the screen; None if it is hidden."""
        self.mirror_rows = MirrorRows()
        """What the mirrors show."""
        self._version = 0
        self._screen: ScreenState | None = None
        self._stale: set[int] | None = None
        """Rows that changed since the screen was composed; None for all."""
        self._composed_version = -1
        self._views: WeakKeyDictionary[AttachedClient, ClientView] = WeakKeyDictionary()
        self._timer: asyncio.TimerHandle | None = None

    def invalidate(self, rows: Collection[int] | None = None) -> None:
        """The screen has changed, and was not drawn by Textual: these rows and the cursor, or everything."""
        self.mirror_rows.forget(rows)
        self.changed(rows)

    def changed(self, rows: Collection[int] | None = None) -> None:
        """The screen has changed: these rows and the cursor, or everything."""
        self._version += 1
        if rows is None:
            self._stale = None
        elif self._stale is not None:
            self._stale |= set(rows)
        self.schedule()

    def schedule(self) -> None:
        """Draw on the clients that are due, and schedule the others."""
        outdated = self._outdated()
        if not outdated:
            return
        now = time.monotonic()
        for client in outdated:
            if client.next_frame <= now:
                self.draw(client)
        outdated = self._outdated()
        if outdated and self._timer is None:
            soonest = min(client.next_frame for client in outdated)
            self._timer = asyncio.get_running_loop().call_later(max(soonest - now, 0.001), self._elapsed)

    def _elapsed(self) -> None:
        self._timer = None
        self.schedule()

    def _outdated(self) -> list[AttachedClient]:
        """The clients that show an older screen and can accept the newest."""
        return [
            client
            for client in self._app.clients.all()
            if client.draw_mode is DrawMode.OWN
            and not client.writer.busy
            and client.drawn_version != self._version
            and not self._app.clients.caught_up(client)
        ]

    def _scrolled(self, client: AttachedClient) -> None:
        """A read-only client shows something else."""
        if client in self._app.clients.all():
            self._app.clients.regroup()
            if client.draw_mode is DrawMode.OWN:
                self.draw(client)

    def draw(self, client: AttachedClient) -> None:
        """Draw on a client now, if it can accept output."""
        if client.writer.busy:
            return
        begun = time.monotonic()
        client.drawn_version = self._version
        screen, note = self.scrollback.overlay(client, self._compose())
        view = self._view(client)
        data = view.frame(screen, note)
        if self.images is not None and (rows := self.images.retire(client)):
            data += view.frame_again(screen, note, rows)
        self._send(client, data)
        if self.images is not None:
            self.images.show(client, view.written)
        client.next_frame = begun + max(_FRAME, _SHARE * (time.monotonic() - begun))

    def redraw(self, client: AttachedClient) -> None:
        """Draw everything on a client, whatever it showed before."""
        self._view(client).forget()
        self._forget_images(client)
        self.draw(client)

    def draw_mirror(self, client: AttachedClient) -> None:
        """Draw everything on a client that becomes a mirror."""
        view = self._view(client)
        view.forget()
        self._forget_images(client)
        self._send(client, view.frame(self._compose()))
        if self.images is not None:
            self.images.update(())

    def _forget_images(self, client: AttachedClient) -> None:
        if self.images is not None:
            self.images.forget(client)

    def _view(self, client: AttachedClient) -> ClientView:
        view = self._views.get(client)
        if view is None or view.viewport is not client.viewport:
            view = self._views[client] = ClientView(client.viewport, client.capabilities.depth)
        return view

    @staticmethod
    def _send(client: AttachedClient, data: bytes) -> None:
        client.writer.write(_BEGIN + data + _END if data and client.capabilities.synchronized else data)

    def _compose(self) -> ScreenState:
        """The whole screen as it is now; only rows that changed are composed again."""
        if self._screen is None or self._composed_version != self._version:
            screen, view = self._app.screen, self._app.focused_view
            strips, size = self._strips(screen)
            context = Rect(*view.region) if self.caret is not None and view is not None else None
            ui = self._app.settings.ui
            bar, focus = ui.status and size.rows > 1, _focus(screen, self.caret)
            self._screen = ScreenState(size, strips, self.caret, focus, context, bar, ui.dividers)
            self._composed_version, self._stale = self._version, set()
        return self._screen

    def _strips(self, screen: Screen[object]) -> tuple[list[Strip], Size]:
        compositor, background = compositor_of(screen), self._app.background_screens
        size = Size(compositor.size.width, compositor.size.height)
        if self._screen is None or self._screen.size != size or self._stale is None or len(background):
            visible_screen_stack.set(background)
            return compositor.render_strips(), size
        strips = list(self._screen.strips)
        for y, strip in _compose_rows(compositor, self._stale):
            strips[y] = strip
        return strips, size


def _compose_rows(compositor: Compositor, rows: set[int]) -> Iterator[tuple[int, Strip]]:
    """Some rows of a screen through which no other shows."""
    rows = {y for y in rows if 0 <= y < compositor.size.height}
    if not rows:
        return
    visible_screen_stack.set([])
    crop = Region(0, min(rows), compositor.size.width, max(rows) - min(rows) + 1)
    chops = compositor._render_chops(crop, rows.__contains__)  # pyright: ignore[reportPrivateUsage]
    for y in rows:
        yield y, Strip.join(chops[y].values())


def _focus(screen: Screen[object], caret: ScreenCursor | None) -> Rect | None:
    """What a client that cannot show everything should show: the cursor, or what has the focus in a dialog."""
    if caret is not None:
        return Rect(caret.x, caret.y, 1, 1)
    dialog = screen.focused or next((each for each in screen.children if each.display), None)
    if dialog is None or not screen.is_modal:
        return None
    region = dialog.region
    return Rect(region.x, region.y, max(region.width, 1), max(region.height, 1))
