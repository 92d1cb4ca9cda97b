"""Rectangles tile exactly at every size, and what does not fit hides until there is room."""

import sys
from collections.abc import Callable, Iterable
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout import presets
from fugue_tui.layout.apportion import LIMIT, apportion, whole
from fugue_tui.layout.edit import split
from fugue_tui.layout.solve import least, solve
from fugue_tui.layout.tree import Layout, Leaf, Node, Split, at, panes

Layouts: TypeAlias = Callable[..., st.SearchStrategy[Node]]

sizes = st.integers(1, 40)


def numbered(count: int) -> list[PaneId]:
    return [PaneId(number) for number in range(1, count + 1)]


def line(*weights: int, axis: Axis = Axis.HORIZONTAL) -> Split:
    return Split(axis, tuple(Leaf(pane) for pane in numbered(len(weights))), weights)


def cells(rects: Iterable[Rect]) -> list[tuple[int, int]]:
    return [(x, y) for rect in rects for y in range(rect.y, rect.bottom) for x in range(rect.x, rect.right)]


def widths(node: Node, cols: int, gap: int = 1) -> list[int]:
    return [rect.cols for rect in solve(node, Rect(0, 0, cols, 1), gap=gap).panes.values()]


@pytest.mark.slow
@given(data=st.data(), cols=sizes, rows=sizes, gap=st.integers(0, 2), x=st.integers(-3, 3), y=st.integers(-3, 3))
def test_panes_and_dividers_tile_every_size_exactly(
    data: st.DataObject, layouts: Layouts, cols: int, rows: int, gap: int, x: int, y: int
) -> None:
    node, rect = data.draw(layouts()), Rect(x, y, cols, rows)
    solution = solve(node, rect, gap=gap)
    drawn = cells([*solution.panes.values(), *(divider.rect for divider in solution.dividers)])
    assert sorted(drawn) == sorted(cells([rect]))
    assert all(shown.cols > 0 and shown.rows > 0 for shown in solution.panes.values())
    assert sorted([*solution.panes, *solution.hidden]) == sorted(panes(node))


@pytest.mark.slow
@given(data=st.data(), cols=sizes, rows=sizes)
def test_the_pane_to_keep_shows_whenever_there_is_a_cell(
    data: st.DataObject, layouts: Layouts, cols: int, rows: int
) -> None:
    node = data.draw(layouts())
    keep = data.draw(st.sampled_from(sorted(panes(node))))
    assert keep in solve(node, Rect(0, 0, cols, rows), keep=keep).panes
    assert list(solve(node, Rect(0, 0, 1, 1), keep=keep).panes) == [keep]


@pytest.mark.slow
@given(data=st.data(), more_cols=st.integers(0, 9), more_rows=st.integers(0, 9), gap=st.integers(0, 2))
def test_every_pane_shows_from_the_minimum_size_on(
    data: st.DataObject, layouts: Layouts, more_cols: int, more_rows: int, gap: int
) -> None:
    node = data.draw(layouts())
    cols, rows = least(node, Axis.HORIZONTAL, gap), least(node, Axis.VERTICAL, gap)
    assert not solve(node, Rect(0, 0, cols + more_cols, rows + more_rows), gap=gap).hidden
    if cols > 1:
        assert solve(node, Rect(0, 0, cols - 1, rows), gap=gap).hidden


def test_nothing_shows_without_a_cell() -> None:
    for rect in (Rect(0, 0, 0, 5), Rect(0, 0, 5, 0), Rect(0, 0, -3, -3)):
        solution = solve(line(1, 1), rect, keep=PaneId(1))
        assert (solution.panes, solution.dividers, solution.hidden) == ({}, (), (PaneId(1), PaneId(2)))


@pytest.mark.slow
@given(data=st.data(), cols=st.integers(30, 200), rows=st.integers(30, 80))
def test_dividers_lie_between_the_children_they_name(
    data: st.DataObject, layouts: Layouts, cols: int, rows: int
) -> None:
    node = data.draw(layouts())
    solution = solve(node, Rect(0, 0, cols, rows))
    for divider in solution.dividers:
        parent = at(node, divider.path)
        assert isinstance(parent, Split)
        assert divider.axis is parent.axis
        before = [solution.panes[pane] for pane in panes(parent.children[divider.index]) if pane in solution.panes]
        after = [solution.panes[pane] for pane in panes(parent.children[divider.index + 1]) if pane in solution.panes]
        if divider.axis is Axis.HORIZONTAL:
            assert {rect.right for rect in before} >= {divider.rect.x}
            assert {rect.x for rect in after} >= {divider.rect.right}
        else:
            assert {rect.bottom for rect in before} >= {divider.rect.y}
            assert {rect.y for rect in after} >= {divider.rect.bottom}


