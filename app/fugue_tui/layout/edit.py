"""The edits of a layout: each takes a tree and gives another one.

All raise NotFound for a pane that is not in the tree. Shares are parts of the nearest split, not of the window.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from fractions import Fraction
from math import isfinite

from msgspec import structs

from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.apportion import apportion, whole
from fugue_tui.layout.solve import least
from fugue_tui.layout.solve import lengths as lengths_of
from fugue_tui.layout.tree import (
    MAX_DEPTH,
    MAX_PANES,
    Layers,
    Layout,
    Leaf,
    Node,
    Path,
    Split,
    at,
    depth,
    floats,
    join,
    layered,
    panes,
    path_to,
    put,
    rejoin,
    tiled,
    with_tiled,
)
from fugue_tui.layout.tree import stack as stack_of

MIN_SHARE = Fraction(1, 100)
"""The smallest share of a split's child after an edit by shares."""


def split(node: Layout, pane: PaneId, new: PaneId, axis: Axis, share: float = 0.5, before: bool = False) -> Layout:
    """Put a new pane beside another, which keeps `share` of its room; no other pane's room changes.

    A floating pane keeps its room: the new one is beside all tiles then. Below or above a pane of a stack, it is one
    more of the stack; to the left or right it is beside the whole stack.

    Raises InvalidArgument for a share outside 0.01 to 0.99, and for a tree that would be too deep or too large.
    """
    kept = exact_share(share)
    path = () if any(each.pane == pane for each in floats(node)) else _way(node, pane)
    _admit(node, new)
    around = at(node, path[:-1])
    if path and isinstance(around, Split) and around.stacked:
        if axis is Axis.VERTICAL:
            return _stacked_beside(node, path, new, before=before)
        path = path[:-1]
    pair = [Leaf(new, before=True), at(node, path)] if before else [at(node, path), Leaf(new)]
    shares = [1 - kept, kept] if before else [kept, 1 - kept]
    result = put(node, path, join(axis, pair, shares))
    if depth(result) > MAX_DEPTH:
        raise InvalidArgument(f"pane {pane} already lies in {MAX_DEPTH} splits; split another pane")
    return result


def close(node: Layout, pane: PaneId) -> Layout | None:
    """Remove a pane; the sibling that it was split from gets its space. None if it was the last.

    That is the previous sibling, as a new pane comes after the old one, unless it was inserted before it or is the
    first. Without other tiles, a floating pane becomes one.
    """
    over = floats(node)
    others = [each for each in over if each.pane != pane]
    if len(others) < len(over):
        return layered(tiled(node), others)
    path = _way(node, pane)
    if not path:
        return layered(None, over)
    parent, index = _split_at(node, path[:-1]), path[-1]
    children, weights = list(parent.children), list(parent.weights)
    put_before = isinstance(gone := children[index], Leaf) and gone.before
    heir = index + 1 if index == 0 or (put_before and index + 1 < len(children)) else index - 1
    weights[heir] += weights[index]
    del children[index], weights[index]
    return put(node, path[:-1], rejoin(parent, children, weights))


def resize(node: Layout, pane: PaneId, axis: Axis | None, delta: float) -> Layout:
    """Change a pane's share of its nearest split (along `axis`, if given) by `delta`: 0.1 is ten percentage points.

    The room comes from the next sibling, or the previous one for the last; if it runs short, from those beyond. Nobody
    falls under MIN_SHARE: the change stops there. Raises Refused if no split is on the way to the pane.
    """
    if not isfinite(delta):
        raise InvalidArgument("delta: must be a number between -1 and 1")
    path, index = _nearest(node, pane, axis)
    parent = _split_at(node, path)
    change = Fraction(delta).limit_denominator(10_000)
    shares = _grow(parent.shares, index, change) if change > 0 else _shrink(parent.shares, index, -change)
    return put(node, path, Split(parent.axis, parent.children, whole(shares)))


def set_share(node: Layout, pane: PaneId, share: float, axis: Axis | None = None) -> Layout:
    """Give a pane that share of its nearest split (along `axis`, if given); its siblings keep their proportions."""
    wanted = exact_share(share)
    path, index = _nearest(node, pane, axis)
    parent = _split_at(node, path)
    rest = 1 - parent.shares[index]
    shares = [part * (1 - wanted) / rest for part in parent.shares]
    shares[index] = wanted
    return put(node, path, Split(parent.axis, parent.children, whole(shares)))


