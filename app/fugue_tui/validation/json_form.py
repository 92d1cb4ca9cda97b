"""A form for a JSON Schema: its fields, and the JSON value of what was written into them. No I/O.

Objects become a field for each property, up to a depth; what has no simpler form is written as JSON. The schema is
untrusted: it may be recursive, contradictory or nonsense, and is then written as JSON too.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, cast

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.sanitize import clean
from fugue_tui.validation import json_schema
from fugue_tui.validation.json_schema import limit, resolved, sequence, table

MOST: Final = 100
"""Fields of a form."""
MOST_FOUND: Final = 1_000
"""Fields of a schema that are looked at."""
DEEPEST: Final = 4
"""Levels of objects whose properties are fields."""
_TYPES: Final = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class FieldKind(StrEnum):
    """What is written into a field."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    CHOICES = "choices"
    """Any number of choices: their words as a list in JSON."""
    WORDS = "words"
    """Texts separated by commas, or a list as JSON."""
    JSON = "json"


class FormField(Struct, frozen=True):
    """A field."""

    path: tuple[str, ...]
    """Where its value stands in the result; empty for an object of all that has no field of its own."""
    kind: FieldKind
    required: bool = False
    default: str = ""
    """What is written in it at first."""
    choices: tuple[tuple[str, Any], ...] = ()
    """Of a choice: the words and the value of each."""
    description: str = ""
    """Untrusted, cleaned."""
    schema: Mapping[str, Any] = _NOTHING
    """What its value is checked by."""
    root: Mapping[str, Any] = _NOTHING
    """What references in that refer to."""
    within: tuple[str, ...] | None = None
    """The object that lacks this field if it has another; None if it may always be left empty."""

    @property
    def label(self) -> str:
        """Its name, of a nested one with dots."""
        return clean(".".join(self.path), 60) or "more"

    @property
    def hint(self) -> str:
        """What is to be written, in a few words."""
        words = {
            FieldKind.TEXT: "text",
            FieldKind.INTEGER: f"a whole number{_range(self.schema)}",
            FieldKind.NUMBER: f"a number{_range(self.schema)}",
            FieldKind.BOOLEAN: "true or false",
            FieldKind.WORDS: "texts, separated by commas",
            FieldKind.JSON: _json_words(self),
            FieldKind.CHOICE: "one of these",
            FieldKind.CHOICES: "any of these",
        }
        return words[self.kind] + ("" if self.required else ", or nothing")


def fields(schema: Mapping[str, Any]) -> tuple[FormField, ...]:
    """The fields for the properties of an object's schema, the required ones first; at the end one for all that has no
    field of its own, if the schema allows more."""
    found = list(islice(_properties(schema, schema, (), DEEPEST, ()), MOST_FOUND))
    found.sort(key=lambda each: not each.required)
    more = schema.get("additionalProperties") is True or bool(table(schema.get("additionalProperties")))
    if len(found) > MOST or (not found and (more or json_schema.options(schema))):
        shown = {each.path[0] for each in found[: MOST - 1]}
        names = [name for name in table(schema.get("properties")) if name not in shown]
        about = clean("An object with all else" + (f": {', '.join(names)}" if names else ""), 400)
        return (*found[: MOST - 1], FormField((), FieldKind.JSON, description=about, schema={"type": "object"}))
    return tuple(found)


