"""Edits and their opposites meet again, and nobody pays for another's change."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.layout.trees import NEW, A, B, C, D, Layouts, areas, axes, column, parent_of, pick, row, share_of, shares

from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout import edit
from fugue_tui.layout.solve import solve
from fugue_tui.layout.tree import MAX_DEPTH, MAX_PANES, Layout, Leaf, Split, depth, join, panes, path_to, tiled


def well_formed(layout: Layout) -> bool:
    node = tiled(layout)
    if isinstance(node, Leaf):
        return True
    flat = all(isinstance(child, Leaf) or child.axis is not node.axis for child in node.children)
    return flat and len(node.children) == len(node.weights) > 1 and all(map(well_formed, node.children))


@pytest.mark.slow
@given(data=st.data(), share=shares, axis=axes, before=st.booleans())
def test_closing_the_new_pane_undoes_a_split(
    data: st.DataObject, layouts: Layouts, share: float, axis: Axis, before: bool
) -> None:
    node = data.draw(layouts())
    assert edit.close(edit.split(node, pick(data, node), NEW, axis, share, before), NEW) == node


@pytest.mark.slow
@given(data=st.data(), steps=st.lists(st.tuples(axes, shares, st.booleans()), min_size=1, max_size=4))
def test_closing_new_panes_in_reverse_undoes_their_splits(
    data: st.DataObject, layouts: Layouts, steps: list[tuple[Axis, float, bool]]
) -> None:
    node = data.draw(layouts(most=5))
    before: list[Layout] = [node]
    now: Layout = node
    for number, (axis, share, ahead) in enumerate(steps, NEW):
        now = edit.split(now, pick(data, now), PaneId(number), axis, share, ahead)
        before.append(now)
    for number in range(NEW + len(steps) - 1, NEW - 1, -1):
        left = edit.close(before.pop(), PaneId(number))
        assert left is not None
        assert areas(left) == areas(before[-1])


@pytest.mark.slow
@given(data=st.data(), share=shares, axis=axes, before=st.booleans())
def test_a_split_takes_room_from_the_original_only(
    data: st.DataObject, layouts: Layouts, share: float, axis: Axis, before: bool
) -> None:
    node = data.draw(layouts())
    pane = pick(data, node)
    result = edit.split(node, pane, NEW, axis, share, before)
    assert well_formed(result)
    order = list(panes(result))
    assert abs(order.index(NEW) - order.index(pane)) == 1
    assert (order.index(NEW) < order.index(pane)) is before
    parent = parent_of(node, pane)
    same = parent is not None and parent.axis is axis
    whole = share_of(node, pane) if same else Fraction(1)
    assert share_of(result, pane) == whole * Fraction(share).limit_denominator(100)
    assert share_of(result, pane) + share_of(result, NEW) == whole
    for other in panes(node):
        if other != pane:
            assert share_of(result, other) == share_of(node, other)


def test_three_splits_one_way_are_siblings() -> None:
    node: Layout = Leaf(A)
    for pane, new in ((A, B), (B, C), (C, D)):
        node = edit.split(node, pane, new, Axis.HORIZONTAL)
    assert node == row(A, B, C, D, weights=(4, 2, 1, 1))
    assert edit.equalize(node) == row(A, B, C, D)


def test_closing_collapses_a_split_of_one_and_flattens_with_the_real_proportions() -> None:
    inner = column(row(A, B, weights=(3, 1)), C, weights=(2, 5))
    node = row(inner, D, weights=(1, 1))
    assert edit.close(node, C) == row(A, B, D, weights=(3, 1, 4))
    assert edit.close(row(A, B), A) == Leaf(B)
    assert edit.close(Leaf(A), A) is None


@pytest.mark.slow
@given(data=st.data())
def test_closing_gives_the_room_to_the_neighbour_before_or_to_the_next_of_the_first(
    data: st.DataObject, layouts: Layouts
) -> None:
    node = data.draw(layouts(least=2))
    gone = pick(data, node)
    path, parent = path_to(node, gone), parent_of(node, gone)
    assert path is not None
    assert parent is not None
    result = edit.close(node, gone)
    assert result is not None
    assert well_formed(result)
    assert sorted(panes(result)) == sorted(set(panes(node)) - {gone})
    before, after = areas(node), areas(result)
    heirs = set(panes(parent.children[path[-1] - 1 if path[-1] else 1]))
    assert all(after[pane] == before[pane] for pane in set(before) - heirs - {gone})
    grown = {after[pane] / before[pane] for pane in heirs}
    assert grown == {1 + before[gone] / sum(before[pane] for pane in heirs)}


def test_a_pane_that_was_put_before_another_gives_its_room_back_to_it_wherever_both_are_moved() -> None:
    node = edit.split(row(A, B), B, C, Axis.HORIZONTAL, 0.5, before=True)
    assert edit.close(node, C) == row(A, B)
    split = edit.close(edit.split(node, C, D, Axis.HORIZONTAL), D)
    assert split is not None
    assert edit.close(split, C) == row(A, B)
    assert edit.close(edit.relabel(node, {B: D}), C) == row(A, D)


@pytest.mark.slow
@given(order=st.integers(2, 6).flatmap(lambda count: st.permutations(range(1, count + 1))), data=st.data())
def test_panes_close_in_every_order(order: list[int], layouts: Layouts, data: st.DataObject) -> None:
    node: Layout | None = data.draw(layouts(least=len(order), most=len(order)))
    for number in order:
        assert node is not None
        node = edit.close(node, PaneId(number))
        if node is not None:
            assert well_formed(node)
            assert not solve(node, Rect(0, 0, 80, 40)).hidden
    assert node is None


@pytest.mark.slow
@given(data=st.data())
def test_swapping_twice_changes_nothing(data: st.DataObject, layouts: Layouts) -> None:
    node = data.draw(layouts())
    a, b = pick(data, node), pick(data, node)
    once = edit.swap(node, a, b)
    order = list(panes(node))
    swapped = [{a: b, b: a}.get(pane, pane) for pane in order]
    assert list(panes(once)) == swapped
    assert edit.swap(once, a, b) == node


@pytest.mark.slow
@given(data=st.data(), forward=st.booleans())
def test_rotating_as_often_as_there_are_panes_changes_nothing(
    data: st.DataObject, layouts: Layouts, forward: bool
) -> None:
    node = data.draw(layouts())
    order = list(panes(node))
    now = edit.rotate(node, forward)
    assert list(panes(now)) == (order[-1:] + order[:-1] if forward else order[1:] + order[:1])
    assert edit.rotate(now, not forward) == node
    for _ in order[1:]:
        now = edit.rotate(now, forward)
    assert now == node


@pytest.mark.slow
@given(data=st.data())
def test_equalizing_gives_every_child_of_every_split_the_same(data: st.DataObject, layouts: Layouts) -> None:
    node = edit.equalize(data.draw(layouts()))
    assert edit.equalize(node) == node
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Split):
            assert len(set(found.shares)) == 1
            waiting.extend(found.children)


@pytest.mark.slow
@given(data=st.data())
def test_replacing_and_replacing_back_changes_nothing(data: st.DataObject, layouts: Layouts) -> None:
    node = data.draw(layouts())
    pane = pick(data, node)
    other = edit.replace(node, pane, NEW)
    assert NEW in panes(other)
    assert edit.replace(other, NEW, pane) == node


@pytest.mark.slow
@given(data=st.data())
def test_restricting_leaves_the_live_panes_in_their_order(data: st.DataObject, layouts: Layouts) -> None:
    node = data.draw(layouts())
    live = data.draw(st.sets(st.sampled_from(sorted(panes(node)))))
    left = edit.restrict(node, live)
    assert list(panes(left)) == [pane for pane in panes(node) if pane in live]
    assert left is None or well_formed(left)


@pytest.mark.slow
@given(data=st.data())
def test_restricting_keeps_the_proportions_of_those_that_are_left(data: st.DataObject, layouts: Layouts) -> None:
    node = data.draw(layouts(least=3))
    assert edit.restrict(node, set(panes(node))) == node
    gone = pick(data, node)
    parent, left = parent_of(node, gone), edit.restrict(node, set(panes(node)) - {gone})
    assert parent is not None
    assert left is not None
    before, after = areas(node), areas(left)
    assert len({after[pane] / before[pane] for pane in panes(parent) if pane != gone}) == 1


def test_a_pane_appended_is_one_among_the_outermost() -> None:
    assert edit.append(None, A) == Leaf(A)
    assert edit.append(Leaf(A), B) == row(A, B)
    assert edit.append(column(A, row(B, C), weights=(3, 1)), D) == column(A, row(B, C), D, weights=(3, 1, 2))


def test_a_layout_grows_no_deeper_and_no_larger_than_it_may() -> None:
    node: Layout = Leaf(A)
    for number in range(1, MAX_DEPTH + 1):
        axis = (Axis.HORIZONTAL, Axis.VERTICAL)[number % 2]
        node = edit.split(node, PaneId(number), PaneId(number + 1), axis)
    assert depth(node) == MAX_DEPTH
    last = PaneId(MAX_DEPTH + 1)
    with pytest.raises(InvalidArgument, match="already lies in 32 splits"):
        edit.split(node, last, NEW, Axis.VERTICAL)
    assert depth(edit.split(node, last, NEW, Axis.HORIZONTAL)) == MAX_DEPTH
    full = join(Axis.HORIZONTAL, [Leaf(PaneId(n)) for n in range(1, MAX_PANES + 1)], [1] * MAX_PANES)
    with pytest.raises(InvalidArgument, match="at most 64 panes"):
        edit.split(full, A, NEW, Axis.VERTICAL)
    assert len(list(panes(edit.replace(full, A, NEW)))) == MAX_PANES


def test_unknown_and_duplicate_panes_are_named() -> None:
    node = row(A, B)
    for attempt in (
        lambda: edit.split(node, C, D, Axis.VERTICAL),
        lambda: edit.close(node, C),
        lambda: edit.resize(node, C, None, 0.1),
        lambda: edit.swap(node, A, C),
        lambda: edit.replace(node, C, D),
    ):
        with pytest.raises(NotFound, match="no pane %3 in this layout"):
            attempt()
    for again in (lambda: edit.split(node, A, B, Axis.VERTICAL), lambda: edit.replace(node, A, B)):
        with pytest.raises(InvalidArgument, match="%2 is in this layout already"):
            again()
