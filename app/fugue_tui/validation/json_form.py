"""A form for a JSON Schema: its fields, and the JSON value of what was written into them. No I/O.

Objects become a field for each property, up to a depth; what has no simpler form is written as JSON. The schema is
untrusted: it may be recursive, contradictory or nonsense, and is then written as JSON too.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, cast

from msgspec import Struct

from fugue_tui.sanitize import clean

MOST: Final = 100
"""Fields of a form."""
DEEPEST: Final = 4
"""Levels of objects whose properties are fields."""
_TYPES: Final = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}


class FieldKind(StrEnum):
    """What is written into a field."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    WORDS = "words"
    """Texts separated by commas, or a list as JSON."""
    JSON = "json"


class FormField(Struct, frozen=True):
    """A field."""

    path: tuple[str, ...]
    """Where its value stands in the result."""
    kind: FieldKind
    required: bool = False
    default: str = ""
    """What is written in it at first."""
    choices: tuple[tuple[str, Any], ...] = ()
    """Of a choice: the words and the value of each."""
    description: str = ""
    """Untrusted, cleaned."""
    limits: tuple[float | None, float | None] = (None, None)
    """The least and the largest number."""

    @property
    def label(self) -> str:
        """Its name, of a nested one with dots."""
        return clean(".".join(self.path), 60)

    @property
    def hint(self) -> str:
        """What is to be written, in a few words."""
        least, most = self.limits
        within = "".join(f" {words} {limit:g}" for words, limit in (("from", least), ("to", most)) if limit is not None)
        words = {
            FieldKind.TEXT: "text",
            FieldKind.INTEGER: f"a whole number{within}",
            FieldKind.NUMBER: f"a number{within}",
            FieldKind.BOOLEAN: "true or false",
            FieldKind.WORDS: "texts, separated by commas",
            FieldKind.JSON: "JSON",
            FieldKind.CHOICE: "one of these",
        }
        return words[self.kind] + ("" if self.required else ", or nothing")


def fields(schema: Mapping[str, Any]) -> tuple[FormField, ...]:
    """The fields for the properties of an object's schema, the required ones first."""
    found = list(_properties(schema, schema, (), DEEPEST, required=True))
    return tuple(sorted(found, key=lambda each: not each.required)[:MOST])


