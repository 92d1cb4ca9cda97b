"""Shows the images of panes on the hosts of all clients, each as it can.

The images are those of the snapshots that the panes' text was painted from. Main thread only.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from fugue_tui.attach_server.client import AttachedClient, DrawMode
from fugue_tui.control.core.deferred import spawn
from fugue_tui.geometry import Rect
from fugue_tui.terminal.screen.images import Area, Placement, uncovered
from fugue_tui.terminal.screen_view import ScreenView
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.render.compositor import compositor_of
from fugue_tui_widgets.terminal_view import TerminalView

if TYPE_CHECKING:
    from fugue_tui.tui.render.client_images import ClientImages, Encoded, Encoder

_MOST: Final = 256
"""Parts of images that are shown at once."""
_ENCODING: Final = 8
"""Images that are encoded at once; what changes meanwhile is encoded once it is done, as it is then."""
_CACHE: Final = 64 << 20
"""Bytes of encoded images that are kept."""


class HostImages:
    """The images on every client's host."""

    def __init__(
        self,
        app: AppContext,
        rect: Callable[[TerminalView], Rect | None],
        rewrite: Callable[[Collection[int]], None],
    ) -> None:
        """`rect` returns where a view is on the screen, and `rewrite` writes the text of rows to every mirror again."""
        self._app, self._rect, self._rewrite = app, rect, rewrite
        self._panes: dict[int, ScreenView] = {}
        """Whose images are to be shown, by their generation."""
        self._images: WeakKeyDictionary[AttachedClient, ClientImages] = WeakKeyDictionary()
        self._encoded = ImageCache(self._panes.get, self._ready)

    def _ready(self) -> None:
        """An image was encoded."""
        self.update(())
        for client in self._app.clients.all():
            if client.draw_mode is DrawMode.OWN:
                self._show_own(client, ())

    def shows(self, seen: ScreenView) -> bool:
        """Whether hosts show images of a pane, or will with its next frame."""
        return bool(seen.images) or seen in self._panes.values()

    def update(self, written: Collection[int] | None) -> None:
        """Show the images of the panes on the mirrors, to which text was `written` in some rows, or in all."""
        if not self.busy:
            return
        wanted, cell = self._wanted()
        mirrors = [self._of(each) for each in self._app.clients.all() if each.draw_mode is DrawMode.MIRROR]
        rows = {y for each in mirrors for y in each.retire(wanted, cell)}
        if rows:
            self._rewrite(rows)
        for each in mirrors:
            each.show(None if written is None else rows.union(written))

    def retire(self, client: AttachedClient) -> set[int]:
        """What is to be shown on a client that is no mirror: the rows of it whose text must be written again."""
        if not self.busy:
            return set()
        wanted, cell = self._wanted()
        return self._of(client).retire([] if client.scrolled_back else _seen(client, wanted, cell), cell)

    def show(self, client: AttachedClient, written: Collection[int]) -> None:
        """Show that, after text was written to some rows of the client."""
        if client in self._images:
            self._images[client].show(written)

    def _show_own(self, client: AttachedClient, written: Collection[int]) -> None:
        self.retire(client)
        self.show(client, written)

    def forget(self, client: AttachedClient) -> None:
        """What a client shows is unknown, and about to be overwritten."""
        if client in self._images:
            self._images[client].forget()

    def resume(self) -> None:
        """A client may accept more output."""
        for client, images in self._images.items():
            if client.draw_mode in (DrawMode.MIRROR, DrawMode.OWN) and images.active:
                images.resume()

    @property
    def busy(self) -> bool:
        """Whether a pane has images, or a host shows some."""
        for view in self._app.grid.views.values():  # For every frame: quicker than a generator.
            if view.seen is not None and view.seen.images:
                return True
        return any(images.active for images in self._images.values())

    def _of(self, client: AttachedClient) -> "ClientImages":
        from fugue_tui.tui.render.client_images import KittyImages, PaintedImages

        kind = KittyImages if client.capabilities.kitty_graphics else PaintedImages
        images = self._images.get(client)
        if not isinstance(images, kind):
            images = self._images[client] = kind(client, self._encoded)
        return images

    def _wanted(self) -> tuple[Sequence[Placement], tuple[int, int]]:
        """What the screen shows, lowest first, and the size of its cells; nothing behind a dialog."""
        self._panes.clear()
        wanted: list[Placement] = []
        cell = (1, 1)
        if not self._app.on_panes:
            return wanted, cell
        for view, seen, rect in self._views():
            cell = seen.cell
            clip, covers = _area(rect, cell), [_area(cover, cell) for cover in self._covers(view)]
            covers.sort(key=lambda area: area.width * area.height, reverse=True)  # So that the parts are few.
            for placement in seen.images:
                moved = placement.moved(clip.x, clip.y)
                wanted += uncovered(moved, clip, covers)
                self._panes[placement.image.generation] = seen
        return wanted[:_MOST], cell

    def _views(self) -> Iterator[tuple[TerminalView, ScreenView, Rect]]:
        for view in self._app.grid.views.values():
            seen = view.seen
            if seen is not None and seen.images and (rect := self._rect(view)) is not None:
                yield view, seen, rect

    def _covers(self, view: TerminalView) -> Iterator[Rect]:
        """What is in front of a view; all of it, if it is not visible."""
        for widget, (region, clip) in compositor_of(self._app.screen).visible_widgets.items():
            if widget is view:
                return
            shared = region.intersection(clip).intersection(view.region)
            if shared:
                yield Rect(shared.x, shared.y, shared.width, shared.height)
        yield Rect(view.region.x, view.region.y, view.region.width, view.region.height)


