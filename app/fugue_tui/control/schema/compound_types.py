"""Kinds that hold others: lists, objects with free names, alternatives, and any JSON at all."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from fugue_tui.control.schema.field_types import UNBOUNDED, Bounds, Definitions, Kind, Null, Schema, Text, parsed, wrong
from fugue_tui.errors import InvalidArgument

DEEPEST: Final = 64
"""Levels of lists and objects that an argument may nest."""


@dataclass(frozen=True, slots=True)
class Many(Kind):
    """A list; the same as a JSON string is accepted."""

    item: Kind
    make: Callable[[list[Any]], Any] = tuple
    bounds: Bounds = UNBOUNDED

    def check(self, value: Any, where: str) -> Any:
        found = unpacked(value, where, self.words, "[")
        if not isinstance(found, Sequence) or isinstance(found, str | bytes):
            raise wrong(where, value, self.words)
        items = cast("Sequence[Any]", found)
        if not self.bounds.admits(len(items)):
            raise InvalidArgument(f"{where}: has {len(items)} entries; wants{self.bounds.words}")
        return self.make([self.item.check(each, f"{where}[{index}]") for index, each in enumerate(items)])

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "array", "items": self.item.schema(defs), **self.bounds.lengths("Items")}

    @property
    def words(self) -> str:
        return f"a list ({self.item.words})"


@dataclass(frozen=True, slots=True)
class Table(Kind):
    """An object with free names; the same as a JSON string is accepted."""

    item: Kind

    def check(self, value: Any, where: str) -> dict[str, Any]:
        found = unpacked(value, where, self.words, "{")
        if not isinstance(found, Mapping):
            raise wrong(where, value, self.words)
        pairs = cast("Mapping[Any, Any]", found)
        return {Text().check(name, where): self.item.check(each, f"{where}.{name}") for name, each in pairs.items()}

    def schema(self, defs: Definitions) -> Schema:
        inner = self.item.schema(defs)
        return {"type": "object", "additionalProperties": inner or True}

    @property
    def words(self) -> str:
        return "an object"


@dataclass(frozen=True, slots=True)
class Either(Kind):
    """The first of several kinds that fits."""

    kinds: tuple[Kind, ...]

    def check(self, value: Any, where: str) -> Any:
        errors: list[InvalidArgument] = []
        for kind in self.kinds:
            try:
                return kind.check(value, where)
            except InvalidArgument as error:
                errors.append(error)
        real = [kind for kind in self.kinds if not isinstance(kind, Null)]
        if len(real) == 1:
            raise errors[self.kinds.index(real[0])]
        # The one that looked into it says more than that it is none of them.
        raise next((each for each in errors if _is_inside(str(each), where)), wrong(where, value, self.words))

    def read(self, word: str, where: str) -> Any:
        for kind in self.kinds:
            try:
                kind.check(value := kind.read(word, where), where)
            except InvalidArgument:
                continue
            return value
        return word

    def schema(self, defs: Definitions) -> Schema:
        return {"anyOf": [kind.schema(defs) for kind in self.kinds]}

    @property
    def words(self) -> str:
        return " or ".join(kind.words for kind in self.kinds if not isinstance(kind, Null))


@dataclass(frozen=True, slots=True)
class Anything(Kind):
    """Any JSON value of bounded depth, without NaN or Infinity."""

    def check(self, value: Any, where: str) -> Any:
        _finite(value, where, DEEPEST)
        return value

    def read(self, word: str, where: str) -> Any:
        try:
            return parsed(word, where, self.words)
        except InvalidArgument:
            return word

    def schema(self, defs: Definitions) -> Schema:
        return {}

    @property
    def words(self) -> str:
        return "any JSON value"


def _is_inside(told: str, where: str) -> bool:
    """Whether an error is about a part of what stands at a place."""
    return told.startswith((f"{where}.", f"{where}["))


def unpacked(value: Any, where: str, wanted: str, opening: str) -> Any:
    """A value, or what it says if it is a JSON string where a list or an object is wanted."""
    if isinstance(value, str) and value.lstrip().startswith(opening):
        return parsed(value, where, wanted)
    return value


def _finite(value: Any, where: str, levels: int) -> None:
    if levels == 0:
        raise InvalidArgument(f"{where.split('.')[0].split('[')[0]}: nested deeper than {DEEPEST} levels")
    match value:
        case float() if not math.isfinite(value):
            raise wrong(where, value, "a finite number")
        case dict():
            for name, inner in cast("dict[Any, Any]", value).items():
                Text().check(name, where)
                _finite(inner, f"{where}.{name}", levels - 1)
        case list():
            for index, inner in enumerate(cast("list[Any]", value)):
                _finite(inner, f"{where}[{index}]", levels - 1)
        case str():
            Text().check(value, where)
        case _:
            return
