"""Maps field annotations to the kinds of values that validate them, and structs to records of fields."""

import math
import types
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from enum import Enum
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, cast, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import fields

from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.validation.field_docs import field_docs
from fugue_tui.validation.field_types import (
    Anything,
    Boolean,
    Bounds,
    Choice,
    Definitions,
    Integer,
    Kind,
    ListOf,
    Null,
    Number,
    OneOf,
    Report,
    Schema,
    Table,
    Text,
    WrongKind,
    at,
    entries,
    invalid,
)
from fugue_tui.validation.suggestion import suggestion

UNLISTED: Final = Meta(extra_json_schema={"unlisted": True})
"""Annotates a field that is accepted and documented, but not listed for models: few calls need it."""


class Field(NamedTuple):
    """One field of a command or record."""

    name: str
    kind: Kind
    default: Any
    """NODEFAULT if the field must be given."""
    owner: type[Any]
    """The class that declares it."""
    unlisted: bool = False
    """Whether models are not shown it."""

    @property
    def doc(self) -> str:
        """The docstring under it, on one line; read from the source on first use."""
        return field_docs(self.owner).get(self.name, "")

    @property
    def required(self) -> bool:
        """Whether the caller must give it."""
        return self.default is NODEFAULT


class Id(Kind):
    """A pane's or window's written id, such as `%3`."""

    is_word = True

    def __init__(self, make: Callable[[int], Any], sigil: str) -> None:
        self._make, self._sigil, self.words = make, sigil, f"an id such as {sigil}3"

    def check(self, value: Any, where: str) -> Any:
        if isinstance(value, str) and value[:1] == self._sigil and value[1:].isdecimal() and len(value) < 12:
            return self._make(int(value[1:]))
        raise WrongKind(where, value, self.words)

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "string", "pattern": rf"^{self._sigil}[0-9]+$"}


class Record(Kind):
    """An object with named fields, built as a struct or NamedTuple; also accepted as a JSON string.

    In a closed one unknown fields are errors, in an open one they are ignored, so that newer versions can add some."""

    words = "an object"

    def __init__(self, cls: type[Any], *, closed: bool = True, noun: str = "key") -> None:
        self.cls, self._closed, self._noun = cls, closed, noun

    def check(self, value: Any, where: str) -> Any:
        return self._made(value, where, None)

    def salvage(self, value: Any, where: str, report: Report) -> Any:
        return self._made(value, where, report)

    def _made(self, value: Any, where: str, report: Report | None) -> Any:
        known = {each.name: each for each in fields_of(self.cls)}
        given, found = entries(value, where, self.words), dict[str, Any]()
        for name, each in given.items():
            path = at(where, name)
            try:
                if name in known:
                    kind = known[name].kind
                    found[name] = kind.salvage(each, path, report) if report else kind.check(each, path)
                elif self._closed:
                    raise invalid(path, self._unknown(name, known))
            except InvalidArgument as error:
                if report is None or (name in known and known[name].required):
                    raise
                report(str(error))
        for each in known.values():
            if each.required and each.name not in given:
                raise invalid(at(where, each.name), f"is missing; expected {each.kind.words}")
        return self.cls(**found)

    def _unknown(self, name: object, known: Iterable[str]) -> str:
        names = list(known)
        takes = ", ".join(names) or f"no {self._noun}s"
        return f"no such {self._noun}{suggestion(name, names) or ';'} it takes {takes}"

    def schema(self, defs: Definitions) -> Schema:
        name = self.cls.__name__
        reference: Schema = {"$ref": f"#/$defs/{name}"}
        if name in defs.open:
            defs.found[name] = {}
            return reference
        defs.open.add(name)
        schema = object_schema(self.cls, defs)
        defs.open.discard(name)
        if name not in defs.found:
            return schema
        defs.found[name] = schema
        return reference


@cache
def fields_of(cls: type[Any]) -> tuple[Field, ...]:
    """The fields of a struct or a NamedTuple, in the order of declaration."""
    hints = get_type_hints(cls, include_extras=True)
    if issubclass(cls, Struct):
        defaults = {each.name: _default(each) for each in fields(cls)}
    else:
        defaults = {name: cls._field_defaults.get(name, NODEFAULT) for name in cls._fields}
    return tuple(
        Field(name, kind_of(hints[name]), default, cls, UNLISTED in get_args(hints[name]))
        for name, default in defaults.items()
    )


def object_schema(cls: type[Any], defs: Definitions) -> Schema:
    """The JSON Schema of a struct: described, closed, with defaults."""
    found = fields_of(cls)
    schema: Schema = {"type": "object", "properties": {each.name: _property(each, defs) for each in found}}
    if needed := [each.name for each in found if each.required]:
        schema["required"] = needed
    return schema | {"additionalProperties": False}