def _area(rect: Rect, cell: tuple[int, int]) -> Area:
    return Area(rect.x * cell[0], rect.y * cell[1], rect.cols * cell[0], rect.rows * cell[1])


def _seen(client: AttachedClient, wanted: Sequence[Placement], cell: tuple[int, int]) -> list[Placement]:
    """What a client shows that shows a part of the screen."""
    rows, left = client.viewport.rows, client.viewport.left(0)
    count = next((y for y in range(1, len(rows)) if rows[y] != rows[0] + y), len(rows))
    if not count:
        return []
    clip = _area(Rect(left, rows[0], client.size.cols, count), cell)
    seen = (each.within(clip) for each in wanted)
    return [each.moved(-clip.x, -clip.y) for each in seen if each]


class ImageCache:
    """Reads and encodes images in the pool, and keeps what was encoded last."""

    def __init__(self, pane_of: Callable[[int], ScreenView | None], ready: Callable[[], None]) -> None:
        """`pane_of` returns whose image a generation is; `ready` is called when something was encoded."""
        self._pane_of, self._on_ready = pane_of, ready
        self._kept: OrderedDict[object, Encoded | None] = OrderedDict()
        self._size = 0
        self._pending: set[object] = set()

    def get(self, placement: Placement, key: object, encode: "Encoder") -> "Encoded | None":
        """An image as `encode` makes it; None if that is not done, or cannot be."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        seen = self._pane_of(placement.image.generation)
        if key not in self._pending and len(self._pending) < _ENCODING and seen is not None:
            self._pending.add(key)
            spawn(self._encode(seen, placement, key, encode))
        return None

    async def _encode(self, seen: ScreenView, placement: Placement, key: object, encode: "Encoder") -> None:
        from fugue_tui.tui.render.client_images import size_of

        def work() -> "Encoded | None":
            pixels = seen.pixels(placement.image)
            return encode(pixels) if pixels is not None else None

        try:
            encoded = await asyncio.to_thread(work)
        finally:
            self._pending.discard(key)
        self._kept[key] = encoded
        self._size += size_of(encoded)
        while self._size > _CACHE and len(self._kept) > 1:
            self._size -= size_of(self._kept.popitem(last=False)[1])
        self._on_ready()
