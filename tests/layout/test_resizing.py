"""Sizes in the tree that change: resizes in steps, shares that are set, dividers that are dragged."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.layout.trees import NEW, A, B, C, D, Layouts, areas, axes, column, parent_of, pick, row, share_of, shares

from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout import edit
from fugue_tui.layout.solve import bounding, least, solve
from fugue_tui.layout.tree import Layout, Leaf, Node, Split, at, panes, path_to


@pytest.mark.slow
@given(data=st.data(), delta=st.sampled_from([0.1, 0.05, 1 / 3, 0.0123]), axis=st.none() | axes)
def test_five_hundred_resizes_to_and_fro_return_to_the_start(
    data: st.DataObject, layouts: Layouts, delta: float, axis: Axis | None
) -> None:
    node = data.draw(layouts(least=2, most=5))
    pane = pick(data, node)
    assume(resizable(node, pane, axis, Fraction(delta).limit_denominator(10_000)))
    now: Layout = node
    for _ in range(250):
        now = edit.resize(edit.resize(now, pane, axis, delta), pane, axis, -delta)
    assert areas(now) == areas(node)


def resizable(node: Node, pane: PaneId, axis: Axis | None, delta: Fraction) -> bool:
    """Whether the neighbour can give that much without falling under the minimum."""
    path = path_to(node, pane) or ()
    for end in range(len(path) - 1, -1, -1):
        parent = at(node, path[:end])
        if isinstance(parent, Split) and axis in (None, parent.axis):
            index = path[end]
            giver = index + 1 if index + 1 < len(parent.children) else index - 1
            return parent.shares[giver] - delta >= edit.MIN_SHARE
    return False


def test_equal_thirds_are_kept_through_many_resizes() -> None:
    node: Layout = row(A, B, C)
    for step in range(500):
        node = edit.resize(node, B, None, -0.1 if step % 2 else 0.1)
    assert node == row(A, B, C)


def test_a_resize_is_in_percentage_points_of_the_nearest_split() -> None:
    node = row(A, column(B, C))
    assert edit.resize(node, A, None, 0.1) == row(A, column(B, C), weights=(3, 2))
    assert edit.resize(node, B, None, 0.1) == row(A, column(B, C, weights=(3, 2)))
    assert edit.resize(node, B, Axis.HORIZONTAL, 0.1) == row(A, column(B, C), weights=(2, 3))
    assert edit.resize(node, C, Axis.VERTICAL, -0.3) == row(A, column(B, C, weights=(4, 1)))


def test_a_resize_takes_from_the_next_and_the_last_from_the_previous() -> None:
    node = row(A, B, C, weights=(4, 3, 3))
    assert edit.resize(node, B, None, 0.1) == row(A, B, C, weights=(2, 2, 1))
    assert edit.resize(node, C, None, 0.1) == row(A, B, C, weights=(2, 1, 2))
    assert edit.resize(node, A, None, -0.1) == row(A, B, C, weights=(3, 4, 3))


def test_a_resize_beyond_the_next_panes_minimum_takes_from_further_panes() -> None:
    node = row(A, B, C, D, weights=(2, 2, 2, 2))
    assert edit.resize(node, B, None, 0.5) == row(A, B, C, D, weights=(23, 75, 1, 1))


@pytest.mark.slow
@given(data=st.data(), deltas=st.lists(st.floats(-2, 2), max_size=8))
def test_no_resize_makes_a_pane_smaller_than_the_minimum(
    data: st.DataObject, layouts: Layouts, deltas: list[float]
) -> None:
    node: Layout = data.draw(layouts(least=2))
    for delta in deltas:
        pane = pick(data, node)
        before = node
        node = edit.resize(node, pane, None, delta)
        parent, old = parent_of(node, pane), parent_of(before, pane)
        assert parent is not None
        assert old is not None
        floors = [min(share, edit.MIN_SHARE) for share in old.shares]
        assert all(share >= floor for share, floor in zip(parent.shares, floors, strict=True))
        assert list(panes(node)) == list(panes(before))


def test_a_pane_without_neighbours_cannot_be_resized() -> None:
    with pytest.raises(Refused, match="%1 fills the window: it has no neighbour"):
        edit.resize(Leaf(A), A, None, 0.1)
    with pytest.raises(Refused, match="in the vertical direction"):
        edit.resize(row(A, B), A, Axis.VERTICAL, 0.1)
    with pytest.raises(InvalidArgument, match="delta"):
        edit.resize(row(A, B), A, None, float("nan"))


@pytest.mark.slow
@given(data=st.data(), share=shares)
def test_a_share_is_set_and_the_siblings_keep_their_proportions(
    data: st.DataObject, layouts: Layouts, share: float
) -> None:
    node = data.draw(layouts(least=2))
    pane = pick(data, node)
    result = edit.set_share(node, pane, share)
    assert share_of(result, pane) == Fraction(share).limit_denominator(100)
    path, old, new = path_to(node, pane), parent_of(node, pane), parent_of(result, pane)
    assert path is not None
    assert old is not None
    assert new is not None
    ratios = {b / a for i, (a, b) in enumerate(zip(old.shares, new.shares, strict=True)) if i != path[-1]}
    assert len(ratios) == 1


@pytest.mark.parametrize("share", [0, -1, 1, 1.5, 0.0099, float("nan"), float("inf"), float("-inf")])
def test_shares_outside_one_to_ninety_nine_per_cent_are_refused(share: float) -> None:
    for attempt in (
        lambda: edit.split(row(A, B), A, NEW, Axis.VERTICAL, share),
        lambda: edit.set_share(row(A, B), A, share),
    ):
        with pytest.raises(InvalidArgument, match=r"^ratio: .* is not between 0\.01 and 0\.99"):
            attempt()


@pytest.mark.slow
@given(data=st.data(), cells=st.integers(-60, 60), cols=st.integers(10, 200), rows=st.integers(10, 60))
def test_a_divider_moves_by_exactly_the_cells_it_is_dragged(
    data: st.DataObject, layouts: Layouts, cells: int, cols: int, rows: int
) -> None:
    node, rect = data.draw(layouts(least=2)), Rect(0, 0, cols, rows)
    before = solve(node, rect)
    assume(not before.hidden)
    divider = data.draw(st.sampled_from(before.dividers))
    parent = at(node, divider.path)
    assert isinstance(parent, Split)
    low, high = (
        bounding(before.panes[pane] for pane in panes(child)).length(divider.axis) - least(child, divider.axis)
        for child in parent.children[divider.index : divider.index + 2]
    )
    expected = max(-low, min(high, cells))
    moved = edit.move_divider(node, divider.path, divider.index, cells, rect)
    after = solve(moved, rect)
    for old, new in zip(before.dividers, after.dividers, strict=True):
        if old.path == divider.path:
            shift = expected if old.index == divider.index else 0
            assert start(new.rect, divider.axis) == start(old.rect, divider.axis) + shift
    assert not after.hidden
    back = edit.move_divider(moved, divider.path, divider.index, -expected, rect)
    assert [found.rect for found in solve(back, rect).dividers if found.path == divider.path] == [
        found.rect for found in before.dividers if found.path == divider.path
    ]


def start(rect: Rect, axis: Axis) -> int:
    return rect.x if axis is Axis.HORIZONTAL else rect.y


def test_a_divider_that_is_no_longer_there_is_named() -> None:
    for path, index in (((0,), 0), ((5,), 0), ((), 1), ((), -1), ((0, 0, 0), 0)):
        with pytest.raises(NotFound, match="it has changed"):
            edit.move_divider(row(A, B), path, index, 1, Rect(0, 0, 80, 24))


def test_a_divider_stays_while_a_sibling_is_hidden() -> None:
    node = row(A, B, C)
    assert edit.move_divider(node, (), 0, 1, Rect(0, 0, 4, 1)) == node
