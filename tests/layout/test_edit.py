"""Edits and their opposites meet again, and nobody pays for another's change."""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout import edit
from fugue_tui.layout.solve import bounding, least, solve
from fugue_tui.layout.tree import MAX_DEPTH, MAX_PANES, Leaf, Node, Split, at, depth, join, panes, path_to

Layouts: TypeAlias = Callable[..., st.SearchStrategy[Node]]

NEW = PaneId(99)
A, B, C, D = (PaneId(number) for number in (1, 2, 3, 4))
shares = st.integers(1, 99).map(lambda percent: percent / 100)
axes = st.sampled_from(Axis)


def row(*children: Node | PaneId, weights: tuple[int, ...] = ()) -> Split:
    return lined(Axis.HORIZONTAL, children, weights)


def column(*children: Node | PaneId, weights: tuple[int, ...] = ()) -> Split:
    return lined(Axis.VERTICAL, children, weights)


def lined(axis: Axis, children: tuple[Node | PaneId, ...], weights: tuple[int, ...]) -> Split:
    nodes = tuple(Leaf(child) if isinstance(child, PaneId) else child for child in children)
    return Split(axis, nodes, weights or (1,) * len(nodes))


def parent_of(node: Node, pane: PaneId) -> Split | None:
    path = path_to(node, pane)
    assert path is not None
    found = at(node, path[:-1]) if path else None
    return found if isinstance(found, Split) else None


def share_of(node: Node, pane: PaneId) -> Fraction:
    """A pane's exact part of its parent; the whole if it has none."""
    path, parent = path_to(node, pane), parent_of(node, pane)
    assert path is not None
    return Fraction(1) if parent is None else parent.shares[path[-1]]


def well_formed(node: Node) -> bool:
    if isinstance(node, Leaf):
        return True
    flat = all(isinstance(child, Leaf) or child.axis is not node.axis for child in node.children)
    return flat and len(node.children) == len(node.weights) > 1 and all(map(well_formed, node.children))


def pick(data: st.DataObject, node: Node) -> PaneId:
    return data.draw(st.sampled_from(sorted(panes(node))))


@given(data=st.data(), share=shares, axis=axes, before=st.booleans())
def test_closing_the_new_pane_undoes_a_split(
    data: st.DataObject, layouts: Layouts, share: float, axis: Axis, before: bool
) -> None:
    node = data.draw(layouts())
    pane = pick(data, node)
    parent = parent_of(node, pane)
    assume(parent is None or parent.axis is not axis)
    assert edit.close(edit.split(node, pane, NEW, axis, share, before), NEW) == node


@given(data=st.data(), share=shares, before=st.booleans())
def test_closing_a_new_sibling_keeps_the_proportions_of_the_others(
    data: st.DataObject, layouts: Layouts, share: float, before: bool
) -> None:
    node = data.draw(layouts(least=2))
    pane = pick(data, node)
    parent = parent_of(node, pane)
    assert parent is not None
    wide = edit.split(node, pane, NEW, parent.axis, share, before)
    closed = edit.close(wide, NEW)
    assert closed is not None
    assert list(panes(closed)) == list(panes(node))
    rest = parent_of(closed, pane)
    assert rest is not None
    total = sum((part for part, child in zip(parent_of_new(wide).shares, siblings(wide), strict=True) if child != NEW))
    kept = [
        part / total for part, child in zip(parent_of_new(wide).shares, siblings(wide), strict=True) if child != NEW
    ]
    assert rest.shares == kept


def parent_of_new(node: Node) -> Split:
    parent = parent_of(node, NEW)
    assert parent is not None
    return parent


def siblings(node: Node) -> list[PaneId | None]:
    return [child.pane if isinstance(child, Leaf) else None for child in parent_of_new(node).children]


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
    node: Node = Leaf(A)
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


@given(data=st.data())
def test_closing_keeps_the_siblings_proportions_and_everybody_elses_share(
    data: st.DataObject, layouts: Layouts
) -> None:
    node = data.draw(layouts(least=2))
    gone = pick(data, node)
    result = edit.close(node, gone)
    assert result is not None
    assert well_formed(result)
    assert sorted(panes(result)) == sorted(set(panes(node)) - {gone})
    before, parent = areas(node), parent_of(node, gone)
    assert parent is not None
    after, inside = areas(result), set(panes(parent)) - {gone}
    outside = set(before) - inside - {gone}
    assert all(after[pane] == before[pane] for pane in outside)
    grown = {after[pane] / before[pane] for pane in inside}
    assert len(grown) == 1


