"""Floating panes: where their frames are in a window, which lies over which, and how they are moved and resized.

Pure. A frame is one cell wide; one that has no room is left out. What is larger than the window is clamped while the
window is that small: the pane keeps the place and the size that it was given.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Axis, Rect, Side, Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.solve import Solution
from fugue_tui.layout.spec_types import Extent
from fugue_tui.layout.tree import MAX_PANES, Float, Layers, Layout, floats, panes, tiled

COMFORTABLE: Final = Size(48, 12)
"""The size that a share of a small window is raised to, as far as the window has it."""
SMALLEST: Final = Size(8, 3)
"""The smallest size that a floating pane gets, as far as the window has it."""
STEP: Final = Size(2, 1)
"""By how much a new pane is moved from another in the same place."""


def outer(float_: Float, bounds: Rect) -> Rect:
    """The rectangle of a floating pane with its frame, inside the window's cells."""
    if float_.full:
        return bounds
    cols, rows = (_length(float_, axis, bounds) for axis in Axis)
    x = _start(float_.x, bounds.cols, cols)
    y = _start(float_.y, bounds.rows, rows)
    return Rect(bounds.x + x, bounds.y + y, cols, rows)


def inner(frame: Rect) -> Rect:
    """The cells of the program inside a frame; the whole rectangle if it is too small for a frame."""
    if frame.cols < SMALLEST.cols or frame.rows < SMALLEST.rows:
        return frame
    return Rect(frame.x + 1, frame.y + 1, frame.cols - 2, frame.rows - 2)


def ordered(over: Sequence[Float], recent: Sequence[PaneId]) -> list[Float]:
    """The floating panes from the lowest to the topmost: by latest focus (`recent`, the active pane first); those that
    never had it lie over all but the active one."""
    ranks = {pane: rank for rank, pane in enumerate(recent)}
    return sorted(over, key=lambda each: ranks.get(each.pane, 0.5), reverse=True)


def with_floats(solution: Solution, over: Sequence[Float], bounds: Rect, recent: Sequence[PaneId]) -> Solution:
    """A solution of tiles with the floating panes over them; `recent` as in `ordered`.

    One that would cover the whole window is shown only while it has the focus."""
    placed = [(each.pane, outer(each, bounds)) for each in ordered(over, recent) if not each.hidden]
    shown = [(pane, rect) for pane, rect in placed if rect != bounds or pane == next(iter(recent), None)]
    if bounds.cols <= 0 or bounds.rows <= 0 or not shown:
        return solution
    panes = solution.panes | {pane: inner(rect) for pane, rect in shown}
    return replace(solution, panes=panes, floats=tuple(shown))


def cascaded(new: Float, others: Sequence[Float], bounds: Rect) -> Float:
    """A floating pane moved right and down from each other that is shown in the same place."""
    taken = {(rect.x, rect.y) for each in others if not each.hidden for rect in [outer(each, bounds)]}
    place = outer(new, bounds)
    while (place.x, place.y) in taken and place.right < bounds.right and place.bottom < bounds.bottom:
        new = moved(new, bounds, STEP.cols, STEP.rows)
        place = outer(new, bounds)
    return new


def moved(float_: Float, bounds: Rect, cols: int, rows: int) -> Float:
    """A floating pane moved by some cells, from where it is seen; it stays inside the window."""
    seen = outer(float_, bounds)
    x, y = seen.x - bounds.x + cols, seen.y - bounds.y + rows
    x, y = max(0, min(x, bounds.cols - seen.cols)), max(0, min(y, bounds.rows - seen.rows))
    return replace(float_, x=x if cols else float_.x, y=y if rows else float_.y, full=False)


def moved_towards(float_: Float, bounds: Rect, side: Side, cells: int | None = None) -> Float:
    """A floating pane moved to a side by some cells, or by a few if their number is None."""
    across = side.axis is Axis.HORIZONTAL
    by = (4 if across else 2) if cells is None else cells
    by = by if side.forward else -by
    return moved(float_, bounds, by if across else 0, 0 if across else by)


def resized(float_: Float, bounds: Rect, side: Side, cells: int) -> Float:
    """A floating pane whose border on a side is moved outwards (or inwards, if negative), as far as the window goes."""
    seen, axis = outer(float_, bounds), side.axis
    across = axis is Axis.HORIZONTAL
    start = seen.x - bounds.x if across else seen.y - bounds.y
    length, whole = seen.length(axis), bounds.length(axis)
    least = min(SMALLEST.cols if across else SMALLEST.rows, whole)
    room = whole - start - length if side.forward else start
    cells = max(least - length, min(cells, room))
    start, length = start if side.forward else start - cells, length + cells
    if across:
        return replace(float_, x=start, cols=length, full=False)
    return replace(float_, y=start, rows=length, full=False)


def added(layout: Layout, new: Float, bounds: Rect) -> Layout:
    """The layout with one more floating pane. Raises InvalidArgument for one pane too many."""
    if len(list(panes(layout))) >= MAX_PANES:
        raise InvalidArgument(f"a window holds at most {MAX_PANES} panes; use another window")
    over = floats(layout)
    return Layers(tiled(layout), (*over, cascaded(new, over, bounds)))


def changed(layout: Layout, new: Float) -> Layout:
    """The layout with a floating pane's record replaced."""
    assert isinstance(layout, Layers)
    return Layers(layout.tiled, tuple(new if each.pane == new.pane else each for each in layout.floats))


def shown(layout: Layout, *, hidden: bool = False) -> Layout:
    """The layout with all floating panes shown, or hidden."""
    if not isinstance(layout, Layers):
        return layout
    return Layers(layout.tiled, tuple(replace(each, hidden=hidden) for each in layout.floats))


def with_hidden(layout: Layout, other: Layout) -> Layout:
    """The layout with those floating panes hidden that are hidden in another one: that is no arrangement."""
    if not isinstance(layout, Layers):
        return layout
    hidden = {each.pane for each in floats(other) if each.hidden}
    return Layers(layout.tiled, tuple(replace(each, hidden=each.pane in hidden) for each in layout.floats))


def _length(float_: Float, axis: Axis, bounds: Rect) -> int:
    across = axis is Axis.HORIZONTAL
    wanted, whole = (float_.cols if across else float_.rows), bounds.length(axis)
    if isinstance(wanted, float):
        wanted = max(round(whole * wanted), COMFORTABLE.cols if across else COMFORTABLE.rows)
    return max(min(wanted, whole), min(SMALLEST.cols if across else SMALLEST.rows, whole))


def _start(wanted: Extent | None, whole: int, length: int) -> int:
    room = whole - length
    if wanted is None:
        return room // 2
    return max(0, min(round(whole * wanted) if isinstance(wanted, float) else wanted, room))
