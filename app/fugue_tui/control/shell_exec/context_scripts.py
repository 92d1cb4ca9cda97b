"""Scripts that set variables, aliases and functions in a shell temporarily and restore the old ones. Pure, per shell.

The shell keeps the old values itself, in variables that begin with __fugue_, so that they go to no file and are
restored exactly. No alias or function takes the place of a command that the shell has. While a script runs, the shell
traces nothing, so that it shows no value.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from fugue_tui.control.shell_exec.dialects import Dialect, quoted, variables
from fugue_tui.errors import InvalidArgument

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_ALIAS: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:+-]{0,63}", re.ASCII)
_OURS: Final = re.compile(r"__fugue", re.IGNORECASE)
_DECISIVE: Final = (
    (re.compile(r"PATH|path|(?:LD|DYLD)_\w+|GCONV_PATH|GLIBC_TUNABLES"), "which programs and libraries are loaded"),
    (
        re.compile(
            r"BASH\w*|ENV|SHELL\w*|IFS|ZDOTDIR|POSIXLY_CORRECT|(?:CD|F|MODULE_|MAIL)PATH|(?:cd|f|module_|mail)path"
            r"|MAIL|HIST\w*|GLOBIGNORE|EXECIGNORE|TMOUT|(?:READ)?NULLCMD|FCEDIT|INPUTRC|fish_\w+"
        ),
        "how shells start, and what they run for a line",
    ),
    (
        re.compile(r"R?PS\d|[RS]?PROMPT\d?|PROMPT_\w+|prompt|psvar|PERIOD|TIMEFMT|POSTEDIT|\w+_functions"),
        "what a shell runs at its prompt",
    ),
    (re.compile(r"HOME|XDG_\w+_(?:HOME|DIRS)"), "where programs find their configuration"),
    (re.compile(r"FUGUE_\w+"), "which workspace programs belong to"),
)
"""Variables that are not injected, each with what it decides of the user's own commands."""
_FUNCTION: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
_QUIET: Final = (
    '{ __fugue_options="${-}"; case "$__fugue_options" in *x*) \\set +x ;; esac; '
    'case "$__fugue_options" in *v*) \\set +v ;; esac; } 2>/dev/null'
)
_AGAIN: Final = (
    '{ case "$__fugue_options" in *v*) \\set -v ;; esac; case "$__fugue_options" in '
    "*x*) \\unset __fugue_options; \\set -x ;; *) \\unset __fugue_options ;; esac; } 2>/dev/null"
)
_TRACE_NOTHING: Final = dict.fromkeys(Dialect, _QUIET) | {Dialect.FISH: "set -l fish_trace"}
"""Begins a script; in fish it holds until the end of the script."""
_TRACE_AGAIN: Final = dict.fromkeys(Dialect, _AGAIN) | {Dialect.FISH: "true"}
_EXISTS: Final = "is a command already; nothing was set"
_EXISTING: Final = re.compile(rf"fugue: (\S+) {_EXISTS}")


class ShellContext(Struct, frozen=True):
    """Temporary variables, aliases and functions of a shell."""

    env: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    aliases: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    functions: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    def checked(self) -> "ShellContext":
        """The context itself. Raises InvalidArgument if it is empty or has an entry that no shell accepts."""
        if not (self.env or self.aliases or self.functions):
            raise InvalidArgument("env: there is nothing to set; give env, aliases or functions")
        for name, value in variables(self.env).items():
            if _OURS.match(name):
                raise InvalidArgument(f"env: {name} is one of Fugue's own; choose another name")
            for names, what in _DECISIVE:
                if names.fullmatch(name):
                    raise InvalidArgument(
                        f"env: {name} decides {what}, for the user too; for one command, use execute-command with env"
                    )
            if not value.isprintable() and any(ord(char) < 32 and char not in "\n\t\r\x1b" for char in value):
                raise InvalidArgument(f"env: {name} holds a control character")
        for name, value in self.aliases.items():
            if not _ALIAS.fullmatch(name) or "\0" in value:
                raise InvalidArgument(f"aliases: {name[:40]!a} cannot be set; names are letters, digits and _.:+-")
        for name, body in self.functions.items():
            if not _FUNCTION.fullmatch(name) or "\0" in body or not body.strip():
                raise InvalidArgument(
                    f"functions: {name[:40]!a} cannot be set; names are letters, digits and _, and bodies are not empty"
                )
        return self

    def with_more(self, other: "ShellContext") -> "ShellContext":
        """Both; entries of `other` take precedence."""
        return replace(
            self,
            env={**self.env, **other.env},
            aliases={**self.aliases, **other.aliases},
            functions={**self.functions, **other.functions},
        )

    def named_twice(self, known: "ShellContext") -> str:
        """A name that would be both an alias and a function with a known context; empty if there is none."""
        both = known.with_more(self)
        return next((name for name in both.functions if name in both.aliases), "")

    @property
    def names(self) -> str:
        """All names, for display."""
        return ", ".join([*self.env, *self.aliases, *self.functions])