def move_divider(node: Layout, path: Path, index: int, cells: int, rect: Rect, gap: int = 1) -> Layout:
    """Move the divider after child `index` of the split at `path`, as `solve(node, rect)` draws it, by some cells.

    Positive is right or down. It stops where a pane would vanish, and stays while a child of the split is hidden.
    """
    parent = _split_at(node, path)
    if not 0 <= index < len(parent.children) - 1:
        raise NotFound(f"no divider {index} at {list(path)} in this layout; it has changed")
    lengths = None if parent.stacked else lengths_of(node, path, rect, gap)
    if lengths is None:
        return node
    needs = [least(child, parent.axis, gap) for child in parent.children]
    cells = max(needs[index] - lengths[index], min(cells, lengths[index + 1] - needs[index + 1]))
    if not cells:
        return node
    lengths[index] += cells
    lengths[index + 1] -= cells
    weights = _weights_for(parent, index, lengths, needs)
    return put(node, path, Split(parent.axis, parent.children, weights))


def swap(node: Layout, a: PaneId, b: PaneId) -> Layout:
    """Swap two panes."""
    for pane in (a, b):
        _check_has(node, pane)
    return relabel(node, {a: b, b: a})


def rotate(node: Layout, forward: bool = True) -> Layout:
    """Move every tile to the next position in reading order (the previous one if not forward)."""
    before = list(panes(tiled(node)))
    after = [*before[-1:], *before[:-1]] if forward else [*before[1:], *before[:1]]
    return relabel(node, dict(zip(before, after, strict=True)))


def equalize(node: Layout) -> Layout:
    """Give the children of every split equal shares."""
    return with_tiled(node, _equalized(tiled(node)))


def _equalized(node: Node) -> Node:
    if isinstance(node, Leaf):
        return node
    return Split(node.axis, tuple(map(_equalized, node.children)), (1,) * len(node.children), node.stacked)


def replace(node: Layout, pane: PaneId, new: PaneId) -> Layout:
    """Replace a pane by another."""
    _check_has(node, pane)
    _admit(node, new, taken_out=1)
    return relabel(node, {pane: new})


def relabel(node: Layout, names: Mapping[PaneId, PaneId]) -> Layout:
    """The same layout with other panes; panes that are not in `names` are unchanged."""
    below = _relabelled(tiled(node), names)
    if not isinstance(node, Layers):
        return below
    return Layers(below, tuple(structs.replace(each, pane=names.get(each.pane, each.pane)) for each in node.floats))


def _relabelled(node: Node, names: Mapping[PaneId, PaneId]) -> Node:
    if isinstance(node, Leaf):
        return structs.replace(node, pane=names[node.pane]) if node.pane in names else node
    return structs.replace(node, children=tuple(_relabelled(child, names) for child in node.children))


def restrict(node: Layout, live: Collection[PaneId]) -> Layout | None:
    """Remove every pane that is not in `live`; the others keep their proportions. None if no pane is left."""
    return layered(_restricted(tiled(node), live), [each for each in floats(node) if each.pane in live])


def _restricted(node: Node, live: Collection[PaneId]) -> Node | None:
    if isinstance(node, Leaf):
        return node if node.pane in live else None
    kept = [(_restricted(child, live), weight) for child, weight in zip(node.children, node.weights, strict=True)]
    left = [(child, weight) for child, weight in kept if child is not None]
    if not left:
        return None
    return rejoin(node, [child for child, _ in left], [weight for _, weight in left])


def append(node: Layout | None, pane: PaneId) -> Layout:
    """Append a pane with an equal share of the outermost split."""
    if node is None:
        return Leaf(pane)
    _admit(node, pane)
    below = tiled(node)
    if isinstance(below, Leaf):
        return with_tiled(node, join(Axis.HORIZONTAL, [below, Leaf(pane)], [1, 1]))
    return with_tiled(node, join(below.axis, [below, Leaf(pane)], [len(below.children), 1]))


