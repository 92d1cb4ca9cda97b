"""When panes are painted: the first change at once, then at most 60 times a second, less if painting is dear."""

import asyncio
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from fugue_tui.geometry import Rect
from fugue_tui.ids import PaneId
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.render.direct_painter import DirectPainter, shape_of
from fugue_tui.tui.vt_output.client_view import ScreenCursor
from fugue_tui_widgets.terminal_view import TerminalView

_FRAME: Final = 1 / 60
_SHARE: Final = 4
"""A pane whose frame took t seconds to paint is not painted again before this many times t."""


class RenderScheduler:
    """Paints panes that have something new. Main thread only."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._loop = asyncio.get_running_loop()
        self._wanted: set[PaneId] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._next: dict[PaneId, float] = {}
        self._viewers = app.viewers
        self._painter = DirectPainter(self._viewers) if self._viewers is not None else None
        self.caret: ScreenCursor | None = None
        """Where the host's cursor is; None if it is hidden."""
        if self._painter is not None:
            self._painter.width = lambda: app.size.width
            self._painter.synchronized = lambda: app.knows_synchronized_output

    def want(self, pane: PaneId) -> None:
        """A pane has something to draw."""
        self._wanted.add(pane)
        self.schedule()

    def hurry(self, pane: PaneId | None) -> None:
        """The user acted there: paint the pane's next frame at once."""
        if pane is not None:
            self._next.pop(pane, None)

    def schedule(self) -> None:
        """Paint the panes that are due and schedule the others; does nothing without a client."""
        if self._idle:
            return
        now = time.monotonic()
        if any(self._next.get(pane, 0.0) <= now for pane in self._wanted):
            self._frame(now)
        if self._timer is None and self._wanted and not self._busy:
            soonest = min(self._next.get(pane, 0.0) for pane in self._wanted)
            self._timer = self._loop.call_later(max(soonest - now, 0.001), self._elapsed)

    def _elapsed(self) -> None:
        self._timer = None
        self.schedule()

    def _frame(self, now: float) -> None:
        if self._busy:
            return
        with self._together():
            rows = self._paint_due(now)
            self._put_cursor()
        self._app.changed(rows)
        self._app.output_arrived()

    def _together(self) -> AbstractContextManager[None]:
        return self._viewers.together() if self._viewers is not None else nullcontext()

    def _paint_due(self, now: float) -> set[int]:
        """Paint the panes that are due; the rows of the screen that are others now."""
        rows: set[int] = set()
        for pane in [pane for pane in self._wanted if self._next.get(pane, 0.0) <= now]:
            self._wanted.discard(pane)
            view = self._app.grid.views.get(pane)
            if view is None or view.live is None:
                self._next.pop(pane, None)
                continue
            begun = time.monotonic()
            rows |= self._show(view)
            self._next[pane] = begun + max(_FRAME, _SHARE * (time.monotonic() - begun))
        return rows

    @property
    def _idle(self) -> bool:
        return self._viewers is not None and not self._viewers.watched

    @property
    def _busy(self) -> bool:
        return self._viewers is not None and self._viewers.busy

    def _show(self, view: TerminalView) -> set[int]:
        """Paint a visible pane; a hidden one is left alone until it is shown. The rows of the screen that changed."""
        rect = self._rect(view)
        if rect is None or view.live is None:
            return set()
        rows: Iterable[int] = ()
        if self._painter is None or self._viewers is None:
            view.redraw()
        elif self._app.bare and self._viewers.mirrored:
            rows = view.touched(self._painter.paint(view.live, rect))
        else:
            rows = view.look() if self._app.bare else view.redraw()
            self._painter.forget(view.live)
        return {rect.y + row for row in rows}

    def _rect(self, view: TerminalView) -> Rect | None:
        """Where a view is on the host's screen; None if it is not shown."""
        if not view.is_attached or not view.display or view.live is None:
            return None
        region = view.region
        if (region.width, region.height) != (view.live.size.cols, view.live.size.rows):
            return None
        return Rect(region.x, region.y, region.width, region.height)

    def catch_up(self) -> None:
        """Have every visible pane's newest rows at hand, and what the mirrors show."""
        rows: set[int] = set()
        if self._painter is not None and self._viewers is not None and not self._viewers.mirrored:
            self._painter.forget()
        for pane, view in self._app.grid.views.items():
            if self._rect(view) is not None:
                self._wanted.discard(pane)
                rows |= self._show(view)
        self._put_cursor()
        self._app.changed(rows)

    def joined(self) -> None:
        """There is another mirror, whose cursor may be anywhere and look like anything."""
        if self._painter is not None:
            self._painter.newcomer()
            self.place_cursor()

    def settled(self) -> None:
        """The layout was painted by the compositor: what each view's cells hold is unknown, and all may be new."""
        if self._painter is not None:
            self._painter.forget()
        for pane, view in self._app.grid.views.items():
            if self._rect(view) is not None:
                self._wanted.add(pane)
        self.schedule()

    def place_cursor(self) -> None:
        """Put the host's cursor where the focused program's is."""
        if self._put_cursor():
            self._app.changed(())

    def _put_cursor(self) -> bool:
        """Put it there; whether it is another than before."""
        if self._painter is None or self._idle:
            return False
        view = self._app.focused_view if self._app.settled else None
        rect = self._rect(view) if view is not None else None
        cursor = view.cursor if view is not None and rect is not None else None
        cell = self._painter.cursor(cursor, rect)
        caret = ScreenCursor(*cell, shape_of(cursor)) if cell is not None and cursor is not None else None
        if cell is not None:
            self._app.cursor_at(*cell)
        before, self.caret = self.caret, caret
        return caret != before

    def displayed(self) -> None:
        """Textual wrote to the host and moved its cursor."""
        if self._painter is not None:
            self._painter.cursor_lost()
            self.place_cursor()
