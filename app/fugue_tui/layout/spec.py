"""The declarative JSON of a layout, and the way back.

    LAYOUT = {"pane": PANE}  |  {"direction": "horizontal", "splits": [ITEM, ...]}
             |  {"stacked": true, "splits": [ITEM, ...]}
    ITEM   = {"ratio": 0.65, "layout": LAYOUT}  |  {"ratio": 0.65, ...LAYOUT's own keys}
    PANE   = {"name": "editor", "command": "vim", "cwd": "/src", "env": {"A": "1"}, "on_exit": "close",
              "tags": ["main"], "focus": true}

At the root there may also be "floats": [FLOAT, ...], panes that float over the others:
    FLOAT  = {"pane": PANE, "cols": 0.6, "rows": 20, "x": 0, "y": "50%", "hidden": true, "zoom": true}

`horizontal` (or `right`) is side by side, `vertical` (or `down`) is stacked. Ratios are any positive numbers and are
normalised. If no ratio is given, all are equal; if some are, the others share what is left of 1. In a stack, whose
items are panes, one is expanded and the others are titles. An item with neither pane nor splits is a pane with a shell.
A split has two items or more. At the root, `{"layout": LAYOUT}` and a JSON string of either are good too. Whatever is
wrong raises InvalidArgument with the path of the fault:
`splits[1].layout.direction: ...`. Size and depth are checked before anything is made of the input.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from fugue_tui.geometry import Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.apportion import apportion
from fugue_tui.layout.document_reader import LayeredLayout, Reader, checked, fail
from fugue_tui.layout.solve import Solution, bounding
from fugue_tui.layout.spec_types import FloatSpec, LayersSpec, LayoutSpec, PaneSpec, Spec, SplitSpec
from fugue_tui.layout.tree import MAX_DEPTH, Float, Layers, Layout, Leaf, Node, Split, floats, join, tiled

MAX_TEXT = 1 << 20
"""Most characters of a JSON text."""


def parse(value: object) -> LayoutSpec:
    """Parse a JSON value, or a string of JSON. Raises InvalidArgument, and nothing else."""
    if isinstance(value, str):
        value = _loaded(value)
    found, reader = checked(LayeredLayout, value), Reader()
    spec = reader.body(found, "") if found.layout is None else reader.spec(found, "")
    return reader.layers(spec, found.floats, "")


def _loaded(text: str) -> Any:
    if len(text) > MAX_TEXT:
        fail("", "is too long")
    try:
        return json.loads(text)
    except RecursionError:
        fail("", f"is too deep; at most {MAX_DEPTH} splits lie inside one another")
    except ValueError as error:
        fail("", f"is not JSON: {error}")


def build(spec: LayoutSpec, panes: Iterable[PaneId]) -> Layout:
    """The layout of a specification with these panes in the order of `leaves`; raises ValueError if their number is
    wrong."""
    order = iter(panes)
    try:
        if isinstance(spec, LayersSpec):
            node = Layers(_build(spec.tiled, order), _floating(spec.floats, order))
        else:
            node = _build(spec, order)
    except StopIteration:
        raise ValueError("a layout needs a pane for every place") from None
    if next(order, None) is not None:
        raise ValueError("a layout needs a place for every pane")
    return node


def _floating(specs: Iterable[FloatSpec], order: Iterator[PaneId]) -> tuple[Float, ...]:
    over: list[Float] = []
    for spec in specs:
        over.append(Float(next(order), spec.cols, spec.rows, spec.x, spec.y, spec.hidden, spec.zoom))
    return tuple(over)


def _build(spec: Spec, order: Iterator[PaneId]) -> Node:
    if isinstance(spec, PaneSpec):
        return Leaf(next(order))
    children: list[Node] = []
    for child in spec.children:
        children.append(_build(child, order))
    if spec.stacked:
        return Split(spec.axis, tuple(children), spec.weights, stacked=True)
    return join(spec.axis, children, spec.weights)


def layers_of(layout: Layout, places: Sequence[PaneSpec]) -> LayoutSpec:
    """The specification of a layout whose panes are numbered from 1 in the order of `places`."""
    spec, over = spec_of(tiled(layout), places), floats(layout)
    found = (
        FloatSpec(places[each.pane - 1], each.cols, each.rows, each.x, each.y, each.hidden, each.full) for each in over
    )
    return LayersSpec(spec, tuple(found)) if over else spec


def spec_of(node: Node, places: Sequence[PaneSpec]) -> Spec:
    """The specification of its tiles."""
    if isinstance(node, Leaf):
        return places[node.pane - 1]
    return SplitSpec(node.axis, tuple(spec_of(child, places) for child in node.children), node.weights, node.stacked)


def describe(layout: Layout, pane: Callable[[PaneId], Mapping[str, Any]]) -> dict[str, Any]:
    """The JSON form of a layout; `pane` returns the object of each pane. Ratios have four digits and sum to 1."""
    over = [{"pane": dict(pane(each.pane)), **place_of(each)} for each in floats(layout)]
    return _described(tiled(layout), pane) | ({"floats": over} if over else {})


def place_of(float_: Float) -> dict[str, int | float]:
    """The JSON form of a floating pane's place and size."""
    given = {"cols": float_.cols, "rows": float_.rows, "x": float_.x, "y": float_.y}
    return {name: value for name, value in given.items() if value is not None}


def _described(node: Node, pane: Callable[[PaneId], Mapping[str, Any]]) -> dict[str, Any]:
    if isinstance(node, Leaf):
        return {"pane": dict(pane(node.pane))}
    if node.stacked:
        return {"stacked": True, "splits": [_described(child, pane) for child in node.children]}
    items: list[dict[str, Any]] = []
    for child, parts in zip(node.children, apportion(node.weights, [1] * len(node.weights), 10_000), strict=True):
        inner = _described(child, pane)
        items.append({"ratio": parts / 10_000, **(inner if isinstance(child, Leaf) else {"layout": inner})})
    return {"direction": str(node.axis), "splits": items}


def positions(solution: Solution) -> dict[PaneId, str]:
    """The position of each pane: full, left, top-right, center..., floating, and hidden for invisible ones."""
    words = (
        dict.fromkeys(solution.hidden, "hidden")
        | dict.fromkeys(solution.collapsed, "stacked")
        | {pane: "floating" for pane, _ in solution.floats}
    )
    if tiles := solution.tiles:
        whole = bounding(tiles.values())
        words |= {pane: _place(rect, whole) for pane, rect in tiles.items()}
    return words


def _place(rect: Rect, whole: Rect) -> str:
    across = _edge("left", rect.x == whole.x, "right", rect.right == whole.right)
    down = _edge("top", rect.y == whole.y, "bottom", rect.bottom == whole.bottom)
    if down and across and down != across:
        return f"{down}-{across}"
    return down or across or "full"


def _edge(low: str, at_low: bool, high: str, at_high: bool) -> str:
    """The edge that a pane touches: one of the two, center for neither, or empty for both."""
    if at_low and at_high:
        return ""
    return low if at_low else high if at_high else "center"
