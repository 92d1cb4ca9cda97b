"""Forms for JSON Schemas: their fields, and the values of what is written into them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as s

from fugue_tui.validation.json_form import FieldKind, FormField, fields, value_of, written_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["city", "place"],
    "properties": {
        "days": {"type": "integer", "minimum": 1, "maximum": 7, "default": 3},
        "city": {"type": "string", "description": "Where\x1b[31m it is"},
        "unit": {"enum": ["C", "F"], "default": "C"},
        "exact": {"anyOf": [{"type": "boolean"}, {"type": "null"}], "default": None},
        "place": {"$ref": "#/$defs/Place"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "filter": {"type": ["object", "null"]},
        "level": {"oneOf": [{"const": 1, "title": "low"}, {"const": 2, "title": "high"}]},
    },
    "$defs": {
        "Place": {
            "type": "object",
            "required": ["lat"],
            "properties": {"lat": {"type": "number"}, "note": {"type": "string"}},
        }
    },
}
WRITTEN = {
    ("days",): "5",
    ("city",): "Rome",
    ("unit",): "F",
    ("exact",): "true",
    ("place", "lat"): "41.9",
    ("tags",): "a, b",
    ("filter",): '{"x": [1]}',
    ("level",): "high",
}
VALUE = {
    "days": 5, "city": "Rome", "unit": "F", "exact": True, "place": {"lat": 41.9}, "tags": ["a", "b"],
    "filter": {"x": [1]}, "level": 2,
}  # fmt: skip


def by_label(schema: dict[str, Any]) -> dict[str, FormField]:
    """The fields of a schema."""
    return {each.label: each for each in fields(schema)}


def test_every_type_has_a_field_and_the_required_ones_come_first() -> None:
    found = by_label(SCHEMA)
    assert list(found)[:2] == ["city", "place.lat"]
    assert {label: each.kind.value for label, each in found.items()} == {
        "city": "text", "place.lat": "number", "days": "integer", "unit": "choice", "exact": "boolean",
        "place.note": "text", "tags": "words", "filter": "json", "level": "choice",
    }  # fmt: skip
    assert (found["days"].default, found["unit"].default, found["exact"].default) == ("3", "C", "")
    assert found["city"].description == "Where it is"
    assert found["days"].hint == "a whole number from 1 to 7, or nothing"


def test_what_is_written_becomes_the_value_and_back() -> None:
    form = fields(SCHEMA)
    assert value_of(form, WRITTEN) == (VALUE, {})
    assert value_of(form, written_of(form, VALUE)) == (VALUE, {})


def test_what_is_wrong_is_said_by_field() -> None:
    wrong = {("days",): "9", ("unit",): "K", ("filter",): "{", ("place", "lat"): "north"}
    assert value_of(fields(SCHEMA), wrong)[1] == {
        "city": "is missing",
        "place.lat": "is not a number",
        "days": "is not a whole number from 1 to 7",
        "unit": "is none of C, F",
        "filter": 'is not JSON, such as {"a": 1} or ["b"]',
    }


CHOICES: dict[str, Any] = {
    "required": ["colours", "edits"],
    "properties": {
        "colours": {"type": "array", "items": {"enum": ["red", "sea green, dark"]}, "default": ["red"]},
        "sizes": {
            "type": "array", "maxItems": 1,
            "items": {"anyOf": [{"const": 1, "title": "small"}, {"const": 2, "title": "large"}]},
        },
        "edits": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Edit"}},
        "place": {"properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}, "required": ["lat", "lon"]},
    },
    "$defs": {
        "Edit": {
            "type": "object", "required": ["old", "new"], "additionalProperties": False,
            "properties": {"old": {"type": "string"}, "new": {"type": "string", "maxLength": 3}, "n": {"minimum": 1}},
        }
    },
}  # fmt: skip


def test_a_list_of_choices_takes_several() -> None:
    found = by_label(CHOICES)
    assert (found["colours"].kind, found["colours"].default) == (FieldKind.CHOICES, '["red"]')
    assert found["edits"].hint == "JSON: a list of {old, new, n?}"
    form = fields(CHOICES)
    written = {("colours",): '["sea green, dark"]', ("sizes",): '["large"]', ("edits",): '[{"old": "a", "new": "b"}]'}
    value = {"colours": ["sea green, dark"], "sizes": [2], "edits": [{"old": "a", "new": "b"}]}
    assert value_of(form, written) == (value, {})
    assert written_of(form, value) == written
    assert value_of(form, {**written, ("colours",): ""})[0]["colours"] == []
    assert value_of(form, {**written, ("sizes",): '["small", "large"]'})[1] == {"sizes": "has more than 1 items"}


@pytest.mark.parametrize(
    ("edits", "fault"),
    [
        ("[]", "has less than 1 items"),
        ("{}", "is not a list"),
        ('["a"]', "0: is not an object"),
        ('[{"old": "a", "new": "b"}, {"old": "a"}]', "1: new is missing"),
        ('[{"old": "a", "new": 5}]', "0.new: is not text"),
        ('[{"old": "a", "new": "long"}]', "0.new: has more than 3 characters"),
        ('[{"old": "a", "new": "b", "n": 0}]', "0.n: is less than 1"),
        ('[{"old": "a", "new": "b", "to": "c"}]', "0: to is unknown; it may have old, new, n"),
    ],
)
def test_a_list_of_objects_is_checked(edits: str, fault: str) -> None:
    assert value_of(fields(CHOICES), {("edits",): edits})[1] == {"edits": fault}


def test_an_object_that_is_begun_must_be_whole() -> None:
    written = {("edits",): '[{"old": "a", "new": "b"}]', ("place", "lat"): "1"}
    assert value_of(fields(CHOICES), written)[1] == {"place.lon": "is missing"}


def test_what_has_no_field_is_written_as_json() -> None:
    many = {"properties": {f"p{number}": {"type": "string"} for number in range(10_000)}, "required": ["p9"]}
    form = fields(many)
    assert (len(form), form[0].label, form[-1].label) == (100, "p9", "more")
    assert value_of(form, {("p9",): "a", (): '{"p5000": "b", "p9": "c"}'})[0] == {"p9": "a", "p5000": "b"}
    assert [each.label for each in fields({"type": "object", "additionalProperties": True})] == ["more"]
    assert [each.label for each in fields({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]})] == ["more"]
    assert value_of(fields({"additionalProperties": True}), {(): "[1]"})[1] == {
        "more": 'is not an object, such as {"a": 1}'
    }
    assert fields({"type": "object", "properties": {}}) == ()


def test_a_schema_that_refers_to_itself_many_times_is_read_in_part() -> None:
    inner = {f"p{number}": {"$ref": "#/$defs/N"} for number in range(100)}
    bomb = {"properties": inner, "$defs": {"N": {"type": "object", "properties": inner}}}
    assert len(fields(bomb)) == 100, "of 100 million"


def test_a_recursive_schema_ends_in_json() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    found = fields({"properties": {"list": {"$ref": "#/$defs/N"}, "self": {"$ref": "#/$defs/S"}},
                    "$defs": {"N": node, "S": {"$ref": "#/$defs/S"}}})  # fmt: skip
    assert [(each.path, each.kind) for each in found] == [
        (("list", "next", "next", "next"), FieldKind.JSON),
        (("self",), FieldKind.JSON),
    ]


_JSON = s.recursive(
    s.none() | s.booleans() | s.integers() | s.text(),
    lambda inner: (
        s.lists(inner, max_size=3)
        | s.dictionaries(
            s.sampled_from(
                ["type", "properties", "enum", "anyOf", "$ref", "required", "items", "default", "const", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@pytest.mark.slow
@given(s.dictionaries(s.sampled_from(["properties", "required", "$defs"]), _JSON), s.text())
def test_no_schema_breaks_a_form(schema: dict[str, Any], text: str) -> None:
    form = fields(schema)
    value_of(form, {each.path: text for each in form})
