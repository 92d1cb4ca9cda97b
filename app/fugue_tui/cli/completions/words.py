"""What can follow each word of a command line, for every shell alike."""

from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, Final, NamedTuple

from fugue_tui.cli.setup.clients import CLIENTS
from fugue_tui.cli.subcommands import OPTIONS, SUBCOMMANDS, Option, operands_in, options_in
from fugue_tui.control import command_table as command_table
from fugue_tui.control.core.command import Command, registry
from fugue_tui.control.schema.command_line import TARGETS, flag
from fugue_tui.control.schema.command_schema import describe
from fugue_tui.sanitize import clean
from fugue_tui.validation.annotations import Field, fields_of
from fugue_tui.validation.field_types import Boolean, Choice, Kind, ListOf, Null, OneOf


class Source(Enum):
    """Where a value comes from, if it is not one of a few words."""

    ANY = auto()
    """Anything: nothing is offered."""
    FILES = auto()
    DIRECTORIES = auto()
    PANES = auto()
    """The running panes, by id and name."""
    WORKSPACES = auto()
    """The workspaces that run or are saved."""
    COMMANDS = auto()
    """The commands of a running workspace."""


Values = tuple[str, ...] | Source
"""What a value may be."""


class Flag(NamedTuple):
    """A flag; None as its values if it takes none."""

    names: tuple[str, ...]
    about: str
    values: Values | None


class Word(NamedTuple):
    """A first word with what may follow it."""

    name: str
    about: str
    flags: tuple[Flag, ...]
    operands: Values


_FIELD: Final = r"""-e 's/^ *"{}": "\([^"\][^"\]*\)",*$/\1/p'"""
NAMES: Final = f"""sed -n -e '/^ *"windows": \\[/q' {_FIELD.format("id")} {_FIELD.format("name")}"""
"""Extracts ids and names from JSON; those that JSON escapes are left out. Quoted alike in all shells."""

_PANE_FIELDS: Final = {*TARGETS["%"], "panes", "other"} - {"window"}
_OPERANDS: Final[dict[str, Values]] = {
    "NAME": Source.WORKSPACES,
    "COMMAND": Source.COMMANDS,
    "CLIENT": tuple(client.name for client in CLIENTS),
    "DIR|FILE|LAYOUT": Source.FILES,
}
_VALUES: Final[dict[str, Values]] = {"NAME": Source.WORKSPACES, "PANE": Source.PANES, "FILE": Source.FILES}
_SHARED: Final = ("--workspace", "--socket", "--output", "--help")
_LONGEST: Final = 76


def first_flags() -> tuple[Flag, ...]:
    """The flags that need no subcommand."""
    return tuple(map(_of_option, OPTIONS))


def words() -> tuple[Word, ...]:
    """Every subcommand, then every command that is none."""
    names = dict.fromkeys(each.name for each in SUBCOMMANDS if each.name.islower())
    return (*map(_subcommand, names), *(_command(cls) for verb, cls in registry().items() if verb not in names))


def _subcommand(name: str) -> Word:
    forms = [each for each in SUBCOMMANDS if each.name == name]
    flags = {option.flags[-1]: _of_option(option) for each in forms for option in options_in(each.arguments)}
    operands = next((_operand(word) for each in forms for word in operands_in(each.arguments)), Source.ANY)
    return Word(name, forms[0].about, (*flags.values(), Flag(("-h", "--help"), "print help", None)), operands)


def _operand(word: str) -> Values:
    return _OPERANDS.get(word) or (tuple(word.split("|")) if word.islower() else Source.ANY)


def _of_option(option: Option) -> Flag:
    values = _VALUES.get(option.value) or (tuple(option.value.split("|")) if "|" in option.value else Source.ANY)
    return Flag(option.flags, _short(option.about), values if option.value else None)


def _command(cls: type[Command[Any]]) -> Word:
    fields = fields_of(cls)
    flags = [each for field in fields for each in _of_field(field)]
    shared = [_of_option(option) for option in OPTIONS if option.flags[-1] in _SHARED]
    json = Flag(("--json",), "print the result as JSON", None)
    return Word(cls.verb, _short(describe(cls).summary), (*flags, json, *shared), _first_operand(fields))


def _of_field(field: Field) -> Iterator[Flag]:
    name, about = flag(field.name), _short(field.doc)
    values = _values(field)
    yield Flag((name,), about, values)
    if values is None:
        yield Flag((name.replace("--", "--no-", 1),), about, None)


def _values(field: Field) -> Values | None:
    kinds = [*_simple(field.kind)]
    if any(isinstance(kind, Boolean) for kind in kinds):
        return None
    if field.name in _PANE_FIELDS:
        return Source.PANES
    if field.name == "cwd":
        return Source.DIRECTORIES
    if field.name == "workspace":
        return Source.WORKSPACES
    return next((tuple(kind.options) for kind in kinds if isinstance(kind, Choice)), Source.ANY)


def _simple(kind: Kind) -> Iterator[Kind]:
    """A kind's alternatives, or those of the items of a list."""
    match kind:
        case OneOf():
            for each in kind.kinds:
                yield from _simple(each)
        case ListOf():
            yield from _simple(kind.item)
        case Null():
            return
        case _:
            yield kind


def _first_operand(fields: tuple[Field, ...]) -> Values:
    """A pane where one can be named, or else the first field's values."""
    if any(field.name in TARGETS["%"] for field in fields):
        return Source.PANES
    found = next((_values(field) for field in fields if field.required), None)
    return found or Source.ANY


def _short(text: str) -> str:
    """The first clause of a description."""
    return clean(text.partition("; ")[0].partition(". ")[0].rstrip("."), _LONGEST)
