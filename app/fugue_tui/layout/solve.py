"""From weights to cells: rectangles that tile the given one exactly, with a gap of dividers between neighbours.

What does not fit is hidden, and comes back as soon as there is room for a cell of it. Pure, and fast enough to run on
every step of a drag.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from fugue_tui.geometry import Axis, Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.apportion import apportion
from fugue_tui.layout.tree import Layout, Leaf, Node, Path, Split, at, panes, path_to, tiled


class Divider(Struct, frozen=True):
    """The cells between child `index` and the next visible child of the split at `path`."""

    path: Path
    index: int
    axis: Axis
    """The axis of the split: a divider in a horizontal split is a vertical line."""
    rect: Rect


class Solution(Struct, frozen=True):
    """A solved layout. The rectangles of tiles and dividers tile the window; `hidden` tiles are in reading order."""

    panes: dict[PaneId, Rect]
    """The cells of every visible pane's program; the topmost floating pane comes last."""
    dividers: tuple[Divider, ...]
    hidden: tuple[PaneId, ...]
    collapsed: dict[PaneId, tuple[Rect, PaneId]] = field(default_factory=dict[PaneId, tuple[Rect, PaneId]])
    """The panes of stacks that are not expanded: the row of their title, and the pane that is."""
    floats: tuple[tuple[PaneId, Rect], ...] = ()
    """The visible floating panes with their frames, from the lowest to the topmost."""

    @property
    def sizes(self) -> dict[PaneId, Size]:
        """The sizes of terminals: of visible panes, and those of a stack as large as the one that is expanded."""
        sizes = {pane: rect.size for pane, rect in self.panes.items()}
        return sizes | {pane: sizes[shown] for pane, (_, shown) in self.collapsed.items()}

    @property
    def tiles(self) -> dict[PaneId, Rect]:
        """The visible panes that do not float."""
        over = {pane for pane, _ in self.floats}
        return {pane: rect for pane, rect in self.panes.items() if pane not in over}

    @property
    def covered(self) -> frozenset[PaneId]:
        """The panes of which a floating one covers a part."""
        frames = list(self.floats)
        above = {pane: frames[index + 1 :] for index, (pane, _) in enumerate(frames)}
        return frozenset(
            pane
            for pane, rect in self.panes.items()
            if any(rect.overlaps(frame) for _, frame in above.get(pane, frames))
        )

    def at(self, x: int, y: int) -> PaneId | None:
        """The topmost pane whose program or frame has a cell there; None on a divider."""
        if over := [pane for pane, frame in self.floats if frame.contains(x, y)]:
            return over[-1]
        return next((pane for pane, rect in self.tiles.items() if rect.contains(x, y)), None)


def solve(
    node: Layout, rect: Rect, *, gap: int = 1, keep: PaneId | None = None, recent: Sequence[PaneId] = ()
) -> Solution:
    """Compute the rectangles of a layout's tiles; `keep` is shown whenever the rectangle has a cell.

    Of the panes of a stack, the first in `recent` is expanded, or else the first of all."""
    node = tiled(node)
    plan = _planned(node, rect, gap, keep, recent)
    hidden = tuple(pane for pane in panes(node) if pane not in plan.panes and pane not in plan.collapsed)
    return Solution(plan.panes, tuple(plan.dividers), hidden, plan.collapsed)


def lengths(node: Layout, path: Path, rect: Rect, gap: int = 1) -> list[int] | None:
    """The lengths of the children of the split at a path, in cells along its axis; None if one has no room."""
    node = tiled(node)
    areas, split = _planned(node, rect, gap, None, ()).areas, at(node, path)
    assert isinstance(split, Split)
    found = [areas.get((*path, index)) for index in range(len(split.children))]
    return [area.length(split.axis) for area in found if area is not None] if None not in found else None


def _planned(node: Node, rect: Rect, gap: int, keep: PaneId | None, recent: Sequence[PaneId]) -> "_Plan":
    plan = _Plan(gap, recent)
    if rect.cols > 0 and rect.rows > 0:
        way = None if keep is None else path_to(node, keep)
        plan.place(node, _need(node, gap), rect, (), way)
    return plan


def least(node: Node, axis: Axis, gap: int = 1) -> int:
    """The smallest length along an axis at which every pane is visible."""
    return _need(node, gap).along(axis)


class _Need(NamedTuple):
    """The cells that a node needs to show all its panes."""

    cols: int
    rows: int
    children: tuple["_Need", ...]

    def along(self, axis: Axis) -> int:
        return self.cols if axis is Axis.HORIZONTAL else self.rows


_ONE = _Need(1, 1, ())


def _need(node: Node, gap: int) -> _Need:
    if isinstance(node, Leaf):
        return _ONE
    needs = tuple(_need(child, gap) for child in node.children)
    gaps = gap * (len(needs) - 1)
    if node.stacked:
        return _Need(1, 1 + gaps, needs)
    if node.axis is Axis.HORIZONTAL:
        return _Need(sum(need.cols for need in needs) + gaps, max(need.rows for need in needs), needs)
    return _Need(max(need.cols for need in needs), sum(need.rows for need in needs) + gaps, needs)


