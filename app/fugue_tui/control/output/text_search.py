"""Searches a terminal's text for copy mode, and marks what the view shows of it."""

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from msgspec import Struct

from fugue_tui.control.output.full_text import FullText, full_text, starts_of
from fugue_tui.multiplexer.watch.patterns import Pattern, expression, literal
from fugue_tui.terminal.copy_mode.text_units import TextSpan, wrapped
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.screen.highlight import Mark, MarkKind
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.terminal.terminal import Terminal

TIME_LIMIT: Final = 5.0
"""Seconds after which a search ends with what it has found."""
MOST_MATCHES: Final = 10_000
"""Matches that are kept, the newest."""
_CHUNK: Final = 1 << 13
"""Bytes searched at a time, if the pattern's reach allows as many."""


class Query(Struct, frozen=True):
    """What to search for."""

    text: str
    literal: bool = False
    """Whether it is the text itself, in its case, rather than a regular expression in smart case."""

    def pattern(self) -> Pattern:
        """The pattern. Raises InvalidArgument."""
        if self.literal:
            return literal(self.text, "search")
        return expression(self.text, "search", ignore_case=not _has_capitals(self.text))


def _has_capitals(text: str) -> bool:
    """Whether letters other than those of escapes such as `\\S` are capitals."""
    escaped = False
    for char in text:
        if not escaped and char.isupper():
            return True
        escaped = char == "\\" and not escaped
    return False


class LineMatches(Struct, frozen=True):
    """The matches in a line."""

    row: int
    """The line's first row."""
    text: str
    spans: Sequence[tuple[int, int]]
    """From which to which byte each reaches."""


class Found(Struct, frozen=True, eq=False):
    """The matches in a terminal's text, in reading order. Where they are on the screen is worked out when asked for."""

    hits: Sequence[LineMatches]
    before: Sequence[int]
    """How many matches there are before those of each hit, and in all."""
    cols: int
    pin: Pin
    """Where a line of the text is now."""
    line: int
    """Which line that was."""
    changes: int
    """The terminal's count of changes at that time."""
    cut: bool
    """Whether there are more matches, further up."""

    @property
    def count(self) -> int:
        """How many matches there are."""
        return self.before[-1]

    def shift(self) -> int:
        """How many lines further down the text is now. Needs the lock."""
        now = self.pin.found()
        return now.line - self.line if now is not None else 0

    def index(self, at: Point) -> int:
        """How many matches begin at or before a position of that time."""
        line = bisect_right(self.hits, at.line, key=lambda hit: hit.row) - 1
        if line < 0:
            return 0
        return self.before[line] + sum(span.first <= at for span in self._laid_out(line))

    def span(self, number: int) -> TextSpan:
        """A match by its number, from 0; where it was at that time."""
        line = bisect_right(self.before, number) - 1
        return self._laid_out(line)[number - self.before[line]]

    def _laid_out(self, line: int) -> list[TextSpan]:
        hit = self.hits[line]
        return lay_out(hit.text, hit.spans, hit.row, self.cols)


class Snapshot(Struct, frozen=True, eq=False):
    """A terminal's text at one time."""

    text: FullText
    cols: int
    changes: int
    """The terminal's count of changes at that time."""


def snapshot(terminal: Terminal) -> Snapshot | None:
    """The screen and the scrollback; None if the terminal is closed. On a thread of its own: it takes the lock for a
    chunk of text at a time."""
    changes, cols = terminal.changes, terminal.size.cols
    text = full_text(terminal, time.monotonic() + TIME_LIMIT)
    return Snapshot(text, cols, changes) if text is not None else None


def find_all(terminal: Terminal, pattern: Pattern) -> Found | None:
    """All matches in a terminal's text; None if it is closed. On a thread of its own."""
    at_present = snapshot(terminal)
    return find_in(at_present, pattern) if at_present is not None else None


def find_in(
    searched: Snapshot, pattern: Pattern, most: int = MOST_MATCHES, stopped: Callable[[], bool] = lambda: False
) -> Found:
    """The matches in a text, some more than `most` of the newest if there are so many. On a thread of its own, which
    gives way to others; it ends early once it is `stopped`."""
    deadline, text = time.monotonic() + TIME_LIMIT, searched.text
    hits: list[list[LineMatches]] = []
    count, cut = 0, False
    for chunk in _chunks(text, max(1, min(_CHUNK, pattern.reach))):
        found = _chunk_hits(text, chunk, pattern)
        hits.append(found)
        count += sum(len(hit.spans) for hit in found)
        cut = count > most or time.monotonic() > deadline or stopped()
        if cut:
            break
        time.sleep(0)  # Lets the thread that draws go first.
    newest = [hit for found in reversed(hits) for hit in found]
    before = [0, *accumulate(len(hit.spans) for hit in newest)]
    return Found(newest, before, searched.cols, text.bookmark.pin, text.last, searched.changes, cut)


