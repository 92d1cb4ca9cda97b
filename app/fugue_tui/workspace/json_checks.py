"""Validates JSON values: each has the expected type and size, or Unreadable is raised."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

LONGEST: Final = 1 << 18
"""Most characters of one string; Linux allows half of it for an argument."""
MOST_WORDS: Final = 1 << 16
"""Most arguments, variables, tags or names of one pane."""
DEEPEST: Final = 16
"""Deepest nesting of objects and lists in metadata."""
LARGEST: Final = 1 << 53
"""The largest integer that every JSON parser represents exactly."""


class Unreadable(Exception):
    """Why a value is invalid; never leaves this package."""


def entries(value: object, what: str) -> dict[str, object]:
    """An object with strings for keys."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in cast(dict[object, object], value)):
        raise Unreadable(f"{what} is no object")
    return cast(dict[str, object], value)


def items(value: object, what: str, most: int = MOST_WORDS) -> Sequence[object]:
    """A list of at most `most` items."""
    if not isinstance(value, list | tuple):
        raise Unreadable(f"{what} is no list")
    found = cast(Sequence[object], value)
    if len(found) > most:
        raise Unreadable(f"{what} has {len(found)} entries, {most} are read")
    return found


def text(value: object, what: str) -> str:
    """A string that the system accepts: no NUL, and bytes that are not UTF-8 only as surrogate escapes."""
    if not isinstance(value, str):
        raise Unreadable(f"{what} is no text")
    if len(value) > LONGEST or "\0" in value:
        raise Unreadable(f"{what} is too long or holds NUL")
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Unreadable(f"{what} holds half a surrogate pair") from None
    return value


def whole(value: object, what: str, low: int = 0, high: int = LARGEST) -> int:
    """A whole number in a range."""
    if type(value) is not int or not low <= value <= high:
        raise Unreadable(f"{what} is no whole number from {low} to {high}")
    return value


def flag(value: object, what: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Unreadable(f"{what} is neither true nor false")
    return value


def words(value: object, what: str) -> tuple[str, ...]:
    """A list of strings."""
    return tuple(text(word, what) for word in items(value, what))


def variables(value: object, what: str) -> dict[str, str]:
    """Changes to an environment."""
    found = entries(value, what)
    if len(found) > MOST_WORDS or any(not name or "=" in name for name in found):
        raise Unreadable(f"{what} names a variable wrongly")
    return {text(name, what): text(inner, what) for name, inner in found.items()}


def json(value: object, what: str, level: int = 0) -> Any:
    """A copy of a JSON value; tuples become lists and mappings objects."""
    if level > DEEPEST:
        raise Unreadable(f"{what} is too deep")
    match value:
        case None | bool():
            return value
        case str():
            return text(value, what)
        case int() if abs(value) <= LARGEST:
            return int(value)
        case float() if math.isfinite(value):
            return float(value)
        case list() | tuple():
            return [json(inner, what, level + 1) for inner in items(cast(object, value), what)]
        case Mapping():
            found = entries(dict(cast(Mapping[object, object], value)), what)
            return {text(name, what): json(inner, what, level + 1) for name, inner in found.items()}
        case _:
            raise Unreadable(f"{what} is no JSON value")
