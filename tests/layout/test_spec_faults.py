"""Specifications that are wrong, too deep or too large: each is one clear error."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.layout.specs import Json, shell

from fugue_tui.errors import InvalidArgument
from fugue_tui.layout.spec import parse
from fugue_tui.layout.spec_types import leaves


def split_with(**changes: Any) -> Json:
    second: Json = {"ratio": 0.5, "pane": {}}
    second |= changes
    kept = {key: value for key, value in second.items() if value != "absent"}
    return {"direction": "horizontal", "splits": [{"ratio": 0.5, "pane": {}}, kept]}


@pytest.mark.parametrize(
    "ratio",
    [0, -0.5, float("nan"), float("inf"), 1e999, "0.5", None, True, [], {}, 10**400, -(10**400)],
    ids=repr,
)
def test_a_ratio_that_is_no_positive_number_is_named(ratio: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^splits\[1\]\.ratio: .* is not a number above 0 and below a billion"):
        parse(split_with(ratio=ratio))


def test_numbers_that_only_json_text_can_hold_are_named_too() -> None:
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "1" * 5000):
        with pytest.raises(InvalidArgument):
            parse(f'{{"direction": "horizontal", "splits": [{{"ratio": {number}, "pane": {{}}}}, {{"pane": {{}}}}]}}')


FAULTS: list[tuple[Any, str]] = [
    (None, "layout: null is not an object"),
    ([], "layout: [] is not an object"),
    (3, "layout: 3 is not an object"),
    ({}, 'layout: needs a "pane"'),
    ("{", "layout: is not JSON"),
    ('"text"', 'layout: "text" is not an object'),
    ({"pane": None}, "pane: null is not an object"),
    ({"pane": {"comand": "vim"}}, "pane.comand: no such key; did you mean command?"),
    ({"pane": {}, "splits": [{}]}, "layout: has a pane and splits"),
    ({"pane": {}, "splits": []}, "splits: has 0 entries; expected from 1 to 64"),
    ({"direction": "horizontal"}, "splits: is missing; expected a list of the panes and splits in it"),
    ({"direction": "horizontal", "splits": []}, "splits: has 0 entries; expected from 1 to 64"),
    ({"direction": "horizontal", "splits": {}}, "splits: {} is not a list"),
    ({"direction": "horizontal", "splits": [3]}, "splits[0]: 3 is not an object"),
    ({"splits": [{}]}, "direction: is missing"),
    ({"direction": "left", "splits": [{}]}, 'direction: "left" is not horizontal (side by side) or vertical (stacked)'),
    (
        {"direction": True, "splits": [{}]},
        "direction: true is not horizontal (side by side) or vertical (stacked)",
    ),
    ({"layout": {"layout": {}}}, "layout.layout: no such key; it takes pane, direction, splits"),
    ({"layout": shell(), "ratio": 1}, "ratio: no such key; it takes pane, direction, splits"),
    ({"Splits": []}, "Splits: no such key; did you mean splits?"),
    (split_with(ratio="absent", layout={}, pane="absent"), 'splits[1].layout: needs a "pane"'),
    (split_with(layout=shell()), "splits[1]: has a layout and more"),
    (
        split_with(pane="absent", layout={"direction": "diagonal", "splits": [{}]}),
        'splits[1].layout.direction: "diagonal" is not horizontal (side by side)',
    ),
    (split_with(size=0.5), "splits[1].size: no such key; it takes pane, direction, splits, stacked, layout, ratio"),
    (split_with(pane={"command": 3}), "splits[1].pane.command: 3 is not a string for the shell or a list of arguments"),
    (split_with(pane={"command": []}), "splits[1].pane.command: has 0 entries; expected from 1 to"),
    (split_with(pane={"command": ["ls", 3]}), "splits[1].pane.command[1]: 3 is not text"),
    (split_with(pane={"command": [""]}), "splits[1].pane.command: must name a program"),
    (split_with(pane={"command": "a\0b"}), "splits[1].pane.command: holds a NUL character"),
    (split_with(pane={"cwd": "\ud800"}), "splits[1].pane.cwd: holds half of a surrogate pair"),
    (split_with(pane={"env": {"A=B": "c"}}), "splits[1].pane.env.A=B: is not a variable's name"),
    (split_with(pane={"env": {"A": 1}}), "splits[1].pane.env.A: 1 is not text"),
    (split_with(pane={"on_exit": "explode"}), 'splits[1].pane.on_exit: "explode" is not close, keep or always'),
    (split_with(pane={"on_exit": None}), "splits[1].pane.on_exit: null is not close, keep or always"),
]


@pytest.mark.parametrize(("value", "message"), FAULTS)
def test_a_fault_is_named_with_its_path(value: object, message: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse(value)
    assert str(caught.value).startswith(message)


def test_ratios_that_leave_nothing_for_the_missing_ones_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^splits\[2\]\.ratio: is missing"):
        parse({"direction": "vertical", "splits": [{"ratio": 65}, {"ratio": 1}, {}]})


def test_a_key_that_is_not_ours_is_shown_without_its_escapes() -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse({"\x1b]52;c;\u202e" + "x" * 10_000: 1})
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


def nested(depth: int) -> Json:
    value: Json = shell()
    for level in range(depth):
        value = {"direction": ("horizontal", "vertical")[level % 2], "splits": [{"layout": value}, shell()]}
    return value


def test_thirty_two_splits_may_lie_in_one_another() -> None:
    assert len(list(leaves(parse(nested(32))))) == 33


@pytest.mark.slow
@pytest.mark.parametrize("depth", [33, 40, 3_000, 100_000])
def test_a_layout_that_is_too_deep_is_one_clear_error(depth: int) -> None:
    value = nested(depth)
    with pytest.raises(InvalidArgument, match="too deep; at most 32 splits"):
        parse(value)
    while "splits" in value:  # Python frees a deep value recursively, and this is deeper than its stack.
        value = value["splits"].pop(0).get("layout", {})


@pytest.mark.parametrize("opening", ['{"layout":', '{"direction":"horizontal","splits":[{"layout":', "["])
def test_json_text_that_is_too_deep_is_one_clear_error(opening: str) -> None:
    with pytest.raises(InvalidArgument):
        parse(opening * 10_000)


@pytest.mark.parametrize("count", [65, 200, 100_000])
def test_too_many_splits_are_one_clear_error(count: int) -> None:
    with pytest.raises(InvalidArgument, match=f"splits: has {count} entries; expected from 1 to 64"):
        parse({"direction": "horizontal", "splits": [shell()] * count})


def test_panes_are_counted_over_all_splits() -> None:
    row = {"direction": "horizontal", "splits": [shell()] * 33}
    with pytest.raises(InvalidArgument, match=r"splits\[1\]\.layout\.splits\[31\]\.pane: too many panes"):
        parse({"direction": "vertical", "splits": [{"layout": row}] * 2})


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5) | st.just("horizontal"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["pane", "splits", "layout", "direction", "ratio", "command", "env", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(json_values)
def test_any_json_is_a_layout_or_an_invalid_argument(value: object) -> None:
    for form in (value, json.dumps(value)):
        with suppress(InvalidArgument):
            assert list(leaves(parse(form)))
