"""Reads a window's layout tree from unchecked JSON: damaged parts are left out, the rest stays.

NODE = 3  (a pane's number)  |  {"axis": "horizontal", "weights": [2, 1], "children": [NODE, NODE]}
A stack has "stacked": true, too.
"""

from collections.abc import Callable, Collection
from typing import Annotated, Any, Final, NamedTuple

from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId
from fugue_tui.layout.apportion import LIMIT
from fugue_tui.layout.tree import MAX_DEPTH, MAX_PANES, Leaf, Node, Split, join
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import Bounds, Integer, ListOf, Unchecked


def write(node: Node) -> Any:
    """The JSON of a tree, with exact weights."""
    if isinstance(node, Leaf):
        return int(node.pane)
    children = [write(child) for child in node.children]
    written = {"axis": str(node.axis), "weights": list(node.weights), "children": children}
    return {**written, "stacked": True} if node.stacked else written


class _Split(NamedTuple):
    axis: Axis
    children: Annotated[tuple[Any, ...], ListOf(Unchecked(), bounds=Bounds(le=MAX_PANES * 2))]
    weights: Annotated[Any, Unchecked()] = None
    stacked: Annotated[Any, Unchecked()] = False


_SPLIT: Final = Record(_Split, closed=False)


class TreeReader:
    """Parses trees without common panes. Reports omitted parts to `fault`, except panes in `lost`."""

    def __init__(self, known: Collection[int], lost: Collection[int], fault: Callable[[str], None]) -> None:
        self._known, self._lost, self._fault = known, lost, fault
        self.placed: set[PaneId] = set()
        """The panes that are in a tree."""
        self._room = MAX_PANES

    def read(self, value: object, where: str) -> Node | None:
        """One window's tree; None if no pane is left."""
        self._room = MAX_PANES
        return self._node(value, where, 0)

    def _node(self, value: object, where: str, level: int) -> Node | None:
        if isinstance(value, dict):
            try:
                return self._split(_SPLIT.check(value, ""), where, level + 1)
            except InvalidArgument as reason:
                self._fault(f"{where}: {reason}; that part is left out")
                return None
        return self.leaf(value, where)

    def leaf(self, value: object, where: str) -> Leaf | None:
        """A pane; None if it is unknown, has another place, or is one too many."""
        if type(value) is not int or value not in self._known:
            if type(value) is not int or value not in self._lost:
                self._fault(f"{where}: a place has no pane; it is left out")
        elif value in self.placed:
            self._fault(f"{where}: pane {PaneId(value)} has another place already; this one is left out")
        elif not self._room:
            self._fault(f"{where}: more than {MAX_PANES} panes; pane {PaneId(value)} is left out")
        else:
            self.placed.add(PaneId(value))
            self._room -= 1
            return Leaf(PaneId(value))
        return None

    def _split(self, split: _Split, where: str, level: int) -> Node | None:
        if level > MAX_DEPTH:
            raise InvalidArgument(f"more than {MAX_DEPTH} splits lie inside one another")
        axis, pairs = split.axis, zip(split.children, self._weights(split, where), strict=True)
        read = [(self._node(child, where, level), weight) for child, weight in pairs]
        kept = [(child, weight) for child, weight in read if child is not None]
        nodes, shares = [child for child, _ in kept], [weight for _, weight in kept]
        if split.stacked is True and axis is Axis.VERTICAL and all(isinstance(node, Leaf) for node in nodes):
            return Split(axis, tuple(nodes), tuple(shares), True) if len(nodes) > 1 else next(iter(nodes), None)
        flat = not any(isinstance(node, Split) and node.axis is axis and not node.stacked for node in nodes)
        if len(kept) == len(read) > 1 and flat:
            return Split(axis, tuple(nodes), tuple(shares))
        return join(axis, nodes, shares) if nodes else None

    def _weights(self, split: _Split, where: str) -> tuple[int, ...]:
        """The weights; equal ones if they are invalid."""
        count = len(split.children)
        try:
            return ListOf(Integer(Bounds(ge=1, le=LIMIT)), bounds=Bounds(ge=count, le=count)).check(split.weights, "")
        except InvalidArgument:
            self._fault(f"{where}: a split's weights are damaged; its parts share equally")
            return (1,) * count
