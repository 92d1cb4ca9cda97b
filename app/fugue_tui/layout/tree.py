"""The ratio tree: what a window looks like, as an immutable value.

A leaf is a pane; a split lines up two or more children along one axis, each with an integer weight. Two nested splits
never share an axis: `join` keeps the tree flat, so that three splits in one direction give three equals side by side.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from msgspec import Struct

from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId
from fugue_tui.layout.apportion import whole

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

    @property
    def shares(self) -> list[Fraction]:
        """Each child's exact share of the split; they sum to 1."""
        total = sum(self.weights)
        return [Fraction(weight, total) for weight in self.weights]


Node: TypeAlias = Leaf | Split


def panes(node: Node | None) -> Iterator[PaneId]:
    """Every pane below a node, in reading order (left to right, top to bottom)."""
    match node:
        case None:
            return
        case Leaf(pane):
            yield pane
        case Split(_, children, _):
            for child in children:
                yield from panes(child)


def depth(node: Node) -> int:
    """How many splits lie inside one another; 0 for a lone pane."""
    match node:
        case Leaf():
            return 0
        case Split(_, children, _):
            return 1 + max(depth(child) for child in children)


def path_to(node: Node, pane: PaneId) -> Path | None:
    """The way to a pane's leaf; None if the pane is not here."""
    match node:
        case Leaf(own):
            return () if own == pane else None
        case Split(_, children, _):
            for index, child in enumerate(children):
                rest = path_to(child, pane)
                if rest is not None:
                    return (index, *rest)
            return None


def at(node: Node, path: Path) -> Node:
    """The node at a path; raises LookupError if there is none."""
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
        if isinstance(child, Split) and child.axis is axis:
            flat.extend(child.children)
            parts.extend(share * part for part in child.shares)
        else:
            flat.append(child)
            parts.append(share)
    return Split(axis, tuple(flat), whole(parts))


def put(node: Node, path: Path, new: Node) -> Node:
    """The tree with the node at a path replaced; all other shares are unchanged."""
    if not path:
        return new
    if isinstance(node, Leaf):
        raise LookupError(f"no split on the way to {path}")
    index = path[0]
    child = put(node.children[index], path[1:], new)
    children = (*node.children[:index], child, *node.children[index + 1 :])
    if isinstance(child, Split) and child.axis is node.axis:
        return join(node.axis, children, node.weights)
    return Split(node.axis, children, node.weights)