def value_of(
    form: Sequence[FormField], written: Mapping[tuple[str, ...], str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The object for what was written, by the paths of the fields; what is wrong, by label."""
    value, faults, empty = dict[str, Any](), dict[str, str](), list[FormField]()
    for each in form:
        text = written.get(each.path, "")
        if (not text.strip() and each.kind is not FieldKind.TEXT) or not text:
            empty.append(each)
            continue
        try:
            _put(value, each.path, _parsed(each, text))
        except ValueError as error:
            faults[each.label] = str(error)
    for each in empty:
        if each.required and each.kind is FieldKind.CHOICES and not limit(each.schema, "minItems"):
            _put(value, each.path, [])
        elif each.required or (each.within is not None and _at(value, each.within) is not None):
            faults[each.label] = "is missing"
    return value, faults


def written_of(form: Sequence[FormField], value: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """What is to be written into the fields for an object."""
    return {
        each.path: _default(each.kind, each.choices, found)
        for each in form
        if each.path and (found := _at(value, each.path)) is not None
    }


def chosen(text: str) -> list[str]:
    """The words of choices that stand in a field of that kind."""
    try:
        return [each for each in sequence(json.loads(text)) if isinstance(each, str)] if text.strip() else []
    except (ValueError, RecursionError):
        return []


def _properties(
    root: Mapping[str, Any],
    schema: Mapping[str, Any],
    path: tuple[str, ...],
    levels: int,
    within: tuple[str, ...],
) -> Iterator[FormField]:
    """The fields of an object; `within` is what has it for certain, the empty path for the whole."""
    needed = sequence(schema.get("required"))
    for name, each in table(schema.get("properties")).items():
        inner, here = resolved(root, each), (*path, name)
        if table(inner.get("properties")) and levels > 1:
            yield from _properties(root, inner, here, levels - 1, within if name in needed else here)
        else:
            field = replace(_field(root, inner, here), within=within if name in needed else None)
            yield replace(field, required=field.within == ())


def _field(root: Mapping[str, Any], schema: Mapping[str, Any], path: tuple[str, ...]) -> FormField:
    choices, kind = json_schema.choices(schema), FieldKind.JSON
    named, items = schema.get("type"), resolved(root, schema.get("items"))
    if choices:
        kind = FieldKind.CHOICE
    elif named == "boolean":
        kind, choices = FieldKind.BOOLEAN, (("true", True), ("false", False))
    elif isinstance(named, str) and named in _TYPES:
        kind = FieldKind(_TYPES[named])
    elif named == "array" and (found := json_schema.choices(items)):
        kind, choices = FieldKind.CHOICES, found
    elif named == "array" and items.get("type") == "string":
        kind = FieldKind.WORDS
    title = str(schema.get("title", ""))
    about = schema.get("description") or ("" if title.lower().replace(" ", "_") == path[-1].lower() else title)
    written = _default(kind, choices, schema.get("default"))
    return FormField(path, kind, False, written, choices, clean(str(about), 400), schema, root)


def _default(kind: FieldKind, choices: Sequence[tuple[str, Any]], default: Any) -> str:
    if default is None:
        return ""
    if kind is FieldKind.CHOICES:
        words = [words for words, value in choices if value in sequence(default)]
        return json.dumps(words, ensure_ascii=False) if words else ""
    if choices:
        return next((words for words, value in choices if value == default), "")
    return _written(kind, default)


def _parsed(field: FormField, text: str) -> Any:
    """The value of what was written. Raises ValueError with what is wrong."""
    value = _read(field, text)
    if fault := json_schema.fault(field.root, field.schema, value):
        raise ValueError(fault)
    return value


def _read(field: FormField, text: str) -> Any:
    if field.choices:
        words = chosen(text) if field.kind is FieldKind.CHOICES else [text]
        known = dict(field.choices)
        if unknown := [each for each in words if each not in known]:
            raise ValueError(f"{unknown[0]} is none of {', '.join(known)}" if len(words) > 1 else _none_of(known))
        values = [known[each] for each in words]
        return values if field.kind is FieldKind.CHOICES else values[0]
    match field.kind:
        case FieldKind.TEXT:
            return text
        case FieldKind.INTEGER | FieldKind.NUMBER:
            return _number(field, text)
        case FieldKind.WORDS if not text.lstrip().startswith("["):
            return [word for each in text.split(",") if (word := each.strip())]
        case _:
            return _json(field, text)


def _none_of(known: Mapping[str, Any]) -> str:
    return f"is none of {', '.join(known)}"


def _number(field: FormField, text: str) -> float | int:
    wrong = f"is not {field.hint.removesuffix(', or nothing')}"
    try:
        number = int(text) if field.kind is FieldKind.INTEGER else float(text)
    except ValueError:
        raise ValueError(wrong) from None
    least, most = limit(field.schema, "minimum"), limit(field.schema, "maximum")
    if (least is not None and number < least) or (most is not None and number > most) or number - number != 0:
        raise ValueError(wrong)
    return number


def _json(field: FormField, text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError('is not JSON, such as {"a": 1} or ["b"]') from None
    if field.path or isinstance(value, dict):
        return cast("Any", value)
    raise ValueError('is not an object, such as {"a": 1}')


def _json_words(field: FormField) -> str:
    shape = json_schema.shape(field.root, field.schema)
    return "JSON" if shape == "JSON" else f"JSON: {shape}"


def _range(schema: Mapping[str, Any]) -> str:
    limits = ((words, limit(schema, name)) for words, name in (("from", "minimum"), ("to", "maximum")))
    return "".join(f" {words} {number:g}" for words, number in limits if number is not None)


def _written(kind: FieldKind, value: Any) -> str:
    if isinstance(value, str) and kind is not FieldKind.WORDS:
        return value
    if kind is FieldKind.WORDS and isinstance(value, list):
        words = cast("list[Any]", value)
        if all(isinstance(each, str) and "," not in each for each in words):
            return ", ".join(words)
    return json.dumps(value, ensure_ascii=False)


def _put(value: dict[str, Any], path: tuple[str, ...], found: Any) -> None:
    if not path:
        value.update({name: each for name, each in found.items() if name not in value})
        return
    for name in path[:-1]:
        value = value.setdefault(name, {})
    value[path[-1]] = found


def _at(value: Any, path: tuple[str, ...]) -> Any:
    """What stands at a path; None if nothing does."""
    here = value
    for name in path:
        here = table(here).get(name)
    return cast("Any", here)
