"""The declarative JSON: what FEAT-045 writes is read, and every fault is named where it is."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.layout.specs import Json, shell

from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.solve import solve
from fugue_tui.layout.spec import build, describe, parse, positions
from fugue_tui.layout.spec_types import PaneSpec, SplitSpec, leaves
from fugue_tui.layout.tree import Leaf, Node, Split, panes

VIM: Json = {"command": "vim", "name": "editor"}


def numbered(count: int) -> list[PaneId]:
    return [PaneId(number) for number in range(1, count + 1)]


def quadrants() -> Json:
    half: Json = {
        "direction": "horizontal",
        "splits": [{"ratio": 0.5, "layout": shell()}, {"ratio": 0.5, "layout": shell()}],
    }
    right: Json = {"direction": "vertical", "splits": [{"ratio": 0.5, "layout": half}, {"ratio": 0.5, "layout": half}]}
    return {"direction": "horizontal", "splits": [{"ratio": 0.65, "layout": shell()}, {"ratio": 0.35, "layout": right}]}


def test_the_65_35_layout_with_quadrants_comes_out_as_drawn() -> None:
    node = build(parse(quadrants()), numbered(5))
    solution = solve(node, Rect(0, 0, 101, 41))
    assert solution.panes == {
        PaneId(1): Rect(0, 0, 65, 41),
        PaneId(2): Rect(66, 0, 17, 20),
        PaneId(3): Rect(84, 0, 17, 20),
        PaneId(4): Rect(66, 21, 17, 20),
        PaneId(5): Rect(84, 21, 17, 20),
    }


def test_panes_and_splits_may_stand_in_the_item_itself() -> None:
    wanted: Json = {
        "direction": "horizontal",
        "splits": [
            {"ratio": 0.65, "pane": {"command": "vim"}},
            {
                "ratio": 0.35,
                "direction": "vertical",
                "splits": [
                    {"ratio": 0.5, "pane": {"command": "claude"}},
                    {"ratio": 0.5, "pane": {"command": "bash"}},
                ],
            },
        ],
    }
    spec = parse(wanted)
    right = SplitSpec(Axis.VERTICAL, (PaneSpec("claude"), PaneSpec("bash")), (1, 1))
    assert spec == SplitSpec(Axis.HORIZONTAL, (PaneSpec("vim"), right), (13, 7))


def test_the_same_as_json_text_and_wrapped_in_layout_is_the_same() -> None:
    spec = parse(quadrants())
    assert parse(json.dumps(quadrants())) == spec
    assert parse({"layout": quadrants()}) == spec


def test_a_pane_says_all_it_wants() -> None:
    wanted = {"command": ["ls", "-l"], "cwd": "/src", "name": "files", "env": {"A": "b=c"}, "on_exit": "keep"}
    assert parse({"pane": wanted}) == PaneSpec(("ls", "-l"), "/src", "files", {"A": "b=c"}, "keep")


def test_right_and_down_say_the_same_as_horizontal_and_vertical() -> None:
    for word, axis in (("right", Axis.HORIZONTAL), ("down", Axis.VERTICAL)):
        spec = parse({"direction": word, "splits": [shell(), shell()]})
        assert isinstance(spec, SplitSpec)
        assert spec.axis is axis


@pytest.mark.parametrize(
    ("ratios", "weights"),
    [
        ([0.6, 0.6], (1, 1)),
        ([0.25, 0.25], (1, 1)),
        ([0.33, 0.33, 0.33], (1, 1, 1)),
        ([65, 35], (13, 7)),
        ([2, 1, 1], (2, 1, 1)),
        ([None, None, None], (1, 1, 1)),
        ([0.5, None, None], (2, 1, 1)),
        ([None, 0.2], (4, 1)),
        ([1e-300, 1], (1, 10**6)),
    ],
)
def test_ratios_are_normalised(ratios: list[float | None], weights: tuple[int, ...]) -> None:
    items: list[Json] = [{"pane": {}} if ratio is None else {"ratio": ratio, "pane": {}} for ratio in ratios]
    spec = parse({"direction": "horizontal", "splits": items})
    assert isinstance(spec, SplitSpec)
    assert spec.weights == weights


@pytest.mark.parametrize("ratios", [(0.6, 0.6), (0.25, 0.25), (0.33, 0.33, 0.33), (0.1, 0.2, 0.9)])
@pytest.mark.parametrize("cols", [5, 80, 81, 199])
def test_cells_sum_to_the_window_whatever_the_ratios_sum_to(ratios: tuple[float, ...], cols: int) -> None:
    items: list[Json] = [{"ratio": ratio, "pane": {}} for ratio in ratios]
    node = build(parse({"direction": "horizontal", "splits": items}), numbered(len(ratios)))
    rects = solve(node, Rect(0, 0, cols, 10)).panes.values()
    assert sum(rect.cols for rect in rects) + len(ratios) - 1 == cols


def test_an_item_with_nothing_but_a_ratio_is_a_shell() -> None:
    wanted: Json = {"direction": "vertical", "splits": [{"ratio": 0.8}, {}]}
    assert parse(wanted) == SplitSpec(Axis.VERTICAL, (PaneSpec(), PaneSpec()), (4, 1))


def test_splits_along_one_axis_become_one_split_with_the_real_shares() -> None:
    inner: Json = {"direction": "horizontal", "splits": [shell(), shell()]}
    outer: Json = {"direction": "horizontal", "splits": [{"layout": inner}, {"pane": {}}]}
    spec = parse(outer)
    one, two, three = numbered(3)
    assert build(spec, [one, two, three]) == Split(Axis.HORIZONTAL, (Leaf(one), Leaf(two), Leaf(three)), (1, 1, 2))


def identity(pane: PaneId) -> Json:
    return {"name": str(pane)}


@pytest.mark.slow
@given(data=st.data())
def test_describing_what_was_built_gives_the_specification_back(
    data: st.DataObject, layouts: Callable[..., st.SearchStrategy[Node]]
) -> None:
    written = describe(data.draw(layouts()), identity)
    spec = parse(json.loads(json.dumps(written)))
    order = [PaneId(int(pane.name[1:])) for pane in leaves(spec)]
    node = build(spec, order)
    assert list(panes(node)) == order
    assert describe(node, identity) == written


@pytest.mark.slow
@given(data=st.data())
def test_described_ratios_sum_to_one(data: st.DataObject, layouts: Callable[..., st.SearchStrategy[Node]]) -> None:
    written = describe(data.draw(layouts(least=2)), identity)
    assert round(sum(item["ratio"] for item in written["splits"]), 9) == 1


def test_building_needs_as_many_panes_as_places() -> None:
    spec = parse(quadrants())
    for count in (4, 6):
        with pytest.raises(ValueError, match="a layout needs a p"):
            build(spec, numbered(count))


def test_positions_say_where_a_pane_lies() -> None:
    right: Json = {"direction": "vertical", "splits": [{}, {}]}
    wanted: Json = {"direction": "horizontal", "splits": [{"ratio": 0.65}, right]}
    words = positions(solve(build(parse(wanted), numbered(3)), Rect(0, 0, 80, 24)))
    assert list(words.values()) == ["left", "top-right", "bottom-right"]


def test_positions_have_words_for_full_and_center_and_hidden() -> None:
    assert list(positions(solve(Leaf(PaneId(1)), Rect(0, 0, 9, 9))).values()) == ["full"]
    line = Split(Axis.HORIZONTAL, tuple(Leaf(pane) for pane in numbered(3)), (1, 1, 1))
    assert list(positions(solve(line, Rect(3, 3, 9, 9))).values()) == ["left", "center", "right"]
    assert positions(solve(line, Rect(0, 0, 3, 1)))[PaneId(3)] == "hidden"
    grid = Split(Axis.VERTICAL, (line, Leaf(PaneId(4)), Leaf(PaneId(5))), (1, 1, 1))
    assert list(positions(solve(grid, Rect(0, 0, 20, 20))).values())[:4] == [
        "top-left",
        "top-center",
        "top-right",
        "center",
    ]
