"""When panes are painted: the first change at once, then at most 60 times a second, less if painting is dear."""

import asyncio
import time
from typing import Final

from fugue_tui.geometry import Rect
from fugue_tui.ids import PaneId
from fugue_tui.tui.painter import Painter
from fugue_tui.tui.stage import Stage
from fugue_tui_widgets.terminal_view import TerminalView

_FRAME: Final = 1 / 60
_SHARE: Final = 4
"""A pane whose frame took t seconds to paint is not painted again before this many times t."""


class Frames:
    """Paints panes that have something new. Main thread only."""

    def __init__(self, app: Stage) -> None:
        self._app = app
        self._loop = asyncio.get_running_loop()
        self._wanted: set[PaneId] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._next: dict[PaneId, float] = {}
        driver = app.host_driver
        self._painter = Painter(driver.host) if driver is not None else None
        if self._painter is not None and driver is not None:
            self._painter.width = lambda: app.size.width
            self._painter.synchronized = lambda: app.knows_synchronized_output
            driver.host.on_drain = self._schedule
            driver.host.on_overflow = self._repaint_all

    def want(self, pane: PaneId) -> None:
        """A pane has something to draw."""
        self._wanted.add(pane)
        self._schedule()

    def hurry(self, pane: PaneId | None) -> None:
        """A person did something there: let the pane's next frame come at once."""
        if pane is not None:
            self._next.pop(pane, None)

    def _schedule(self) -> None:
        """Paint the panes that are due, and come back for the others in time."""
        now = time.monotonic()
        if any(self._next.get(pane, 0.0) <= now for pane in self._wanted):
            self._frame(now)
        if self._timer is None and self._wanted and not self._host_busy:
            soonest = min(self._next.get(pane, 0.0) for pane in self._wanted)
            self._timer = self._loop.call_later(max(soonest - now, 0.001), self._elapsed)

    def _elapsed(self) -> None:
        self._timer = None
        self._schedule()

    def _frame(self, now: float) -> None:
        if self._host_busy:
            return
        due = [pane for pane in self._wanted if self._next.get(pane, 0.0) <= now]
        for pane in due:
            self._wanted.discard(pane)
            view = self._app.grid.views.get(pane)
            if view is None or view.live is None:
                self._next.pop(pane, None)
                continue
            begun = time.monotonic()
            self._show(view)
            self._next[pane] = begun + max(_FRAME, _SHARE * (time.monotonic() - begun))
        self.place_cursor()
        self._app.stirred()

    @property
    def _host_busy(self) -> bool:
        driver = self._app.host_driver
        return driver is not None and driver.host.busy

    def _show(self, view: TerminalView) -> None:
        """Paint a visible pane; a hidden one is left alone until it is shown."""
        rect = self._rect(view)
        if rect is None or view.live is None:
            return
        if self._painter is not None and self._app.bare:
            view.stale()
            self._painter.paint(view.live, rect)
            return
        view.redraw()
        if self._painter is not None:
            self._painter.forget(view.live)

    def _rect(self, view: TerminalView) -> Rect | None:
        """Where a view is on the host's screen; None if it is not shown."""
        if not view.is_attached or not view.display or view.live is None:
            return None
        region = view.region
        if (region.width, region.height) != (view.live.size.cols, view.live.size.rows):
            return None
        return Rect(region.x, region.y, region.width, region.height)

    def settled(self) -> None:
        """The layout was painted by the compositor: what each view's cells hold is unknown, and all may be new."""
        if self._painter is not None:
            self._painter.forget()
        for pane, view in self._app.grid.views.items():
            if self._rect(view) is not None:
                self._wanted.add(pane)
        self._schedule()

    def place_cursor(self) -> None:
        """Put the host's cursor where the focused program's is."""
        if self._painter is None:
            return
        view = self._app.focused_view if self._app.bare else None
        rect = self._rect(view) if view is not None else None
        if view is None or rect is None:
            self._painter.cursor(None, None)
            return
        cell = self._painter.cursor(view.cursor, rect)
        if cell is not None:
            self._app.cursor_at(*cell)

    def displayed(self) -> None:
        """Textual wrote to the host and moved its cursor."""
        if self._painter is not None:
            self._painter.cursor_lost()
            self.place_cursor()

    def _repaint_all(self) -> None:
        if self._painter is not None:
            self._painter.forget()
        self._app.repaint()
