"""Undo gives back arrangements, never panes."""

from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId
from fugue_tui.layout.edit import close, resize, split
from fugue_tui.layout.presets import PRESETS, apply, rearrange
from fugue_tui.layout.tree import Leaf, Node, panes
from fugue_tui.layout.undo_history import MAX_STEPS, History, with_present_panes

Layouts: TypeAlias = Callable[..., st.SearchStrategy[Node]]

A, B, C = (PaneId(number) for number in (1, 2, 3))


def test_undo_and_redo_walk_to_and_fro() -> None:
    nodes = [apply(name, [A, B, C]) for name in ("even_horizontal", "even_vertical", "main_left")]
    history, now = History(), nodes[0]
    for node in nodes[1:]:
        history, now = history.push(now), node
    for expected in (nodes[1], nodes[0]):
        step = history.undo(now)
        assert step is not None
        history, now = step
        assert now == expected
    assert history.undo(now) is None
    for expected in nodes[1:]:
        step = history.redo(now)
        assert step is not None
        history, now = step
        assert now == expected
    assert history.redo(now) is None


def test_a_new_change_forgets_what_was_undone() -> None:
    wide, high = apply("even_horizontal", [A, B]), apply("even_vertical", [A, B])
    step = History().push(wide).undo(high)
    assert step is not None
    history, now = step
    assert history.push(now).redo(now) is None


def test_undoing_a_split_keeps_the_new_pane_at_the_end() -> None:
    before = apply("even_horizontal", [A, B])
    after = split(before, A, C, Axis.VERTICAL)
    step = History().push(before).undo(after)
    assert step is not None
    assert step[1] == apply("even_horizontal", [A, B, C])


def test_undoing_a_close_does_not_bring_the_pane_back() -> None:
    before = apply("even_horizontal", [A, B, C])
    after = close(before, C)
    assert after is not None
    assert History().push(before).undo(after) is None


def test_the_layout_of_a_single_pane_is_no_earlier_one() -> None:
    assert History().push(apply("even_horizontal", [A, B])).undo(Leaf(A)) is None


def test_an_earlier_layout_is_restored_as_if_the_panes_that_are_gone_were_closed_in_it() -> None:
    wide = apply("even_horizontal", [A, B])
    temporary = split(wide, A, C, Axis.HORIZONTAL)
    present = close(apply("even_horizontal", [A, C, B]), C)
    assert present is not None
    step = History().push(temporary).undo(present)
    assert step is not None
    assert step[1] == wide


def test_layouts_that_come_out_as_the_present_one_are_skipped() -> None:
    first = apply("even_vertical", [A, B])
    second = apply("even_horizontal", [A, B])
    third = split(second, B, C, Axis.HORIZONTAL, 0.5)
    present = close(third, C)
    assert present is not None
    assert list(panes(present)) == [A, B]
    history = History().push(first).push(present).push(third)
    step = history.undo(present)
    assert step is not None
    assert step[1] == first


def test_a_hundred_steps_are_remembered_and_no_more() -> None:
    history, now = History(), apply("even_horizontal", [A, B])
    for _ in range(45):
        for delta in (0.01, -0.01, 0.02, -0.02):
            history, now = history.push(now), resize(now, A, None, delta)
    steps = 0
    while (step := history.undo(now)) is not None:
        history, now = step
        steps += 1
    assert steps == MAX_STEPS == 100


def test_pushing_the_same_layout_twice_is_one_step() -> None:
    node = apply("tiled", [A, B])
    assert History().push(node).push(node) == History((node,))


def test_an_undone_layout_of_other_panes_gets_the_present_panes() -> None:
    assert set(panes(with_present_panes(Leaf(C), apply("tiled", [A, B])))) == {A, B}


@pytest.mark.slow
@given(data=st.data())
def test_an_old_layout_always_gets_exactly_the_present_panes(data: st.DataObject, layouts: Layouts) -> None:
    old, present = data.draw(layouts()), data.draw(layouts())
    mended = with_present_panes(old, present)
    assert sorted(panes(mended)) == sorted(panes(present))
    assert with_present_panes(old, old) == old


@pytest.mark.slow
@given(data=st.data(), steps=st.lists(st.sampled_from(["preset", "split", "close", "undo", "redo"]), max_size=25))
def test_undo_and_redo_neither_lose_nor_restore_panes(data: st.DataObject, layouts: Layouts, steps: list[str]) -> None:
    history, now, number = History(), data.draw(layouts(least=2, most=6)), 100
    for what in steps:
        order = sorted(panes(now))
        pane = data.draw(st.sampled_from(order))
        match what:
            case "split":
                number += 1
                history, now = history.push(now), split(now, pane, PaneId(number), data.draw(st.sampled_from(Axis)))
                order.append(PaneId(number))
            case "close" if len(order) > 1:
                left = close(now, pane)
                assert left is not None
                history, now = history.push(now), left
                order.remove(pane)
            case "preset":
                history, now = history.push(now), rearrange(now, data.draw(st.sampled_from(PRESETS)))
            case _:
                step = history.undo(now) if what == "undo" else history.redo(now)
                if step is not None:
                    before, (history, now) = now, step
                    assert now != before
                    back = history.redo(now) if what == "undo" else history.undo(now)
                    assert back is not None
                    assert back[1] == before
        assert sorted(panes(now)) == order
