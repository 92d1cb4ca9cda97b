"""Adapts a text to where it is pasted: formats JSON, quotes paths for a shell, joins or splits lines. Pure."""

import re
import shlex
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import pairwise
from typing import Final, TypeAlias

from msgspec import Struct

from fugue_tui.control.shell_exec.dialects import Dialect, quoted
from fugue_tui.output_analysis.text_form import PROMPT, TextForm, form_of
from fugue_tui.sanitize import clean_text
from fugue_tui.terminal.input import paste

_NARROWEST: Final = 60
"""Columns of the narrowest text whose lines count as wrapped."""
_CONTINUED: Final = re.compile(r"> ")
_KEEPS_LINES: Final = re.compile(r"\s|[-*•#>|] |\d+[.)] |.*\\$")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+')

Step: TypeAlias = tuple[str, Callable[[str], str]]
"""A change in words, and the function that makes it."""


class Lines(StrEnum):
    """What happens to the line breaks of a pasted text."""

    AUTO = "auto"
    """Wrapped lines are joined; several paths become words on one line."""
    KEEP = "keep"
    """They stay."""
    JOIN = "join"
    """One line, with a blank between what were two."""
    SPLIT = "split"
    """A line for each word, as a shell splits words."""


class Adapted(Struct, frozen=True):
    """An adapted text."""

    text: str
    """Without control characters, and without line breaks at its end."""
    form: TextForm
    """What the original looks like."""
    changes: tuple[str, ...]
    """What was changed, in words."""


def adapt(text: str, dialect: Dialect | None, *, bracketed: bool, lines: Lines = Lines.AUTO) -> Adapted:
    """The text as it is pasted into a shell, or into another program if `dialect` is None.

    `bracketed` says whether the program asked for bracketed paste; without it, a newline is Enter."""
    form = form_of(_visible(text))
    steps: list[Step] = [
        ("hidden characters removed", _visible),
        ("line breaks at the ends removed", lambda text: text.strip("\n")),
        ("prompt sign removed", _without_prompts),
        *_steps(form, dialect, lines, one_line=dialect is not None and not bracketed),
    ]
    changes = list[str]()
    for words, change in steps:
        before, text = text, change(text)
        if text != before:
            changes.append(words)
    return Adapted(text, form, tuple(changes))


def _steps(form: TextForm, dialect: Dialect | None, lines: Lines, *, one_line: bool) -> Iterator[Step]:
    """The changes that depend on what a text looks like."""
    if lines is Lines.SPLIT:
        yield "split into lines", lambda text: "\n".join(_words(text))
        return
    if form is TextForm.JSON and lines is not Lines.KEEP:
        compact = one_line or lines is Lines.JOIN
        yield ("JSON on one line" if compact else "JSON formatted"), lambda text: _json(text, compact=compact)
        return
    items = dialect is not None and form in (TextForm.PATH, TextForm.URL)
    if items and dialect is not None:
        yield f"quoted for {dialect}", lambda text: "\n".join(_argument(each, dialect) for each in _lines(text))
    if lines is Lines.JOIN or (lines is Lines.AUTO and items):
        yield "lines joined", lambda text: " ".join(line.removesuffix("\\").strip() for line in _lines(text))
    elif lines is Lines.AUTO and form is TextForm.TEXT:
        yield "wrapped lines joined", lambda text: "\n\n".join(map(_unwrapped, text.split("\n\n")))


def _visible(text: str) -> str:
    """The text without control, bidirectional and zero-width characters."""
    return clean_text(paste.cleaned(text), len(text) + 1)


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _without_prompts(text: str) -> str:
    """The text without the signs of prompts, if it begins with one."""
    lines = text.split("\n")
    if not PROMPT.match(lines[0]):
        return text
    found = list[str]()
    for line in lines:
        continues = bool(found) and found[-1].endswith("\\") and _CONTINUED.match(line)
        found.append(line[2:] if PROMPT.match(line) or continues else line)
    return "\n".join(found)


def _argument(text: str, dialect: Dialect) -> str:
    """A path or URL as one word; the home directory's `~/` stays, and so does a path that is escaped already."""
    text = text.strip()
    if "\\ " in text:
        return text
    home = "~/" if text.startswith("~/") else ""
    rest = text.removeprefix(home)
    return home + (quoted(rest, dialect) if rest else "")


def _words(text: str) -> list[str]:
    """The words of a text, as a shell splits it if its quotes are closed."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _unwrapped(text: str) -> str:
    """A paragraph on one line, if the first word of each line would not have fitted on the line before."""
    lines = text.split("\n")
    widest = max(map(len, lines))
    pairs = list(pairwise(lines))
    full = all(len(line) + 1 + len(following.split(" ")[0]) > widest for line, following in pairs)
    commands = sum(form_of(line) is TextForm.COMMAND for line in lines)
    if widest < _NARROWEST or len(lines[0]) < _NARROWEST or not full or commands > 1:
        return text
    if any(map(_KEEPS_LINES.match, lines)):
        return text
    broken = all(len(line) == widest for line in lines[:-1]) and (len(lines) > 2 or " " not in text)
    return ("" if broken else " ").join(lines)


def _json(text: str, *, compact: bool) -> str:
    """JSON with other blanks: on one line, or indented by two columns a level. Its tokens stay as they are written."""
    parts, depth, last = list[str](), 0, ""
    for token in _TOKEN.findall(text):
        depth -= token in "]}"
        breaks = last in ("[", "{", ",") or token in ("]", "}")
        if breaks and last + token not in ("[]", "{}") and not compact:
            parts.append("\n" + "  " * depth)
        elif last == "," or last == ":":
            parts.append(" ")
        parts.append(token)
        depth += token in "[{"
        last = token
    return "".join(parts)