class _Plan(Struct):
    """A partial solution."""

    gap: int
    recent: Sequence[PaneId]
    panes: dict[PaneId, Rect] = field(default_factory=dict[PaneId, Rect])
    dividers: list[Divider] = field(default_factory=list[Divider])
    collapsed: dict[PaneId, tuple[Rect, PaneId]] = field(default_factory=dict[PaneId, tuple[Rect, PaneId]])
    areas: dict[Path, Rect] = field(default_factory=dict[Path, Rect])
    """The rectangle of every node that has one."""

    def place(self, node: Node, need: _Need, rect: Rect, path: Path, keep: Path | None) -> None:
        """Place a node into a rectangle of at least one cell; `keep` is the rest of the path to the pane that must
        be visible."""
        self.areas[path] = rect
        if isinstance(node, Leaf):
            self.panes[node.pane] = rect
            return
        if node.stacked:
            self._place_stack(node, rect, path)
            return
        first = keep[0] if keep else None
        shown, lengths = self._fit(node, need, rect.length(node.axis), first)
        offset, last = 0, shown[-1]
        for index, length in zip(shown, lengths, strict=True):
            rest = keep[1:] if keep and index == first else None
            part = slice_of(rect, node.axis, offset, length)
            self.place(node.children[index], need.children[index], part, (*path, index), rest)
            offset += length
            if self.gap and index != last:
                line = slice_of(rect, node.axis, offset, self.gap)
                self.dividers.append(Divider(path, index, node.axis, line))
            offset += self.gap

    def _place_stack(self, node: Split, rect: Rect, path: Path) -> None:
        """Place the panes of a stack: a row for each that is not expanded, where its title is, as far as there is room;
        that of the first is the row above."""
        order = list(panes(node))
        shown = next((pane for pane in self.recent if pane in order), order[0])
        index = order.index(shown)
        count = min(len(order), 1 + (rect.rows - 1) // max(self.gap, 1))
        start = max(0, min(index - count // 2, len(order) - count))
        y = rect.y
        for at_, pane in enumerate(order[start : start + count], start):
            if pane == shown:
                self.panes[pane] = Rect(rect.x, y, rect.cols, rect.rows - (count - 1) * self.gap)
                y = self.panes[pane].bottom
            else:
                self.collapsed[pane] = (Rect(rect.x, y - 1, rect.cols, 1), shown)
            if at_ < start + count - 1 and self.gap:
                self.dividers.append(Divider(path, at_, node.axis, Rect(rect.x, y, rect.cols, self.gap)))
                y += self.gap

    def _fit(self, node: Split, need: _Need, length: int, first: int | None) -> tuple[Sequence[int], list[int]]:
        """The visible children, and their lengths."""
        needs = [child.along(node.axis) for child in need.children]
        room = length - self.gap * (len(needs) - 1)
        if sum(needs) <= room:
            return range(len(needs)), apportion(node.weights, needs, room)
        shown = _visible_children(len(needs), (length + self.gap) // (1 + self.gap), first)
        room = length - self.gap * (len(shown) - 1)
        order = shown if first is None else [first, *(index for index in shown if index != first)]
        bounds = _squeeze({index: needs[index] for index in order}, room)
        return shown, apportion([node.weights[i] for i in shown], [bounds[i] for i in shown], room)


def slice_of(rect: Rect, axis: Axis, offset: int, length: int) -> Rect:
    """The slice of a rectangle from `offset` cells along an axis, `length` cells long."""
    if axis is Axis.HORIZONTAL:
        return Rect(rect.x + offset, rect.y, length, rect.rows)
    return Rect(rect.x, rect.y + offset, rect.cols, length)


def _visible_children(count: int, places: int, first: int | None) -> list[int]:
    """The visible children if not all fit: the one to keep, then the earliest."""
    places = max(1, min(count, places))
    if first is None or first < places:
        return list(range(places))
    return [*range(places - 1), first]


def _squeeze(needs: dict[int, int], room: int) -> dict[int, int]:
    """Give each one cell, and raise them in order to their need while cells are left."""
    bounds = dict.fromkeys(needs, 1)
    room -= len(bounds)
    for index, need in needs.items():
        more = min(need - 1, room)
        bounds[index] += more
        room -= more
    return bounds


def bounding(rects: Iterable[Rect]) -> Rect:
    """The bounding rectangle; raises ValueError if there are no rectangles."""
    found = list(rects)
    left, top = min(rect.x for rect in found), min(rect.y for rect in found)
    right, bottom = max(rect.right for rect in found), max(rect.bottom for rect in found)
    return Rect(left, top, right - left, bottom - top)
