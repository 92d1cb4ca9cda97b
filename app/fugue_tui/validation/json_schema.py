"""Reads a JSON Schema, and checks a value by it, as far as that is simple. No I/O.

The schema is untrusted: it may be recursive, contradictory or nonsense. What is not understood admits everything.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from fugue_tui.sanitize import clean

DEEPEST: Final = 8
"""Levels of a value that are checked."""
MOST: Final = 10_000
"""Values that are checked."""
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_WORDS: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def table(value: Any) -> dict[str, Any]:
    """A JSON object; empty if the value is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """A JSON array; empty if the value is none."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def resolved(root: Mapping[str, Any], schema: Any) -> Mapping[str, Any]:
    """A schema without references, and without `null` beside another type."""
    found = table(schema)
    for _ in range(8):
        outer = {name: value for name, value in found.items() if name in ("description", "default", "title")}
        if isinstance(reference := found.get("$ref"), str):
            found = _referred(root, reference) | outer
        elif len(kinds := [each for each in options(found) if table(each).get("type") != "null"]) == 1:
            found = table(kinds[0]) | outer
        else:
            break
    named = found.get("type")
    if isinstance(named, list):
        real = [each for each in cast("list[Any]", named) if each != "null"]
        found = {**found, "type": real[0] if len(real) == 1 else None}
    return found


def options(schema: Mapping[str, Any]) -> list[Any]:
    """The schemas of which one or all hold."""
    return sequence(schema.get("anyOf")) or sequence(schema.get("oneOf")) or sequence(schema.get("allOf"))


def choices(schema: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The words and the value of each value that there is, by `enum`, `const`, or titled constants; else nothing."""
    values = sequence(schema.get("enum")) or ([schema["const"]] if "const" in schema else [])
    names = sequence(schema.get("enumNames"))
    if values:
        words = [*map(str, names), *map(_short, values[len(names) :])]
        return _distinct([(clean(word, 80), value) for word, value in zip(words, values, strict=False)])
    titled = [table(each) for each in options(schema)]
    if titled and all("const" in each for each in titled):
        return _distinct([(clean(str(each.get("title", each["const"])), 80), each["const"]) for each in titled])
    return ()


def fault(root: Mapping[str, Any], schema: Mapping[str, Any], value: Any) -> str:
    """What is wrong with a value, such as `edits.0: path is missing`; empty if nothing is found."""
    return next(_faults(root, schema, value, (), [MOST]), "")


def shape(root: Mapping[str, Any], schema: Any, levels: int = 3) -> str:
    """What a value looks like, in words, such as `a list of {path, note?}`."""
    found = resolved(root, schema)
    inner = table(found.get("properties"))
    if allowed := choices(found):
        return clean(" or ".join(words for words, _ in allowed), 60)
    if inner and levels:
        needed = sequence(found.get("required"))
        return clean("{" + ", ".join(f"{name}{'' if name in needed else '?'}" for name in inner) + "}", 200)
    if found.get("type") == "array" and levels:
        items = shape(root, found.get("items"), levels - 1)
        return f"a list of {items}" if items != "JSON" else "a list"
    named = found.get("type")
    return _WORDS.get(named, "JSON") if isinstance(named, str) else "JSON"


def limit(schema: Mapping[str, Any], name: str) -> float | None:
    """A limit such as `minimum`; None if there is none."""
    value = schema.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _faults(root: Mapping[str, Any], schema: Any, value: Any, path: tuple[str, ...], left: list[int]) -> Iterator[str]:
    left[0] -= 1
    if left[0] < 0 or len(path) > DEEPEST:
        return
    given, found = table(schema), resolved(root, schema)
    if value is None and _admits_null(given):
        return
    where = f"{clean('.'.join(path), 60)}: " if path else ""
    if words := _fault_here(found, value):
        yield where + words
    elif isinstance(value, dict):
        yield from _in_object(root, found, cast("dict[str, Any]", value), path, left)
    elif isinstance(value, list) and found.get("type") == "array":
        for at, each in enumerate(cast("list[Any]", value)):
            yield from _faults(root, found.get("items"), each, (*path, str(at)), left)


def _in_object(
    root: Mapping[str, Any], schema: Mapping[str, Any], value: dict[str, Any], path: tuple[str, ...], left: list[int]
) -> Iterator[str]:
    where, known = f"{clean('.'.join(path), 60)}: " if path else "", table(schema.get("properties"))
    missing = [name for name in sequence(schema.get("required")) if isinstance(name, str) and name not in value]
    yield from (f"{where}{clean(name, 60)} is missing" for name in missing)
    for name, each in value.items():
        if name in known:
            yield from _faults(root, known[name], each, (*path, name), left)
        elif schema.get("additionalProperties") is False and known:
            yield f"{where}{clean(name, 60)} is unknown; it may have {clean(', '.join(known), 200)}"


def _fault_here(schema: Mapping[str, Any], value: Any) -> str:
    """What is wrong with a value, its parts aside."""
    named = schema.get("type")
    if isinstance(named, str) and not _is_of(named, value):
        return f"is not {_WORDS[named]}"
    allowed = choices(schema)
    if allowed and value not in [each for _, each in allowed]:
        return f"is none of {', '.join(words for words, _ in allowed)}"
    match value:
        case bool():
            return ""
        case int() | float():
            return _outside(value, schema, ("minimum", "maximum"), "")
        case str():
            return _outside(len(value), schema, ("minLength", "maxLength"), "characters")
        case list():
            return _outside(len(cast("list[Any]", value)), schema, ("minItems", "maxItems"), "items")
        case _:
            return ""


def _outside(number: float, schema: Mapping[str, Any], names: tuple[str, str], unit: str) -> str:
    least, most = limit(schema, names[0]), limit(schema, names[1])
    what = f" {unit}" if unit else ""
    if least is not None and number < least:
        return f"is less than {least:g}" if not unit else f"has less than {least:g}{what}"
    if most is not None and number > most:
        return f"is more than {most:g}" if not unit else f"has more than {most:g}{what}"
    return ""


def _is_of(named: str, value: Any) -> bool:
    """Whether a value is of a type; it is of every type that is unknown."""
    if named not in _TYPES:
        return True
    if isinstance(value, bool):
        return named == "boolean"
    return isinstance(value, _TYPES[named]) or (named == "integer" and isinstance(value, float) and value.is_integer())


def _admits_null(schema: Mapping[str, Any]) -> bool:
    named = schema.get("type")
    return "null" in (named if isinstance(named, list) else [named]) or any(
        table(each).get("type") == "null" for each in options(schema)
    )


def _distinct(found: Sequence[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    """Choices whose words differ: a number is added to words that repeat."""
    seen, distinct = set[str](), list[tuple[str, Any]]()
    for word, value in found:
        name, count = word, 2
        while name in seen:
            name, count = f"{word} ({count})", count + 1
        seen.add(name)
        distinct.append((name, value))
    return tuple(distinct)


def _referred(root: Mapping[str, Any], reference: str) -> dict[str, Any]:
    here: Any = root
    for name in filter(None, reference.removeprefix("#").split("/")):
        here = table(here).get(name.replace("~1", "/").replace("~0", "~"))
    return dict(table(here))


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
