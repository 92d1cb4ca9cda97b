"""The ratio tree: what a window looks like, as an immutable value.

A leaf is a pane; a split lines up two or more children along one axis, each with an integer weight. Two nested splits
never share an axis: `edit` keeps the tree flat, so that three splits in one direction give three equals side by side.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId


@dataclass(frozen=True, slots=True)
class Leaf:
    """One pane."""

    pane: PaneId


@dataclass(frozen=True, slots=True)
class Split:
    """Two or more children in a row or a column; `weights` holds one positive integer a child."""

    axis: Axis
    children: tuple["Node", ...]
    weights: tuple[int, ...]


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
