"""A command's schemas, the check of its arguments, and its result as JSON."""

import json
import math
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec import Meta, Struct, field

from fugue_tui.control.commands.coordinate import CoordinatePanes
from fugue_tui.control.commands.stream_output import StreamOutput
from fugue_tui.control.core.command import Command, Effect, Origin
from fugue_tui.control.schema.command_schema import build, describe, input_schema, output_schema, payload
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.validation.annotations import dump
from fugue_tui.validation.field_types import Bounds


class Way(StrEnum):
    """A direction."""

    ACROSS = "across"
    DOWN = "down"


class Part(Struct, frozen=True):
    """A piece that may hold pieces."""

    ratio: Annotated[float, Meta(ge=0.1), Meta(le=0.9)] = 0.5
    """Its share."""
    parts: tuple["Part", ...] = ()


class Made(Struct, frozen=True):
    """What came out."""

    pane: PaneId
    """The new pane."""
    tags: frozenset[str] = frozenset()
    size: tuple[int, int] = (80, 24)
    note: str | None = None


class SchemaProbe(Command[Made], name="schema-probe", effect=Effect.LAYOUT):
    """Probe the schema.

    A second paragraph.
    """

    title: Annotated[str, Meta(max_length=8)]
    """What to
    call it."""
    pane: str = "active"
    """Where."""
    way: Way = Way.ACROSS
    ratio: Annotated[float, Meta(ge=0.1, le=0.9)] = 0.5
    count: Annotated[int, Meta(ge=0), Meta(le=99)] | None = None
    focus: bool = False
    keys: tuple[str, ...] = ()
    part: Part | None = None
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    mode: Literal["soft", "hard"] = "soft"

    def run(self, mux: Any, origin: Origin) -> Made:
        return Made(PaneId(3))


class SchemaListing(Command[tuple[int, ...]], name="schema-listing", effect=Effect.READ):
    """List."""


class SchemaSpoken(Command[str], name="schema-spoken", effect=Effect.READ, plain=True):
    """Speak."""


class SchemaSilent(Command[None], name="schema-silent", effect=Effect.READ):
    """Say nothing."""


def valid(schema: dict[str, Any], value: Any) -> bool:
    """Whether a JSON value fits a schema."""
    checker: Any = Draft202012Validator(schema)
    return checker.is_valid(value)


def test_the_input_schema_is_closed_described_and_valid() -> None:
    schema = input_schema(SchemaProbe)
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["title"]
    assert schema["properties"]["title"] == {"type": "string", "maxLength": 8, "description": "What to call it."}
    assert schema["properties"]["ratio"] == {"type": "number", "minimum": 0.1, "maximum": 0.9, "default": 0.5}
    assert schema["properties"]["way"]["enum"] == ["across", "down"]
    assert schema["properties"]["way"]["default"] == "across"


def test_a_recursive_record_is_defined_once_and_referred_to() -> None:
    schema = input_schema(SchemaProbe)
    assert schema["$defs"]["Part"]["properties"]["parts"]["items"] == {"$ref": "#/$defs/Part"}
    assert schema["$defs"]["Part"]["properties"]["ratio"]["description"] == "Its share."


def test_the_description_is_the_docstring() -> None:
    about = describe(SchemaProbe)
    assert (about.verb, about.title, about.summary) == ("schema-probe", "Schema probe", "Probe the schema.")
    assert about.text.endswith("A second paragraph.")
    assert {each.name: each.doc for each in about.fields}["pane"] == "Where."


def test_arguments_become_the_command() -> None:
    made = build(
        SchemaProbe,
        {"title": "x", "way": "down", "ratio": 0.7, "count": 3.0, "keys": ["a"], "part": {"parts": [{"ratio": 0.2}]}},
    )
    assert made == SchemaProbe(
        title="x", way=Way.DOWN, ratio=0.7, count=3, keys=("a",), part=Part(parts=(Part(ratio=0.2),))
    )


def test_objects_and_lists_may_come_as_json_strings() -> None:
    made = build(SchemaProbe, {"title": "x", "keys": '["a"]', "part": '{"ratio": 0.4}', "extra": '{"a": [1]}'})
    assert (made.keys, made.part, made.extra) == (("a",), Part(ratio=0.4), {"a": [1]})


def test_alternative_names_of_arguments_are_accepted() -> None:
    assert build(SchemaProbe, {"title": "x", "pane_id": "%3", "wait_for_previous": True}).pane == "%3"


