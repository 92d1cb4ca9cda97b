"""Command text: `split-pane --ratio 0.7 %3` to a command and back. The CLI, key bindings and the palette speak it.

Every field is a flag (`--on-exit keep`, `--focus`, `--no-focus`, `--ratio=0.7`); a list repeats its flag; objects are
JSON. Of the words without a flag, an id first goes to the pane or window; the rest fill the required fields, or all
fields in the order of declaration if there are more words than those. `--` ends the flags, and what follows is the
program to run where a command runs one: `split-pane --ratio 0.7 -- vim notes`.
"""

import json
import re
import shlex
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from textwrap import fill
from typing import Any, Final, NoReturn, cast

from fugue_tui.control.core.command import Command, Effect, registry
from fugue_tui.control.schema.command_schema import build, describe
from fugue_tui.control.schema.tmux_names import OTHERWISE, TMUX
from fugue_tui.errors import InvalidArgument, UnknownCommand
from fugue_tui.sanitize import clean_text
from fugue_tui.validation.annotations import Field, Record, dump, fields_of
from fugue_tui.validation.field_types import Boolean, Choice, Integer, Kind, ListOf, Null, Number, OneOf, Table

TARGETS: Final = {"%": ("pane", "source_pane", "window"), "@": ("window", "pane")}
"""Fields that an id goes to, by its first character."""

_ALIASES: Final = {"--for": "--seconds", "-E": "--close-on-exit"}
"""Other names of flags."""

_VERBS: Final = {"popup": "display-popup"}
"""Other names of commands, as the CLI has them."""

HARMLESS: Final = frozenset((Effect.READ, Effect.LAYOUT))
"""The effects of commands that only look at the workspace or arrange it."""

LONGEST: Final = 16_384
"""Characters of a line; the time to split one grows with their square."""

PROGRAM: Final = "command"
"""The field that the words after `--` go to."""

_SHARED: Final = {"--json": "[--json]", "--output": "[--output FILE]", "--workspace": "[--workspace NAME]"}
"""Flags that the client takes for every command, unless a command has one of that name."""


def lookup(verb: str) -> type[Command[Any]]:
    """The command of that name. Raises UnknownCommand with the nearest."""
    if found := registry().get(_VERBS.get(verb, verb)):
        return found
    hint = "" if verb[:40] in OTHERWISE or nearest(verb) else "; fugue-tui --help lists all"
    raise UnknownCommand(unknown(verb) + hint)


def nearest(word: str, more: Iterable[str] = (), cutoff: float = 0.6) -> str:
    """The command that an unknown word may mean: by tmux's name for it or a similar spelling; `more` are further names.
    Empty if there is none."""
    written = word[:40].replace("_", "-")
    if written in TMUX:
        return TMUX[written]
    from difflib import get_close_matches

    return next(iter(get_close_matches(written, [*more, *registry()], n=1, cutoff=cutoff)), "")


def unknown(word: str, more: Iterable[str] = (), cutoff: float = 0.6) -> str:
    """The error text for an unknown command, with the nearest known one."""
    if word[:40] in OTHERWISE:
        return f"no command {word[:40]}; {OTHERWISE[word[:40]]}"
    near, shown = nearest(word, more, cutoff), ascii(word[:40])[1:-1]
    if near and word[:40] in TMUX:
        return f"no command {shown}; tmux's {shown} is {near} here"
    return f"no command {shown}" + (f"; did you mean {near}?" if near else "")


def parse(words: Sequence[str]) -> tuple[type[Command[Any]], dict[str, Any]]:
    """The class and the unchecked arguments of a command in words. Raises UnknownCommand or InvalidArgument."""
    if not words:
        raise UnknownCommand("no command was given; fugue-tui --help lists all")
    cls = lookup(words[0])
    try:
        given = _arguments(cls, words[1:])
        _check_complete(cls, given)
        return cls, given
    except InvalidArgument as error:
        raise InvalidArgument(f"{cls.verb}: {error}") from None


def _check_complete(cls: type[Command[Any]], given: Mapping[str, Any]) -> None:
    """Say of the first required argument that is missing what it is. Raises InvalidArgument."""
    missing = next((each for each in fields_of(cls) if each.required and each.name not in given), None)
    if missing is not None and missing.doc:
        raise InvalidArgument(f"{missing.name}: is missing: {missing.doc}")