@cache
def kind_of(annotation: Any) -> Kind:
    """The kind of an annotation, or the one that is named in it. Raises TypeError for a type without a JSON form."""
    if annotation is Any:
        return Anything()
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        own = next((note for note in arguments[1:] if isinstance(note, Kind)), None)
        return _bounded(own or kind_of(arguments[0]), arguments[1:])
    if origin in (Union, types.UnionType):
        return _either(arguments)
    if origin is Literal:
        return Choice.of(arguments)
    if isinstance(origin, type):
        return _collection(origin, arguments)
    if isinstance(annotation, type):
        return _plain(annotation)
    raise TypeError(f"a value of type {annotation!r} has no JSON form")


_PLAIN: dict[type, Kind] = {
    str: Text(),
    bool: Boolean(),
    int: Integer(),
    float: Number(),
    object: Anything(),
    type(None): Null(),
    PaneId: Id(PaneId, "%"),
    WindowId: Id(WindowId, "@"),
}


def _plain(annotation: type[Any]) -> Kind:
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if issubclass(annotation, Enum):
        return Choice.of(annotation)
    if issubclass(annotation, Struct):
        return Record(annotation)
    if issubclass(annotation, Mapping):
        return Table(Anything())
    if issubclass(annotation, list | tuple):
        return ListOf(Anything(), cast("Any", annotation))
    raise TypeError(f"a value of type {annotation!r} has no JSON form")


def _collection(origin: type, arguments: tuple[Any, ...]) -> Kind:
    if issubclass(origin, Mapping):
        return Table(kind_of(arguments[1]), kind_of(arguments[0]))
    if issubclass(origin, tuple) and (len(arguments) != 2 or arguments[1] is not ...):
        kinds = {kind_of(each) for each in arguments}
        item = kinds.pop() if len(kinds) == 1 else Anything()
        return ListOf(item, tuple, Bounds(ge=len(arguments), le=len(arguments)))
    if issubclass(origin, Set):
        return ListOf(kind_of(arguments[0]), frozenset)
    if issubclass(origin, Sequence):
        return ListOf(kind_of(arguments[0]), list if issubclass(origin, list) else tuple)
    raise TypeError(f"a value of type {origin!r} has no JSON form")


def _either(arguments: tuple[Any, ...]) -> Kind:
    return OneOf(tuple(kind_of(each) for each in arguments))


_LIMITS = {"ge": "ge", "le": "le", "gt": "gt", "lt": "lt", "min_length": "ge", "max_length": "le"}
"""The limit that each attribute of msgspec.Meta stands for."""


def _bounded(kind: Kind, notes: tuple[Any, ...]) -> Kind:
    found = [(to, getattr(note, name, None)) for note in notes for name, to in _LIMITS.items()]
    limits = {to: bound for to, bound in found if bound is not None}
    return _with_bounds(kind, Bounds(**limits)) if limits else kind


def _with_bounds(kind: Kind, bounds: Bounds) -> Kind:
    match kind:
        case Text() | Number() | Integer():
            return type(kind)(bounds)
        case ListOf():
            return ListOf(kind.item, kind.make, bounds)
        case Table():
            return Table(kind.item, kind.name, bounds)
        case OneOf():
            return OneOf(tuple(each if isinstance(each, Null) else _with_bounds(each, bounds) for each in kind.kinds))
        case _:
            return kind


def _default(each: Any) -> Any:
    return each.default if each.default_factory is NODEFAULT else each.default_factory()


def _property(each: Field, defs: Definitions) -> Schema:
    schema = dict(each.kind.schema(defs))
    if each.doc:
        schema["description"] = each.doc
    if not each.required:
        schema["default"] = dump(each.default)
    if each.unlisted:
        schema["unlisted"] = True
    return schema


def dump(value: Any) -> Any:
    """A result as JSON: records become objects, ids their written form, sets sorted lists, NaN and infinity null."""
    match value:
        case PaneId() | WindowId():
            return str(value)
        case Enum():
            return value.value
        case float() if not math.isfinite(value):
            return None
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            pairs = cast("Mapping[Any, Any]", value)
            return {str(dump(name)): dump(each) for name, each in pairs.items()}
        case frozenset() | set():
            return sorted(dump(each) for each in cast("Set[Any]", value))
        case list() | tuple():
            return [dump(each) for each in cast("Sequence[Any]", value)]
        case Struct():
            return {name: dump(getattr(value, name)) for name in value.__struct_fields__}
        case _:
            raise TypeError(f"a result of type {type(value).__name__} has no JSON form")
