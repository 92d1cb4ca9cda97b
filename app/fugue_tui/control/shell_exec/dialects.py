"""The text to type so that a shell runs a command. Pure, per shell.

A command is typed verbatim if no shell could wait for more of it or interpret its keys as editing; any other is quoted
for `eval`, so that a missing quote is an error that the shell reports and never a continuation prompt. The line starts
with a blank, which keeps it out of the history of shells configured so.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field

from fugue_tui.errors import InvalidArgument
from fugue_tui.shell_names import POSIX_SHELLS, is_interactive, program_name

LONGEST: Final = 3_900
"""Characters of one typed line; longer ones go through a file. Canonical mode accepts 4,095 bytes."""

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SAFE: Final = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
_KEYWORDS: Final = re.compile(
    r"(?<![\w./$-])(?:if|then|elif|else|fi|for|foreach|while|until|do|done|case|esac|select|repeat|function|coproc|time"
    r"|nocorrect|noglob|end|begin|switch|and|or|not|\[\[)(?![\w./=-])"
)
_ESCAPED: Final = str.maketrans({"\\": r"\\", "\n": r"\n", "\t": r"\t", "'": r"\047", "!": r"\041"})
"""For $'...': text on one line, without characters that history expansion could change."""
_UNFINISHED: Final = re.compile(r"(?:[|<>]|&&|(?<!\\)\\)\s*$|<<|;;|<\(|>\(")
_WORDS: Final = re.compile(
    r"""(?: '[^'\n]*'                                          # one quotation
    | "(?: [^"\\`$!\n] | \\["\\$`] | \$\w | \$\{\w+\} | \$(?=["\s]) )*"
    | \\[\w\s."'$*?&;|<>()\[\]{}-]
    | \$\( [\w\s./=:,@%+-]* \)
    | \$\{\w+\} | \$[\w?#@*!$-]
    | !(?=[\s=])
    | (?<=\S)\#
    | [^'"\\`(){}!\n\t\#$]
    )*""",
    re.VERBOSE,
)
_FISH_WORDS: Final = re.compile(
    r"""(?: '[^'\\\n]*' | "(?: [^"\\$\n(] | \$[A-Za-z_]\w* )*" | \$[A-Za-z_]\w*(?![\[(]) | \\[\s"'$*?]
    | (?<=\S)\# | [^'"\\`(){}\n\t\#$^?\[\]] )*""",
    re.VERBOSE,
)


class Dialect(StrEnum):
    """The supported shell languages."""

    SH = "sh"
    """POSIX only: dash, ash, ksh."""
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


_DIALECTS: Final = dict.fromkeys(POSIX_SHELLS, Dialect.SH) | {
    "bash": Dialect.BASH,
    "rbash": Dialect.BASH,
    "fish": Dialect.FISH,
    "zsh": Dialect.ZSH,
}


def dialect_of(argv: Sequence[str]) -> Dialect | None:
    """The language of an interactive shell; None for any other program, and for a shell of unsupported language."""
    return _DIALECTS.get(program_name(argv)) if is_interactive(argv) else None


def quoted(text: str, dialect: Dialect) -> str:
    """Any text as one word."""
    if _SAFE.fullmatch(text) and not text.startswith(("=", "%")):
        return text
    if dialect is Dialect.FISH:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if dialect is not Dialect.SH and ("\n" in text or "\t" in text):
        return "$'" + text.translate(_ESCAPED) + "'"
    return "'" + text.replace("'", "'\\''") + "'"


def is_plain(command: str, dialect: Dialect) -> bool:
    """Whether a line can be typed verbatim and is a complete command."""
    if len(command) > LONGEST:
        return False
    words = _FISH_WORDS if dialect is Dialect.FISH else _WORDS
    whole = words.fullmatch(command) and not _UNFINISHED.search(command)
    return bool(whole) and not command.isspace() and not _KEYWORDS.search(command)


def variables(env: Mapping[str, str]) -> Mapping[str, str]:
    """A validated environment for a shell. Raises InvalidArgument for an invalid name, or a NUL in a value."""
    for name, value in env.items():
        if not _NAME.fullmatch(name):
            raise InvalidArgument(f"env: {name[:40]!a} is no name of a variable; use letters, digits and _")
        if "\0" in value:
            raise InvalidArgument(f"env: {name} holds a NUL character, which no variable can")
    return env


class ShellLine(Struct, frozen=True):
    """A command line with its directory and environment."""

    command: str
    cwd: str = ""
    """A directory for this command only; empty for the shell's own."""
    env: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Variables for this command only."""
    by_file: bool = False
    """Whether the shell reads it from a file even if it is short; so it does with `env`, whose values may be secret."""
    own: str = ""
    """What it is recorded as if Fugue types it for a purpose of its own, and its text may hold secrets."""
    hooks: bool = False
    """Whether the shell first reinstalls the hooks that mark its prompts."""

    def typed(self, dialect: Dialect) -> str:
        """The text to type into a shell that marks its commands."""
        if self._is_isolated:
            return " " + self._isolated(dialect)
        return f" {self.command}" if is_plain(self.command, dialect) else f" eval {quoted(self.command, dialect)}"

    def marked(self, dialect: Dialect, nonce: str) -> str:
        """The text to type so that marks with the nonce are printed before and after.

        The typed text itself contains neither a mark nor the whole nonce."""
        words = f"{nonce[: len(nonce) // 2]} {nonce[len(nonce) // 2 :]}"
        status = "$status" if dialect is Dialect.FISH else '"$?"'
        # In a POSIX shell, a syntax error in plain `eval` would discard the rest of the line.
        evaluate = "command eval" if dialect is Dialect.SH else "eval"
        core = self._isolated(dialect) if self._is_isolated else f"{evaluate} {quoted(self.command, dialect)}"
        begin = rf"printf '\033[J\033]133;C;fugue=%s%s\007' {words}"
        end = rf"printf '\033]133;D;%s;fugue=%s%s\007' {status} {words}"
        if dialect is not Dialect.FISH:
            end = f"{{ {end}; }} 2>/dev/null"  # Hides the trace of `set -x`, which is no output of the command.
        again = "__fugue_hook 2>/dev/null; " if self.hooks else ""
        return f" {again}{begin}; {core}; {end}"

    def script(self, folder: str, dialect: Dialect) -> str:
        """The contents of a file in a folder of its own, from which the shell reads it; first it removes the folder."""
        remove = f"command rm -rf -- {quoted(folder, dialect)}"
        # On the line of the command, whose errors then name the right lines.
        first = f"{remove} 2>/dev/null; or true" if dialect is Dialect.FISH else f"{{ {remove}; }} 2>/dev/null || :"
        return f"{first}; {self._isolated(dialect) if self._is_isolated else self.command}\n"

    def from_file(self, path: str, dialect: Dialect) -> "ShellLine":
        """The line by which the shell reads the file with its script."""
        word = {Dialect.SH: "command .", Dialect.FISH: "source"}.get(dialect, ".")
        return ShellLine(f"{word} {quoted(path, dialect)}", hooks=self.hooks)

    @property
    def recorded(self) -> str:
        """What it is recorded as."""
        return self.own or self.command

    @property
    def _is_isolated(self) -> bool:
        return bool(self.cwd or self.env)

    def _isolated(self, dialect: Dialect) -> str:
        """The command in a scope of its own, so that its directory and variables do not persist."""
        command = quoted(self.command, dialect)
        pairs = [(name, quoted(value, dialect)) for name, value in self.env.items()]
        if dialect is Dialect.FISH:
            return _isolated_in_fish(command, self.cwd, pairs)
        change = {Dialect.SH: "command cd", Dialect.BASH: "builtin cd", Dialect.ZSH: "builtin cd -q"}[dialect]
        steps = [f"{change} -- {quoted(self.cwd, dialect)}"] if self.cwd else []
        steps += ["export " + " ".join(f"{name}={value}" for name, value in pairs)] if pairs else []
        return f"({' && '.join([*steps, f'eval {command}'])})"


def _isolated_in_fish(command: str, cwd: str, pairs: list[tuple[str, str]]) -> str:
    steps = [f"set -lx {name} {value}" for name, value in pairs]
    if not cwd:
        return "; ".join(["begin", *steps, f"eval {command}", "end"])
    there = f"builtin cd {quoted(cwd, Dialect.FISH)}; and eval {command}"
    back = 'set -l ended $status; builtin cd $here; sh -c "exit $ended"'
    return "; ".join(["begin", "set -l here $PWD", *steps, there, back, "end"])
