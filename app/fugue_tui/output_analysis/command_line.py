"""Splits a command line into the programs that it runs, and marks the one whose exit code it returns."""

import re
import shlex
from collections.abc import Sequence
from typing import Final

from msgspec import Struct


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


LONGEST: Final = 4096
"""Most characters of a command line that are parsed."""
FILTERS: Final = word_set("cat column grep egrep head less more rg sort tac tail tee uniq")
"""Programs that print lines of their input unchanged."""
_WRAPPERS: Final = word_set("builtin bunx chronic command doas env exec nice nohup npx pipx stdbuf sudo time xvfb-run")
_PROJECT_TOOLS: Final = word_set("bun hatch pdm pipenv pnpm poetry rye uv yarn")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_OPTIONS_WITH_VALUE: Final = word_set("-C -c -n --namespace --context -H --host -p --prefix")
_OPERATORS: Final = "();|&"
_DURATION: Final = re.compile(r"[\d.]+[smhd]?")
_PYTHON: Final = re.compile(r"(?:python|pypy)[\d.]*")


class Stage(Struct, frozen=True):
    """One program of a command line, with its arguments."""

    words: tuple[str, ...]
    """The program first, without wrappers: `sudo`, `env A=1`, `timeout 5`, `uv run`, `python -m`."""
    start: tuple[str, ...]
    """The words before its arguments, as written."""
    piped: bool
    """Whether its output is piped into another program."""
    last: bool
    """Whether the exit code of the line is its own."""

    @property
    def program(self) -> str:
        """The program's name without its directory; empty for an empty command."""
        return self.words[0].rpartition("/")[2] if self.words else ""

    @property
    def subcommand(self) -> str:
        """The first word that is no option nor an option's value (`git -C there log`)."""
        at = 1
        while at < len(self.words) and self.words[at].startswith(("-", "+")):
            at += 2 if self.words[at] in _OPTIONS_WITH_VALUE else 1
        return self.words[at] if at < len(self.words) else ""


def stages(command: str | Sequence[str]) -> tuple[Stage, ...]:
    """The programs of a command line, in order."""
    tokens = _tokens(command) if isinstance(command, str) else list(command)
    found: list[tuple[list[str], str]] = [([], "")]
    for token in tokens:
        if isinstance(command, str) and token and not token.strip(_OPERATORS):
            found[-1] = (found[-1][0], token)
            found.append(([], ""))
        else:
            found[-1][0].append(token)
    filled = [(words, after) for words, after in found if words]
    return tuple(_stage(words, after, at == len(filled) - 1) for at, (words, after) in enumerate(filled))


def output_stage(command: str | Sequence[str]) -> Stage | None:
    """The program that produced the output: the last one that does not filter another's output."""
    found = stages(command)
    for at in range(len(found) - 1, -1, -1):
        if found[at].program not in FILTERS or at == 0 or not found[at - 1].piped:
            return found[at]
    return None


def _tokens(command: str) -> list[str]:
    lexer = shlex.shlex(command[:LONGEST].replace("\n", " ; "), posix=True, punctuation_chars=_OPERATORS + "<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return _without_redirections(list(lexer))
    except ValueError:
        return command[:LONGEST].split()


def _without_redirections(tokens: list[str]) -> list[str]:
    """The tokens without `2>&1`, `< file` and the like."""
    kept: list[str] = []
    skip = False
    for token in tokens:
        if skip:
            skip = False
        elif token and not token.strip(_OPERATORS + "<>") and ("<" in token or ">" in token):
            skip = True
            if kept and kept[-1].isdecimal() and len(kept[-1]) == 1:
                kept.pop()
        else:
            kept.append(token)
    return kept


def _stage(words: list[str], after: str, last: bool) -> Stage:
    at = _wrapper_length(words)
    inner = list(words[at:])
    if len(inner) > 2 and _PYTHON.fullmatch(inner[0].rpartition("/")[2]) and inner[1] == "-m":
        at, inner = at + 2, inner[2:]
    return Stage(tuple(inner), tuple(words[: at + 1]), after in ("|", "|&"), last)


def _wrapper_length(words: list[str]) -> int:
    """The number of words before the program."""
    at = 0
    while at < len(words):
        name = words[at].rpartition("/")[2]
        following = words[at + 1] if at + 1 < len(words) else ""
        if _ASSIGNMENT.match(words[at]):
            at += 1
        elif name in _WRAPPERS:
            at = _skip_options(words, at + 1)
        elif name == "timeout":
            at = _skip_options(words, at + 1)
            at += at < len(words) and _DURATION.fullmatch(words[at]) is not None
        elif name in _PROJECT_TOOLS and following in ("run", "exec", "dlx", "x"):
            at = _skip_options(words, at + 2)
        else:
            return at
    return max(0, len(words) - 1)


def _skip_options(words: list[str], at: int) -> int:
    while at < len(words) and words[at].startswith("-"):
        at += 1
    return at