def set_context(new: ShellContext, known: ShellContext, dialect: Dialect) -> str:
    """The script that sets a context and keeps the old value of each name that is not in `known` already."""
    names = [name for name in new.env if name not in known.env]
    aliases = [name for name in new.aliases if name not in known.aliases]
    functions = [name for name in new.functions if name not in known.functions]
    lines = [_unless_exists(name, dialect) for name in (*aliases, *functions)]
    lines += _keep_in_fish(names) if dialect is Dialect.FISH else _keep(names)
    for name, value in new.env.items():
        setting = f"set -gx {name} {quoted(value, dialect)}"
        lines.append(setting if dialect is Dialect.FISH else f"\\export {name}={quoted(value, dialect)}")
    for name, value in new.aliases.items():
        between = " " if dialect is Dialect.FISH else "="
        lines.append(f"alias {name}{between}{quoted(value, dialect)}")
    lines += [_function(name, body, dialect) for name, body in new.functions.items()]
    return _with_message(lines, f"fugue: {new.names} set for a while", dialect)


def existing(output: str) -> str:
    """The alias whose name is that of a command in the shell, so that nothing was set; from the script's output."""
    found = _EXISTING.search(output)
    return found[1] if found else ""


def _unless_exists(name: str, dialect: Dialect) -> str:
    """End the script, with a message and as a success, as with `set -e` a failure would end the shell."""
    stop = f"{_TRACE_AGAIN[dialect]}; printf '%s\\n' {quoted(f'fugue: {name} {_EXISTS}', dialect)}; return 0"
    if dialect is Dialect.FISH:
        return f"if type -q {name}; {stop}; end"
    return f"if command -v {name} >/dev/null 2>&1; then {stop}; fi"


def restore_context(known: ShellContext, dialect: Dialect) -> str:
    """The script that restores everything as it was before a context."""
    if dialect is Dialect.FISH:
        lines = [line for name in known.env for line in _variable_in_fish(name)]
        lines += [f"functions -e {name}" for name in (*known.aliases, *known.functions)]
    else:
        lines = [line for name in known.env for line in _variable(name, dialect)]
        lines += [f"\\unalias {name} 2>/dev/null || :" for name in known.aliases]
        lines += [f"\\unset -f {name} 2>/dev/null || :" for name in known.functions]
        lines.append("\\unset __fugue_exported")
    return _with_message(lines, f"fugue: {known.names} as before", dialect)


def _with_message(lines: list[str], words: str, dialect: Dialect) -> str:
    """The lines, run without a trace, and a message."""
    notice = f"printf '%s\\n' {quoted(words, dialect)}"
    return "\n".join([_TRACE_NOTHING[dialect], *lines, _TRACE_AGAIN[dialect], notice])


def _function(name: str, body: str, dialect: Dialect) -> str:
    """The line that defines a function, by `eval`: an error in its body ends neither script nor shell."""
    failed = f"printf '%s\\n' {quoted(f'fugue: {name} has an error and is not defined', dialect)}"
    if dialect is Dialect.FISH:
        definition = f"function {name}\n{body}\nend"
        return f"eval {quoted(definition, dialect)}; or {failed}"
    definition, evaluate = f"{name} () {{\n{body}\n}}", "command eval" if dialect is Dialect.SH else "\\eval"
    return f"{evaluate} {quoted(definition, dialect)} || {failed}"


def _keep(names: Sequence[str]) -> list[str]:
    lines: list[str] = []
    if names:
        # Only a child process shows in every shell whether a variable is exported.
        look = 'for n do eval "test \\"\\${$n+x}\\"" && printf "%s " $n; done; :'
        lines.append(f"__fugue_exported=\"${{__fugue_exported-}} $(/bin/sh -c '{look}' sh {' '.join(names)})\"")
    for name in names:
        lines.append(f'if [ "${{{name}+x}}" ]; then __fugue_was_{name}=${name}; else \\unset __fugue_was_{name}; fi')
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


def _keep_in_fish(names: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for name in names:
        lines.append(f"if set -qg {name}; set -g __fugue_was_{name} ${name}")
        lines.append(f"set -qgx {name}; and set -g __fugue_exported_{name} 1; end")
    return lines


def _variable_in_fish(name: str) -> list[str]:
    was, exported = f"__fugue_was_{name}", f"__fugue_exported_{name}"
    return [
        f"set -eg {name}",
        f"if set -qg {exported}; set -gx {name} ${was}; else if set -qg {was}; set -g {name} ${was}; end",
        f"set -eg {was} {exported}",
    ]
