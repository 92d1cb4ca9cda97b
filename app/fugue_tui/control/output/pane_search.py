"""Searches panes for a list of matching lines, and reads what stands around one. Any thread without a terminal's lock.

Text is untrusted; what is returned for showing is cleaned.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from fugue_tui.control.output.last_command import newest
from fugue_tui.control.output.text_search import (
    MOST_MATCHES,
    Found,
    LineMatches,
    Snapshot,
    find_in,
    lay_out,
    snapshot,
)
from fugue_tui.control.output.truncate import ends_of
from fugue_tui.multiplexer.watch.patterns import Pattern
from fugue_tui.sanitize import clean_text
from fugue_tui.terminal.copy_mode.motions import output_at
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.screen.highlight import Mark, MarkKind, marked
from fugue_tui.terminal.screen.pins import Pin
from fugue_tui.terminal.terminal import Terminal

MOST_LINES: Final = 500
"""Lines of a pane that are listed, the newest."""
MOST_KEPT: Final = 200_000
"""Lines that are kept to be searched again, of all panes together."""
_LEAD: Final = 24
"""Characters before the first match of a line that are kept of a longer beginning."""
_LONGEST: Final = 300
"""Characters of a line that are listed."""

Within: TypeAlias = Callable[[LockedScreen], "range | None"]
"""Gives the lines to search, or None if they are not known."""
Text: TypeAlias = tuple[str, bool]
"""A part of a line, cleaned, and whether it matches."""


class FoundLine(Struct, frozen=True):
    """A line that matches."""

    matches: LineMatches
    shown: tuple[Text, ...]


class PaneFound(Struct, frozen=True, eq=False):
    """The matching lines of one pane."""

    terminal: Terminal
    found: Found
    lines: Sequence[FoundLine]
    """The newest, the oldest of them first."""
    more: bool
    """Whether more lines match than are listed."""


class PaneTexts:
    """The texts of panes, which are read again only after they have changed. One thread at a time."""

    def __init__(self) -> None:
        self._kept: dict[Terminal, Snapshot] = {}
        self._lines = 0

    def read(self, terminal: Terminal) -> Snapshot | None:
        """The text of a terminal; None if it is closed."""
        kept = self._kept.get(terminal)
        if kept is not None and (kept.changes, kept.cols) == (terminal.changes, terminal.size.cols):
            return kept
        self._lines -= len(self._kept.pop(terminal).text.lines) if kept is not None else 0
        read = snapshot(terminal)
        if read is not None and self._lines + len(read.text.lines) <= MOST_KEPT:
            self._kept[terminal] = read
            self._lines += len(read.text.lines)
        return read


def search_pane(
    terminal: Terminal, texts: PaneTexts, pattern: Pattern, within: Within | None, stopped: Callable[[], bool]
) -> PaneFound | None:
    """The matching lines of a pane; None if there are none, the pane is closed, or it was `stopped`."""
    text = None if stopped() else texts.read(terminal)
    if text is None or stopped():
        return None
    found = find_in(text, pattern, MOST_MATCHES if within is not None else MOST_LINES, stopped)
    hits = found.hits if within is None else _hits_within(terminal, found, within)
    lines = [FoundLine(hit, tuple(shown(hit))) for hit in hits[-MOST_LINES:]]
    return PaneFound(terminal, found, lines, found.cut or len(hits) > len(lines)) if lines and not stopped() else None


def _hits_within(terminal: Terminal, found: Found, within: Within) -> Sequence[LineMatches]:
    with terminal.locked() as screen:
        lines = None if screen.closed else within(screen)
        shift = 0 if lines is None else found.shift()
    return [hit for hit in found.hits if hit.row + shift in lines] if lines is not None else ()


def shown(hit: LineMatches) -> Iterator[Text]:
    """A line around its first match, in parts."""
    data, at = hit.text.encode(errors="replace"), 0
    room = _LONGEST
    for start, stop in hit.spans:
        before = _decoded(data[at:start])
        if not at:
            before = before.lstrip()
            before = f"…{before[1 - _LEAD :]}" if len(before) > 2 * _LEAD else before
        for text, matches in ((before, False), (_decoded(data[start:stop]), True)):
            if text and room > 0:
                yield text[:room], matches
            room -= len(text)
        at = stop
    if room > 0 and (rest := _decoded(data[at : at + 4 * room])):
        yield rest[:room], False


def _decoded(data: bytes) -> str:
    return clean_text(data.decode(errors="replace"), len(data) + 1).replace("\n", " ").replace("\t", " ")


def last_output(terminal: Terminal) -> Within:
    """Finds the output of the last command, or in copy mode of the one that the cursor is at."""
    record, copy_mode = newest(terminal), terminal.copy_mode

    def find(screen: LockedScreen) -> range | None:
        at = copy_mode.place()
        ends = ends_of(screen.emulator, record) if at is None and record is not None else None
        if ends is not None:
            return range(ends.start.line, ends.stop.line + (ends.stop.column > 0))
        found = output_at(screen.emulator, screen.clamp(at if at is not None else screen.end))
        return range(found[0].line, found[1].line + 1) if found is not None else None

    return find


def knows_output(terminal: Terminal) -> bool:
    """Whether `last_output` finds any."""
    within = last_output(terminal)
    with terminal.locked() as screen:
        return not screen.closed and within(screen) is not None


def place_of(found: Found, hit: LineMatches, terminal: Terminal) -> Pin | None:
    """A pin at a line's first match; None if it is not kept any more, or was reflowed since."""
    with terminal.locked() as screen:
        if screen.closed or screen.size.cols != found.cols:
            return None
        first = lay_out(hit.text, hit.spans[:1], hit.row + found.shift(), found.cols)[0].first
        return screen.emulator.pin(first) if first.line >= 0 else None