def command(words: Sequence[str] | str) -> Command[Any]:
    """The command in a line or its words. Raises UnknownCommand or InvalidArgument."""
    return build(*parse(split(words) if isinstance(words, str) else words))


def split(line: str) -> list[str]:
    """The words of a line, quoted as in a shell. Raises InvalidArgument for an open quotation, or a line that is too
    long."""
    if len(line) > LONGEST:
        raise InvalidArgument(f"{line[:60]!a}...: has {len(line)} characters; a line has at most {LONGEST}")
    try:
        return shlex.split(line)
    except ValueError as error:
        raise InvalidArgument(f"{line[:60]!a}: {str(error).lower()}") from None


_WORD: Final = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+|\S""", re.DOTALL)


def sequence(line: str) -> list[str]:
    """The command lines in a line, which words `;` that are not quoted separate; empty ones are left out."""
    start, found = 0, list[str]()
    for match in _WORD.finditer(line):
        if not match[0].strip(";"):
            found.append(line[start : match.start()])
            start = match.end()
    return [part for each in (*found, line[start:]) if (part := each.strip())]


def format(command: Command[Any]) -> list[str]:
    """A command as words: its name, and a flag for every field that differs from its default."""
    return _words(command, lambda name, value: value)


def beginning(command: Command[Any], most: int, redacted: Callable[[str, Any], Any] = lambda name, value: value) -> str:
    """A command as a line that is exact for its first `most` characters; of long texts no more is read.

    `redacted` maps the name and the truncated JSON value of a field to what is written."""
    return shlex.join(_words(command, lambda name, value: redacted(name, _shortened(value, most))))


def _words(command: Command[Any], short: Callable[[str, Any], Any]) -> list[str]:
    words = [command.verb]
    for each in fields_of(type(command)):
        value = getattr(command, each.name)
        if each.required or value != each.default:
            words += _flag_words(each, short(each.name, dump(value)))
    return words


def _shortened(value: Any, most: int) -> Any:
    """A JSON value with its texts cleaned and its texts and lists truncated."""
    match value:
        case str():
            return _start(value, most)
        case list():
            return [_shortened(each, most) for each in cast("list[Any]", value)[:most]]
        case dict():
            entries = islice(cast("dict[str, Any]", value).items(), most)
            return {_start(name, most): _shortened(each, most) for name, each in entries}
        case _:
            return value


def _start(text: str, most: int) -> str:
    """The first printable characters of a text, however many unprintable ones come before them."""
    found = ""
    for at in range(0, len(text), 4 * most):
        found += clean_text(text[at : at + 4 * most])
        if len(found) > most:
            break
    return found[: most + 1]


def flag(name: str) -> str:
    """How a field is written as a flag."""
    return f"--{name.replace('_', '-')}"


def help_text(cls: type[Command[Any]]) -> str:
    """The `--help` text of a command."""
    about = describe(cls)
    own = {flag(each.name) for each in about.fields}
    shared = [usage for name, usage in _SHARED.items() if name not in own]
    usage = " ".join([f"usage: fugue-tui {cls.verb}", *map(field_usage, about.fields), *shared])
    lines = [fill(usage, 100, subsequent_indent="    "), "", about.text, ""]
    for each in about.fields:
        lines += [f"  {field_usage(each).removesuffix('...').strip('[]')}", *_description(each)]
    return "\n".join(lines).rstrip() + "\n"


def _arguments(cls: type[Command[Any]], words: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    positional: list[str] = []
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word == "--":
            program = next((each.name for each in fields_of(cls) if each.name == PROGRAM and PROGRAM not in given), "")
            given |= {program: list(rest)} if program and rest else {}
            positional += [] if program else rest
            break
        if _is_flag(word):
            _parse_flag(cls, word, rest, given)
        else:
            positional.append(word)
    _assign(cls, positional, given)
    return given


def _is_flag(word: str) -> bool:
    return word.startswith("-") and len(word) > 1 and not word[1:2].isdigit() and word[1] != "."


def _parse_flag(cls: type[Command[Any]], word: str, rest: deque[str], given: dict[str, Any]) -> None:
    written, equals, value = word.partition("=")
    known = {flag(each.name): each for each in fields_of(cls)}
    if written not in known and _ALIASES.get(written) in known:
        written = _ALIASES[written]
    if (
        not equals
        and (found := known.get(written.replace("--no-", "--", 1)))
        and isinstance(_core(found.kind), Boolean)
    ):
        given[found.name] = written in known
        return
    field = known.get(written) or _unknown_flag(written, known)
    if not equals:
        if not rest:
            raise InvalidArgument(f"{written}: requires {field.kind.words}")
        value = rest.popleft()
    _put(field, value, given)


def _unknown_flag(written: str, known: dict[str, Field]) -> NoReturn:
    from difflib import get_close_matches

    near = get_close_matches(written[:40], known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known) or 'none'}"
    raise InvalidArgument(f"no flag {ascii(written[:40])[1:-1]}; {hint}")


def _assign(cls: type[Command[Any]], positional: list[str], given: dict[str, Any]) -> None:
    free = [each for each in fields_of(cls) if each.name not in given]
    if positional and (found := next((each for each in free if each.name in TARGETS.get(positional[0][:1], ())), None)):
        free.remove(found)
        _put(found, positional.pop(0), given)
    needed = [each for each in free if each.required]
    order = needed if len(positional) <= len(needed) or any(_is_list(each) for each in needed) else free
    for each in order:
        if not positional:
            return
        taken = len(positional) if _is_list(each) else 1
        for word in positional[:taken]:
            _put(each, word, given)
        del positional[:taken]
    if positional:
        takes = ", ".join(flag(each.name) for each in fields_of(cls)) or "no arguments"
        raise InvalidArgument(f"{positional[0][:40]!a} is an unexpected argument; it takes {takes}")


def _put(field: Field, word: str, given: dict[str, Any]) -> None:
    kind = _core(field.kind)
    if not isinstance(kind, ListOf):
        given[field.name] = field.kind.read(word, field.name)
        return
    whole = _json_list(word)
    given.setdefault(field.name, []).extend([kind.item.read(word, field.name)] if whole is None else whole)


def _json_list(word: str) -> list[Any] | None:
    try:
        found = json.loads(word) if word.startswith("[") else None
    except (ValueError, RecursionError):
        return None
    return cast("list[Any]", found) if isinstance(found, list) else None


def _core(kind: Kind) -> Kind:
    if isinstance(kind, OneOf):
        real = [each for each in kind.kinds if not isinstance(each, Null)]
        return real[0] if len(real) == 1 else kind
    return kind


def _is_list(field: Field) -> bool:
    return isinstance(_core(field.kind), ListOf)


def _flag_words(field: Field, value: Any) -> list[str]:
    name = flag(field.name)
    if isinstance(value, bool) and isinstance(_core(field.kind), Boolean):
        return [name if value else name.replace("--", "--no-", 1)]
    if isinstance(value, list) and _is_list(field):
        return [f"{name}={json.dumps(value)}"]
    written = value if isinstance(value, str) else json.dumps(value)
    return [f"{name}={written}"] if written.startswith("-") else [name, written]


def field_usage(field: Field) -> str:
    """A field as the synopsis of its command has it: `[--ratio N]`."""
    kind = _core(field.kind)
    match kind:
        case Boolean():
            usage = f"{flag(field.name)}|{flag(field.name).replace('--', '--no-', 1)}"
        case Choice():
            usage = f"{flag(field.name)} {'|'.join(kind.options)}"
        case Number() | Integer():
            usage = f"{flag(field.name)} N"
        case Table() | Record():
            usage = f"{flag(field.name)} JSON"
        case _:
            usage = f"{flag(field.name)} {field.name.upper()}"
    written = usage if field.required else f"[{usage}]"
    return f"{written}..." if _is_list(field) else written


def _description(field: Field) -> list[str]:
    default = "" if field.required else json.dumps(dump(field.default), ensure_ascii=False)
    tail = "" if default in ("", '""', "null", "[]", "{}") else f" (default: {default.strip(chr(34))})"
    tail += " (the flag once for each)" if _is_list(field) else ""
    return [fill(field.doc + tail, 100, initial_indent="        ", subsequent_indent="        ")]
