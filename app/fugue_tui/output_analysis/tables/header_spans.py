"""Finds the words of a header line, by the table format of the command, and the blank cells between columns."""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from msgspec import Struct

from fugue_tui.output_analysis.command_line import Stage, word_set
from fugue_tui.output_analysis.text_lines import Line

_WORD: Final = re.compile(r"[^ ]+")
_PHRASE: Final = re.compile(r"[^ ]+(?: [^ ]+)*")
_VALUE: Final = re.compile(r"(?=\D*\d)[\d.,:/+-]+[%KMGTPBi]{0,3}|(?=\D*\d)[0-9a-f]{7,40}|(?:\.{0,2}|~)/\S+|\w+://\S*")
_NUMBER: Final = re.compile(r"[-+~<>(]?[$€£]?\d")
PHRASES: Final = re.compile(
    r"(?<!\S)(?:CONTAINER ID|IMAGE ID|VOLUME NAME|NETWORK ID|PLUGIN ID|CPU %|MEM %|MEM USAGE / LIMIT|NET I/O|BLOCK I/O"
    r"|NOMINATED NODE|READINESS GATES|LAST SEEN|FIRST SEEN|APP VERSION|Mounted on|Used by"
    r"|Local Address(?::Port)?|Foreign Address|Peer Address(?::Port(?:Process)?)?|PID/Program name"
    r"|DISK USAGE|CONTENT SIZE|(?:CREATED|UPDATED|STARTED) AT|CREATED BY|LAST UPDATED|LAST DEPLOYED)(?!\S)"
)
"""Column names of several words that well-known programs print."""


class Style(Enum):
    """How a program writes its header line."""

    AUTO = "auto"
    """Unknown: words one blank apart may be one column name or two."""
    WIDE = "wide"
    """There are at least two blanks between columns."""
    WORDS = "words"
    """Every word is a column name, except the phrases above."""


class TableFormat(Struct, frozen=True):
    """The format of a program's tables."""

    style: Style = Style.AUTO
    known: bool = False
    """Whether the program is known to print a header."""
    words: bool = False
    """Whether every cell except those of the last column is one word, so that rows can be split at blanks."""


_WIDE: Final = word_set(
    "az crictl docker flatpak gcloud gh helm k3s kubectl minikube nerdctl nomad oc pip pip3 podman snap virsh"
)
_WORDS: Final = word_set("df free iostat iotop lsblk lsmod lsof mpstat netstat pidstat ss top zpool")
_NO_HEADER: Final = word_set("--no-headers --no-header --noheadings --noheading -noheader")
"""Options that omit the header."""
_WORD_CELLS: Final = word_set("ps vmstat w")


def table_format(stage: Stage | None) -> TableFormat:
    """The table format of a stage's program."""
    name = stage.program if stage and not _NO_HEADER & {*stage.words} else ""
    if name in _WIDE:
        return TableFormat(Style.WIDE, known=True)
    if name in _WORDS or name in _WORD_CELLS:
        return TableFormat(Style.WORDS, known=True, words=name in _WORD_CELLS)
    return TableFormat()


class Span(Struct, frozen=True):
    """A column name and its range of cells."""

    start: int
    end: int
    text: str


def spans(header: Line, style: Style) -> list[Span]:
    """The column names; with `Style.AUTO` their words."""
    if style is Style.WIDE:
        return [_span(header, found) for found in _PHRASE.finditer(header.cells)]
    whole = [_span(header, found) for found in PHRASES.finditer(header.cells)]
    words = (_span(header, found) for found in _WORD.finditer(header.cells))
    loose = [word for word in words if not any(each.start <= word.start < each.end for each in whole)]
    return sorted([*whole, *loose], key=lambda each: each.start)


def is_value(word: str) -> bool:
    """Whether a word is a number, a date, a path or an address rather than a name."""
    return _VALUE.fullmatch(word) is not None


def is_numeric(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether nearly all cells of a column are numbers or begin with one."""
    cells = [cell for row in rows if (cell := row[column].strip())]
    return bool(cells) and sum(_NUMBER.match(cell) is not None for cell in cells) >= 0.8 * len(cells)


def free_runs(occupied: int, start: int, end: int) -> list[tuple[int, int]]:
    """The runs of cells within a range that are blank in every line."""
    runs: list[tuple[int, int]] = []
    for cell in range(start, end):
        if occupied >> cell & 1:
            continue
        if runs and runs[-1][1] == cell:
            runs[-1] = (runs[-1][0], cell + 1)
        else:
            runs.append((cell, cell + 1))
    return runs


def _span(header: Line, found: re.Match[str]) -> Span:
    return Span(found.start(), found.end(), header.between(found.start(), found.end()))
