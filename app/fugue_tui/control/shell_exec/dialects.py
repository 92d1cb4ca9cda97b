"""What is typed so that a shell runs a command: pure, per shell.

A command is typed as it is where no shell could wait for more of it or take a character of it for something else; any
other goes to `eval` in quotes, so that a missing quote is an error that the shell reports and never a second prompt.
The line starts with a blank, which keeps it out of the history of those who asked their shell for that.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from fugue_tui.errors import InvalidArgument
from fugue_tui.shell_names import POSIX_SHELLS, is_interactive, program_name

LONGEST: Final = 3_900
"""Characters of one typed line; longer ones go by a file. A terminal that edits lines itself takes 4,095 bytes."""

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SAFE: Final = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
_KEYWORDS: Final = re.compile(
    r"(?<![\w./$-])(?:if|then|elif|else|fi|for|foreach|while|until|do|done|case|esac|select|repeat|function|coproc|time"
    r"|nocorrect|noglob|end|begin|switch|and|or|not|\[\[)(?![\w./=-])"
)
_ESCAPED: Final = str.maketrans({"\\": r"\\", "\n": r"\n", "\t": r"\t", "'": r"\047", "!": r"\041"})
"""For $'...': one line of it never shows what stands beside or below, and holds nothing that history could change."""
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
    """The shells whose language is known."""

    SH = "sh"
    """What POSIX says, and no more: dash, ash, ksh."""
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
    """Text as one word, whatever is in it."""
    if _SAFE.fullmatch(text) and not text.startswith(("=", "%")):
        return text
    if dialect is Dialect.FISH:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if dialect is not Dialect.SH and ("\n" in text or "\t" in text):
        return "$'" + text.translate(_ESCAPED) + "'"
    return "'" + text.replace("'", "'\\''") + "'"


def is_plain(command: str, dialect: Dialect) -> bool:
    """Whether a shell takes a line for what it says, and for a whole command."""
    if len(command) > LONGEST:
        return False
    words = _FISH_WORDS if dialect is Dialect.FISH else _WORDS
    whole = words.fullmatch(command) and not _UNFINISHED.search(command)
    return bool(whole) and not command.isspace() and not _KEYWORDS.search(command)


def variables(env: Mapping[str, str]) -> Mapping[str, str]:
    """An environment for a shell. Raises InvalidArgument for a name that no shell takes, or a NUL in a value."""
    for name, value in env.items():
        if not _NAME.fullmatch(name):
            raise InvalidArgument(f"env: {name[:40]!a} is no name of a variable; use letters, digits and _")
        if "\0" in value:
            raise InvalidArgument(f"env: {name} holds a NUL character, which no variable can")
    return env


@dataclass(frozen=True, slots=True)
class ShellLine:
    """A command, and where and with what it is to run."""

    command: str
    cwd: str = ""
    """A directory for this command only; empty for the shell's own."""
    env: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Variables for this command only."""
    by_file: bool = False
    """Whether the shell reads it from a file, however short it is."""
    hooks: bool = False
    """Whether the shell is to mark its prompts again first, as it once did."""

    def typed(self, dialect: Dialect) -> str:
        """What is typed; the shell must tell itself when it begins and ends."""
        if self.cwd or self.env:
            return " " + self._apart(dialect)
        return f" {self.command}" if is_plain(self.command, dialect) else f" eval {quoted(self.command, dialect)}"

    def marked(self, dialect: Dialect, nonce: str) -> str:
        """What is typed so that marks are printed before and after, with the nonce in them.

        What is typed holds neither the marks nor the nonce in one piece."""
        words = f"{nonce[: len(nonce) // 2]} {nonce[len(nonce) // 2 :]}"
        status = "$status" if dialect is Dialect.FISH else '"$?"'
        # In a shell that keeps to POSIX an error in what is evaluated would take the rest of the line along.
        evaluate = "command eval" if dialect is Dialect.SH else "eval"
        core = self._apart(dialect) if self.cwd or self.env else f"{evaluate} {quoted(self.command, dialect)}"
        begin = rf"printf '\033[J\033]133;C;fugue=%s%s\007' {words}"
        end = rf"printf '\033]133;D;%s;fugue=%s%s\007' {status} {words}"
        if dialect is not Dialect.FISH:
            end = f"{{ {end}; }} 2>/dev/null"  # What `set -x` has a shell say of this is no output of the command.
        again = "__fugue_hook 2>/dev/null; " if self.hooks else ""
        return f" {again}{begin}; {core}; {end}"

    def _apart(self, dialect: Dialect) -> str:
        """The command where it leaves no trace of its directory and variables."""
        command = quoted(self.command, dialect)
        pairs = [(name, quoted(value, dialect)) for name, value in self.env.items()]
        if dialect is Dialect.FISH:
            return _apart_in_fish(command, self.cwd, pairs)
        change = {Dialect.SH: "command cd", Dialect.BASH: "builtin cd", Dialect.ZSH: "builtin cd -q"}[dialect]
        steps = [f"{change} -- {quoted(self.cwd, dialect)}"] if self.cwd else []
        steps += ["export " + " ".join(f"{name}={value}" for name, value in pairs)] if pairs else []
        return f"({' && '.join([*steps, f'eval {command}'])})"


def _apart_in_fish(command: str, cwd: str, pairs: list[tuple[str, str]]) -> str:
    steps = [f"set -lx {name} {value}" for name, value in pairs]
    if not cwd:
        return "; ".join(["begin", *steps, f"eval {command}", "end"])
    there = f"builtin cd {quoted(cwd, Dialect.FISH)}; and eval {command}"
    back = 'set -l ended $status; builtin cd $here; sh -c "exit $ended"'
    return "; ".join(["begin", "set -l here $PWD", *steps, there, back, "end"])


def from_file(path: str, line: ShellLine, dialect: Dialect) -> ShellLine:
    """The same with a command that a file holds, read by the shell itself."""
    word = {Dialect.SH: "command .", Dialect.FISH: "source"}.get(dialect, ".")
    return replace(line, command=f"{word} {quoted(path, dialect)}")