def value_of(
    form: Sequence[FormField], written: Mapping[tuple[str, ...], str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The object for what was written, by the paths of the fields; what is wrong, by label."""
    value, faults = dict[str, Any](), dict[str, str]()
    for each in form:
        text = written.get(each.path, "")
        if (not text.strip() and each.kind is not FieldKind.TEXT) or not text:
            if each.required:
                faults[each.label] = "is missing"
            continue
        try:
            _put(value, each.path, _parsed(each, text))
        except ValueError as error:
            faults[each.label] = str(error)
    return value, faults


def written_of(form: Sequence[FormField], value: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """What is to be written into the fields for an object."""
    found = dict[tuple[str, ...], str]()
    for each in form:
        here: Any = value
        for name in each.path:
            here = cast("Mapping[str, Any]", here).get(name) if isinstance(here, Mapping) else None
        if here is not None:
            found[each.path] = _default(each.kind, each.choices, here)
    return found


def _properties(
    root: Mapping[str, Any], schema: Mapping[str, Any], path: tuple[str, ...], levels: int, *, required: bool
) -> Iterator[FormField]:
    needed = _list(schema.get("required"))
    for name, each in _table(schema.get("properties")).items():
        inner = _resolved(root, each)
        must = required and name in needed
        here = (*path, name)
        if _table(inner.get("properties")) and levels > 1:
            yield from _properties(root, inner, here, levels - 1, required=must)
        else:
            yield _field(inner, here, must)


def _field(schema: Mapping[str, Any], path: tuple[str, ...], required: bool) -> FormField:
    choices, kind = _choices(schema), FieldKind.JSON
    named = schema.get("type")
    if choices:
        kind = FieldKind.CHOICE
    elif named == "boolean":
        kind, choices = FieldKind.BOOLEAN, (("true", True), ("false", False))
    elif isinstance(named, str) and named in _TYPES:
        kind = FieldKind(_TYPES[named])
    elif named == "array" and _table(schema.get("items")).get("type") == "string":
        kind = FieldKind.WORDS
    default = schema.get("default")
    title = str(schema.get("title", ""))
    about = schema.get("description") or ("" if title.lower().replace(" ", "_") == path[-1].lower() else title)
    limits = _number(schema.get("minimum")), _number(schema.get("maximum"))
    written = _default(kind, choices, default)
    return FormField(path, kind, required, written, choices, clean(str(about), 400), limits)


def _default(kind: FieldKind, choices: Sequence[tuple[str, Any]], default: Any) -> str:
    if default is None:
        return ""
    if choices:
        return next((words for words, value in choices if value == default), "")
    return _written(kind, default)


def _resolved(root: Mapping[str, Any], schema: Any) -> Mapping[str, Any]:
    """A schema without references, and without `null` beside another type."""
    found = _table(schema)
    for _ in range(8):
        outer = {name: value for name, value in found.items() if name in ("description", "default", "title")}
        if isinstance(reference := found.get("$ref"), str):
            found = _referred(root, reference) | outer
        elif len(options := [each for each in _options(found) if _table(each).get("type") != "null"]) == 1:
            found = _table(options[0]) | outer
        else:
            break
    named = found.get("type")
    if isinstance(named, list):
        real = [each for each in cast("list[Any]", named) if each != "null"]
        found = {**found, "type": real[0] if len(real) == 1 else None}
    return found


def _options(schema: Mapping[str, Any]) -> list[Any]:
    return _list(schema.get("anyOf")) or _list(schema.get("oneOf")) or _list(schema.get("allOf"))


def _referred(root: Mapping[str, Any], reference: str) -> dict[str, Any]:
    here: Any = root
    for name in reference.removeprefix("#/").split("/"):
        here = _table(here).get(name.replace("~1", "/").replace("~0", "~"))
    return dict(_table(here))


def _choices(schema: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The values that there are, with their words: of `enum`, `const`, or titled constants."""
    values = _list(schema.get("enum")) or ([schema["const"]] if "const" in schema else [])
    names = _list(schema.get("enumNames"))
    if values:
        words = [*map(str, names), *(_written(FieldKind.JSON, each) for each in values[len(names) :])]
        return tuple((clean(word, 80), value) for word, value in zip(words, values, strict=False))
    options = [_table(each) for each in _options(schema)]
    if options and all("const" in each for each in options):
        return tuple((clean(str(each.get("title", each["const"])), 80), each["const"]) for each in options)
    return ()


def _parsed(field: FormField, text: str) -> Any:
    """The value of what was written. Raises ValueError with what is wrong."""
    if field.choices:
        found = [value for words, value in field.choices if words == text]
        if not found:
            raise ValueError(f"is none of {', '.join(words for words, _ in field.choices)}")
        return found[0]
    match field.kind:
        case FieldKind.TEXT:
            return text
        case FieldKind.INTEGER | FieldKind.NUMBER:
            return _within(field, text)
        case FieldKind.WORDS if not text.lstrip().startswith("["):
            return [word for each in text.split(",") if (word := each.strip())]
        case _:
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                raise ValueError('is not JSON, such as {"a": 1} or ["b"]') from None


def _within(field: FormField, text: str) -> float | int:
    try:
        number = int(text) if field.kind is FieldKind.INTEGER else float(text)
    except ValueError:
        raise ValueError(f"is not {field.hint.removesuffix(', or nothing')}") from None
    least, most = field.limits
    if (least is not None and number < least) or (most is not None and number > most):
        raise ValueError(f"is not {field.hint.removesuffix(', or nothing')}")
    return number


def _written(kind: FieldKind, value: Any) -> str:
    if isinstance(value, str) and kind is not FieldKind.WORDS:
        return value
    if kind is FieldKind.WORDS and isinstance(value, list):
        words = cast("list[Any]", value)
        if all(isinstance(each, str) and "," not in each for each in words):
            return ", ".join(words)
    return json.dumps(value, ensure_ascii=False)


def _put(value: dict[str, Any], path: tuple[str, ...], found: Any) -> None:
    for name in path[:-1]:
        value = value.setdefault(name, {})
    value[path[-1]] = found


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