def stack(node: Layout, pane: PaneId, *, stacked: bool | None = None) -> Layout:
    """Stack all panes of the innermost split around a pane, or spread its stack in a column; by default the other of
    both. Raises Refused for a pane that has the window to itself."""
    path = _way(node, pane)
    if not path:
        raise Refused(f"pane {pane} fills the window: there is nothing to stack it with; split it first")
    parent = _split_at(node, path[:-1])
    if parent.stacked == stacked:
        return node
    order = list(panes(parent))
    column = Split(Axis.VERTICAL, tuple(Leaf(each) for each in order), (1,) * len(order))
    return put(node, path[:-1], column if parent.stacked else stack_of(order))


def _stacked_beside(node: Layout, path: Path, new: PaneId, *, before: bool) -> Layout:
    """The layout with one more pane in the stack that the pane at a path is in."""
    parent, index = _split_at(node, path[:-1]), path[-1] + (not before)
    order = list(panes(parent))
    return put(node, path[:-1], stack_of([*order[:index], new, *order[index:]]))


def exact_share(share: float) -> Fraction:
    """A share as a fraction rounded to 1/10000; raises InvalidArgument outside 0.01 to 0.99."""
    if not isfinite(share) or not MIN_SHARE <= (exact := Fraction(share).limit_denominator(10_000)) <= 1 - MIN_SHARE:
        raise InvalidArgument(f"ratio: {share} is not between 0.01 and 0.99")
    return exact


def _check_has(node: Layout, pane: PaneId) -> None:
    if pane not in panes(node):
        raise NotFound(f"no pane {pane} in this layout; get-layout shows it")


def _way(node: Layout, pane: PaneId) -> Path:
    path = path_to(node, pane)
    if path is not None:
        return path
    if any(each.pane == pane for each in floats(node)):
        raise Refused(f"pane {pane} floats; embed-pane puts it back among the tiles")
    raise NotFound(f"no pane {pane} in this layout; get-layout shows it")


def _split_at(node: Layout, path: Path) -> Split:
    with suppress(LookupError):
        found = at(node, path)
        if isinstance(found, Split):
            return found
    raise NotFound(f"no split at {list(path)} in this layout; it has changed")


def _admit(node: Layout, new: PaneId, taken_out: int = 0) -> None:
    """Raise InvalidArgument if a pane is in the tree already or the tree is full."""
    present = set(panes(node))
    if new in present:
        raise InvalidArgument(f"pane {new} is in this layout already")
    if len(present) - taken_out >= MAX_PANES:
        raise InvalidArgument(f"a window holds at most {MAX_PANES} panes; use another window")


def _nearest(node: Layout, pane: PaneId, axis: Axis | None) -> tuple[Path, int]:
    """The path of the innermost split around a pane (along an axis), and the pane's index in it."""
    path = _way(node, pane)
    for end in range(len(path) - 1, -1, -1):
        parent = _split_at(node, path[:end])
        if not parent.stacked and axis in (None, parent.axis):
            return path[:end], path[end]
    where = "" if axis is None else f" in the {axis} direction"
    raise Refused(f"pane {pane} fills the window{where}: it has no neighbour to share room with")


def _grow(shares: list[Fraction], index: int, change: Fraction) -> list[Fraction]:
    for giver in [*range(index + 1, len(shares)), *range(index - 1, -1, -1)]:
        given = max(Fraction(0), min(change, shares[giver] - MIN_SHARE))
        shares[giver] -= given
        shares[index] += given
        change -= given
    return shares


def _shrink(shares: list[Fraction], index: int, change: Fraction) -> list[Fraction]:
    given = max(Fraction(0), min(change, shares[index] - MIN_SHARE))
    shares[index] -= given
    shares[index + 1 if index + 1 < len(shares) else index - 1] += given
    return shares


def _weights_for(parent: Split, index: int, lengths: list[int], needs: list[int]) -> tuple[int, ...]:
    """Weights that solve to those lengths; only the two at the divider change, if possible."""
    shares = parent.shares
    both = shares[index] + shares[index + 1]
    shares[index] = both * Fraction(lengths[index], lengths[index] + lengths[index + 1])
    shares[index + 1] = both - shares[index]
    weights = whole(shares)
    return weights if apportion(weights, needs, sum(lengths)) == lengths else whole(lengths)
