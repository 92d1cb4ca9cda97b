"""Scripts that set variables and aliases in a shell temporarily and restore the old ones. Pure, per shell.

The shell keeps the old values itself, in variables and functions that begin with __fugue_, so that they go to no file
and are restored exactly.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from fugue_tui.control.shell_exec.dialects import Dialect, quoted, variables
from fugue_tui.errors import InvalidArgument

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_ALIAS: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:+-]{0,63}", re.ASCII)
_OURS: Final = re.compile(r"__fugue", re.IGNORECASE)


class ShellContext(Struct, frozen=True):
    """Temporary variables and aliases of a shell."""

    env: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    aliases: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    def checked(self) -> "ShellContext":
        """The context itself. Raises InvalidArgument if it is empty or has an entry that no shell accepts."""
        if not (self.env or self.aliases):
            raise InvalidArgument("env: there is nothing to set; give env or aliases")
        for name, value in variables(self.env).items():
            if _OURS.match(name):
                raise InvalidArgument(f"env: {name} is one of Fugue's own; choose another name")
            if not value.isprintable() and any(ord(char) < 32 and char not in "\n\t\r\x1b" for char in value):
                raise InvalidArgument(f"env: {name} holds a control character")
        for name, value in self.aliases.items():
            if not _ALIAS.fullmatch(name) or "\0" in value:
                raise InvalidArgument(f"aliases: {name[:40]!a} cannot be set; names are letters, digits and _.:+-")
        return self

    def with_more(self, other: "ShellContext") -> "ShellContext":
        """Both; entries of `other` take precedence."""
        return replace(self, env={**self.env, **other.env}, aliases={**self.aliases, **other.aliases})

    @property
    def names(self) -> str:
        """All names, for display."""
        return ", ".join([*self.env, *self.aliases])


def set_context(new: ShellContext, known: ShellContext, dialect: Dialect) -> str:
    """The script that sets a context and keeps the old value of each name that is not in `known` already."""
    names = [name for name in new.env if name not in known.env]
    aliases = [name for name in new.aliases if name not in known.aliases]
    lines = _keep_in_fish(names, aliases) if dialect is Dialect.FISH else _keep(names, aliases, dialect)
    for name, value in new.env.items():
        setting = f"set -gx {name} {quoted(value, dialect)}"
        lines.append(setting if dialect is Dialect.FISH else f"\\export {name}={quoted(value, dialect)}")
    for name, value in new.aliases.items():
        between = " " if dialect is Dialect.FISH else "="
        lines.append(f"alias {name}{between}{quoted(value, dialect)}")
    return _with_message(lines, f"fugue: {new.names} set for a while", dialect)


def restore_context(known: ShellContext, dialect: Dialect) -> str:
    """The script that restores everything as it was before a context."""
    if dialect is Dialect.FISH:
        lines = [line for name in known.env for line in _variable_in_fish(name)]
        lines += [line for name in known.aliases for line in _function_in_fish(name)]
    else:
        lines = [line for name in known.env for line in _variable(name, dialect)]
        lines += [line for name in known.aliases for line in _alias(name)]
        lines.append("\\unset __fugue_exported")
    return _with_message(lines, f"fugue: {known.names} as before", dialect)


def _with_message(lines: list[str], words: str, dialect: Dialect) -> str:
    return "\n".join([*lines, f"printf '%s\\n' {quoted(words, dialect)}"])


def _hidden(name: str) -> str:
    """The part of a variable's name for an alias, which may have characters that variables may not."""
    return "".join(char if char.isalnum() else f"_{ord(char):x}_" for char in name)


def _keep(names: Iterable[str], aliases: Iterable[str], dialect: Dialect) -> list[str]:
    lines: list[str] = []
    names = list(names)
    if names:
        # Only a child process shows in every shell whether a variable is exported.
        look = 'for n do eval "test \\"\\${$n+x}\\"" && printf "%s " $n; done; :'
        lines.append(f"__fugue_exported=\"${{__fugue_exported-}} $(/bin/sh -c '{look}' sh {' '.join(names)})\"")
    for name in names:
        lines.append(f'if [ "${{{name}+x}}" ]; then __fugue_was_{name}=${name}; else \\unset __fugue_was_{name}; fi')
    tell = "alias -L" if dialect is Dialect.ZSH else "alias"
    lines += [f"__fugue_alias_{_hidden(name)}=$(\\{tell} {name} 2>/dev/null) || :" for name in aliases]
    return lines


def _variable(name: str, dialect: Dialect) -> list[str]:
    was, restore = f"__fugue_was_{name}", f"{name}=$__fugue_was_{name}"
    hide = {Dialect.BASH: f"\\export -n {name}", Dialect.ZSH: f"\\typeset +x {name}", Dialect.SH: f"\\unset {name}"}
    return [
        f'if [ "${{{was}+x}}" ]; then',
        f'case " $__fugue_exported" in *" {name} "*) ;; *) {hide[dialect]} ;; esac',
        f"{restore}; \\unset {was}",
        f"else \\unset {name}; fi",
    ]


def _alias(name: str) -> list[str]:
    was = f"__fugue_alias_{_hidden(name)}"
    return [
        f"\\unalias {name} 2>/dev/null || :",
        f'case ${was} in "") ;; alias\\ *) eval "${was}" ;; *) eval "alias ${was}" ;; esac',
        f"\\unset {was}",
    ]


def _keep_in_fish(names: Iterable[str], aliases: Iterable[str]) -> list[str]:
    lines: list[str] = []
    for name in names:
        lines.append(f"if set -qg {name}; set -g __fugue_was_{name} ${name}")
        lines.append(f"set -qgx {name}; and set -g __fugue_exported_{name} 1; end")
    for name in aliases:
        lines.append(f"functions -q {name}; and functions -c {name} __fugue_alias_{name}")
    return lines


def _variable_in_fish(name: str) -> list[str]:
    was, exported = f"__fugue_was_{name}", f"__fugue_exported_{name}"
    return [
        f"set -eg {name}",
        f"if set -qg {exported}; set -gx {name} ${was}; else if set -qg {was}; set -g {name} ${was}; end",
        f"set -eg {was} {exported}",
    ]


def _function_in_fish(name: str) -> list[str]:
    was = f"__fugue_alias_{name}"
    return [
        f"functions -e {name}",
        f"if functions -q {was}; functions -c {was} {name}; functions -e {was}; end",
    ]