@pytest.mark.slow
@given(st.lists(st.integers(1, 50), min_size=2, max_size=8), st.integers(20, 300))
def test_one_column_more_widens_exactly_one_pane_by_one(weights: list[int], cols: int) -> None:
    node = line(*weights)
    before, after = widths(node, cols), widths(node, cols + 1)
    assert sorted(b - a for a, b in zip(before, after, strict=True)) == [0] * (len(weights) - 1) + [1]


@pytest.mark.slow
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=9), st.integers(0, 400), st.data())
def test_cells_are_shared_out_wholly_and_within_their_bounds(
    weights: list[int], more: int, data: st.DataObject
) -> None:
    bounds = [data.draw(st.integers(0, 20)) for _ in weights]
    total = sum(bounds) + more
    shares = apportion(weights, bounds, total)
    assert sum(shares) == total
    assert all(share >= bound for share, bound in zip(shares, bounds, strict=True))


@pytest.mark.slow
@given(st.lists(st.integers(1, 99), min_size=2, max_size=3), st.integers(10, 400))
def test_up_to_three_panes_are_within_a_cell_of_their_exact_share(weights: list[int], total: int) -> None:
    shares = apportion(weights, [0] * len(weights), total)
    exact = [weight * total / sum(weights) for weight in weights]
    assert all(abs(share - wanted) < 1 for share, wanted in zip(shares, exact, strict=True))


@pytest.mark.parametrize(
    ("weights", "cols", "expected"),
    [
        ((13, 7), 101, [65, 35]),
        ((1, 1), 80, [40, 39]),
        ((1, 1, 1), 80, [26, 26, 26]),
        ((1, 1, 1), 81, [27, 26, 26]),
        ((999, 1), 5, [3, 1]),
        ((1, 1, 1), 5, [1, 1, 1]),
        ((1, 1, 1), 4, [2, 1]),
        ((1, 1, 1), 3, [1, 1]),
        ((1, 1, 1), 2, [2]),
    ],
)
def test_some_widths_by_hand(weights: tuple[int, ...], cols: int, expected: list[int]) -> None:
    assert widths(line(*weights), cols) == expected


def test_where_room_is_short_the_first_and_the_kept_pane_show() -> None:
    solution = solve(line(1, 1, 1, 1), Rect(0, 0, 3, 1), keep=PaneId(4))
    assert solution.panes == {PaneId(1): Rect(0, 0, 1, 1), PaneId(4): Rect(2, 0, 1, 1)}
    assert [divider.index for divider in solution.dividers] == [0]
    assert solution.hidden == (PaneId(2), PaneId(3))


@given(st.lists(st.integers(1, 10**30), min_size=2, max_size=64))
def test_weights_stay_positive_and_bounded(weights: list[int]) -> None:
    small = whole(weights)
    assert min(small) > 0
    assert sum(small) <= LIMIT


def test_shrinking_and_growing_back_gives_the_same_picture() -> None:
    node = presets.apply("tiled", numbered(20))
    large = Rect(0, 0, 200, 60)
    before = solve(node, large)
    for size in range(60, 0, -1):
        solve(node, Rect(0, 0, size, size))
    assert solve(node, large) == before


def test_the_work_of_solving_grows_with_the_number_of_panes_alone() -> None:
    def calls(panes: int) -> int:
        node, count = presets.apply("tiled", numbered(panes)), 0

        def step(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(step)
        try:
            solve(node, Rect(0, 0, 400, 200))
        finally:
            sys.setprofile(None)
        return count

    assert calls(64) < 5 * calls(16)


def test_the_deepest_layout_is_solved_at_every_size() -> None:
    node: Layout = Leaf(PaneId(1))
    for number in range(1, 33):
        axis = (Axis.HORIZONTAL, Axis.VERTICAL)[number % 2]
        node = split(node, PaneId(number), PaneId(number + 1), axis)
    for size in (1, 2, 3, 10, 33, 80):
        rect = Rect(0, 0, size, size)
        solution = solve(node, rect, keep=PaneId(33))
        drawn = cells([*solution.panes.values(), *(divider.rect for divider in solution.dividers)])
        assert sorted(drawn) == sorted(cells([rect]))
        assert PaneId(33) in solution.panes