def _chunks(text: FullText, most: int) -> Iterator[range]:
    """Lines of at most so many characters together, or one longer line; the newest first."""
    stop = len(text.lines)
    while stop > 0:
        start, size = stop - 1, len(text.lines[stop - 1])
        while start > 0 and size + len(text.lines[start - 1]) < most:
            start -= 1
            size += len(text.lines[start]) + 1
        yield range(start, stop)
        stop = start


def _chunk_hits(text: FullText, chunk: range, pattern: Pattern) -> list[LineMatches]:
    """The matches in some lines, in reading order."""
    encoded = [text.lines[index].encode(errors="replace") for index in chunk]
    data = b"\n".join(encoded)
    begins = [0, *accumulate(len(line) + 1 for line in encoded)]
    by_line: dict[int, list[tuple[int, int]]] = {}
    for start, stop in _all_spans(data, pattern):
        line = bisect_right(begins, start) - 1
        begin, end = begins[line], begins[line + 1] - 1
        by_line.setdefault(line, []).append((start - begin, min(stop, end) - begin))
    return [LineMatches(text.starts[chunk[line]], text.lines[chunk[line]], spans) for line, spans in by_line.items()]


def _all_spans(data: bytes, pattern: Pattern) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(data) and (span := pattern.search(data, at, len(data))):
        if span[1] > span[0]:
            yield span
        at = max(span[1], at + 1)


def lay_out(line: str, spans: Sequence[tuple[int, int]], row: int, cols: int) -> list[TextSpan]:
    """The cells of parts of a line, each from one byte to another; its text begins at a row and wraps at a width."""
    if not spans:
        return []
    if line.isascii():
        return [_between(start, stop - 1, row, cols) for start, stop in spans]
    owners, data = _cells(line, cols), line.encode(errors="replace")
    characters = [(_characters(data[:start]), _characters(data[:stop])) for start, stop in spans]
    return [_between(owners[start], owners[stop] - 1, row, cols) for start, stop in characters]


def _characters(part: bytes) -> int:
    return len(part.decode(errors="ignore"))


def _between(first: int, last: int, row: int, cols: int) -> TextSpan:
    last = max(first, last)
    return TextSpan(Point(row + first // cols, first % cols), Point(row + last // cols, last % cols))


def _cells(line: str, cols: int) -> list[int]:
    """The cell in which each character of a line begins, counted over its rows, and the cell behind the last one."""
    from wcwidth import iter_graphemes, wcswidth

    owners: list[int] = []
    at = 0
    for cluster in iter_graphemes(line):
        width = min(max(wcswidth(cluster), 1), 2)
        if width == 2 and at % cols == cols - 1:
            at += 1
        owners += [at] * len(cluster)
        at += width
    return [*owners, at]


def view_lines(screen: LockedScreen) -> tuple[list[str], list[int]]:
    """The lines that the view shows at least a part of, and the first row of each."""
    emulator, top = screen.emulator, screen.emulator.scrollback.top
    first, last = wrapped(emulator, top)[0], wrapped(emulator, top + screen.size.rows - 1)[1]
    rows, lines = emulator.lines(first, last + 1), emulator.lines(first, last + 1, joined=True)
    return lines, [first + start for start in starts_of(lines, rows, screen.size.cols)]


def view_matches(screen: LockedScreen, pattern: Pattern, cursor: Point | None) -> dict[int, list[Mark]]:
    """The rows of the view with the matches in them; the one that the cursor is in stands out."""
    marks: dict[int, list[Mark]] = {}
    for line, row in zip(*view_lines(screen), strict=True):
        spans = list(_all_spans(line.encode(errors="replace"), pattern))
        for span in lay_out(line, spans, row, screen.size.cols):
            current = cursor is not None and span.first <= cursor <= span.last
            add_marks(marks, screen, span, MarkKind.CURRENT if current else MarkKind.MATCH)
    return marks


def add_marks(marks: dict[int, list[Mark]], screen: LockedScreen, span: TextSpan, kind: MarkKind) -> None:
    """Mark the part of a span that the view shows."""
    top, size = screen.emulator.scrollback.top, screen.size
    for line in range(max(span.first.line, top), min(span.last.line + 1, top + size.rows)):
        start = span.first.column if line == span.first.line else 0
        stop = span.stop.column if line == span.last.line else size.cols
        marks.setdefault(line - top, []).append(Mark(start, stop, kind))
