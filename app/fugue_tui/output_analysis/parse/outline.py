"""Parses lists with headings and indentation of commands that are known: each line is understood, or nothing is."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from fugue_tui.output_analysis.command_line import Stage
from fugue_tui.output_analysis.results import Parsed, ParsedKind

CONFIDENCE: Final = 0.95
"""If every line is in the format of its command."""
_STATUS_HEADINGS: Final = frozenset(
    (
        "Changes to be committed:",
        "Changes not staged for commit:",
        "Unmerged paths:",
        "Untracked files:",
        "Ignored files:",
    )
)
_STATUS_CHANGE: Final = re.compile(r"(?:\t| {8}| {2,7}(?! ))(?:([a-z][a-z ]*[a-z]): +)? *(\S.*)")
_STATUS_OTHER: Final = re.compile(
    r"On branch \S+|HEAD detached (?:at|from) \S+|Not currently on any branch\.|No commits yet|Your branch .*"
    r"|and have \d.*|no changes added to commit.*|nothing (?:added )?to commit.*| +\(.*\)|You have unmerged paths\..*"
)
_AUTHOR: Final = re.compile(r"(\S.*) \((\d+)\):")
_SUBJECT: Final = re.compile(r" {6}(\S.*)")
_BRANCH: Final = re.compile(r"((?:[│|][ \xa0]{1,3}|[ \xa0]{2,4})*)[├└](?:── |─┬ |─(?![─┬]) ?)(.*\S)")
_COLUMNS: Final = re.compile(r"\[[^\[\]]*\]  ?\S.*")
"""A name after the columns that options such as `-s` and `-p` of `tree` add."""
_TREE_TOTAL: Final = re.compile(r"\d+ director(?:y|ies)(?:, \d+ files?)?")
_INTERFACE: Final = re.compile(r"(\d+): ([^\s:]+): <([^<>]*)> mtu (\d+) .*?\bstate (\S+).*")
_LINK: Final = re.compile(r" +link/(\S+)(?: (\S+).*)?")
_ADDRESS: Final = re.compile(r" +(inet6?) (\S+).*")
_LIFETIME: Final = re.compile(r" +(?:valid_lft|altname) .*")


def read_outline(lines: Sequence[str], start: int, end: int, stage: Stage | None) -> Parsed | None:
    """The list in a range of lines, if its command is known, or if it is drawn as a tree."""
    filled = [line.rstrip() for line in lines[start:end] if line.strip()]
    command = f"{stage.program} {stage.subcommand}".rstrip() if stage else ""
    reader = _READERS.get(command) or (_READERS.get(stage.program) if stage else None)
    return (reader(filled) if reader else None) or _tree(filled)


def _status(lines: list[str]) -> Parsed | None:
    """The changes of `git status`, with the part of the list that they are in; none in a clean tree."""
    rows, notes, heading = list[tuple[str, ...]](), list[str](), ""
    for line in lines:
        if line in _STATUS_HEADINGS:
            heading = line
        elif heading and not line.lstrip().startswith("(") and (found := _STATUS_CHANGE.fullmatch(line)):
            rows.append((heading.rstrip(":"), found[1] or "", found[2]))
        elif _STATUS_OTHER.fullmatch(line):
            notes += [] if line.startswith(" ") else [line]
        else:
            return None
    if not rows and not any(line.startswith("nothing to commit") for line in lines):
        return None
    return _table("git status", ("part", "change", "path"), rows).noted(*notes)


def _shortlog(lines: list[str]) -> Parsed | None:
    """The subjects of `git shortlog`, with their authors."""
    rows, author = list[tuple[str, ...]](), ""
    for line in lines:
        if found := _AUTHOR.fullmatch(line):
            author = found[1]
        elif author and (found := _SUBJECT.fullmatch(line)):
            rows.append((author, found[1]))
        else:
            return None
    return _table("git shortlog", ("author", "subject"), rows) if rows else None


def _tree(lines: list[str]) -> Parsed | None:
    """A tree with lines, as `tree` and `npm ls` draw it: records with a name and what is below."""
    while lines and _TREE_TOTAL.fullmatch(lines[-1]):
        lines = lines[:-1]
    if len(lines) < 2 or _BRANCH.match(lines[0]) or _COLUMNS.fullmatch(lines[0]):
        return None
    root: dict[str, Any] = {"name": lines[0], "children": []}
    path = [(-1, root)]
    for line in lines[1:]:
        found = _BRANCH.fullmatch(line)
        if found is None:
            return None
        while path[-1][0] >= len(found[1]):
            path.pop()
        node: dict[str, Any] = {"name": found[2], "children": []}
        path[-1][1]["children"].append(node)
        path.append((len(found[1]), node))
    return Parsed(ParsedKind.RECORDS, CONFIDENCE, records=[root], parser="tree")


def _interfaces(lines: list[str]) -> Parsed | None:
    """The interfaces of `ip addr` or `ip link`, with their addresses."""
    found = list[dict[str, Any]]()
    for line in lines:
        if head := _INTERFACE.fullmatch(line):
            names = ("index", "name", "flags", "mtu", "state")
            found.append(dict(zip(names, head.groups(), strict=True)) | {"addresses": []})
        elif found and (link := _LINK.fullmatch(line)):
            found[-1] |= {"type": link[1], "mac": link[2]}
        elif found and (address := _ADDRESS.fullmatch(line)):
            found[-1]["addresses"].append({"family": address[1], "address": address[2]})
        elif not (found and _LIFETIME.fullmatch(line)):
            return None
    return Parsed(ParsedKind.RECORDS, CONFIDENCE, records=found, parser="ip addr") if found else None


def _names(lines: list[str]) -> Parsed | None:
    """The names that `ls` prints in columns, column by column. It quotes names with blanks on a terminal."""
    rows = [re.findall(r"'[^']*'|\"[^\"]*\"|\S+", line) for line in lines]
    if any(re.match(r"ls: |total \d|\S.*:$|[-dlbcps][-rwxsStT]{9}", line) for line in lines):
        return None
    gaps = [re.split(r"\s{2,}|\t| (?=['\"])|(?<=['\"]) ", line.strip()) for line in lines]
    if any([each.strip() for each in gap] != row for gap, row in zip(gaps, rows, strict=True)):
        return None  # A blank in a name that is not quoted, or a column that is full.
    names = [row[at] for at in range(max(map(len, rows), default=0)) for row in rows if at < len(row)]
    return Parsed(ParsedKind.LINES, 0.9, (), tuple((name,) for name in names), parser="ls") if names else None


def _table(name: str, headers: tuple[str, ...], rows: list[tuple[str, ...]]) -> Parsed:
    notes = ("the columns' names are not in the text",)
    return Parsed(ParsedKind.TABLE, CONFIDENCE, headers, tuple(rows), parser=name, notes=notes)


_READERS: Final[Mapping[str, Callable[[list[str]], Parsed | None]]] = MappingProxyType(
    {
        "git status": _status,
        "git shortlog": _shortlog,
        "ip addr": _interfaces,
        "ip address": _interfaces,
        "ip a": _interfaces,
        "ip link": _interfaces,
        "ls": _names,
    }
)
"""By program and subcommand, or by program."""
