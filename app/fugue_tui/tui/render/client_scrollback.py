"""Scrollback of read-only clients: each scrolls its own view."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from textual import events
from textual.strip import Strip

from fugue_tui.ids import PaneId
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.clients.client import AttachedClient
from fugue_tui.tui.vt_output.client_view import ScreenState
from fugue_tui_widgets.mouse_selection import WHEEL_LINES
from fugue_tui_widgets.strips import strip_of

_FAR: Final = 1 << 30
_TOLD_SECONDS: Final = 3.0
_TOLD: Final = "read-only · PageUp reads back · q leaves"


@dataclass(frozen=True, slots=True)
class ScrolledView:
    """The rows that a client shows, as they were when it scrolled to them."""

    pane: PaneId
    terminal: Terminal
    lines: int
    """How far back from the bottom that was."""
    history: int
    """How many lines of history there were then."""
    rows: tuple[Row, ...]


class ClientScrollback:
    """Where each of those who only look on reads. Main thread only."""

    def __init__(self, app: AppContext, over: Callable[[AttachedClient], None]) -> None:
        """`over` is called when a terminal need not be told any more that it only looks on."""
        self._app = app
        self._over = over
        self._back: dict[int, ScrolledView] = {}
        self._told: dict[int, asyncio.TimerHandle] = {}

    def reads(self, viewer: AttachedClient) -> bool:
        """Whether a terminal shows older text."""
        return viewer.id in self._back

    def drop(self, viewer: AttachedClient) -> None:
        """Show the live screen there again."""
        self._back.pop(viewer.id, None)
        if told := self._told.pop(viewer.id, None):
            told.cancel()
        viewer.reads_back = False

    def tell(self, viewer: AttachedClient) -> None:
        """Say for a while that this terminal only looks on, and what it can do."""
        if told := self._told.pop(viewer.id, None):
            told.cancel()
        self._told[viewer.id] = asyncio.get_running_loop().call_later(_TOLD_SECONDS, self._untell, viewer)
        viewer.reads_back = True

    def _untell(self, viewer: AttachedClient) -> None:
        del self._told[viewer.id]
        viewer.reads_back = self.reads(viewer)
        self._over(viewer)

    def scroll(self, viewer: AttachedClient, pane: PaneId | None, lines: int) -> None:
        """Move a terminal's view: positive towards older lines; at the bottom it is live again."""
        before = self._back.get(viewer.id)
        pane = before.pane if before is not None else pane
        terminal = self._app.mux.terminals.get(pane) if pane is not None else None
        if terminal is None or pane is None:
            self.drop(viewer)
            return
        history = terminal.scrollback.lines
        start = before.lines + max(0, history - before.history) if before is not None else 0
        target = min(max(start + lines, 0), history)
        if target == 0:
            self.drop(viewer)
            return
        self._back[viewer.id] = ScrolledView(pane, terminal, target, history, tuple(terminal.past(target)))
        viewer.reads_back = True

    def seen_by(self, viewer: AttachedClient, scene: ScreenState) -> tuple[ScreenState, str]:
        """The screen as a terminal shows it, and what stands in its corner."""
        back = self._back.get(viewer.id)
        if back is not None and not self._stands(back):
            self.drop(viewer)
            back = None
        if back is None:
            return scene, _TOLD if viewer.id in self._told else "read-only" if viewer.read_only else ""
        view = self._app.grid.views[back.pane]
        x, y, width, height = view.region
        strips = list(scene.strips)
        for offset, row in enumerate(back.rows[:height]):
            if y + offset < len(strips):
                strips[y + offset] = _over(strips[y + offset], strip_of(row, width), x)
        return replace(scene, strips=strips, caret=None), f"read-only · history -{back.lines}"

    def _stands(self, back: ScrolledView) -> bool:
        """Whether the pane is still there, at the size that it had, and in sight."""
        view = self._app.grid.views.get(back.pane)
        live = self._app.mux.terminals.get(back.pane)
        if view is None or live is None or live is not back.terminal or view.live is not live:
            return False
        place = view.region.width == live.size.cols and view.region.height == live.size.rows == len(back.rows)
        return place and self._app.on_panes

    # What they do

    def key(self, viewer: AttachedClient, name: str) -> bool:
        """Take a key; whether it was one that scrolls or ends scrolling."""
        pane = self._app.mux.focused
        terminal = self._app.mux.terminals.get(pane) if pane is not None else None
        page = max(terminal.size.rows - 1, 1) if terminal is not None else 1
        steps = {
            "up": 1, "k": 1, "down": -1, "j": -1, "pageup": page, "pagedown": -page, "space": -page,
            "home": _FAR, "g": _FAR, "end": -_FAR, "G": -_FAR,
        }  # fmt: skip
        if name in steps:
            self.scroll(viewer, pane, steps[name])
            return True
        if name in ("q", "escape", "ctrl+c") and self.reads(viewer):
            self.drop(viewer)
            return True
        return False

    def wheel(self, viewer: AttachedClient, event: events.MouseEvent) -> None:
        """Scroll the pane under the pointer."""
        if not isinstance(event, events.MouseScrollUp | events.MouseScrollDown):
            return
        step = WHEEL_LINES if isinstance(event, events.MouseScrollUp) else -WHEEL_LINES
        x, y = int(event.screen_x), int(event.screen_y)
        under = (pane for pane, view in self._app.grid.views.items() if view.region.contains(x, y) and view.display)
        pane = next(under, self._app.mux.focused)
        back = self._back.get(viewer.id)
        if back is not None and back.pane != pane:
            self.drop(viewer)
        self.scroll(viewer, pane, step)


def _over(strip: Strip, piece: Strip, x: int) -> Strip:
    """A row with a piece of another in its place."""
    end = x + piece.cell_length
    return Strip.join([strip.crop(0, x), piece, strip.crop(end, strip.cell_length)])
