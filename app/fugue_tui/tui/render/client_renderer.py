"""When terminals with pictures of their own are drawn on: each at its own pace, from the rows of the compositor."""

import asyncio
import time
from collections.abc import Collection, Iterator
from typing import Final, Protocol

from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from fugue_tui.geometry import Rect, Size
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.clients.client import AttachedClient, DrawMode
from fugue_tui.tui.clients.registry import ClientRegistry
from fugue_tui.tui.render.client_scrollback import ClientScrollback
from fugue_tui.tui.vt_output.client_view import ScreenCursor, ScreenState

_FRAME: Final = 1 / 60
_SHARE: Final = 4
"""A terminal whose picture took t seconds to draw is not drawn on again before this many times t."""
_BEGIN: Final = b"\x1b[?2026h"
_END: Final = b"\x1b[?2026l"


class CursorSource(Protocol):
    """Provides the position of the cursor."""

    @property
    def caret(self) -> ScreenCursor | None:
        """Where it is; None if it is hidden."""
        ...


class ClientRenderer:
    """Draws on terminals that are no mirrors. Main thread only."""

    def __init__(
        self, app: AppContext, viewers: ClientRegistry, cursor: CursorSource, reading: ClientScrollback
    ) -> None:
        self._app = app
        self._viewers = viewers
        self._cursor = cursor
        self._reading = reading
        self._loop = asyncio.get_running_loop()
        self._version = 0
        self._scene: ScreenState | None = None
        self._stale: set[int] | None = None
        self._composed = -1
        self._drawn: dict[int, int] = {}
        self._next: dict[int, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def changed(self, rows: Collection[int] | None = None) -> None:
        """The screen is another: these rows, or all of it, and the cursor."""
        self._version += 1
        if rows is None:
            self._stale = None
        elif self._stale is not None:
            self._stale |= set(rows)
        self.schedule()

    def schedule(self) -> None:
        """Draw on those that are due, and come back for the others in time."""
        owing = self._owing()
        if not owing:
            return
        now = time.monotonic()
        for viewer in owing:
            if self._next.get(viewer.id, 0.0) <= now:
                self.draw(viewer)
        owing = self._owing()
        if owing and self._timer is None:
            soonest = min(self._next.get(viewer.id, 0.0) for viewer in owing)
            self._timer = self._loop.call_later(max(soonest - now, 0.001), self._elapsed)

    def _elapsed(self) -> None:
        self._timer = None
        self.schedule()

    def _owing(self) -> list[AttachedClient]:
        """Those who show an older screen and could take the newest."""
        return [
            viewer
            for viewer in self._viewers.all()
            if viewer.place is DrawMode.OWN
            and not viewer.writer.busy
            and self._drawn.get(viewer.id) != self._version
            and not self._viewers.caught_up(viewer)
        ]

    def hurry(self, viewer: AttachedClient) -> None:
        """The user acted there: render its next frame at once."""
        self._next.pop(viewer.id, None)

    def draw(self, viewer: AttachedClient) -> None:
        """Bring a terminal's own picture up to date now."""
        if viewer.writer.busy:
            return
        begun = time.monotonic()
        self._drawn[viewer.id] = self._version
        scene, mark = self._reading.seen_by(viewer, self.scene())
        self._send(viewer, viewer.picture.frame(scene, mark))
        self._next[viewer.id] = begun + max(_FRAME, _SHARE * (time.monotonic() - begun))

    def whole(self, viewer: AttachedClient) -> None:
        """Show a terminal everything, whatever it showed before."""
        viewer.picture.forget()
        self._send(viewer, viewer.picture.frame(self.scene()))

    def drop(self, viewer: AttachedClient) -> None:
        """A terminal has gone."""
        self._drawn.pop(viewer.id, None)
        self._next.pop(viewer.id, None)

    @staticmethod
    def _send(viewer: AttachedClient, data: bytes) -> None:
        viewer.writer.write(_BEGIN + data + _END if data and viewer.abilities.synchronized else data)

    def scene(self) -> ScreenState:
        """The whole screen as it is now; only what changed is composed anew."""
        if self._scene is None or self._composed != self._version:
            screen = self._app.screen
            caret, view = self._cursor.caret, self._app.focused_view
            strips, size = self._compose(screen)
            around = Rect(*view.region) if caret is not None and view is not None else None
            bar = self._app.settings.ui.status and size.rows > 1
            self._scene = ScreenState(size, strips, caret, _interest(screen, caret), around, bar)
            self._composed, self._stale = self._version, set()
        return self._scene

    def _compose(self, screen: Screen[object]) -> tuple[list[Strip], Size]:
        compositor, background = compositor_of(screen), self._app.background_screens
        size = Size(compositor.size.width, compositor.size.height)
        if self._scene is None or self._scene.size != size or self._stale is None or len(background):
            return compose(screen, background), size
        strips = list(self._scene.strips)
        for y, strip in compose_rows(compositor, self._stale):
            strips[y] = strip
        return strips, size


def compositor_of(screen: Screen[object]) -> Compositor:
    """The compositor of a screen."""
    return screen._compositor  # pyright: ignore[reportPrivateUsage]


def compose(screen: Screen[object], background: list[Screen[object]]) -> list[Strip]:
    """Every row of a screen over those that show through it."""
    visible_screen_stack.set(background)
    return compositor_of(screen).render_strips()


def compose_rows(compositor: Compositor, rows: set[int]) -> Iterator[tuple[int, Strip]]:
    """Some rows of a screen through which no other shows."""
    rows = {y for y in rows if 0 <= y < compositor.size.height}
    if not rows:
        return
    visible_screen_stack.set([])
    crop = Region(0, min(rows), compositor.size.width, max(rows) - min(rows) + 1)
    chops = compositor._render_chops(crop, rows.__contains__)  # pyright: ignore[reportPrivateUsage]
    for y in rows:
        yield y, Strip.join(chops[y].values())


def _interest(screen: Screen[object], caret: ScreenCursor | None) -> Rect | None:
    """What a terminal that cannot show everything should show: the cursor, or what has the focus in a dialog."""
    if caret is not None:
        return Rect(caret.x, caret.y, 1, 1)
    dialog = screen.focused or next((each for each in screen.children if each.display), None)
    if dialog is None or not screen.is_modal:
        return None
    region = dialog.region
    return Rect(region.x, region.y, max(region.width, 1), max(region.height, 1))
