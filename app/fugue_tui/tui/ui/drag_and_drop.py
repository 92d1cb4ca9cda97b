"""Panes and tabs that are dragged with the mouse: what each place on the screen does to them."""

from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.output.pane_titles import pane_label
from fugue_tui.control.schema import command_line
from fugue_tui.geometry import Rect, Side
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import panes
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.ui.view_model import window_label
from fugue_tui_widgets.drag_screen import DragScreen, Drop
from fugue_tui_widgets.status_bar import StatusBar

_EDGE = 0.25
"""The part of a pane's width and height at each side in which a drop splits it."""


class DragAndDrop:
    """Drags of panes and tabs. Main thread only."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    def drag_pane(self, pane: PaneId, bar: StatusBar, at: tuple[int, int]) -> None:
        """A pane is dragged by its title, from a place of the screen on."""
        if pane in self._app.mux.workspace.panes:
            what = f"{pane} {pane_label(self._app.mux, pane)}"
            self._open(DragScreen(what, at, lambda x, y: self._drop_pane(pane, bar, x, y)))

    def drag_tab(self, window: WindowId, bar: StatusBar, at: tuple[int, int]) -> None:
        """A window is dragged by its tab."""
        found = next((each for each in self._app.mux.workspace.windows if each.id == window), None)
        if found is not None:
            what = f"window {window_label(self._app.mux, found)}"
            self._open(DragScreen(what, at, lambda x, y: self._drop_tab(window, bar, x, y)))

    def _open(self, screen: DragScreen) -> None:
        def dropped(drop: Drop | None) -> None:
            if drop is not None:
                self._app.commands.run(command_line.command(list(drop.line)), Origin(Interface.MOUSE))

        self._app.push_screen(screen, dropped)

    def _drop_pane(self, pane: PaneId, bar: StatusBar, x: int, y: int) -> Drop | None:
        if pane not in self._app.mux.workspace.panes:
            return None
        if bar.region.contains(x, y):
            return self._drop_on_bar(pane, bar, x)
        offset, solution = self._app.grid.region.offset, self._app.grid.model.solution
        other = solution.at(x - offset.x, y - offset.y)
        rect = solution.tiles.get(other) if other is not None and other != pane else None
        if other is None or rect is None:
            return None
        return drop_beside(pane, other, Rect(rect.x + offset.x, rect.y + offset.y, rect.cols, rect.rows), x, y)

    def _drop_on_bar(self, pane: PaneId, bar: StatusBar, x: int) -> Drop | None:
        """On a tab: into that window. Elsewhere: into a window of its own."""
        workspace, own = self._app.mux.workspace, self._app.mux.window_of(pane)
        found = bar.tab_at(x)
        if found is None:
            alone = len(list(panes(own.layout))) == 1
            words, line = "a window of its own", ("break-pane", str(pane))
            cols = min(len(words) + 2, bar.region.width)
            rect = Rect(min(x, bar.region.right - cols), bar.region.y, cols, 1)
            return None if alone else Drop(rect, words, line)
        window, rect = found
        target = next((each for each in workspace.windows if each.id == window), None)
        if target is None or window == own.id:
            return None
        line = ("join-pane", str(pane), str(target.active), "--direction", "auto")
        return Drop(rect, f"into window {window_label(self._app.mux, target)}", line)

    def _drop_tab(self, window: WindowId, bar: StatusBar, x: int, y: int) -> Drop | None:
        found = bar.tab_at(x) if bar.region.contains(x, y) else None
        order = [tab.window for tab in bar.content.tabs]
        if found is None or found[0] == window or found[0] not in order:
            return None
        index = order.index(found[0]) + 1
        return Drop(found[1], f"tab {index}", ("move-window", str(window), "--index", str(index)))


def drop_beside(pane: PaneId, other: PaneId, rect: Rect, x: int, y: int) -> Drop:
    """What a drop on another pane does: at an edge it splits that pane, in the middle it swaps both."""
    across, down = (x - rect.x + 0.5) / rect.cols, (y - rect.y + 0.5) / rect.rows
    near, side = min((across, Side.LEFT), (1 - across, Side.RIGHT), (down, Side.UP), (1 - down, Side.DOWN))
    if near >= _EDGE:
        return Drop(rect, f"swap with {other}", ("swap-pane", str(pane), str(other)))
    words = {Side.LEFT: "left of", Side.RIGHT: "right of", Side.UP: "above", Side.DOWN: "below"}[side]
    line = ("join-pane", str(pane), str(other), "--direction", str(side))
    return Drop(_half(rect, side), f"{words} {other}", line)


def _half(rect: Rect, side: Side) -> Rect:
    """The half of a rectangle at a side."""
    cols, rows = max(rect.cols // 2, 1), max(rect.rows // 2, 1)
    match side:
        case Side.LEFT:
            return Rect(rect.x, rect.y, cols, rect.rows)
        case Side.RIGHT:
            return Rect(rect.right - cols, rect.y, cols, rect.rows)
        case Side.UP:
            return Rect(rect.x, rect.y, rect.cols, rows)
        case Side.DOWN:
            return Rect(rect.x, rect.bottom - rows, rect.cols, rows)
