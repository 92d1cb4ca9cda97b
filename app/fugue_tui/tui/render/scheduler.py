"""Schedules the painting of panes: the first change at once, then at most 60 times a second, less if it is slow.

The focused pane comes first, alone: what the user types shows in it. All others share 25 frames a second.
"""

import asyncio
import time
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Final

from textual.geometry import Offset, Region

from fugue_tui.attach_server.output.direct_painter import DirectPainter, shape_of
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.render.client_renderer import ClientRenderer
from fugue_tui.tui.render.client_view import ScreenCursor
from fugue_tui.tui.render.host_images import HostImages
from fugue_tui.tui.render.mirror_updates import MirrorRows, MirrorUpdate, pieces_of
from fugue_tui_widgets.terminal_view import TerminalView

if TYPE_CHECKING:
    from rich.console import RenderableType

_FRAME: Final = 1 / 60
_BACKGROUND: Final = 1 / 25
"""Minimum seconds between two frames of the panes without the focus, which are painted together."""
_ECHO: Final = 0.008
"""Seconds for which the other panes wait after a key for what the focused program prints; at most half of the time."""
_RELAY: Final = 0.001
"""Seconds that they leave to the clients, then, to show it."""
_SLICE: Final = 0.0003
"""Seconds after which the rest of a frame is left to the next iteration of the loop."""
_SHARE: Final = 4
"""A pane whose frame took t seconds to paint is not painted again before this many times t, times the panes that were
due with it: they share the main thread."""