class Surroundings(Struct, frozen=True):
    """A screenful around a match."""

    rows: Sequence[Row]
    y: int
    """The row of the match."""
    x: int
    """Its last column."""
    back: int
    """How many lines above the screen it is; 0 for none."""


def surroundings(pane: PaneFound, line: FoundLine) -> Surroundings | None:
    """The rows around a line, with the matches marked; None as with `place_of`."""
    found, terminal = pane.found, pane.terminal
    with terminal.locked() as screen:
        if screen.closed or screen.size.cols != found.cols:
            return None
        shift, bar, height = found.shift(), screen.emulator.scrollback, screen.size.rows
        row = line.matches.row + shift
        top = min(max(row - height // 2, 0), bar.lines)
        read = screen.emulator.past(bar.lines - top)
    if row < 0:
        return None
    marks = _marks(found, line, range(top - shift, top - shift + height))
    span = lay_out(line.matches.text, line.matches.spans[:1], line.matches.row, found.cols)[0]
    rows = [marked(each, marks[y]) if y in marks else each for y, each in enumerate(read())]
    return Surroundings(rows, span.first.line + shift - top, span.last.column, max(bar.lines - row, 0))


def _marks(found: Found, chosen: FoundLine, lines: range) -> dict[int, list[Mark]]:
    """The rows of a view that shows some lines, with the matches in them."""
    marks: dict[int, list[Mark]] = {}
    for hit in found.hits:
        if lines.start - _FARTHEST <= hit.row < lines.stop:
            kind = MarkKind.CURRENT if hit is chosen.matches else MarkKind.MATCH
            for span in lay_out(hit.text, hit.spans, hit.row, found.cols):
                for at in range(max(span.first.line, lines.start), min(span.last.line + 1, lines.stop)):
                    start = span.first.column if at == span.first.line else 0
                    stop = span.stop.column if at == span.last.line else found.cols
                    marks.setdefault(at - lines.start, []).append(Mark(start, stop, kind))
    return marks


_FARTHEST: Final = 1_000
"""Rows above a view in which a line that reaches into it may begin."""