def areas(node: Node, whole: Fraction = Fraction(1)) -> dict[PaneId, Fraction]:
    if isinstance(node, Leaf):
        return {node.pane: whole}
    found: dict[PaneId, Fraction] = {}
    for child, share in zip(node.children, node.shares, strict=True):
        found |= areas(child, whole * share)
    return found


@given(order=st.integers(2, 6).flatmap(lambda count: st.permutations(range(1, count + 1))), data=st.data())
def test_panes_close_in_every_order(order: list[int], layouts: Layouts, data: st.DataObject) -> None:
    node: Node | None = data.draw(layouts(least=len(order), most=len(order)))
    for number in order:
        assert node is not None
        node = edit.close(node, PaneId(number))
        if node is not None:
            assert well_formed(node)
            assert not solve(node, Rect(0, 0, 80, 40)).hidden
    assert node is None


@given(data=st.data(), delta=st.sampled_from([0.1, 0.05, 1 / 3, 0.0123]), axis=st.none() | axes)
def test_five_hundred_resizes_to_and_fro_return_to_the_start(
    data: st.DataObject, layouts: Layouts, delta: float, axis: Axis | None
) -> None:
    node = data.draw(layouts(least=2, most=5))
    pane = pick(data, node)
    assume(resizable(node, pane, axis, Fraction(delta).limit_denominator(10_000)))
    now = node
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


def test_thirds_survive_a_storm_of_resizes() -> None:
    node: Node = row(A, B, C)
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


def test_a_resize_that_the_next_cannot_pay_is_paid_by_those_beyond() -> None:
    node = row(A, B, C, D, weights=(2, 2, 2, 2))
    assert edit.resize(node, B, None, 0.5) == row(A, B, C, D, weights=(23, 75, 1, 1))


@given(data=st.data(), deltas=st.lists(st.floats(-2, 2), max_size=8))
def test_no_resize_pushes_anyone_under_the_minimum(data: st.DataObject, layouts: Layouts, deltas: list[float]) -> None:
    node = data.draw(layouts(least=2))
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


@given(data=st.data())
def test_swapping_twice_changes_nothing(data: st.DataObject, layouts: Layouts) -> None:
    node = data.draw(layouts())
    a, b = pick(data, node), pick(data, node)
    once = edit.swap(node, a, b)
    order = list(panes(node))
    swapped = [{a: b, b: a}.get(pane, pane) for pane in order]
    assert list(panes(once)) == swapped
    assert edit.swap(once, a, b) == node


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


@given(data=st.data())
def test_replacing_and_replacing_back_changes_nothing(data: st.DataObject, layouts: Layouts) -> None:
    node = data.draw(layouts())
    pane = pick(data, node)
    other = edit.replace(node, pane, NEW)
    assert NEW in panes(other)
    assert edit.replace(other, NEW, pane) == node


@given(data=st.data())
def test_restricting_leaves_the_live_panes_in_their_order(data: st.DataObject, layouts: Layouts) -> None:
    node = data.draw(layouts())
    live = data.draw(st.sets(st.sampled_from(sorted(panes(node)))))
    left = edit.restrict(node, live)
    assert list(panes(left)) == [pane for pane in panes(node) if pane in live]
    assert left is None or well_formed(left)


@given(data=st.data())
def test_restricting_to_all_but_one_is_closing_that_one(data: st.DataObject, layouts: Layouts) -> None:
    node = data.draw(layouts())
    gone = pick(data, node)
    assert edit.restrict(node, set(panes(node))) == node
    assert edit.restrict(node, set(panes(node)) - {gone}) == edit.close(node, gone)


def test_a_pane_appended_is_one_among_the_outermost() -> None:
    assert edit.append(None, A) == Leaf(A)
    assert edit.append(Leaf(A), B) == row(A, B)
    assert edit.append(column(A, row(B, C), weights=(3, 1)), D) == column(A, row(B, C), D, weights=(3, 1, 2))


def test_a_layout_grows_no_deeper_and_no_larger_than_it_may() -> None:
    node: Node = Leaf(A)
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


def test_panes_that_are_not_there_or_there_already_are_named() -> None:
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