class RenderScheduler:
    """Paints panes that have changed: on the mirrors directly, on other clients by a renderer. Main thread only.

    In a headless app, Textual's compositor paints them."""

    def __init__(self, app: AppContext, renderer: ClientRenderer) -> None:
        self._app = app
        self._clients = app.clients
        self._renderer = renderer
        self._started = self._headless = False
        self._wanted: set[PaneId] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._next: dict[PaneId, float] = {}
        self._together_at = float("-inf")
        """When the panes without the focus were last painted, or all panes behind a dialog."""
        self._held_at = self.held_until = float("-inf")
        """The user has pressed a key: until this time, on the loop's clock, nothing but the focused pane is painted."""
        self._painter = DirectPainter(self._clients.write)
        self._painter.width = lambda: app.size.width
        self._painter.synchronized = lambda: app.clients.synchronized
        self.images = renderer.images = HostImages(app, self._rect, self._rewrite)
        """The images of panes on the hosts."""
        self._painter.scrolls = lambda seen: not self.images.shows(seen) and not app.is_outlined

    def start(self, *, headless: bool) -> None:
        """Start painting: there is a screen now."""
        self._started, self._headless = True, headless

    @property
    def shows_images(self) -> bool:
        """Whether hosts show images of a visible pane, or will with its next frame."""
        views = self._app.grid.views.values()
        return any(view.seen is not None and self.images.shows(view.seen) for view in views if self._rect(view))

    def want(self, pane: PaneId) -> None:
        """A pane has changed."""
        self._wanted.add(pane)
        first, now = self._first, time.monotonic()
        due = self._time(pane, first, self._rest)
        if pane == first and due <= now:
            self.schedule()
        elif not self._idle and not self._busy:
            self._wake_at(max(due, now))

    def render_soon(self, pane: PaneId | None) -> None:
        """The user acted there: paint the pane's next frame at once, before all others."""
        if pane is not None:
            self._next.pop(pane, None)
            now = time.monotonic()
            if now > self._held_at + 2 * _ECHO:
                self._held_at, self.held_until = now, now + _ECHO

    def schedule(self) -> None:
        """Paint the panes that are due, and schedule the others; does nothing while no client shows the screen."""
        if self._idle:
            return
        now = time.monotonic()
        times = self._times()
        if any(time <= now for time in times.values()):
            self._frame(now, [pane for pane, time in times.items() if time <= now])
            times = self._times()
        if times and not self._busy:
            self._wake_at(max(min(times.values()), now + 0.001))

    def _wake_at(self, when: float) -> None:
        """Paint what is due at a time, unless something is painted before."""
        if self._timer is not None and self._timer.when() > when:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(when, self._elapsed)

    def _elapsed(self) -> None:
        """Paint in the next iteration of the loop, which reads first the keys that came while this one ran."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_at(loop.time(), self._paint_due)

    def _paint_due(self) -> None:
        self._timer = None
        self.schedule()

    def _times(self) -> dict[PaneId, float]:
        """When each pane that has changed may be painted again."""
        first, rest = self._first, self._rest
        return {pane: self._time(pane, first, rest) for pane in self._wanted}

    def _time(self, pane: PaneId, first: PaneId | None, rest: float) -> float:
        """When a pane may be painted again; `rest` is when panes other than the `first` may be."""
        own = self._next.get(pane, 0.0)
        return own if pane == first else max(own, rest)

    @property
    def _rest(self) -> float:
        """When the panes that wait for others may be painted."""
        return max(self.held_until, self._together_at + max(_BACKGROUND, self._app.behind_seconds))

    @property
    def _first(self) -> PaneId | None:
        """The pane that waits for no other; None behind a dialog."""
        return self._app.mux.focused if self._app.on_panes else None

    def _frame(self, now: float, due: Collection[PaneId]) -> None:
        if self._busy:
            return
        focused = self._first
        first = [focused] if focused is not None and focused in due else []
        with self._clients.batch():
            rows = self._paint(first or due, now)
            self._put_cursor()
        if first:
            self.held_until = min(self.held_until, time.monotonic() + _RELAY)
        if not first and not self._wanted.intersection(due):
            self._together_at = now
        self._renderer.changed(rows)
        self.images.update(rows)
        self._app.status_updates.output_arrived()

    def _paint(self, due: Collection[PaneId], now: float) -> set[int]:
        """Paint some panes, as many as a slice allows; the rows of the screen that have changed."""
        rows: set[int] = set()
        for pane in due:
            begun = time.monotonic()
            if begun - now > _SLICE and self._app.on_panes:
                break
            self._wanted.discard(pane)
            view = self._app.grid.views.get(pane)
            if view is None or view.live is None:
                self._next.pop(pane, None)
                continue
            rows |= self._show(pane, view)
            self._next[pane] = begun + max(_FRAME, _SHARE * len(due) * (time.monotonic() - begun))
        return rows

    @property
    def _idle(self) -> bool:
        return not (self._started and self._clients.watched)

    @property
    def _busy(self) -> bool:
        return self._clients.busy

    def _show(self, pane: PaneId, view: TerminalView) -> set[int]:
        """Paint a pane if it is visible; the rows of the screen that have changed."""
        rect = self._rect(view)
        if rect is None or view.seen is None:
            return set()
        rows: Iterable[int]
        if self._headless or not self._app.bare or pane in self._app.grid.covered:
            rows = view.redraw()
            self._painter.forget(view.seen)
        elif self._clients.has_mirrors:
            rows = view.touched(self._painter.paint(view.seen, rect))
            self._renderer.mirror_rows.drawn(rect, self._painter.rows(view.seen))
        else:
            rows = view.read()
            self._painter.forget(view.seen)
        return {rect.y + row for row in rows}

    def _rect(self, view: TerminalView) -> Rect | None:
        """Where a view is on the screen; None if it is not visible."""
        if not view.is_attached or not view.display or view.live is None:
            return None
        region = view.region
        if (region.width, region.height) != (view.live.size.cols, view.live.size.rows):
            return None
        return Rect(region.x, region.y, region.width, region.height)

    def catch_up(self) -> None:
        """Paint every visible pane, as a client is about to be painted whole."""
        rows: set[int] = set()
        if not self._clients.has_mirrors:
            self._painter.forget()
        for pane, view in self._app.grid.views.items():
            if self._rect(view) is not None:
                self._wanted.discard(pane)
                rows |= self._show(pane, view)
        self._put_cursor()
        self._renderer.changed(rows)
        self.images.update(rows)

    def _rewrite(self, rows: Collection[int]) -> None:
        """Write the text of some rows to the mirrors again: an image was there."""
        for view in self._app.grid.views.values():
            rect = self._rect(view)
            if rect is None or view.seen is None:
                continue
            inside = [y - rect.y for y in rows if rect.y <= y < rect.bottom]
            if inside and self._app.bare:
                self._painter.rewrite(view.seen, rect, inside)
            elif inside:
                view.refresh(*(Region(0, y, rect.cols, 1) for y in inside))
        self._put_cursor()

    @property
    def mirror_rows(self) -> MirrorRows | None:
        """What the mirrors show; None if there are none, or if images or an outline lie over the text."""
        rows, size = self._renderer.mirror_rows, self._app.size
        rows.fit(Size(size.width, size.height))
        if self._clients.has_mirrors and not self.images.busy and not self._app.is_outlined:
            return rows
        rows.forget()
        return None

    def update_of(self, renderable: "RenderableType | MirrorUpdate | None") -> "RenderableType | MirrorUpdate | None":
        """What draws an update of Textual's compositor on the mirrors."""
        pieces, rows = pieces_of(renderable), self.mirror_rows
        return renderable if pieces is None or rows is None else MirrorUpdate(rows, pieces)

    def mirror_added(self) -> None:
        """There is another mirror, whose cursor and cells are unknown."""
        self._renderer.mirror_rows.forget()
        self._painter.mirror_added()
        self.place_cursor()

    def settled(self) -> None:
        """The compositor has painted the layout: what the cells of each view show is unknown."""
        self._painter.forget()
        for pane, view in self._app.grid.views.items():
            if self._rect(view) is not None:
                self._wanted.add(pane)
        self.schedule()

    def place_cursor(self) -> None:
        """Put the hosts' cursor where the focused program's is."""
        if self._put_cursor():
            self._renderer.changed(())

    def _put_cursor(self) -> bool:
        """Put it there; whether it has changed."""
        if self._headless or self._idle:
            return False
        view = self._app.focused_view if self._app.settled else None
        rect = self._rect(view) if view is not None else None
        cursor = view.cursor if view is not None and rect is not None and not self._is_covered(view, rect) else None
        cell = self._painter.cursor(cursor, rect)
        caret = ScreenCursor(*cell, shape_of(cursor)) if cell is not None and cursor is not None else None
        if cell is not None:
            self._app.cursor_position = Offset(*cell)
        before, self._renderer.caret = self._renderer.caret, caret
        return caret != before

    def _is_covered(self, view: TerminalView, rect: Rect) -> bool:
        """Whether a floating pane lies over the cursor of the focused view."""
        cursor, grid = view.cursor, self._app.grid
        if not grid.covered or cursor is None or (pane := self._app.mux.focused) is None:
            return False
        return grid.covers(pane, rect.x + cursor.x - grid.region.x, rect.y + cursor.y - grid.region.y)

    def displayed(self) -> None:
        """Textual wrote to the mirrors and moved their cursor."""
        if self._started:
            self._painter.cursor_lost()
            self.place_cursor()
            if self._app.on_panes and self._wanted:
                self._wake_at(time.monotonic())  # Panes may have waited behind a dialog.
