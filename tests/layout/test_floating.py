"""Where panes float, which lies over which, and what moving and resizing does to them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.layout.trees import A, B, C, D, row

from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Rect, Side
from fugue_tui.ids import PaneId
from fugue_tui.layout import edit, floating, presets
from fugue_tui.layout.solve import Solution, solve
from fugue_tui.layout.tree import MAX_PANES, Float, Layers, Layout, Leaf, Split, floats, panes, tiled
from fugue_tui.layout.undo_history import History

WINDOW = Rect(0, 1, 80, 23)


def solved(layout: Layout, *recent: PaneId, rect: Rect = WINDOW) -> Solution:
    return floating.with_floats(solve(layout, rect, keep=A), floats(layout), rect, recent)


def test_a_pane_floats_in_the_middle_with_a_frame_around_its_program() -> None:
    found = solved(Layers(Leaf(A), (Float(B, 0.5, 10),)), B, A, rect=Rect(0, 1, 120, 30))
    assert found.floats == ((B, Rect(30, 11, 60, 10)),)
    assert found.panes == {A: Rect(0, 1, 120, 30), B: Rect(31, 12, 58, 8)}
    assert found.tiles == {A: Rect(0, 1, 120, 30)}
    assert found.covered == {A}


@given(
    cols=st.integers(1, 200) | st.floats(0, 1),
    rows=st.integers(1, 200) | st.floats(0, 1),
    x=st.none() | st.integers(0, 300) | st.floats(0, 1),
    y=st.none() | st.integers(0, 300) | st.floats(0, 1),
    size=st.tuples(st.integers(1, 130), st.integers(1, 50)),
)
def test_a_pane_never_leaves_its_window_and_always_has_a_cell(
    cols: float, rows: float, x: float | None, y: float | None, size: tuple[int, int]
) -> None:
    window = Rect(0, 1, *size)
    frame = floating.outer(Float(A, cols, rows, x, y), window)
    own = floating.inner(frame)
    for inside, around in ((frame, window), (own, frame)):
        assert around.x <= inside.x < inside.right <= around.right
        assert around.y <= inside.y < inside.bottom <= around.bottom


def test_a_pane_that_does_not_fit_comes_back_to_its_size() -> None:
    layout = Layers(Leaf(A), (Float(B, 60, 15, 10, 4),))
    assert solved(layout, B, rect=Rect(0, 0, 40, 12)).floats == ((B, Rect(0, 0, 40, 12)),)
    assert solved(layout, B, rect=Rect(0, 0, 90, 24)).floats == ((B, Rect(10, 4, 60, 15)),)


def test_a_pane_that_covers_the_whole_window_is_shown_only_with_the_focus() -> None:
    layout = Layers(Leaf(A), (Float(B, full=True),))
    assert solved(layout, B, A).panes == {A: WINDOW, B: Rect(1, 2, 78, 21)}
    assert solved(layout, A, B).panes == {A: WINDOW}
    assert solved(Layers(Leaf(A), (Float(B),)), A, B, rect=Rect(0, 0, 1, 1)).panes == {A: Rect(0, 0, 1, 1)}
    assert solved(Layers(Leaf(A), (Float(B),)), B, A, rect=Rect(0, 0, 1, 1)).panes[B] == Rect(0, 0, 1, 1)


def test_the_pane_that_had_the_focus_last_lies_over_the_others_and_a_new_one_over_all_but_the_active() -> None:
    over = (Float(B), Float(C), Float(D))
    assert [each.pane for each in floating.ordered(over, (B, A, C))] == [C, D, B]
    assert [each.pane for each in floating.ordered(over, (A, C, B))] == [B, C, D]


def test_the_topmost_pane_is_found_at_a_cell_and_those_below_are_covered() -> None:
    layout = Layers(row(A, B), (Float(C, 20, 10, 0, 0), Float(D, 20, 10, 10, 5)))
    found = solved(layout, A, D, C)
    assert [found.at(x, y) for x, y in ((0, 1), (12, 7), (29, 15), (30, 15), (79, 23), (39, 20))] == [C, D, D, A, B, A]
    assert found.covered == {A, C}


def test_new_panes_are_not_put_exactly_over_others() -> None:
    layout: Layout = Leaf(A)
    for pane in (B, C, D):
        layout = floating.added(layout, Float(pane), WINDOW)
    places = [floating.outer(each, WINDOW) for each in floats(layout)]
    assert all((after.x - before.x, after.y - before.y) == (2, 1) for before, after in pairwise(places))
    assert len({rect.size for rect in places}) == 1


def test_a_window_holds_no_more_panes_than_it_may() -> None:
    layout: Layout = Leaf(PaneId(1))
    for number in range(2, MAX_PANES + 1):
        layout = floating.added(layout, Float(PaneId(number)), WINDOW)
    with pytest.raises(InvalidArgument, match="at most 64 panes"):
        floating.added(layout, Float(PaneId(99)), WINDOW)


def test_moving_and_resizing_start_from_what_is_seen_and_stop_at_the_window() -> None:
    large = Float(A, 500, 500, 900, 900)
    assert floating.moved(large, WINDOW, -3, 0) == Float(A, 500, 500, 0, 900)
    smaller = floating.resized(large, WINDOW, Side.RIGHT, -20)
    assert floating.outer(smaller, WINDOW) == Rect(0, 1, 60, 23)
    assert floating.outer(floating.moved(smaller, WINDOW, 99, 0), WINDOW) == Rect(20, 1, 60, 23)
    assert floating.outer(floating.resized(smaller, WINDOW, Side.RIGHT, -99), WINDOW).cols == floating.SMALLEST.cols
    assert floating.outer(floating.resized(Float(A, 20, 10, 5, 5), WINDOW, Side.LEFT, 9), WINDOW) == Rect(0, 6, 25, 10)


def test_the_last_floating_pane_that_closes_leaves_the_tiles_alone() -> None:
    layout = Layers(row(A, B), (Float(C), Float(D)))
    assert edit.close(layout, C) == Layers(row(A, B), (Float(D),))
    assert edit.close(Layers(row(A, B), (Float(C),)), C) == row(A, B)
    assert edit.close(layout, A) == Layers(Leaf(B), (Float(C), Float(D)))


def test_without_a_tile_the_first_shown_floating_pane_becomes_one() -> None:
    layout = Layers(Leaf(A), (Float(B, hidden=True), Float(C), Float(D)))
    assert edit.close(layout, A) == Layers(Leaf(C), (Float(B, hidden=True), Float(D)))
    assert edit.close(Layers(Leaf(A), (Float(B, hidden=True),)), A) == Leaf(B)
    assert edit.restrict(layout, [B, D]) == Layers(Leaf(D), (Float(B, hidden=True),))


def test_edits_of_the_tiles_leave_the_floating_panes_as_they_are() -> None:
    layout = Layers(row(A, B, weights=(2, 1)), (Float(C),))
    for changed in (
        edit.equalize(layout),
        edit.rotate(layout),
        edit.resize(layout, A, None, 0.1),
        presets.rearrange(layout, "even_vertical"),
        edit.split(layout, B, D, row(A, B).axis),
    ):
        assert floats(changed) == (Float(C),)
        assert C not in list(panes(tiled(changed)))
    assert edit.swap(layout, A, C) == Layers(row(C, B, weights=(2, 1)), (Float(A),))


def test_a_pane_is_opened_beside_all_tiles_if_the_other_one_floats() -> None:
    found = edit.split(Layers(Leaf(A), (Float(C),)), C, D, row(A, B).axis)
    assert isinstance(tiled(found), Split)
    assert list(panes(found)) == [A, D, C]


def test_undo_puts_a_pane_back_among_the_tiles_and_hides_nothing() -> None:
    before, after = row(A, B), Layers(Leaf(A), (Float(B),))
    found = History().push(before).undo(after)
    assert found is not None
    assert found[1] == before
    moved = Layers(Leaf(A), (Float(B, x=4, hidden=True),))
    found = History().push(after).undo(moved)
    assert found is not None
    assert found[1] == Layers(Leaf(A), (Float(B, hidden=True),))
