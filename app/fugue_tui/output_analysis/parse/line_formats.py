"""Parses lists without a header whose line format is documented: each line matches it as a whole, or not at all.

The column names are not from the text; the cells are.
"""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.output_analysis.command_line import Stage
from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers
from fugue_tui.output_analysis.text_lines import WIDEST


class LineFormat(Struct, frozen=True):
    """The format of the lines that a command prints."""

    name: str
    headers: tuple[str, ...]
    line: re.Pattern[str]
    """A group for each header."""
    commands: tuple[str, ...]
    """The beginnings of command lines that print it: a program, a blank, and a word if one must follow."""
    distinct: bool = False
    """Whether it is unmistakable, so that it is recognised without a command."""
    ignored: re.Pattern[str] | None = None
    """Lines of the list that are not rows."""
    header: re.Pattern[str] | None = None
    """A first line that names the columns: such a list is parsed as a table instead."""
    exact: bool = False
    """Whether a line in another format means that the list is none of these."""
    heading: re.Pattern[str] | None = None
    """Lines that name a part of the list, if an ignored line follows."""


_DATE: Final = (
    r"[A-Z][a-z]{2} +\d{1,2} +(?:\d{2}:\d{2}|\d{4})|\d{1,2} +[A-Z][a-z]{2} +(?:\d{2}:\d{2}|\d{4})"
    r"|\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2}\.\d+ [+-]\d{4})?"
)
_VMSTAT: Final = "r b swpd free buff cache si so bi bo in cs us sy id wa st"
"""The columns that vmstat prints by default; newer versions have another."""
LINE_FORMATS: Final = (
    LineFormat(
        "ls -l",
        ("mode", "links", "owner", "group", "size", "modified", "name"),
        re.compile(
            r"([-bcdlpsDCM?][-rwxsStTl?]{9}[.+@]?) +(\d+|\?) +(\S+) +(\S+) +(\d+, +\d+|[\d.,]+[KMGTPE]?|\?) +"
            rf"({_DATE}|\?) (.+)"
        ),
        ("ls ", "ll "),
        distinct=True,
        ignored=re.compile(r"total [\d.,]+[KMGTPE]?"),
        heading=re.compile(r"\S.*:"),
    ),
    LineFormat(
        "git branch -vv",
        ("current", "branch", "commit", "upstream", "subject"),
        re.compile(
            r"([*+ ]) (\([^()]{1,200}\)|[^\s(]\S*) +([0-9a-f]{7,40})(?: +\([^()]+\))?"
            r"(?: \[([^\s\[\]:]+/[^\s\[\]:]+(?:: [^\[\]]+)?)\])?(?: (.*))?"
        ),
        ("git branch",),
        distinct=True,
    ),
    LineFormat(
        "git branch",
        ("current", "branch"),
        re.compile(r"([*+ ]) (\([^()]{1,200}\)|\S+(?: -> \S+)?)"),
        ("git branch",),
    ),
    LineFormat(
        "git status --short",
        ("index", "worktree", "path"),
        re.compile(r"([ MTADRCU?!])([ MTADRCU?!]) (\S.*)"),
        ("git status",),
        ignored=re.compile(r"## .*"),
    ),
    LineFormat(
        "git log --oneline",
        ("commit", "refs", "subject"),
        re.compile(r"[*|/\\ ]*([0-9a-f]{7,40})(?: \(((?:HEAD|tag: |refs/|[\w./-]+)[^()]*)\))? (.*)"),
        ("git log", "git reflog"),
    ),
    LineFormat(
        "git remote -v",
        ("remote", "url", "use"),
        re.compile(r"(\S+)\s+(\S+) \((fetch|push)\)(?: \[[^\]]+\])?"),
        ("git remote",),
        distinct=True,
    ),
    LineFormat("wc", ("lines", "words", "bytes"), re.compile(r" *(\d+) +(\d+) +(\d+)(?: +(.+))?"), ("wc ",)),
    LineFormat(
        "ps aux",
        ("USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "TIME", "COMMAND"),
        re.compile(
            r"(\S+) +(\d+) +(\d[\d.]*) +(\d[\d.]*) +(\d+) +(\d+) +(\?|\S+/?\d*) +([DIKRSTWXZt][\w<+]*) +"
            r"(\d\d:\d\d|[A-Z][a-z]{2}\d\d|\d{4}) +(\d+:\d\d) (.+)"
        ),
        ("ps aux", "ps -aux", "ps auxww", "ps auxf"),
        header=re.compile(r"USER +PID .*"),
    ),
    LineFormat(
        "ps -ef",
        ("UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD"),
        re.compile(
            r"(\S+) +(\d+) +(\d+) +(\d+) +(\d\d:\d\d|[A-Z][a-z]{2}\d\d|\d{4}) +(\S+) +((?:\d+-)?\d\d:\d\d:\d\d) (.+)"
        ),
        ("ps -ef", "ps -fe"),
        header=re.compile(r"UID +PID .*"),
    ),
    LineFormat(
        "checksums",
        ("checksum", "file"),
        re.compile(r"\\?([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}) [ *](\S.*)"),
        ("md5sum ", "sha1sum ", "sha224sum ", "sha256sum ", "sha384sum ", "sha512sum ", "b2sum ", "shasum "),
        distinct=True,
        exact=True,
    ),
    LineFormat(
        "find -ls",
        ("inode", "blocks", "mode", "links", "owner", "group", "size", "modified", "name"),
        re.compile(
            r" *(\d+) +(\d+) ([-bcdlpsD][-rwxsStT]{9}) +(\d+) +(\S+) +(\S+) +(\d+(?:, +\d+)?) "
            rf"({_DATE}) (.+)"
        ),
        ("find ",),
        distinct=True,
        exact=True,
    ),
    LineFormat(
        "git diff --stat",
        ("path", "changes", "graph"),
        re.compile(r" (\S.*?) +\| +(\d+|Bin(?: \d+ -> \d+ bytes)?)(?: ([+-]+))?"),
        ("git diff", "git show", "git merge", "git pull"),
        exact=True,
        ignored=re.compile(r" \d+ files? changed(?:, \d+ insertions?\(\+\))?(?:, \d+ deletions?\(-\))?"),
    ),
    LineFormat(
        "git shortlog -s",
        ("commits", "author"),
        re.compile(r" *(\d+)\s+(\S.*)"),
        ("git shortlog",),
        exact=True,
    ),
    LineFormat(
        "ls -1s",
        ("blocks", "name"),
        re.compile(r" *(\d+) (\S.*)"),
        ("ls -1s", "ls -s1"),
        exact=True,
        ignored=re.compile(r"total \d+"),
    ),
    LineFormat(
        "apt list",
        ("package", "suites", "version", "architecture", "state"),
        re.compile(r"([a-z0-9][a-z0-9+.-]+)/(\S+) (\S+) (\S+)(?: \[([^\[\]]+)\])?"),
        ("apt list",),
        exact=True,
        ignored=re.compile(r"Listing\.\.\..*|WARNING: apt does not have .*|N: .*"),
    ),
    LineFormat(
        "ulimit -a",
        ("limit", "unit", "option", "value"),
        re.compile(r"(\S.*?) +\((?:([^,()]+), )?(-\w)\) (\S+)"),
        ("ulimit ",),
        distinct=True,
        exact=True,
    ),
    *(
        LineFormat(
            "vmstat",
            tuple(columns.split()),
            re.compile(" *" + " +".join([r"(\d+)"] * len(columns.split()))),
            ("vmstat",),
            exact=True,
            ignored=re.compile(rf"procs -.*| *{columns.replace(' ', ' +')}"),
        )
        for columns in (_VMSTAT, f"{_VMSTAT} gu")
    ),
    LineFormat("du", ("size", "path"), re.compile(r"([\d.,]+[KMGTPEZY]?)\s+(\S.*)"), ("du ",)),
)
CONFIDENCE: Final = 0.97
"""If the command is known to print such lines and every line is one."""
MOST_UNFIT: Final = 0.25


def read_line_format(lines: Sequence[str], start: int, end: int, stage: Stage | None) -> Parsed | None:
    """The list in a range of lines, if its command is known to print it or it is unmistakable."""
    numbered = [(at, lines[at][:WIDEST]) for at in range(start, end) if lines[at].strip()]
    for kind in LINE_FORMATS:
        kind = _with_options(kind, stage)
        expected = stage is not None and _command_start(stage).startswith(kind.commands)
        if kind.header and numbered and kind.header.match(numbered[0][1]):
            continue
        if (expected or kind.distinct) and (found := _read(numbered, kind, stage if expected else None)):
            return found
    return None


def _command_start(stage: Stage) -> str:
    """The program and its subcommand, or its first option if it has no subcommand."""
    return f"{stage.program} {stage.subcommand or ' '.join(stage.words[1:2])}"


def _with_options(kind: LineFormat, stage: Stage | None) -> LineFormat:
    """The format with the columns that the options of `ls`, `wc` and `du` add."""
    if stage is None or (kind.name, stage.program) not in (("ls -l", "ls"), ("wc", "wc"), ("du", "du")):
        return kind
    if kind.name == "du":
        return _with_du_options(kind, stage.words)
    short = "".join(word[1:] for word in stage.words[1:] if re.fullmatch(r"-[A-Za-z1]+", word))
    if kind.name == "wc":
        return _with_counts(kind, short, stage.words)
    extra = [
        *([("inode", r" *(\d+|\?) +")] if "i" in short or "--inode" in stage.words else []),
        *([("blocks", r" *([\d.,]+[KMGTPE]?|\?) +")] if "s" in short or "--size" in stage.words else []),
    ]
    pattern = "".join(part for _, part in extra) + kind.line.pattern
    return replace(kind, headers=(*(name for name, _ in extra), *kind.headers), line=re.compile(pattern))


_DU_TIME: Final = r"(\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d\.\d+ [+-]\d{4})?)?)\s+"


def _with_du_options(kind: LineFormat, words: Sequence[str]) -> LineFormat:
    count = "inodes" if "--inodes" in words else "size"
    if not any(word.startswith("--time") for word in words):
        return replace(kind, headers=(count, "path"))
    pattern = kind.line.pattern.replace(r"\s+", rf"\s+{_DU_TIME}")
    return replace(kind, headers=(count, "modified", "path"), line=re.compile(pattern))


_COUNTS: Final = {
    "lines": ("l", "--lines"),
    "words": ("w", "--words"),
    "characters": ("m", "--chars"),
    "bytes": ("c", "--bytes"),
    "longest": ("L", "--max-line-length"),
}
"""The counts of `wc` in the order in which it prints them, and their options."""


def _with_counts(kind: LineFormat, short: str, words: Sequence[str]) -> LineFormat:
    counted = tuple(name for name, (letter, long) in _COUNTS.items() if letter in short or long in words)
    headers = (*(counted or kind.headers), "file")
    numbers = r" +".join(r"(\d+)" for _ in headers[1:])
    return replace(kind, headers=headers, line=re.compile(rf" *{numbers}(?: +(\S.*))?"))


def _read(numbered: Sequence[tuple[int, str]], kind: LineFormat, stage: Stage | None) -> Parsed | None:
    """The rows among lines; `stage` is the program that is known to print them, or None."""
    rows: list[tuple[str, ...]] = []
    unfit: list[int] = []
    headings: list[int] = []
    messages: list[int] = []
    for index, (at, text) in enumerate(numbered):
        if found := kind.line.fullmatch(text):
            rows.append(tuple((cell or "").strip() for cell in found.groups()))
        elif _is_heading(kind, numbered, index):
            headings.append(at)
        elif stage is not None and text.startswith(f"{stage.program}: "):
            messages.append(at)
        elif not (kind.ignored and kind.ignored.fullmatch(text)):
            unfit.append(at)
        if unfit and kind.exact:
            return None
        if len(unfit) > 20 and len(unfit) > len(rows):
            return None
    total = len(rows) + len(unfit)
    if not rows or len(unfit) > MOST_UNFIT * total or (stage is None and len(rows) < 2):
        return None
    confidence = CONFIDENCE * len(rows) / total * (1 if stage else 0.93)
    notes = ["the columns' names are not in the text"]
    if headings:
        notes.append(f"{line_numbers(headings)} name folders; the rows below each are of that one")
    if messages:
        notes.append(f"{line_numbers(messages)} said by the program itself, left out")
    if unfit:
        notes.append(f"{line_numbers(unfit)} not in the format of {kind.name}, left out")
    return Parsed(
        ParsedKind.TABLE,
        round(confidence, 2),
        kind.headers,
        tuple(rows),
        parser=kind.name,
        notes=tuple(notes),
    )


def _is_heading(kind: LineFormat, numbered: Sequence[tuple[int, str]], index: int) -> bool:
    if kind.heading is None or kind.ignored is None or index + 1 >= len(numbered):
        return False
    return bool(kind.heading.fullmatch(numbered[index][1]) and kind.ignored.fullmatch(numbered[index + 1][1]))
