"""A command's JSON Schemas, argument validation, JSON result, and description.

Everything is derived from the class: its docstring, its fields and the docstrings under them. There is no second list.
"""

from collections.abc import Mapping
from functools import cache
from inspect import cleandoc
from typing import Any, TypeVar, get_args, get_origin

from msgspec import Struct

from fugue_tui.control.core.command import Command, Effect
from fugue_tui.control.schema import aliases
from fugue_tui.errors import InvalidArgument
from fugue_tui.validation.annotations import Field, Record, dump, fields_of, kind_of, object_schema
from fugue_tui.validation.field_types import Definitions, Null, Schema

_Command = TypeVar("_Command", bound=Command[Any])


class Description(Struct, frozen=True):
    """A command's texts for help, the palette and MCP."""

    verb: str
    title: str
    summary: str
    """The first paragraph of the docstring, on one line."""
    text: str
    """The whole docstring."""
    effect: Effect
    plain: bool
    fields: tuple[Field, ...]


@cache
def describe(cls: type[Command[Any]]) -> Description:
    """A command's name, texts and fields."""
    text = cleandoc(cls.__doc__ or "")
    summary = " ".join(text.split("\n\n")[0].split())
    title = cls.verb.replace("-", " ").capitalize()
    return Description(cls.verb, title, summary, text, cls.effect, cls.plain, fields_of(cls))


def input_schema(cls: type[Command[Any]]) -> Schema:
    """The JSON Schema of a command's arguments; unknown ones are not allowed."""
    defs = Definitions()
    return _closed(object_schema(cls, defs), defs)


def output_schema(cls: type[Command[Any]]) -> Schema | None:
    """The JSON Schema of what `payload` returns; None for plain text and for no result."""
    kind = kind_of(result_type(cls))
    if cls.plain or isinstance(kind, Null):
        return None
    defs = Definitions()
    schema = kind.schema(defs)
    if isinstance(kind, Record):
        return _closed(schema, defs)
    wrapped: Schema = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
    return _closed(wrapped | {"additionalProperties": False}, defs)


def build(cls: type[_Command], arguments: Mapping[str, Any]) -> _Command:
    """A command from a caller's arguments. Raises InvalidArgument naming the field, the reason and the nearest name."""
    try:
        given = aliases.fields({each.name: each for each in fields_of(cls)}, arguments)
        return Record(cls, noun="argument").check(given, "")
    except InvalidArgument as error:
        raise InvalidArgument(f"{cls.verb}: {error}") from None


def payload(cls: type[Command[Any]], result: Any) -> dict[str, Any] | None:
    """A result as the object that `output_schema` describes; None where that is None."""
    return wrapped(cls, dump(result)) if has_structure(cls) else None


def has_structure(cls: type[Command[Any]]) -> bool:
    """Whether a command's result is an object, and neither plain text nor nothing."""
    return not cls.plain and not isinstance(kind_of(result_type(cls)), Null)


def wrapped(cls: type[Command[Any]], value: Any) -> dict[str, Any]:
    """The JSON of a result as an object, which any other than a record is the only field of."""
    return value if isinstance(kind_of(result_type(cls)), Record) else {"result": value}


@cache
def result_type(cls: type[Command[Any]]) -> Any:
    """The result type of a command, from its class line."""
    for base in getattr(cls, "__orig_bases__", ()):
        if get_origin(base) is Command:
            return get_args(base)[0]
    raise TypeError(f"{cls.__name__} does not declare its result: derive it from Command[...]")


def _closed(schema: Schema, defs: Definitions) -> Schema:
    return schema | {"$defs": defs.found} if defs.found else schema
