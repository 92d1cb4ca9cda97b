"""Panes in one place, of which one is expanded and the others are titles."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.layout.trees import NEW, A, B, C, D, column, row

from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Axis, Rect, Side, Size
from fugue_tui.ids import PaneId
from fugue_tui.layout import edit, presets
from fugue_tui.layout.move import border, neighbour
from fugue_tui.layout.solve import solve
from fugue_tui.layout.spec import build, describe, parse
from fugue_tui.layout.tree import Float, Layers, Leaf, Split, panes, stack

WINDOW = Rect(0, 1, 80, 23)
STACK = stack([A, B, C])


def test_one_pane_is_expanded_and_the_others_are_a_row_each() -> None:
    found = solve(STACK, WINDOW, recent=(B, A))
    assert found.panes == {B: Rect(0, 2, 80, 21)}
    assert found.collapsed == {A: (Rect(0, 0, 80, 1), B), C: (Rect(0, 23, 80, 1), B)}
    assert [divider.rect for divider in found.dividers] == [Rect(0, 1, 80, 1), Rect(0, 23, 80, 1)]
    assert found.hidden == ()
    assert found.sizes == dict.fromkeys((A, B, C), Size(80, 21))


def test_without_focus_the_first_is_expanded_and_the_last_has_the_rows_below_the_titles() -> None:
    assert solve(STACK, WINDOW).panes == {A: Rect(0, 1, 80, 21)}
    assert solve(STACK, WINDOW, recent=(C,)).panes == {C: Rect(0, 3, 80, 21)}


@given(rows=st.integers(1, 6), recent=st.permutations((A, B, C, D)))
def test_where_not_all_titles_fit_the_expanded_pane_is_shown_first(rows: int, recent: list[PaneId]) -> None:
    found = solve(stack([A, B, C, D]), Rect(0, 1, 20, rows), recent=recent)
    assert list(found.panes) == [recent[0]]
    assert found.panes[recent[0]].rows >= 1
    assert len(found.collapsed) + len(found.hidden) == 3
    assert {row.y for row, _ in found.collapsed.values()} <= set(range(rows + 1))


def test_a_new_pane_below_one_of_a_stack_joins_it_and_one_beside_it_is_beside_the_stack() -> None:
    assert edit.split(STACK, B, D, Axis.VERTICAL) == stack([A, B, D, C])
    assert edit.split(STACK, A, D, Axis.VERTICAL, before=True) == stack([D, A, B, C])
    assert edit.split(STACK, B, D, Axis.HORIZONTAL) == row(STACK, D)
    assert edit.split(row(STACK, D), D, NEW, Axis.VERTICAL) == row(STACK, column(D, NEW))


def test_a_stack_ends_with_its_last_but_one_pane() -> None:
    assert edit.close(STACK, B) == stack([A, C])
    assert edit.close(stack([A, C]), A) == Leaf(C)
    assert edit.restrict(row(STACK, D), [A, C]) == stack([A, C])


def test_a_stack_in_a_column_keeps_to_itself() -> None:
    found = edit.split(row(D, STACK), D, NEW, Axis.VERTICAL)
    assert list(panes(found)) == [D, NEW, A, B, C]
    nested = column(D, STACK)
    assert edit.equalize(nested) == nested
    assert edit.swap(nested, D, B) == column(B, stack([A, D, C]))


def test_panes_are_stacked_with_those_beside_them_and_spread_again() -> None:
    assert edit.stack(row(A, column(B, C)), B) == row(A, stack([B, C]))
    assert edit.stack(row(A, column(B, C)), A) == STACK
    assert edit.stack(STACK, B) == column(A, B, C)
    assert edit.stack(STACK, B, stacked=True) == STACK
    assert edit.stack(row(A, stack([B, C])), C) == row(A, column(B, C))
    with pytest.raises(Refused, match="nothing to stack it with"):
        edit.stack(Leaf(A), A)
    assert presets.rearrange(row(A, B, C), "stacked") == STACK


def test_borders_and_sizes_are_those_of_the_whole_stack() -> None:
    layout = row(STACK, D)
    assert border(layout, B, Side.RIGHT) == ((), 0)
    assert edit.move_divider(layout, (), 0, 10, Rect(0, 0, 81, 24)) == row(STACK, D, weights=(5, 3))
    assert edit.resize(layout, B, None, 0.1) == row(STACK, D, weights=(3, 2))
    with pytest.raises(Refused):
        edit.resize(STACK, B, None, 0.1)
    with pytest.raises(NotFound):
        edit.move_divider(STACK, (), 5, 1, WINDOW)
    assert edit.move_divider(STACK, (), 0, 1, WINDOW) == STACK


def test_a_divider_beside_a_stack_in_a_column_moves_as_it_is_drawn() -> None:
    layout = column(STACK, D)
    rect = Rect(0, 0, 80, 25)
    moved = edit.move_divider(layout, (), 0, 3, rect)
    assert isinstance(moved, Split)
    assert solve(moved, rect).panes[D].rows == solve(layout, rect).panes[D].rows - 3


def test_the_titles_of_a_stack_are_neighbours() -> None:
    found = solve(row(STACK, D), WINDOW, recent=(B,))
    assert neighbour(found, B, Side.UP) == A
    assert neighbour(found, B, Side.DOWN) == C
    assert neighbour(found, D, Side.LEFT) == B
    assert neighbour(found, A, Side.DOWN) == B


def test_a_stack_is_written_and_read() -> None:
    written: dict[str, Any] = {"stacked": True, "splits": [{"pane": {"command": "a"}}, {"pane": {"command": "b"}}]}
    assert build(parse(written), [A, B]) == stack([A, B])
    assert describe(stack([A, B]), lambda pane: {"id": str(pane)}) == {
        "stacked": True,
        "splits": [{"pane": {"id": "%1"}}, {"pane": {"id": "%2"}}],
    }
    nested: dict[str, Any] = {"direction": "horizontal", "splits": [{"ratio": 0.4, "layout": written}, {"pane": {}}]}
    assert build(parse(nested), [A, B, C]) == row(stack([A, B]), C, weights=(2, 3))
    faults: tuple[tuple[dict[str, Any], str], ...] = (
        ({"stacked": True}, "splits: is missing"),
        ({**written, "direction": "horizontal"}, "stacked: goes with no horizontal direction"),
        ({"stacked": True, "splits": [nested, {"pane": {}}]}, "splits: holds a split"),
        ({"stacked": True, "pane": {}}, "has a pane and splits"),
    )
    for wrong, fault in faults:
        with pytest.raises(InvalidArgument, match=fault):
            parse(wrong)


def test_a_floating_pane_is_not_stacked() -> None:
    over = Layers(row(A, B), (Float(C),))
    with pytest.raises(Refused, match=f"{C} floats; embed-pane"):
        edit.stack(over, C)
