"""Completion of a command line as it is typed: names of commands, flags, and the values that they take."""

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from msgspec import Struct

from fugue_tui.control.core.command import Command, registry
from fugue_tui.control.schema.command_line import TARGETS, flag
from fugue_tui.control.schema.command_words import Flag, Source, Values, first_operand, flags_of, values_of
from fugue_tui.validation.annotations import fields_of

_LAST_PART: Final = re.compile(r"(?:.*\s)?;(?=\s)(.*)", re.DOTALL)
_LAYOUT_COMMANDS: Final = ("load-layout", "show-layout")
_PATHS: Final = (Source.FILES, Source.DIRECTORIES)
_VERBATIM: Final = re.compile(r"[%@]\d+")

Names = Callable[[str], Sequence[str]]
"""The names of what there is now, by kind: `panes`, `windows`, `sessions`, `presets`, `layouts`."""


Paths = Callable[[str, bool], Sequence[str]]
"""The paths, quoted, that begin with a text; of directories alone if that is true."""


def _no_paths(typed: str, directories: bool) -> Sequence[str]:
    return ()


class _Sources(NamedTuple):
    names: Names
    paths: Paths


class Completion(Struct, frozen=True):
    """What may stand in the place of the last word."""

    start: int
    """Where the word starts."""
    candidates: tuple[str, ...]


def complete(text: str, names: Names, paths: Paths = _no_paths) -> Completion:
    """The completion at the end of a text; inside of quotes only paths are completed."""
    found = _LAST_PART.fullmatch(text)
    part = found[1] if found else text
    before, word = _last_word(part)
    start = len(text) - len(word)
    try:
        words = shlex.split(before)
    except ValueError:
        return Completion(start, ())
    if not words:
        return _matching(start, word, registry())
    cls = registry().get(words[0])
    if cls is None or "--" in words:
        return Completion(start, ())
    if word.startswith("-") and "=" not in word:
        given = {each.partition("=")[0] for each in words}
        return _matching(start, word, [name for each in flags_of(cls) for name in each.names if name not in given])
    return _value(cls, words, word, start, _Sources(names, paths))


def _value(cls: type[Command[Any]], words: list[str], word: str, start: int, sources: _Sources) -> Completion:
    """The completion of a flag's value, or of a word without a flag."""
    flags = {name: each for each in flags_of(cls) for name in each.names}
    written, equals, value = word.partition("=")
    if equals and written in flags:
        return _given(cls, flags[written], start + len(written) + 1, value, sources)
    if words[-1] in flags and flags[words[-1]].values is not None:
        return _given(cls, flags[words[-1]], start, word, sources)
    found = _matching(start, word, _operands(cls, sources.names))
    path = next((values for each in fields_of(cls) if each.required and (values := values_of(each)) in _PATHS), None)
    return found if path is None or found.candidates else _of_paths(start, word, path, sources)


def _given(cls: type[Command[Any]], each: Flag, start: int, word: str, sources: _Sources) -> Completion:
    """The completion of the value of one flag."""
    if each.values in _PATHS:
        return _of_paths(start, word, each.values, sources)
    return _matching(start, word, _of_flag(cls, each, sources.names))


def _of_paths(start: int, word: str, kind: Values | None, sources: _Sources) -> Completion:
    return Completion(start, tuple(sources.paths(_unquoted(word), kind is Source.DIRECTORIES)))


def _of_flag(cls: type[Command[Any]], each: Flag, names: Names) -> Sequence[str]:
    return _named(cls, each.names[0].removeprefix("--"), names) or _listed(each.values, names)


def _operands(cls: type[Command[Any]], names: Names) -> list[str]:
    """The words without a flag: what can be named first, and the values of required fields."""
    fields = fields_of(cls)
    found = [*_listed(first_operand(cls), names)]
    for each in fields:
        if each.required or each.name in TARGETS["@"]:
            found += _named(cls, each.name, names)
    values = {flag_.names[0]: flag_.values for flag_ in flags_of(cls)}
    for each in fields:
        if each.required:
            found += _listed(values.get(flag(each.name)), names)
    return list(dict.fromkeys(found))


def _named(cls: type[Command[Any]], field: str, names: Names) -> Sequence[str]:
    """The names of what a field stands for, if it is a window, a session or a layout."""
    if field in ("window", "session"):
        return names(f"{field}s")
    if field == "preset" and cls.verb == "select-layout":
        return names("presets")
    return names("layouts") if field == "name" and cls.verb in _LAYOUT_COMMANDS else ()


def _listed(values: Values | None, names: Names) -> Sequence[str]:
    if isinstance(values, tuple):
        return values
    return names("panes") if values is Source.PANES else ()


def _matching(start: int, word: str, found: Iterable[str]) -> Completion:
    return Completion(start, tuple(each for each in found if each.startswith(word)))


def plain(names: Iterable[str]) -> list[str]:
    """The names that need no quotes on a command line; ids do not."""
    return [name for name in names if name and (_VERBATIM.fullmatch(name) or shlex.quote(name) == name)]


def _last_word(part: str) -> tuple[str, str]:
    """A command up to its last word, and that word as it is written, which is empty after a space."""
    at, quote, escaped = 0, "", False
    for index, letter in enumerate(part):
        if escaped:
            escaped = False
        elif letter == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter.isspace():
            at = index + 1
    return part[:at], part[at:]


def _unquoted(word: str) -> str:
    """A word without its quotes, of which the last may be open."""
    for written in (word, word.removesuffix("\\"), f"{word}'", f'{word}"'):
        with suppress(ValueError):
            return "".join(shlex.split(written))
    return word
