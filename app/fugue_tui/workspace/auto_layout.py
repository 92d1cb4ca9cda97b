"""Windows whose layout adapts to the number of their panes and to the shape of the terminal."""

from collections.abc import Callable

from msgspec.structs import replace

from fugue_tui.geometry import Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.presets import automatic
from fugue_tui.layout.tree import Layout, panes, tiled, with_tiled
from fugue_tui.workspace.model import Window, Workspace


def adapted(old: Workspace, new: Workspace, bounds: Callable[[Window], Rect]) -> Workspace:
    """The workspace with the layouts adapted of windows that got or lost tiles; one that was arranged by hand since
    `old` keeps that, and adapts no more."""
    before = {window.id: window for window in old.windows}
    windows = tuple(settled(before.get(window.id), window, bounds(window)) for window in new.windows)
    return new if windows == new.windows else replace(new, windows=windows)


def refitted(workspace: Workspace, bounds: Callable[[Window], Rect]) -> Workspace:
    """The workspace with the layouts adapted to the present bounds of the windows."""
    windows = tuple(
        replace(window, layout=wanted(window.layout, bounds(window))) if window.auto else window
        for window in workspace.windows
    )
    return workspace if windows == workspace.windows else replace(workspace, windows=windows)


def wanted(layout: Layout, rect: Rect) -> Layout:
    """A layout whose tiles are arranged for a rectangle."""
    return with_tiled(layout, automatic(list(panes(tiled(layout))), rect))


def settled(before: Window | None, window: Window, rect: Rect) -> Window:
    """One of these windows, which had been `before`."""
    if before is window or not window.auto:
        return window
    layout = wanted(window.layout, rect)
    if layout == window.layout:
        return window
    if before is not None and before.auto and before.layout != window.layout and _tiles(before) == _tiles(window):
        return replace(window, auto=False)  # It was arranged by hand.
    return replace(window, layout=layout)


def _tiles(window: Window) -> set[PaneId]:
    return set(panes(tiled(window.layout)))
