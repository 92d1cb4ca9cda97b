"""As much of a long output as an answer holds: its beginning and its end, and where the rest can be read."""

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Final

from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import START, Point
from fugue_tui.terminal.terminal import Terminal

_SGR: Final = re.compile(r"\x1b\[[0-9;:]*m|\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)")
_BRIEF: Final = 40
"""Characters of an answer for which one row is read, or as many as a row has: of long outputs only both ends are."""
_SHARE: Final = 0.4
"""The share of an answer that the beginning gets if not all of it fits."""


@dataclass(frozen=True, slots=True)
class TruncatedOutput:
    """What is given of an output."""

    head: str = ""
    """All of it, if nothing is left out."""
    tail: str = ""
    omitted: int = 0
    """Lines between the two that are left out."""
    rest: Point | None = None
    """Where reading what is left out starts, if it can be read at all."""
    hidden: bool = False
    """Whether the output is behind a full-screen program now, so that there is none to give."""

    @property
    def text(self) -> str:
        """Both parts, with a word on what is left out between them."""
        if not self.omitted:
            return self.head
        return f"{self.head}\n[... {self.omitted} lines left out ...]\n{self.tail}"


@dataclass(frozen=True, slots=True)
class OutputRange:
    """Where an output starts and stops."""

    start: Point
    stop: Point
    lost: bool = False
    """Whether it started before what is kept."""


def clip(
    terminal: Terminal, command: CommandRecord, limit: int, *, lines: int = 0, ansi: bool = False
) -> TruncatedOutput:
    """A command's output in about so many characters; `lines` is how many lines it had, should the terminal have lost
    some."""
    kept = terminal.shell.beginning(command)
    with terminal.locked() as screen:
        if screen.closed:
            return TruncatedOutput()
        ends = ends_of(screen.emulator, command)
        if ends is None:
            return TruncatedOutput(hidden=True)
        kept = kept if ansi else _SGR.sub("", kept)
        return _between(screen.emulator, ends, limit, kept.replace("\r", ""), lines, ansi=ansi)


def clip_so_far(
    terminal: Terminal, command: CommandRecord | None, limit: int, *, ansi: bool = False
) -> TruncatedOutput:
    """What a command has printed by now in about so many characters; nothing of one that has not begun."""
    if command is None:
        return TruncatedOutput()
    lines = terminal.shell.lines_of(command)
    now = terminal.shell.command(command.number) if command.running else None
    return clip(terminal, now or command, limit, lines=lines, ansi=ansi)


def ends_of(emulator: Emulator, command: CommandRecord) -> OutputRange | None:
    """Where a command's output starts and stops; None if it is behind a full-screen program. For who holds the lock."""
    stop = (command.stop or emulator.pin()).found()
    start = command.start.found() if command.start else None
    if stop is None or (start is None and command.start is not None and not command.start.lost()):
        return None
    if start is None:
        return OutputRange(START, stop, lost=True)
    # A command that cleared the screen has its text from the top on.
    return OutputRange(start if start <= stop else Point(emulator.scrollback.lines), stop)


def _between(
    emulator: Emulator, ends: OutputRange, limit: int, kept: str, lines: int, *, ansi: bool
) -> TruncatedOutput:
    rows, brief = ends.stop.line - ends.start.line, max(20, limit // max(1, min(_BRIEF, emulator.size.cols)))
    if rows <= 2 * brief:
        return _with_kept(
            _cut(emulator.between(ends.start, ends.stop, ansi=ansi), ends.start, limit), ends, kept, lines
        )
    above, below = Point(ends.start.line + brief), Point(ends.stop.line - brief)
    # A line that has several rows may begin in what is read of one end, and stop behind it.
    begun, _, cut = emulator.between(ends.start, above, ansi=ansi).rpartition("\n")
    rest, _, ended = emulator.between(below, ends.stop, ansi=ansi).partition("\n")
    head = _first(begun or cut, int(limit * _SHARE))
    tail = _last(ended or rest, limit - len(head))
    lines = lines or (rows if begun or ended else 1)
    omitted = max(1, lines - _count(head) - _count(tail))
    rest_at = _behind(emulator, ends.start, range(ends.start.line + 1, above.line), len(head), ansi=ansi)
    return _with_kept(TruncatedOutput(head, tail, omitted, rest=rest_at), ends, kept, lines)


def _behind(emulator: Emulator, start: Point, rows: range, length: int, *, ansi: bool) -> Point:
    """The row behind so many characters."""
    at = bisect_left(rows, length, key=lambda row: len(emulator.between(start, Point(row), ansi=ansi)))
    return Point(rows.start + at)


def _with_kept(found: TruncatedOutput, ends: OutputRange, kept: str, lines: int) -> TruncatedOutput:
    """The same with the beginning that the terminal has lost."""
    if not ends.lost:
        return found
    tail = found.tail or found.head
    return replace(found, head=kept, tail=tail, omitted=max(1, lines - _count(kept) - _count(tail)), rest=ends.start)


def _cut(text: str, start: Point, limit: int) -> TruncatedOutput:
    if len(text) <= limit:
        return TruncatedOutput(text)
    head = _first(text, int(limit * _SHARE))
    tail = _last(text[len(head) :], limit - len(head))
    return TruncatedOutput(head, tail, max(1, _count(text) - _count(head) - _count(tail)), rest=start)


def _first(text: str, limit: int) -> str:
    """The first whole lines that fit; a part of the first if not even that does."""
    if len(text) <= limit:
        return text
    return text[: text.rfind("\n", 0, limit)] if "\n" in text[:limit] else text[:limit]


def _last(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    at = text.find("\n", len(text) - limit)
    return text[at + 1 :] if at >= 0 else text[len(text) - limit :]


def _count(text: str) -> int:
    return text.count("\n") + 1 if text else 0
