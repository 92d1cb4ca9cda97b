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
    with pytest.raises(InvalidArgument, match=r"^splits\[1\]\.ratio: must be a number"):
        parse(split_with(ratio=ratio))


def test_numbers_that_only_json_text_can_hold_are_named_too() -> None:
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "1" * 5000):
        with pytest.raises(InvalidArgument):
            parse(f'{{"direction": "horizontal", "splits": [{{"ratio": {number}, "pane": {{}}}}, {{"pane": {{}}}}]}}')


FAULTS: list[tuple[Any, str]] = [
    (None, "layout: must be an object, not null"),
    ([], "layout: must be an object, not an empty list"),
    (3, "layout: must be an object, not a number"),
    ({}, 'layout: needs a "pane"'),
    ("{", "layout: is not JSON"),
    ('"text"', "layout: must be an object, not a string"),
    ({"pane": None}, "pane: must be an object, not null"),
    ({"pane": {"comand": "vim"}}, "pane: has no key 'comand'; did you mean 'command'?"),
    ({"pane": {}, "splits": []}, "layout: has a pane and splits"),
    ({"direction": "horizontal"}, "splits: must be a list of splits, not null"),
    ({"direction": "horizontal", "splits": []}, "splits: must be a list of splits, not an empty list"),
    ({"direction": "horizontal", "splits": {}}, "splits: must be a list of splits, not an object"),
    ({"direction": "horizontal", "splits": [3]}, "splits[0]: must be an object, not a number"),
    ({"splits": [{}]}, "direction: is missing"),
    ({"direction": "left", "splits": [{}]}, "direction: must be horizontal"),
    (
        {"direction": True, "splits": [{}]},
        "direction: must be horizontal (side by side) or vertical (stacked), not true",
    ),
    ({"layout": {"layout": {}}}, "layout: has no key 'layout'"),
    ({"layout": shell(), "ratio": 1}, "layout: has no key 'ratio'"),
    ({"Splits": []}, "layout: has no key 'Splits'; did you mean 'splits'?"),
    (split_with(ratio="absent", layout={}, pane="absent"), 'splits[1].layout: needs a "pane"'),
    (split_with(layout=shell()), "splits[1]: has a layout and more"),
    (
        split_with(pane="absent", layout={"direction": "diagonal", "splits": [{}]}),
        "splits[1].layout.direction: must be horizontal",
    ),
    (split_with(size=0.5), "splits[1]: has no key 'size'"),
    (split_with(pane={"command": 3}), "splits[1].pane.command: must be a string for the shell or a list"),
    (split_with(pane={"command": []}), "splits[1].pane.command: must hold 1 to"),
    (split_with(pane={"command": ["ls", 3]}), "splits[1].pane.command[1]: must be a string"),
    (split_with(pane={"command": [""]}), "splits[1].pane.command[0]: must name a program"),
    (split_with(pane={"command": "a\0b"}), "splits[1].pane.command: must be at most"),
    (split_with(pane={"cwd": "\ud800"}), "splits[1].pane.cwd: holds half a surrogate pair"),
    (split_with(pane={"env": {"A=B": "c"}}), "splits[1].pane.env: 'A=B' is not a variable's name"),
    (split_with(pane={"env": {"A": 1}}), "splits[1].pane.env.A: must be a string, not a number"),
    (split_with(pane={"on_exit": "explode"}), "splits[1].pane.on_exit: must be close or keep"),
    (split_with(pane={"on_exit": None}), "splits[1].pane.on_exit: must be close or keep"),
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
    with pytest.raises(InvalidArgument, match="at most 64 panes"):
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


@given(json_values)
def test_any_json_is_a_layout_or_an_invalid_argument(value: object) -> None:
    for form in (value, json.dumps(value)):
        with suppress(InvalidArgument):
            assert list(leaves(parse(form)))
