"""Layouts that nobody would think of, for every test of this floor."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
from hypothesis import strategies as st

from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import Leaf, Node, join

Draw: TypeAlias = st.DrawFn


def _grown(draw: Draw, order: Sequence[PaneId], axis: Axis) -> Node:
    if len(order) == 1:
        return Leaf(order[0])
    count = draw(st.integers(2, min(5, len(order))))
    cuts = sorted(draw(st.sets(st.integers(1, len(order) - 1), min_size=count - 1, max_size=count - 1)))
    parts = [order[start:end] for start, end in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    weights = draw(st.lists(st.integers(1, 20), min_size=count, max_size=count))
    return join(axis, [_grown(draw, part, axis.other) for part in parts], weights)


@st.composite
def _layouts(draw: Draw, least: int = 1, most: int = 12) -> Node:
    count = draw(st.integers(least, most))
    order = draw(st.permutations([PaneId(number) for number in range(1, count + 1)]))
    return _grown(draw, order, draw(st.sampled_from(Axis)))


@pytest.fixture(scope="session")
def layouts() -> Callable[..., st.SearchStrategy[Node]]:
    """A strategy for canonical trees of `least` to `most` panes, numbered from 1 in any order."""
    return _layouts
