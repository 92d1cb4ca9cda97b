"""What can follow a command's name on a command line: its flags, and where their values come from."""

from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, Final, NamedTuple

from fugue_tui.control.core.command import Command
from fugue_tui.control.schema.command_line import TARGETS, flag
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


_PANE_FIELDS: Final = {*TARGETS["%"], "panes", "other"} - {"window"}
_FILE_FIELDS: Final = {"path", "file", "output", "briefing_file"}
_DIRECTORY_FIELDS: Final = {"cwd", "directory"}
_LONGEST: Final = 76


def flags_of(cls: type[Command[Any]]) -> list[Flag]:
    """The flags of a command, in the order of declaration."""
    return [each for field in fields_of(cls) for each in _of_field(field)]


def _of_field(field: Field) -> Iterator[Flag]:
    name, about = flag(field.name), short(field.doc)
    values = values_of(field)
    yield Flag((name,), about, values)
    if values is None:
        yield Flag((name.replace("--", "--no-", 1),), about, None)


def values_of(field: Field) -> Values | None:
    """The values of a field; None for a flag without one."""
    kinds = [*_simple(field.kind)]
    if any(isinstance(kind, Boolean) for kind in kinds):
        return None
    if field.name in _PANE_FIELDS:
        return Source.PANES
    if field.name in _DIRECTORY_FIELDS:
        return Source.DIRECTORIES
    if field.name in _FILE_FIELDS:
        return Source.FILES
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


def first_operand(cls: type[Command[Any]]) -> Values:
    """The values of the first word without a flag: a pane where one can be named, or else the first field's values."""
    fields = fields_of(cls)
    if any(field.name in TARGETS["%"] for field in fields):
        return Source.PANES
    found = next((values_of(field) for field in fields if field.required), None)
    return found or Source.ANY


def short(text: str) -> str:
    """The first clause of a description."""
    return clean(text.partition("; ")[0].partition(". ")[0].rstrip("."), _LONGEST)