@pytest.mark.parametrize("name", ["pane", "pane_id"])
def test_one_pane_is_understood_where_several_may_be_named(name: str) -> None:
    assert build(StreamOutput, {name: "%3"}).panes == ("%3",)
    with pytest.raises(InvalidArgument, match="no such argument"):
        build(StreamOutput, {name: "%3", "panes": ["%4"]})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "title: is missing; expected text"),
        ({"title": "x", "rato": 1}, "did you mean ratio?"),
        ({"title": "x", "ratio": 1.5}, "ratio: 1.5 is not a number from 0.1 to 0.9"),
        ({"title": "x", "ratio": math.nan}, "ratio: NaN is not a number"),
        ({"title": "x", "ratio": math.inf}, "ratio: Infinity is not"),
        ({"title": "x", "ratio": 10**400}, "ratio: 1000"),
        ({"title": "x", "ratio": "0.5"}, 'ratio: "0.5" is not a number'),
        ({"title": "x", "ratio": True}, "ratio: true is not a number"),
        ({"title": "x", "ratio": None}, "ratio: null is not a number"),
        ({"title": "x", "way": "left"}, 'way: "left" is not across or down'),
        ({"title": "x", "count": 1.5}, "count: 1.5 is not a whole number from 0 to 99"),
        ({"title": "x", "focus": 1}, "focus: 1 is not true or false"),
        ({"title": "x", "keys": 3}, "keys: 3 is not a list"),
        ({"title": "x", "keys": ["a", 1]}, "keys[1]: 1 is not text"),
        ({"title": "x" * 9}, "title: 9 characters; expected at most 8"),
        ({"title": "x", "part": {"parts": [{"ratio": 2}]}}, "part.parts[0].ratio: 2 is not"),
        ({"title": "x", "part": {"parts": '[{"ratio": NaN}]'}}, "part.parts: "),
        ({"title": "x", "extra": {"a": [math.inf]}}, "extra.a[0]: Infinity is not a finite number"),
        ({"title": "\ud800"}, "title: holds half of a surrogate pair"),
        ({"title": "x", "\x1b[31m": 1}, "\\x1b[31m: no such argument"),
    ],
)
def test_a_wrong_argument_is_named_with_its_reason(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        build(SchemaProbe, arguments)
    assert said in str(caught.value)
    assert str(caught.value).startswith("schema-probe: ")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


def test_an_argument_nested_without_end_is_refused() -> None:
    deep: Any = []
    for _ in range(3000):
        deep = [deep]
    with pytest.raises(InvalidArgument, match="extra: nested deeper than 64 levels"):
        build(SchemaProbe, {"title": "x", "extra": {"a": deep}})
    with pytest.raises(InvalidArgument, match="extra"):
        build(SchemaProbe, {"title": "x", "extra": '{"a":' + "[" * 100_000})


def test_a_result_is_json_with_written_ids_and_fits_its_schema() -> None:
    made = payload(SchemaProbe, Made(PaneId(3), frozenset({"b", "a"})))
    schema = output_schema(SchemaProbe)
    assert made == {"pane": "%3", "tags": ["a", "b"], "size": [80, 24], "note": None}
    assert schema is not None
    assert valid(schema, made)


def test_a_result_that_is_no_object_is_put_into_one() -> None:
    schema = output_schema(SchemaListing)
    assert payload(SchemaListing, (1, 2)) == {"result": [1, 2]}
    assert schema is not None
    assert valid(schema, {"result": [1, 2]})


def test_plain_text_and_nothing_have_no_schema() -> None:
    assert output_schema(SchemaSpoken) is None
    assert payload(SchemaSpoken, "x") is None
    assert output_schema(SchemaSilent) is None
    assert payload(SchemaSilent, None) is None


def test_no_result_holds_a_number_that_json_cannot_say() -> None:
    assert json.dumps(dump({"a": [math.nan, math.inf, 1.5]}), allow_nan=False) == '{"a": [null, null, 1.5]}'


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"port": 99999}, r"steps\[0\].wait_for.port: 99999 is not a whole number from 1 to 65535"),
        ({"prot": 8080}, "did you mean port"),
        (8080, "wait_for: 8080 is not text or an object"),
    ],
)
def test_where_several_kinds_may_stand_the_error_is_that_of_the_one_that_was_meant(wanted: Any, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        build(CoordinatePanes, {"steps": [{"pane": "a", "command": "b", "wait_for": wanted}]})


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-200, 200) | st.floats(0, 1) | st.sampled_from(["", "across", "x" * 9]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["ratio", "parts", "z"]), inner),
    max_leaves=6,
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from([each.name for each in describe(SchemaProbe).fields]), _JSON))
def test_the_check_accepts_exactly_what_the_schema_allows(arguments: dict[str, Any]) -> None:
    try:
        build(SchemaProbe, arguments)
        accepted = True
    except InvalidArgument:
        accepted = False
    assert accepted == valid(input_schema(SchemaProbe), arguments)


def test_a_large_limit_is_described_in_full() -> None:
    assert Bounds(le=4_000_000).words == " at most 4000000"
    assert Bounds(ge=0.1, le=1_000_000).words == " from 0.1 to 1000000"
