"""Lists without header lines whose shape is documented: each line is read by the shape, whole or not at all.

The names of the columns are ours; the cells are the program's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from fugue_tui.output_analysis.command_line import Stage
from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers
from fugue_tui.output_analysis.text_lines import WIDEST


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of line."""

    name: str
    headers: tuple[str, ...]
    line: re.Pattern[str]
    """A group for each header."""
    calls: tuple[str, ...]
    """The programs that print such lines, with a blank, and with the word that must follow."""
    distinct: bool = False
    """Whether nothing else looks like it, so that it is recognised without a command."""
    passed: re.Pattern[str] | None = None
    """Lines that belong to the list and are no rows."""
    titled: re.Pattern[str] | None = None
    """A first line that names the columns, so that the list is a table and not read by its shape."""
    heading: re.Pattern[str] | None = None
    """Lines that name a part of the list, if one that is passed over follows."""


_DATE: Final = (
    r"[A-Z][a-z]{2} +\d{1,2} +(?:\d{2}:\d{2}|\d{4})|\d{1,2} +[A-Z][a-z]{2} +(?:\d{2}:\d{2}|\d{4})"
    r"|\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2}\.\d+ [+-]\d{4})?"
)
SHAPES: Final = (
    Shape(
        "ls -l",
        ("mode", "links", "owner", "group", "size", "modified", "name"),
        re.compile(
            r"([-bcdlpsDCM?][-rwxsStTl?]{9}[.+@]?) +(\d+|\?) +(\S+) +(\S+) +(\d+, +\d+|[\d.,]+[KMGTPE]?|\?) +"
            rf"({_DATE}|\?) (.+)"
        ),
        ("ls ", "ll "),
        distinct=True,
        passed=re.compile(r"total [\d.,]+[KMGTPE]?"),
        heading=re.compile(r"\S.*:"),
    ),
    Shape(
        "git branch -vv",
        ("current", "branch", "commit", "upstream", "subject"),
        re.compile(
            r"([*+ ]) (\([^()]{1,200}\)|[^\s(]\S*) +([0-9a-f]{7,40})(?: +\([^()]+\))?"
            r"(?: \[([^\s\[\]:]+/[^\s\[\]:]+(?:: [^\[\]]+)?)\])?(?: (.*))?"
        ),
        ("git branch",),
        distinct=True,
    ),
    Shape(
        "git branch",
        ("current", "branch"),
        re.compile(r"([*+ ]) (\([^()]{1,200}\)|\S+(?: -> \S+)?)"),
        ("git branch",),
    ),
    Shape(
        "git status --short",
        ("index", "worktree", "path"),
        re.compile(r"([ MTADRCU?!])([ MTADRCU?!]) (\S.*)"),
        ("git status",),
        passed=re.compile(r"## .*"),
    ),
    Shape(
        "git log --oneline",
        ("commit", "refs", "subject"),
        re.compile(r"[*|/\\ ]*([0-9a-f]{7,40})(?: \(((?:HEAD|tag: |refs/|[\w./-]+)[^()]*)\))? (.*)"),
        ("git log", "git reflog"),
    ),
    Shape(
        "git remote -v",
        ("remote", "url", "use"),
        re.compile(r"(\S+)\s+(\S+) \((fetch|push)\)(?: \[[^\]]+\])?"),
        ("git remote",),
        distinct=True,
    ),
    Shape("wc", ("lines", "words", "bytes"), re.compile(r" *(\d+) +(\d+) +(\d+)(?: +(.+))?"), ("wc ",)),
    Shape(
        "ps aux",
        ("USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "TIME", "COMMAND"),
        re.compile(
            r"(\S+) +(\d+) +(\d[\d.]*) +(\d[\d.]*) +(\d+) +(\d+) +(\?|\S+/?\d*) +([DIKRSTWXZt][\w<+]*) +"
            r"(\d\d:\d\d|[A-Z][a-z]{2}\d\d|\d{4}) +(\d+:\d\d) (.+)"
        ),
        ("ps aux", "ps -aux", "ps auxww", "ps auxf"),
        titled=re.compile(r"USER +PID .*"),
    ),
    Shape(
        "ps -ef",
        ("UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD"),
        re.compile(
            r"(\S+) +(\d+) +(\d+) +(\d+) +(\d\d:\d\d|[A-Z][a-z]{2}\d\d|\d{4}) +(\S+) +((?:\d+-)?\d\d:\d\d:\d\d) (.+)"
        ),
        ("ps -ef", "ps -fe"),
        titled=re.compile(r"UID +PID .*"),
    ),
    Shape("du", ("size", "path"), re.compile(r"([\d.,]+[KMGTPEZY]?)\s+(\S.*)"), ("du ",)),
)
SURE: Final = 0.97
"""The belief if the command is known to print such lines and every line is one."""
MOST_UNFIT: Final = 0.25


def read_shape(lines: Sequence[str], start: int, end: int, stage: Stage | None) -> Parsed | None:
    """The list in a range of lines, if its command is known to print it or nothing else looks like it."""
    numbered = [(at, lines[at][:WIDEST]) for at in range(start, end) if lines[at].strip()]
    for shape in SHAPES:
        shape = _as_asked(shape, stage)
        called = stage is not None and _names(stage).startswith(shape.calls)
        if shape.titled and numbered and shape.titled.match(numbered[0][1]):
            continue
        if (called or shape.distinct) and (found := _read(numbered, shape, stage if called else None)):
            return found
    return None


def _names(stage: Stage) -> str:
    """How a list is asked for: a program and its subcommand, or its first option if it has no other word."""
    return f"{stage.program} {stage.subcommand or ' '.join(stage.words[1:2])}"


def _as_asked(shape: Shape, stage: Stage | None) -> Shape:
    """The shape with the columns that the options of `ls` and `wc` ask for."""
    if stage is None or (shape.name, stage.program) not in (("ls -l", "ls"), ("wc", "wc")):
        return shape
    short = "".join(word[1:] for word in stage.words[1:] if re.fullmatch(r"-[A-Za-z1]+", word))
    if shape.name == "wc":
        return _counting(shape, short, stage.words)
    extra = [
        *([("inode", r" *(\d+|\?) +")] if "i" in short or "--inode" in stage.words else []),
        *([("blocks", r" *([\d.,]+[KMGTPE]?|\?) +")] if "s" in short or "--size" in stage.words else []),
    ]
    pattern = "".join(part for _, part in extra) + shape.line.pattern
    return replace(shape, headers=(*(name for name, _ in extra), *shape.headers), line=re.compile(pattern))


_COUNTS: Final = {
    "lines": ("l", "--lines"),
    "words": ("w", "--words"),
    "characters": ("m", "--chars"),
    "bytes": ("c", "--bytes"),
    "longest": ("L", "--max-line-length"),
}
"""What `wc` counts, in the order in which it prints it, and the options that ask for it."""


def _counting(shape: Shape, short: str, words: Sequence[str]) -> Shape:
    asked = tuple(name for name, (letter, long) in _COUNTS.items() if letter in short or long in words)
    headers = (*(asked or shape.headers), "file")
    numbers = r" +".join(r"(\d+)" for _ in headers[1:])
    return replace(shape, headers=headers, line=re.compile(rf" *{numbers}(?: +(\S.*))?"))


def _read(numbered: Sequence[tuple[int, str]], shape: Shape, stage: Stage | None) -> Parsed | None:
    """The rows among lines; `stage` is the program that is known to print such rows, or None."""
    rows: list[tuple[str, ...]] = []
    unfit: list[int] = []
    headings: list[int] = []
    complaints: list[int] = []
    for index, (at, text) in enumerate(numbered):
        if found := shape.line.fullmatch(text):
            rows.append(tuple((cell or "").strip() for cell in found.groups()))
        elif _is_heading(shape, numbered, index):
            headings.append(at)
        elif stage is not None and text.startswith(f"{stage.program}: "):
            complaints.append(at)
        elif not (shape.passed and shape.passed.fullmatch(text)):
            unfit.append(at)
        if len(unfit) > 20 and len(unfit) > len(rows):
            return None
    total = len(rows) + len(unfit)
    if not rows or len(unfit) > MOST_UNFIT * total or (stage is None and len(rows) < 2):
        return None
    sure = SURE * len(rows) / total * (1 if stage else 0.93)
    notes = ["the columns' names are not in the text"]
    if headings:
        notes.append(f"{line_numbers(headings)} name folders; the rows below each are of that one")
    if complaints:
        notes.append(f"{line_numbers(complaints)} said by the program itself, left out")
    if unfit:
        notes.append(f"{line_numbers(unfit)} not of the shape of {shape.name}, left out")
    return Parsed(ParsedKind.TABLE, round(sure, 2), shape.headers, tuple(rows), parser=shape.name, notes=tuple(notes))


def _is_heading(shape: Shape, numbered: Sequence[tuple[int, str]], index: int) -> bool:
    if shape.heading is None or shape.passed is None or index + 1 >= len(numbered):
        return False
    return bool(shape.heading.fullmatch(numbered[index][1]) and shape.passed.fullmatch(numbered[index + 1][1]))
