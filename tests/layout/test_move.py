"""Moving goes to what touches, comes back where it came from, and stops at the edge."""

from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fugue_tui.geometry import Axis, Rect, Side
from fugue_tui.ids import PaneId
from fugue_tui.layout.move import neighbour
from fugue_tui.layout.solve import Solution, least, solve
from fugue_tui.layout.tree import Leaf, Node, Split, panes

Layouts: TypeAlias = Callable[..., st.SearchStrategy[Node]]

A, B, C, D = (PaneId(number) for number in (1, 2, 3, 4))
OPPOSITE = {Side.LEFT: Side.RIGHT, Side.RIGHT: Side.LEFT, Side.UP: Side.DOWN, Side.DOWN: Side.UP}


def split(axis: Axis, *children: Node | PaneId, weights: tuple[int, ...] = ()) -> Split:
    nodes = tuple(Leaf(child) if isinstance(child, PaneId) else child for child in children)
    return Split(axis, nodes, weights or (1,) * len(nodes))


def main_left(weights: tuple[int, ...] = ()) -> Solution:
    """A | B over C over D."""
    right = split(Axis.VERTICAL, B, C, D, weights=weights)
    return solve(split(Axis.HORIZONTAL, A, right), Rect(0, 0, 81, 41))


def drawn(data: st.DataObject, layouts: Layouts) -> Solution:
    node = data.draw(layouts(least=2))
    cols = least(node, Axis.HORIZONTAL) + data.draw(st.integers(0, 40))
    rows = least(node, Axis.VERTICAL) + data.draw(st.integers(0, 40))
    return solve(node, Rect(0, 0, cols, rows))


def test_the_longest_shared_edge_wins_and_reading_order_breaks_ties() -> None:
    assert neighbour(main_left((1, 3, 1)), A, Side.RIGHT) == C
    assert neighbour(main_left((1, 1, 5)), A, Side.RIGHT) == D
    even = solve(split(Axis.HORIZONTAL, A, split(Axis.VERTICAL, B, C)), Rect(0, 0, 81, 41))
    assert neighbour(even, A, Side.RIGHT) == B


def test_the_pane_that_last_had_the_focus_wins_if_it_touches() -> None:
    solution = main_left((1, 3, 1))
    assert neighbour(solution, A, Side.RIGHT, recent=(D, B)) == D
    assert neighbour(solution, B, Side.DOWN, recent=(D, A)) == C


def test_all_sides_of_a_grid() -> None:
    grid = split(Axis.VERTICAL, split(Axis.HORIZONTAL, A, B), split(Axis.HORIZONTAL, C, D))
    solution = solve(grid, Rect(5, 5, 80, 24))
    found = {(pane, side): neighbour(solution, pane, side) for pane in (A, B, C, D) for side in Side}
    assert {key: value for key, value in found.items() if value is not None} == {
        (A, Side.RIGHT): B,
        (A, Side.DOWN): C,
        (B, Side.LEFT): A,
        (B, Side.DOWN): D,
        (C, Side.RIGHT): D,
        (C, Side.UP): A,
        (D, Side.LEFT): C,
        (D, Side.UP): B,
    }


def test_wrapping_goes_round_to_the_far_edge_in_the_same_row() -> None:
    top = split(Axis.HORIZONTAL, A, B)
    solution = solve(split(Axis.VERTICAL, top, split(Axis.HORIZONTAL, C, D)), Rect(0, 0, 80, 24))
    assert neighbour(solution, B, Side.RIGHT) is None
    assert neighbour(solution, B, Side.RIGHT, wrap=True) == A
    assert neighbour(solution, C, Side.LEFT, wrap=True) == D
    assert neighbour(solution, A, Side.UP, wrap=True) == C
    assert neighbour(solution, D, Side.DOWN, wrap=True) == B


