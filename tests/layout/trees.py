"""Trees for the tests of what changes them, and what is asked of them."""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from hypothesis import strategies as st

from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import Layout, Leaf, Node, Split, at, panes, path_to, tiled

Layouts: TypeAlias = Callable[..., st.SearchStrategy[Node]]

NEW = PaneId(99)
A, B, C, D = (PaneId(number) for number in (1, 2, 3, 4))
shares = st.integers(1, 99).map(lambda percent: percent / 100)
axes = st.sampled_from(Axis)


def row(*children: Node | PaneId, weights: tuple[int, ...] = ()) -> Split:
    return lined(Axis.HORIZONTAL, children, weights)


def column(*children: Node | PaneId, weights: tuple[int, ...] = ()) -> Split:
    return lined(Axis.VERTICAL, children, weights)


def lined(axis: Axis, children: tuple[Node | PaneId, ...], weights: tuple[int, ...]) -> Split:
    nodes = tuple(Leaf(child) if isinstance(child, PaneId) else child for child in children)
    return Split(axis, nodes, weights or (1,) * len(nodes))


def parent_of(node: Layout, pane: PaneId) -> Split | None:
    path = path_to(node, pane)
    assert path is not None
    found = at(node, path[:-1]) if path else None
    return found if isinstance(found, Split) else None


def share_of(node: Layout, pane: PaneId) -> Fraction:
    """A pane's exact part of its parent; the whole if it has none."""
    path, parent = path_to(node, pane), parent_of(node, pane)
    assert path is not None
    return Fraction(1) if parent is None else parent.shares[path[-1]]


def pick(data: st.DataObject, node: Layout) -> PaneId:
    return data.draw(st.sampled_from(sorted(panes(node))))


def areas(layout: Layout, whole: Fraction = Fraction(1)) -> dict[PaneId, Fraction]:
    node = tiled(layout)
    if isinstance(node, Leaf):
        return {node.pane: whole}
    found: dict[PaneId, Fraction] = {}
    for child, share in zip(node.children, node.shares, strict=True):
        found |= areas(child, whole * share)
    return found
