"""Truncates a long output to its beginning and end, with the point where the rest can be read."""

from bisect import bisect_left
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.output.hidden_text import text_between, theme_of, unstyled
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import START, Point
from fugue_tui.terminal.terminal import Terminal

_BRIEF: Final = 40
"""Characters of the limit for which one row is read at each end of a long output, or a row's width if smaller."""
_SHARE: Final = 0.4
"""The share of the limit for the beginning of a truncated output."""


class TruncatedOutput(Struct, frozen=True):
    """An output, truncated if it is long."""

    head: str = ""
    """The whole output if nothing is omitted."""
    tail: str = ""
    omitted: int = 0
    """Lines omitted between the two."""
    rest: Point | None = None
    """Where the omitted lines start, if they can be read."""
    hidden: bool = False
    """Whether a full-screen program covers the output, so that it cannot be read now."""

    @property
    def text(self) -> str:
        """Both parts, with a note on the omitted lines between them."""
        if not self.omitted:
            return self.head
        return f"{self.head}\n[... {self.omitted} lines left out ...]\n{self.tail}"


class OutputRange(Struct, frozen=True):
    """The range of an output."""

    start: Point
    stop: Point
    lost: bool = False
    """Whether its beginning was pruned."""


def clip(
    terminal: Terminal, command: CommandRecord, limit: int, *, lines: int = 0, ansi: bool = False
) -> TruncatedOutput:
    """A command's output in about `limit` characters; `lines` is its number of lines, for output that was pruned."""
    kept = terminal.shell.beginning(command)
    with terminal.locked() as screen:
        if screen.closed:
            return TruncatedOutput()
        ends = ends_of(screen.emulator, command)
        if ends is None:
            return TruncatedOutput(hidden=True)
        kept = kept if ansi else unstyled(kept, theme_of(screen.emulator))
        return _between(screen.emulator, ends, limit, kept.replace("\r", ""), lines, ansi=ansi)


def clip_so_far(
    terminal: Terminal, command: CommandRecord | None, limit: int, *, ansi: bool = False
) -> TruncatedOutput:
    """A command's output so far in about `limit` characters; empty before it begins."""
    if command is None:
        return TruncatedOutput()
    lines = terminal.shell.lines_of(command)
    now = terminal.shell.command(command.number) if command.running else None
    return clip(terminal, now or command, limit, lines=lines, ansi=ansi)


def ends_of(emulator: Emulator, command: CommandRecord) -> OutputRange | None:
    """The range of a command's output; None if a full-screen program covers it. The caller holds the lock."""
    stop = (command.stop or emulator.pin()).found()
    start = command.start.found() if command.start else None
    if stop is None or (start is None and command.start is not None and not command.start.lost()):
        return None
    if start is None:
        return OutputRange(START, stop, lost=True)
    # After clearing the screen, a command's output starts at the top.
    return OutputRange(start if start <= stop else Point(emulator.scrollback.lines), stop)


def _between(
    emulator: Emulator, ends: OutputRange, limit: int, kept: str, lines: int, *, ansi: bool
) -> TruncatedOutput:
    rows, brief = ends.stop.line - ends.start.line, max(20, limit // max(1, min(_BRIEF, emulator.size.cols)))
    if rows <= 2 * brief:
        return _with_kept(_cut(_text(emulator, ends.start, ends.stop, ansi=ansi), ends.start, limit), ends, kept, lines)
    above, below = Point(ends.start.line + brief), Point(ends.stop.line - brief)
    # A wrapped line may start inside the rows read of one end and end after them.
    started, _, cut = _text(emulator, ends.start, above, ansi=ansi).rpartition("\n")
    rest, _, ended = _text(emulator, below, ends.stop, ansi=ansi).partition("\n")
    head = _first(started or cut, int(limit * _SHARE))
    tail = _last(ended or rest, limit - len(head))
    lines = lines or (rows if started or ended else 1)
    omitted = max(1, lines - _count(head) - _count(tail))
    rest_at = _behind(emulator, ends.start, range(ends.start.line + 1, above.line), len(head), ansi=ansi)
    return _with_kept(TruncatedOutput(head, tail, omitted, rest=rest_at), ends, kept, lines)


def _text(emulator: Emulator, start: Point, stop: Point, *, ansi: bool) -> str:
    return emulator.between(start, stop, ansi=True) if ansi else text_between(emulator, start, stop)


def _behind(emulator: Emulator, start: Point, rows: range, length: int, *, ansi: bool) -> Point:
    """The row after `length` characters."""
    at = bisect_left(rows, length, key=lambda row: len(_text(emulator, start, Point(row), ansi=ansi)))
    return Point(rows.start + at)


def _with_kept(found: TruncatedOutput, ends: OutputRange, kept: str, lines: int) -> TruncatedOutput:
    """The output with the beginning that was kept before it was pruned."""
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
    """The first whole lines that fit; a part of the first if it does not fit."""
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
