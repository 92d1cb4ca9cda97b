"""What of a view can be picked by a label: addresses, paths, hashes, numbers and the like, over wrapped rows."""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.output.text_search import add_marks, lay_out, view_lines
from fugue_tui.terminal.copy_mode.text_units import TextSpan, without_end
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.screen.highlight import Mark, MarkKind
from fugue_tui.terminal.screen.pins import Point

LETTERS: Final = "asdfqwerzxcvjklmiuopghtybn"
"""The letters of labels, the easiest to reach first."""


class HitKind(StrEnum):
    """What a text in a view is."""

    URL = "url"
    PATH = "path"
    """With a line number, if one follows."""
    HASH = "hash"
    ADDRESS = "address"
    """An IP address, with a port if one follows."""
    QUOTED = "quoted"
    NUMBER = "number"


_IN_PATH: Final = r"[\w.@%+=~-]"
_LINE: Final = r"(?::\d+(?::\d+)?)?"
_PATTERNS: Final[dict[HitKind, str]] = {
    HitKind.URL: r"(?:(?:https?|ftp|file|ssh|git)://|mailto:)[^\s\"'`<>|│┃║{}\\^]+",
    HitKind.ADDRESS: r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b",
    HitKind.HASH: r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b(?:[0-9a-f]{40}|[0-9a-f]{64})\b|\b(?=[0-9a-f]{0,39}[a-f])(?=[0-9a-f]{0,39}[0-9])[0-9a-f]{7,40}\b",
    HitKind.PATH: rf"(?<![\w.@%+=~/-])(?:(?:~|\.{{1,2}})?/(?:{_IN_PATH}|/)*(?<![.]){_LINE}"
    rf"|(?:{_IN_PATH}+/)+{_IN_PATH}*(?<![.]){_LINE}"
    r"|[\w@%+=~-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5}:\d+(?::\d+)?)",
    HitKind.QUOTED: r"\"(?P<double>[^\"\s][^\"]{1,200})\"|(?<!\w)'(?P<single>[^'\s][^']{1,200})'"
    r"|`(?P<back>[^`\s][^`]{1,200})`",
    HitKind.NUMBER: r"\b0x[0-9a-fA-F]+\b|\b\d{4,}\b",
}
_QUOTES: Final = ("double", "single", "back")
_PLACE: Final = re.compile(r"^(.+?)(?::(\d+)(?::\d+)?)?$")
_LONGEST: Final = 20_000
"""Characters of a line that are looked through."""
_LEAST: Final = 3
"""Characters of a text that is worth a label."""


class Hit(Struct, frozen=True):
    """A text that can be picked. It is untrusted."""

    kind: HitKind
    text: str
    span: TextSpan
    """Where it is."""
    label: str = ""
    """What picks it, in small letters."""


@cache
def _any() -> re.Pattern[str]:
    """All patterns as one; compiled when it is needed first, as that takes milliseconds."""
    return re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items()))


def find_hits(screen: LockedScreen) -> list[Hit]:
    """The texts that begin in the view, from top to bottom, each with a label; equal ones have the same."""
    top, rows = screen.emulator.scrollback.top, screen.size.rows
    hits = [
        hit
        for line, row in zip(*view_lines(screen), strict=True)
        for hit in _hits(line, row, screen.size.cols)
        if top <= hit.span.first.line < top + rows
    ]
    texts = list(dict.fromkeys(hit.text for hit in reversed(hits)))
    label_of = dict(zip(texts, labels(len(texts)), strict=False))
    return [replace(hit, label=label_of[hit.text]) for hit in hits if hit.text in label_of]


def _hits(line: str, row: int, cols: int) -> list[Hit]:
    found: list[Hit] = []
    for match in _any().finditer(line[:_LONGEST]):
        kind = next(kind for kind in HitKind if match[kind] is not None)
        start, stop = match.span(next((name for name in _QUOTES if match[name]), 0))
        text = line[start:stop]
        if kind is HitKind.QUOTED and (inner := _any().fullmatch(text)):
            kind = next(kind for kind in HitKind if inner[kind] is not None)
        text = without_end(text) if kind is HitKind.URL else text
        if len(text) < _LEAST:
            continue
        first = len(line[:start].encode(errors="replace"))
        span = lay_out(line, [(first, first + len(text.encode(errors="replace")))], row, cols)[0]
        found.append(Hit(kind, text, span))
    return found


def labels(count: int) -> list[str]:
    """Different labels, none of which another begins with: of one letter for the first, if that does for all of two, if
    not. At most 676."""
    long = 0
    while long < len(LETTERS) and len(LETTERS) - long + long * len(LETTERS) < count:
        long += 1
    short = LETTERS[: len(LETTERS) - long]
    pairs = [first + second for first in LETTERS[len(short) :] for second in LETTERS]
    return [*short, *pairs][:count]


def place_of(path: str) -> tuple[str, int]:
    """A path and the line number behind it; 0 if there is none."""
    found = _PLACE.match(path)
    return (found[1], int(found[2] or 0)) if found else (path, 0)


def hit_marks(screen: LockedScreen, hits: Sequence[Hit], typed: str, shift: int) -> dict[int, list[Mark]]:
    """The rows of the view with the labels that begin with what was typed; the text has moved down by some lines."""
    marks: dict[int, list[Mark]] = {}
    top, cols = screen.emulator.scrollback.top, screen.size.cols
    for hit in hits:
        if not hit.label.startswith(typed):
            continue
        first = Point(hit.span.first.line + shift, hit.span.first.column)
        last = Point(hit.span.last.line + shift, hit.span.last.column)
        add_marks(marks, screen, TextSpan(first, last), MarkKind.MATCH)
        label = hit.label[len(typed) : len(typed) + cols - first.column]
        if 0 <= first.line - top < screen.size.rows:
            mark = Mark(first.column, first.column + len(label), MarkKind.HINT, label)
            marks.setdefault(first.line - top, []).append(mark)
    return marks
