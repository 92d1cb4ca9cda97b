"""Presets arrange any number of panes, each exactly once, in reading order."""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.edit import swap
from fugue_tui.layout.presets import PRESETS, apply, canonical, largest, places, rearrange
from fugue_tui.layout.solve import solve
from fugue_tui.layout.tree import Leaf, Node, Split, depth, panes

Layouts: TypeAlias = Callable[..., st.SearchStrategy[Node]]

names = st.sampled_from(PRESETS)


def numbered(count: int) -> list[PaneId]:
    return [PaneId(number) for number in range(1, count + 1)]


def shape(node: Node) -> str:
    """The tree in letters: [A B] is a row, (A B) a column, with weights if they differ."""
    if isinstance(node, Leaf):
        return "ABCDEFGHIJ"[node.pane - 1]
    inside = " ".join(shape(child) for child in node.children)
    weights = "" if len(set(node.weights)) == 1 else ":".join(map(str, node.weights))
    return f"[{inside}]{weights}" if node.axis is Axis.HORIZONTAL else f"({inside}){weights}"


@pytest.mark.parametrize(
    ("name", "count", "expected"),
    [
        ("single", 1, "A"),
        ("single", 3, "([A B] C)"),
        ("split_horizontal", 2, "[A B]"),
        ("split_horizontal", 3, "[A B C]"),
        ("split_vertical", 2, "(A B)"),
        ("grid_2x2", 1, "A"),
        ("grid_2x2", 2, "[A B]"),
        ("grid_2x2", 3, "([A B] C)"),
        ("grid_2x2", 4, "([A B] [C D])"),
        ("grid_2x2", 5, "([A B] [C D] E)"),
        ("main_left", 1, "A"),
        ("main_left", 2, "[A B]3:2"),
        ("main_left", 3, "[A (B C)]3:2"),
        ("main_top", 3, "(A [B C])3:2"),
        ("main_right", 3, "[(B C) A]2:3"),
        ("main_bottom", 4, "([B C D] A)2:3"),
        ("even_horizontal", 4, "[A B C D]"),
        ("even_vertical", 3, "(A B C)"),
        ("tiled", 2, "[A B]"),
        ("tiled", 5, "([A B C] [D E])"),
        ("tiled", 7, "([A B C] [D E] [F G])"),
        ("tiled", 9, "([A B C] [D E F] [G H I])"),
    ],
)
def test_the_shape_of_a_preset(name: str, count: int, expected: str) -> None:
    assert shape(apply(name, numbered(count))) == expected


@given(names, st.integers(1, 64), st.floats(0.1, 0.9))
def test_every_preset_takes_any_number_of_panes(name: str, count: int, share: float) -> None:
    order = numbered(count)
    node = apply(name, order, share)
    assert sorted(panes(node)) == order
    assert depth(node) <= 2
    assert not solve(node, Rect(0, 0, 200, 130)).hidden


@given(names, st.integers(2, 20), st.floats(0.1, 0.9))
def test_the_main_pane_takes_its_share(name: str, count: int, share: float) -> None:
    node = apply(name, numbered(count), share)
    if name.startswith("main"):
        assert isinstance(node, Split)
        index = node.children.index(Leaf(PaneId(1)))
        assert node.shares[index] == Fraction(share).limit_denominator(10_000)


@pytest.mark.slow
@given(data=st.data(), name=names)
def test_rearranging_twice_is_as_once(data: st.DataObject, layouts: Layouts, name: str) -> None:
    once = rearrange(data.draw(layouts()), name)
    assert rearrange(once, name) == once


def test_the_main_pane_stays_the_main_pane_from_side_to_side() -> None:
    node = apply("main_left", numbered(4))
    for name in ("main_right", "main_bottom", "main_top", "main_right", "main_left"):
        node = rearrange(node, name)
        assert largest(node) == PaneId(1)
    assert node == apply("main_left", numbered(4))


def test_any_pane_can_be_the_main_one() -> None:
    assert shape(apply("main_left", numbered(3), main=PaneId(3))) == "[C (A B)]3:2"


def test_the_largest_pane_is_found_wherever_it_is() -> None:
    node = swap(apply("main_top", numbered(5)), PaneId(1), PaneId(4))
    assert largest(node) == PaneId(4)
    assert largest(apply("tiled", numbered(4))) == PaneId(1)


def test_hyphens_capitals_and_tmux_names_are_understood() -> None:
    for spelling, name in {
        "even-horizontal": "even_horizontal",
        "Main-Left": "main_left",
        "grid-2x2": "grid_2x2",
        "main-vertical": "main_left",
        "main-horizontal": "main_top",
        "main-vertical-mirrored": "main_right",
        " tiled ": "tiled",
    }.items():
        assert canonical(spelling) == name
        assert apply(spelling, numbered(3)) == apply(name, numbered(3))


def test_an_unknown_preset_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match=r"no preset 'spiral'; there are single, split_horizontal"):
        canonical("spiral")
    with pytest.raises(InvalidArgument) as caught:
        canonical("\x1b[2J" * 1000)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


def test_presets_with_a_number_of_their_own_say_it() -> None:
    assert {name: places(name) for name in PRESETS} == {
        "single": 1,
        "split_horizontal": 2,
        "split_vertical": 2,
        "grid_2x2": 4,
        "main_left": 3,
        "main_top": 3,
        "main_right": 3,
        "main_bottom": 3,
        "even_horizontal": None,
        "even_vertical": None,
        "tiled": None,
        "stacked": None,
    }


def test_no_panes_and_too_many_are_refused() -> None:
    for count in (0, 65):
        with pytest.raises(InvalidArgument, match=f"1 to 64 panes, not {count}"):
            apply("tiled", numbered(count))
