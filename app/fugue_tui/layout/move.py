"""Which pane lies to the left, right, up or down of another, on the screen as it was solved."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fugue_tui.geometry import Axis, Rect, Side
from fugue_tui.ids import PaneId
from fugue_tui.layout.solve import Solution, bounding


def neighbour(
    solution: Solution, pane: PaneId, side: Side, *, recent: Sequence[PaneId] = (), wrap: bool = False
) -> PaneId | None:
    """The pane that touches this one on a side; None at the edge of the screen, or if the pane is hidden.

    Of several, the one that comes first in `recent` (so that going there and back returns), else the one with the
    longest shared edge, else the first in reading order. With `wrap`, the far edge is next to the near one.
    """
    rect = solution.panes.get(pane)
    if rect is None:
        return None
    others = {other: place for other, place in solution.panes.items() if other != pane}
    found = _choose(_touching(rect, others, side), recent)
    if found is None and wrap and others:
        found = _choose(_touching(_past_the_edge(rect, bounding(solution.panes.values()), side), others, side), recent)
    return found


def _touching(rect: Rect, others: Mapping[PaneId, Rect], side: Side) -> dict[PaneId, int]:
    """The nearest panes on a side and the cells of edge they share; meeting across a divider's end is second best."""
    near: dict[PaneId, int] = {}
    nearest: int | None = None
    for other, place in others.items():
        distance, shared = _distance(rect, place, side), _shared(rect, place, side.axis.other)
        if distance < 0 or shared < 0:
            continue
        if nearest is None or distance < nearest:
            near, nearest = {}, distance
        if distance == nearest:
            near[other] = shared
    facing = {other: shared for other, shared in near.items() if shared > 0}
    return facing or near


def _distance(rect: Rect, other: Rect, side: Side) -> int:
    """The cells between two rectangles on that side; negative if the other does not lie there."""
    match side:
        case Side.LEFT:
            return rect.x - other.right
        case Side.RIGHT:
            return other.x - rect.right
        case Side.UP:
            return rect.y - other.bottom
        case Side.DOWN:
            return other.y - rect.bottom


def _shared(a: Rect, b: Rect, axis: Axis) -> int:
    """The cells that two rectangles have in common along an axis; negative if there are cells between them."""
    if axis is Axis.HORIZONTAL:
        return min(a.right, b.right) - max(a.x, b.x)
    return min(a.bottom, b.bottom) - max(a.y, b.y)


def _choose(touching: Mapping[PaneId, int], recent: Sequence[PaneId]) -> PaneId | None:
    for pane in recent:
        if pane in touching:
            return pane
    return max(touching, key=lambda pane: touching[pane], default=None)


def _past_the_edge(rect: Rect, whole: Rect, side: Side) -> Rect:
    """The rectangle moved out over the opposite edge of the screen."""
    match side:
        case Side.LEFT:
            return replace(rect, x=whole.right)
        case Side.RIGHT:
            return replace(rect, x=whole.x - rect.cols)
        case Side.UP:
            return replace(rect, y=whole.bottom)
        case Side.DOWN:
            return replace(rect, y=whole.y - rect.rows)