def test_a_pane_alone_or_hidden_has_no_neighbour() -> None:
    alone = solve(Leaf(A), Rect(0, 0, 80, 24))
    assert neighbour(alone, A, Side.LEFT, wrap=True) is None
    crowded = solve(split(Axis.HORIZONTAL, A, B), Rect(0, 0, 1, 1))
    assert neighbour(crowded, B, Side.LEFT) is None
    assert neighbour(crowded, A, Side.RIGHT) is None


def test_a_pane_that_faces_only_a_dividers_end_still_has_a_neighbour() -> None:
    left = split(Axis.VERTICAL, A, B, weights=(1, 1))
    right = split(Axis.VERTICAL, PaneId(5), C, D)
    solution = solve(split(Axis.HORIZONTAL, left, right), Rect(0, 0, 21, 5))
    assert solution.panes[A] == Rect(0, 0, 10, 2)
    assert solution.panes[PaneId(5)] == Rect(11, 0, 10, 1)
    assert solution.panes[C] == Rect(11, 2, 10, 1)
    assert neighbour(solution, C, Side.LEFT) in (A, B)


@pytest.mark.slow
@given(data=st.data(), side=st.sampled_from(Side))
def test_every_pane_that_is_not_at_the_edge_has_a_neighbour(data: st.DataObject, layouts: Layouts, side: Side) -> None:
    solution = drawn(data, layouts)
    for pane, rect in solution.panes.items():
        edge = {
            Side.LEFT: rect.x == 0,
            Side.UP: rect.y == 0,
            Side.RIGHT: rect.right == max(other.right for other in solution.panes.values()),
            Side.DOWN: rect.bottom == max(other.bottom for other in solution.panes.values()),
        }
        assert (neighbour(solution, pane, side) is None) is edge[side]
        assert neighbour(solution, pane, side, wrap=True) != pane


@pytest.mark.slow
@given(data=st.data(), side=st.sampled_from(Side))
def test_going_there_and_back_returns(data: st.DataObject, layouts: Layouts, side: Side) -> None:
    solution = drawn(data, layouts)
    pane = data.draw(st.sampled_from(sorted(solution.panes)))
    other = neighbour(solution, pane, side)
    assume(other is not None)
    assert other is not None
    if shared(solution.panes[pane], solution.panes[other], side.axis.other) > 0:
        assert neighbour(solution, other, OPPOSITE[side], recent=(pane,)) == pane


@pytest.mark.slow
@given(data=st.data(), side=st.sampled_from(Side), wrap=st.booleans())
def test_the_neighbour_touches_or_wraps(data: st.DataObject, layouts: Layouts, side: Side, wrap: bool) -> None:
    solution = drawn(data, layouts)
    pane = data.draw(st.sampled_from(sorted(solution.panes)))
    recent = data.draw(st.permutations(sorted(panes_of(solution))))
    found = neighbour(solution, pane, side, recent=recent)
    if found is not None:
        a, b = solution.panes[pane], solution.panes[found]
        distance = {
            Side.LEFT: a.x - b.right,
            Side.RIGHT: b.x - a.right,
            Side.UP: a.y - b.bottom,
            Side.DOWN: b.y - a.bottom,
        }
        assert distance[side] == 1
        assert shared(a, b, side.axis.other) >= 0
    if wrap:
        assert neighbour(solution, pane, side, recent=recent, wrap=True) in {found} | panes_of(solution)


def panes_of(solution: Solution) -> set[PaneId]:
    return set(solution.panes)


def shared(a: Rect, b: Rect, axis: Axis) -> int:
    if axis is Axis.HORIZONTAL:
        return min(a.right, b.right) - max(a.x, b.x)
    return min(a.bottom, b.bottom) - max(a.y, b.y)


def test_every_pane_can_be_reached() -> None:
    solution = main_left()
    reached, waiting = {A}, [A]
    while waiting:
        pane = waiting.pop()
        for found in {neighbour(solution, pane, side) for side in Side} - {None} - reached:
            assert found is not None
            reached.add(found)
            waiting.append(found)
    tree = split(Axis.HORIZONTAL, A, split(Axis.VERTICAL, B, C, D))
    assert reached == set(panes(tree))
