"""Which pane lies to the left, right, up or down of another, on the screen as it was solved.

Which divider is a pane's border on a side.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from fugue_tui.errors import NotFound, Refused
from fugue_tui.geometry import Axis, Rect, Side
from fugue_tui.ids import PaneId
from fugue_tui.layout.solve import Solution, bounding
from fugue_tui.layout.tree import Layout, Path, Split, at, path_to


def border(node: Layout, pane: PaneId, side: Side) -> tuple[Path, int]:
    """The divider that moves when a pane is resized towards a side, as (path of its split, index before it).

    That is the pane's right or lower border, or the left or upper one where the pane reaches the window's edge, as in
    tmux. Raises NotFound or Refused.
    """
    way = path_to(node, pane)
    if way is None:
        raise NotFound(f"no pane {pane} in this layout; get-layout shows it")
    around = [(way[:end], way[end], at(node, way[:end])) for end in range(len(way) - 1, -1, -1)]
    splits = [(path, index, each) for path, index, each in around if isinstance(each, Split) and not each.stacked]
    for path, index, split in splits:
        if split.axis is side.axis and index < len(split.children) - 1:
            return path, index
    for path, index, split in splits:
        if split.axis is side.axis and index > 0:
            return path, index - 1
    raise Refused(f"pane {pane} has no border to move {side}: nothing lies beside it that way")


def neighbour(
    solution: Solution, pane: PaneId, side: Side, *, recent: Sequence[PaneId] = (), wrap: bool = False
) -> PaneId | None:
    """The pane that touches this one on a side; None at the edge of the screen, or if the pane is hidden.

    Of several, the one that comes first in `recent` (so that going there and back returns), else the one with the
    longest shared edge, else the first in reading order. With `wrap`, the far edge is next to the near one.
    """
    places = _places(solution, pane)
    rect = places.get(pane)
    if rect is None:
        return None
    others = {other: place for other, place in places.items() if other != pane}
    if pane in dict(solution.floats):
        return _nearest_centre(rect, others, side)
    found = _choose(_touching(rect, others, side), recent)
    if found is None and wrap and others:
        found = _choose(_touching(_past_the_edge(rect, bounding(places.values()), side), others, side), recent)
    return found


def _nearest_centre(rect: Rect, others: Mapping[PaneId, Rect], side: Side) -> PaneId | None:
    """The pane whose centre lies nearest on a side of this one's: floating panes overlap."""
    x, y = 2 * rect.x + rect.cols, 2 * rect.y + rect.rows
    away = {other: (2 * place.x + place.cols - x, 2 * place.y + place.rows - y) for other, place in others.items()}
    sign, across = (1 if side.forward else -1), side.axis is Axis.HORIZONTAL
    near = {other: sum(map(abs, by)) for other, by in away.items() if sign * by[0 if across else 1] > 0}
    return min(near, key=lambda other: near[other], default=None)


def _places(solution: Solution, pane: PaneId) -> Mapping[PaneId, Rect]:
    """The panes among which one has neighbours: the tiles, with the titles of stacks, or those that float."""
    over = dict(solution.floats)
    if pane in over:
        return over
    return {**solution.tiles, **{other: rect for other, (rect, _) in solution.collapsed.items()}}


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
    """The cells between two rectangles on that side; negative if the other is not on that side."""
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
    """The length of the overlap along an axis in cells; negative if there is a gap."""
    if axis is Axis.HORIZONTAL:
        return min(a.right, b.right) - max(a.x, b.x)
    return min(a.bottom, b.bottom) - max(a.y, b.y)


def _choose(touching: Mapping[PaneId, int], recent: Sequence[PaneId]) -> PaneId | None:
    for pane in recent:
        if pane in touching:
            return pane
    return max(touching, key=lambda pane: touching[pane], default=None)


def _past_the_edge(rect: Rect, whole: Rect, side: Side) -> Rect:
    """The rectangle moved beyond the opposite edge of the window."""
    match side:
        case Side.LEFT:
            return replace(rect, x=whole.right)
        case Side.RIGHT:
            return replace(rect, x=whole.x - rect.cols)
        case Side.UP:
            return replace(rect, y=whole.bottom)
        case Side.DOWN:
            return replace(rect, y=whole.y - rect.rows)
