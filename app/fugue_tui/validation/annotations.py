"""Maps field annotations to the kinds of values that validate them, and dataclasses to records of fields."""

import types
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

import annotated_types

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
    Schema,
    Table,
    Text,
    at,
    near,
    unpacked,
    wrong,
)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a command or record."""

    name: str
    kind: Kind
    default: Any
    """MISSING if the field must be given."""
    owner: type[Any]
    """The class that declares it."""

    @property
    def doc(self) -> str:
        """The docstring under it, on one line; read from the source on first use."""
        return field_docs(self.owner).get(self.name, "")

    @property
    def required(self) -> bool:
        """Whether the caller must give it."""
        return self.default is MISSING


@dataclass(frozen=True, slots=True)
class Id(Kind):
    """A pane's or window's written id, such as `%3`."""

    make: Callable[[int], Any]
    sigil: str

    def check(self, value: Any, where: str) -> Any:
        if isinstance(value, str) and value[:1] == self.sigil and value[1:].isdecimal() and len(value) < 12:
            return self.make(int(value[1:]))
        raise wrong(where, value, self.words)

    def read(self, word: str, where: str) -> str:
        return word

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "string", "pattern": rf"^{self.sigil}[0-9]+$"}

    @property
    def words(self) -> str:
        return f"an id such as {self.sigil}3"


@dataclass(frozen=True, slots=True)
class Record(Kind):
    """An object with named fields, built as a dataclass; also accepted as a JSON string."""

    cls: type[Any]
    closed: bool = True
    """Whether unknown fields are errors; if not, they are ignored, so that newer versions can add some."""

    def check(self, value: Any, where: str) -> Any:
        return self.cls(**checked(self.cls, self._entries(value, where), where, closed=self.closed))

    def salvage(self, value: Any, where: str, report: Callable[[str], None]) -> Any:
        entries, found = self._entries(value, where), dict[str, Any]()
        known = {each.name: each for each in fields_of(self.cls)}
        _required(known.values(), entries, where)
        for name, each in entries.items():
            try:
                if name in known:
                    found[name] = known[name].kind.salvage(each, at(where, name), report)
                elif self.closed:
                    report(f"{at(where, name)}: {unknown(name, known)}")
            except InvalidArgument as error:
                if known[name].required:
                    raise
                report(str(error))
        return self.cls(**found)

    def _entries(self, value: Any, where: str) -> Mapping[str, Any]:
        found = unpacked(value, where, self.words, "{")
        if not isinstance(found, Mapping):
            raise wrong(where, value, self.words)
        return cast("Mapping[str, Any]", found)

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

    @property
    def words(self) -> str:
        return "an object"


@cache
def fields_of(cls: type[Any]) -> tuple[Field, ...]:
    """The fields of a dataclass, in the order of declaration."""
    hints = get_type_hints(cls, include_extras=True)
    return tuple(Field(each.name, kind_of(hints[each.name]), _default(each), cls) for each in fields(cls))


def checked(
    cls: type[Any], entries: Mapping[str, Any], where: str = "", noun: str = "key", *, closed: bool = True
) -> dict[str, Any]:
    """The entries of a dataclass, checked one by one. Raises InvalidArgument naming the entry and the reason."""
    known = {each.name: each for each in fields_of(cls)}
    for name in entries:
        if closed and name not in known:
            raise InvalidArgument(f"{at(where, name)}: {unknown(name, known, noun)}")
    _required(known.values(), entries, where)
    return {name: known[name].kind.check(each, at(where, name)) for name, each in entries.items() if name in known}


def _required(known: Iterable[Field], entries: Mapping[str, Any], where: str) -> None:
    """Raises InvalidArgument if a required field is missing."""
    for each in known:
        if each.required and each.name not in entries:
            raise InvalidArgument(f"{at(where, each.name)}: is missing; it wants {each.kind.words}")


def unknown(name: object, known: Iterable[str], noun: str = "key") -> str:
    """The error text for an unknown entry, with the nearest known one."""
    names = list(known)
    return f"no such {noun}{near(name, names) or ';'} it takes {', '.join(names) or f'no {noun}s'}"


def object_schema(cls: type[Any], defs: Definitions) -> Schema:
    """The JSON Schema of a dataclass: described, closed, with defaults."""
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
    if is_dataclass(annotation):
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


def _bounded(kind: Kind, notes: tuple[Any, ...]) -> Kind:
    limits: dict[str, Any] = {}
    for note in notes:
        match note:
            case annotated_types.Interval(gt=gt, ge=ge, lt=lt, le=le):
                limits |= {"gt": gt, "ge": ge, "lt": lt, "le": le}
            case annotated_types.Ge(ge) | annotated_types.MinLen(ge):
                limits["ge"] = ge
            case annotated_types.Le(le) | annotated_types.MaxLen(le):
                limits["le"] = le
            case annotated_types.Gt(gt):
                limits["gt"] = gt
            case annotated_types.Lt(lt):
                limits["lt"] = lt
            case annotated_types.Len(least, most):
                limits |= {"ge": least, "le": most}
            case _:
                continue
    return _with_bounds(kind, Bounds(**limits)) if limits else kind


def _with_bounds(kind: Kind, bounds: Bounds) -> Kind:
    match kind:
        case Text():
            return Text(bounds)
        case Number():
            return Number(bounds)
        case Integer():
            return Integer(bounds)
        case ListOf(item, make):
            return ListOf(item, make, bounds)
        case Table(item, name):
            return Table(item, name, bounds)
        case OneOf(kinds):
            return OneOf(tuple(each if isinstance(each, Null) else _with_bounds(each, bounds) for each in kinds))
        case _:
            return kind


def _default(each: Any) -> Any:
    return each.default_factory() if each.default_factory is not MISSING else each.default


def _property(each: Field, defs: Definitions) -> Schema:
    schema = dict(each.kind.schema(defs))
    if each.doc:
        schema["description"] = each.doc
    if not each.required:
        schema["default"] = json_value(each.default)
    return schema


def json_value(value: Any) -> Any:
    """A result as JSON: records become objects, ids their written form, sets sorted lists."""
    match value:
        case PaneId() | WindowId():
            return str(value)
        case Enum():
            return value.value
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            pairs = cast("Mapping[Any, Any]", value)
            return {str(json_value(name)): json_value(each) for name, each in pairs.items()}
        case frozenset() | set():
            return sorted(json_value(each) for each in cast("Set[Any]", value))
        case list() | tuple():
            return [json_value(each) for each in cast("Sequence[Any]", value)]
        case _ if is_dataclass(value):
            return {each.name: json_value(getattr(value, each.name)) for each in fields(value)}
        case _:
            raise TypeError(f"a result of type {type(value).__name__} has no JSON form")
