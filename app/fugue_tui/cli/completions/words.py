"""What can follow each word of a command line, for every shell alike."""

from typing import Any, Final, NamedTuple

from fugue_tui.cli.subcommands import OPTIONS, SUBCOMMANDS, Option, operands_in, options_in
from fugue_tui.config.mcp_clients import CLIENTS
from fugue_tui.control import command_table as command_table
from fugue_tui.control.core.command import Command, registry
from fugue_tui.control.schema.command_schema import describe
from fugue_tui.control.schema.command_words import Flag, Source, Values, first_operand, flags_of, short


class Word(NamedTuple):
    """A first word with what may follow it."""

    name: str
    about: str
    flags: tuple[Flag, ...]
    operands: Values


_FIELD: Final = r"""-e 's/^ *"{}": "\([^"\][^"\]*\)",*$/\1/p'"""
NAMES: Final = f"""sed -n -e '/^ *"windows": \\[/q' {_FIELD.format("id")} {_FIELD.format("name")}"""
"""Extracts ids and names from JSON; those that JSON escapes are left out. Quoted alike in all shells."""

_OPERANDS: Final[dict[str, Values]] = {
    "NAME": Source.WORKSPACES,
    "COMMAND": Source.COMMANDS,
    "CLIENT": tuple(client.name for client in CLIENTS),
    "DIR|FILE|LAYOUT": Source.FILES,
}
_VALUES: Final[dict[str, Values]] = {"NAME": Source.WORKSPACES, "PANE": Source.PANES, "FILE": Source.FILES}
_SHARED: Final = ("--workspace", "--socket", "--output", "--help")


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
    return Flag(option.flags, short(option.about), values if option.value else None)


def _command(cls: type[Command[Any]]) -> Word:
    shared = [_of_option(option) for option in OPTIONS if option.flags[-1] in _SHARED]
    json = Flag(("--json",), "print the result as JSON", None)
    return Word(cls.verb, short(describe(cls).summary), (*flags_of(cls), json, *shared), first_operand(cls))
