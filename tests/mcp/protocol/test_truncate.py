"""Answers that fit what a model reads."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.sanitize import clean_text
from fugue_tui_mcp.protocol.truncate import cleaned, fitted, size, tail, written

ROWS: dict[str, Any] = {"panes": [{"id": f"%{number}", "title": "x" * 300} for number in range(500)], "you": None}


def test_what_fits_is_left_as_it_is() -> None:
    assert fitted(ROWS, size(ROWS)) == (ROWS, ())


def test_a_long_list_loses_its_end() -> None:
    value, left_out = fitted(ROWS, 40_000)
    count = len(value["panes"])
    assert 30_000 < size(value) <= 40_000
    assert value["panes"] == ROWS["panes"][:count]
    assert left_out == (f"panes: {count} of 500",)


def test_a_long_text_keeps_its_ends_and_says_how_much_is_gone() -> None:
    text = "head\n" + "y" * 100_000 + "\ntail"
    value, left_out = fitted({"out": text, "code": 3}, 10_000)
    assert value["code"] == 3
    assert value["out"].startswith("head\n")
    assert value["out"].endswith("\ntail")
    assert 8_000 < size(value) <= 10_000
    kept = int(left_out[0].split()[1])
    assert f"[... {len(text) - kept} characters are left out ...]" in value["out"]


def test_small_parts_survive_beside_two_large_ones() -> None:
    value, left_out = fitted({**ROWS, "out": "z" * 200_000, "note": "n" * 100}, 20_000)
    assert value["note"] == "n" * 100
    assert len(value["panes"]) > 10
    assert len(value["out"]) > 4_000
    assert {each.split(":")[0] for each in left_out} == {"panes", "out"}


def test_a_table_loses_rows_and_never_cells() -> None:
    table = {"rows": [[f"cell {row} {column}" for column in range(12)] for row in range(2_000)]}
    value, _ = fitted(table, 5_000)
    assert {len(row) for row in value["rows"]} == {12}


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=8), inner, max_size=6),
    max_leaves=60,
)


def test_what_can_be_shortened_is_found_behind_what_cannot() -> None:
    value = {"fixed": {f"name {number}": None for number in range(20)}, "list": list(range(100))}
    found, left_out = fitted(value, 400)
    assert size(found) <= 400
    assert (found["fixed"], found["list"][:2], left_out[0][:4]) == (value["fixed"], [0, 1], "list")


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=8), JSON, max_size=6), st.integers(200, 20_000))
def test_any_value_is_truncated_to_the_limit(value: dict[str, Any], limit: int) -> None:
    found, left_out = fitted(cleaned(value), limit)
    assert shape(found) <= shape(cleaned(value))
    assert size(found) <= max(limit, size(fitted(cleaned(value), 0).value))
    assert bool(left_out) == (size(cleaned(value)) > size(found)) or size(found) == size(cleaned(value))
    assert json.loads(written(found)) == found


def shape(value: Any) -> set[str]:
    """The names in it, wherever."""
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return set(entries).union(*map(shape, entries.values()))
    return set[str]().union(*map(shape, cast("list[Any]", value))) if isinstance(value, list) else set()


@pytest.mark.slow
@given(JSON)
def test_cleaning_reaches_every_text_and_name_and_is_done_at_once(value: Any) -> None:
    found = cleaned(value)
    assert cleaned(found) == found
    assert clean_text(written(found), 1 << 30) == written(found)


@pytest.mark.parametrize(("limit", "end"), [(9, "two\nthree"), (8, "three"), (100, "one\ntwo\nthree"), (3, "ree")])
def test_the_tail_of_a_text_begins_with_a_line_if_it_can(limit: int, end: str) -> None:
    assert tail("one\ntwo\nthree", limit) == end
