"""The ratio tree: what a window looks like, as an immutable value.

A leaf is a pane; a split lines up two or more children along one axis, each with an integer weight. Two nested splits
never share an axis: `join` keeps the tree flat, so that three splits in one direction give three equals side by side.
Panes that float over these tiles are beside the tree, in `Layers`; paths lead to tiles only.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId
from fugue_tui.layout.apportion import whole
from fugue_tui.layout.spec_types import SHARE, Extent

MAX_DEPTH = 32
"""Most nested splits; every edit and every specification stays within it."""
MAX_PANES = 64
"""Most panes in one window."""

Path: TypeAlias = tuple[int, ...]
"""The path from the root to a node: a child's index at each split."""


class Leaf(Struct, frozen=True, eq=False):
    """One pane."""

    pane: PaneId
    before: bool = False
    """Whether it was inserted before the pane that it was split from, which gets its space back. Not saved."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Leaf) and self.pane == other.pane

    def __ne__(self, other: object) -> bool:
        return not self == other  # A struct without `eq` compares by identity.

    def __hash__(self) -> int:
        return hash(self.pane)


class Split(Struct, frozen=True):
    """Two or more children in a row or a column; `weights` has one positive integer per child."""

    axis: Axis
    children: tuple["Node", ...]
    weights: tuple[int, ...]
    stacked: bool = False
    """Whether the children, panes of a column, share one place: the one that had the focus last is expanded, the others
    are their titles."""

    @property
    def shares(self) -> list[Fraction]:
        """Each child's exact share of the split; they sum to 1."""
        total = sum(self.weights)
        return [Fraction(weight, total) for weight in self.weights]


Node: TypeAlias = Leaf | Split


class Float(Struct, frozen=True):
    """A floating pane: where its frame is in the window, and how large with the frame. What does not fit is clamped."""

    pane: PaneId
    cols: Extent = SHARE
    rows: Extent = SHARE
    x: Extent | None = None
    """The cells or the share at its left; None in the middle."""
    y: Extent | None = None
    """The same above it."""
    hidden: bool = False
    """Whether it is not shown; its program runs on."""
    full: bool = False
    """Whether it fills the window while it has the focus (zoom-pane)."""


class Layers(Struct, frozen=True):
    """Tiles with at least one pane that floats over them."""

    tiled: Node
    floats: tuple[Float, ...]
    """In the order in which they were made to float."""


Layout: TypeAlias = Node | Layers
"""The layout of a window."""


def tiled(layout: Layout) -> Node:
    """The tiles of a layout."""
    return layout.tiled if isinstance(layout, Layers) else layout


def floats(layout: Layout) -> tuple[Float, ...]:
    """The floating panes of a layout."""
    return layout.floats if isinstance(layout, Layers) else ()


def float_of(layout: Layout, pane: PaneId) -> Float | None:
    """A floating pane; None if the pane does not float."""
    return next((each for each in floats(layout) if each.pane == pane), None)


def shown_panes(layout: Layout) -> list[PaneId]:
    """The panes that are not hidden, in reading order and then those that float."""
    return [*panes(tiled(layout)), *(each.pane for each in floats(layout) if not each.hidden)]


def layered(node: Node | None, over: Sequence[Float]) -> Layout | None:
    """Tiles with panes floating over them; without tiles, the first shown of these becomes one. None without both."""
    if node is not None:
        return Layers(node, tuple(over)) if over else node
    first = next((each for each in over if not each.hidden), next(iter(over), None))
    return first and layered(Leaf(first.pane), [each for each in over if each is not first])


def with_tiled(layout: Layout, node: Node) -> Layout:
    """The layout with other tiles."""
    return replace(layout, tiled=node) if isinstance(layout, Layers) else node


def panes(node: Layout | None) -> Iterator[PaneId]:
    """Every pane below a node, in reading order (left to right, top to bottom), and then those that float."""
    match node:
        case None:
            return
        case Layers(below, above):
            yield from panes(below)
            yield from (each.pane for each in above)
        case Leaf(pane):
            yield pane
        case Split(_, children):
            for child in children:
                yield from panes(child)


def depth(node: Layout) -> int:
    """How many splits lie inside one another; 0 for a lone pane."""
    match node:
        case Layers(below, _):
            return depth(below)
        case Leaf():
            return 0
        case Split(_, children):
            return 1 + max(depth(child) for child in children)


def path_to(node: Layout, pane: PaneId) -> Path | None:
    """The way to a pane's leaf; None if the pane is not here, or floats."""
    match node:
        case Layers(below, _):
            return path_to(below, pane)
        case Leaf(own):
            return () if own == pane else None
        case Split(_, children):
            for index, child in enumerate(children):
                rest = path_to(child, pane)
                if rest is not None:
                    return (index, *rest)
            return None


def is_stacked(node: Layout, pane: PaneId) -> bool:
    """Whether a pane shares its place with others in a stack."""
    path = path_to(node, pane)
    parent = at(node, path[:-1]) if path else None
    return isinstance(parent, Split) and parent.stacked


def at(node: Layout, path: Path) -> Node:
    """The node at a path; raises LookupError if there is none."""
    node = tiled(node)
    for index in path:
        if isinstance(node, Leaf):
            raise LookupError(f"no split on the way to {path}")
        node = node.children[index]
    return node


def join(axis: Axis, children: Sequence[Node], shares: Sequence[Fraction | int]) -> Node:
    """Line children up in proportion to their shares.

    A lone child is returned as it is; a child split along the same axis hands over its children with their real shares.
    """
    if len(children) == 1:
        return children[0]
    flat: list[Node] = []
    parts: list[Fraction | int] = []
    for child, share in zip(children, shares, strict=True):
        if isinstance(child, Split) and child.axis is axis and not child.stacked:
            flat.extend(child.children)
            parts.extend(share * part for part in child.shares)
        else:
            flat.append(child)
            parts.append(share)
    return Split(axis, tuple(flat), whole(parts))


def stack(order: Sequence[PaneId]) -> Node:
    """Panes in one place, of which one is expanded; a lone pane is returned as a leaf."""
    leaves = tuple(Leaf(pane) for pane in order)
    return leaves[0] if len(leaves) == 1 else Split(Axis.VERTICAL, leaves, (1,) * len(leaves), stacked=True)


def rejoin(split: Split, children: Sequence[Node], shares: Sequence[Fraction | int]) -> Node:
    """The same split with other children; a stack stays one while it has two panes."""
    if not split.stacked or len(children) < 2:
        return join(split.axis, children, shares)
    return Split(split.axis, tuple(children), (1,) * len(children), stacked=True)


def put(node: Layout, path: Path, new: Node) -> Layout:
    """The layout with the node at a path replaced; all other shares are unchanged."""
    return with_tiled(node, _put(tiled(node), path, new))


def _put(node: Node, path: Path, new: Node) -> Node:
    if not path:
        return new
    if isinstance(node, Leaf):
        raise LookupError(f"no split on the way to {path}")
    index = path[0]
    child = _put(node.children[index], path[1:], new)
    children = (*node.children[:index], child, *node.children[index + 1 :])
    if isinstance(child, Split) and child.axis is node.axis and not child.stacked:
        return join(node.axis, children, node.weights)
    return replace(node, children=children)
