"""Pieces of a pane's text: how far they go, what was missed, and where to read on. Taken under the terminal's lock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from fugue_tui.control.output.continuation import onward
from fugue_tui.control.output.export import html, json_cells
from fugue_tui.control.output.full_text import goes_on
from fugue_tui.control.output.truncate import ends_of
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.imaging.palette import Theme
from fugue_tui.multiplexer.watch.bookmarks import Bookmark, BookmarkPosition, bookmark
from fugue_tui.sanitize import clean_text
from fugue_tui.terminal.copy_mode.text_units import TextSpan
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.locked import LockedScreen
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.screen.highlight import part
from fugue_tui.terminal.screen.pins import START, Point

MOST_CELLS: Final = 80_000
"""Cells that are given with their styles at most."""

_HOPED: Final = 16
"""How many times as many rows as would fit if all were full are tried."""
_TRIES: Final = 2
_LONG_LINE: Final = 64
"""Rows of a line that may be cut, so long is it."""

Write: TypeAlias = Callable[[], str]
"""Makes the text without the lock, on any thread."""


class Format(StrEnum):
    """How a piece of text is written."""

    PLAIN = "plain"
    """Text alone."""
    ANSI = "ansi"
    """Text with colours and attributes as SGR sequences."""
    HTML = "html"
    """A pre element with styled spans."""
    CELLS = "cells"
    """JSON with the runs of each row and their styles."""


_TEXTS: Final = (Format.PLAIN, Format.ANSI)


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How to write."""

    format: Format
    joined: bool
    """Whether rows that wrapped softly are one line; only of text and ANSI."""
    most: int
    """Characters that may be given."""

    @property
    def joins(self) -> bool:
        """Whether rows are joined in effect."""
        return self.joined and self.format in _TEXTS


@dataclass(frozen=True, slots=True)
class TextPage:
    """A piece of text."""

    write: Write
    first: int
    """The line it starts with, 0 being the oldest kept."""
    stop: int
    """The line it ends before."""
    total: int
    """Lines there are, scrollback and screen."""
    alternate: bool
    """Whether they are those of a full-screen program."""
    bookmark: Bookmark
    """Where to read on."""
    missed: int = 0
    """Lines that were pruned before they were read."""
    redrawn: bool = False
    """Whether it starts before the place to read on from, as the program wrote there anew."""
    more: bool = False
    """Whether there is more than is given."""


def newest(screen: LockedScreen, rows: int | None, offset: int, manner: TextOptions, *, whole: bool) -> TextPage:
    """The newest rows but `offset`: of the screen, or of the `whole` history. For who holds the lock.

    The blank rows at the end of the screen do not count."""
    start = Point(0 if whole else screen.emulator.scrollback.lines)
    return span(screen, start, Point(_end(screen)), rows or screen.size.rows, offset, manner)


def _end(screen: LockedScreen) -> int:
    """The row behind the last one on the screen with text."""
    history = screen.emulator.scrollback.lines
    rows = screen.emulator.lines(history, history + screen.size.rows)
    return history + max((y for y, row in enumerate(rows, 1) if row), default=0)


def printed(
    screen: LockedScreen, command: CommandRecord, lines: int, rows: int | None, offset: int, manner: TextOptions
) -> TextPage:
    """What a command printed, its newest rows but `offset`; `lines` is how many it had before now, 0 if unknown. For
    who holds the lock. Raises NotFound if a full-screen program covers it."""
    emulator = screen.emulator
    ends = ends_of(emulator, command)
    if ends is None and emulator.modes.alternate_screen:
        raise NotFound("a full-screen program covers what its command printed before; read its screen")
    if ends is None:
        return replace(span(screen, START, START, rows, offset, manner), missed=max(1, lines))
    taken = span(screen, ends.start, ends.stop, rows, offset, manner)
    kept = emulator.scrollback.lines + emulator.caret[1]
    return replace(taken, missed=max(1, lines - kept) if ends.lost else 0)


def selected(
    screen: LockedScreen, found: TextSpan | None, rows: int | None, offset: int, manner: TextOptions
) -> TextPage:
    """The selected text, its newest rows but `offset`; no rows if nothing is selected."""
    if found is None:
        return span(screen, screen.end, screen.end, rows, 0, manner)
    return span(screen, found.first, found.stop, rows, offset, manner)


def span(
    screen: LockedScreen, start: Point, stop: Point, rows: int | None, offset: int, manner: TextOptions
) -> TextPage:
    """The newest rows but `offset` between two places. For who holds the lock."""
    emulator, last = screen.emulator, stop.line + bool(stop.column) - offset
    end = Point(max(start.line, last)) if offset or not stop.column else stop

    def newest_of(count: int) -> tuple[int, Write]:
        return _writer(screen, Point(last - count) if count < last - start.line else start, end, manner)

    count, write = _fitting(rows, last - start.line, screen.size.cols, manner, newest_of)
    first = max(start.line, last - count)
    whole = _line_after(emulator, first, last) if manner.joins and first > start.line else first
    if whole > first:
        first, (_, write) = whole, newest_of(last - whole)
    return TextPage(
        write=write,
        first=first,
        stop=max(first, last),
        total=screen.end.line,
        alternate=emulator.modes.alternate_screen,
        bookmark=bookmark(screen),
        more=first > start.line,
    )


def since(screen: LockedScreen, found: BookmarkPosition, rows: int | None, manner: TextOptions) -> TextPage:
    """What came after a cursor, the oldest first. For who holds the lock."""
    emulator, total = screen.emulator, screen.end.line
    start = onward(screen, found)

    def oldest_of(count: int) -> tuple[int, Write]:
        return _writer(screen, start.place, Point(start.place.line + count), manner)

    count, write = _fitting(rows, total - start.place.line, screen.size.cols, manner, oldest_of)
    stop = start.place.line + count
    whole = _line_before(emulator, start.place.line, stop) if manner.joins and stop < total else stop
    if whole < stop:
        stop, (_, write) = whole, oldest_of(whole - start.place.line)
    more = stop < total and _has_text(emulator, stop, total)
    return TextPage(
        write=write,
        first=start.place.line,
        stop=stop if more else max(start.place.line, min(stop, _end(screen))),
        total=total,
        alternate=emulator.modes.alternate_screen,
        bookmark=bookmark(screen, found.bookmark, Point(stop) if more else None),
        missed=start.missed,
        redrawn=start.redrawn,
        more=more,
    )


def _has_text(emulator: Emulator, start: int, stop: int) -> bool:
    """Whether there is any; the screen is looked at first, as it takes long to read all of the history."""
    screen = max(start, emulator.scrollback.lines)
    return any(emulator.lines(screen, stop)) or any(emulator.lines(start, screen))


def _line_after(emulator: Emulator, row: int, end: int) -> int:
    """The first row from one on, before an end, with which a line begins; the row itself if there is none."""
    return next((each for each in range(row, min(end, row + _LONG_LINE)) if not goes_on(emulator, each - 1)), row)


def _line_before(emulator: Emulator, start: int, stop: int) -> int:
    """The last row up to one, after a start, before which a line ends; the row itself if there is none."""
    return next(
        (each for each in range(stop, max(start, stop - _LONG_LINE), -1) if not goes_on(emulator, each - 1)), stop
    )


def written(excerpt: TextPage, manner: TextOptions) -> str:
    """The text of an excerpt, made without the lock. Raises InvalidArgument if its styles make it too long."""
    text = excerpt.write()
    if len(text) > manner.most and manner.format is not Format.PLAIN:
        raise InvalidArgument(
            f"lines: as {manner.format} these {excerpt.stop - excerpt.first} rows have {len(text)} characters, and "
            f"{manner.most} may be given; ask for fewer lines, or for plain"
        )
    return text


def _fitting(
    rows: int | None, most: int, cols: int, manner: TextOptions, writer: Callable[[int], tuple[int, Write]]
) -> tuple[int, Write]:
    """How many of so many rows may be given, and what writes them. More are tried than would fit if all were full."""
    sure, wanted = _rows_in(manner, cols), max(0, min(rows or most, most))
    count = min(wanted, sure * _HOPED if manner.format in _TEXTS else sure)
    for _ in range(_TRIES):
        size, write = writer(count)
        if count <= sure or size <= manner.most:
            return count, write
        count = max(sure, count * manner.most // size * 15 // 16)
    count = min(count, sure)
    return count, writer(count)[1]


def _rows_in(manner: TextOptions, cols: int) -> int:
    cells = MOST_CELLS if manner.format in (Format.HTML, Format.CELLS) else manner.most
    return max(1, min(cells, manner.most) // (cols + 1))


def _writer(screen: LockedScreen, start: Point, stop: Point, manner: TextOptions) -> tuple[int, Write]:
    """What writes the text between two places as it is now; and how long that is, as far as it is known yet."""
    emulator, cols = screen.emulator, screen.size.cols
    if manner.format in _TEXTS:
        ansi = manner.format is Format.ANSI
        text = emulator.between(start, stop, joined=manner.joined, ansi=ansi)
        return len(text), lambda: text if ansi else clean_text(text, max(len(text), 1))
    theme, read = theme_of(emulator), rows_between(emulator, start.line, stop.line + bool(stop.column))
    if manner.format is Format.HTML:
        return 0, lambda: html(_cut(read(), start, stop), theme)
    return 0, lambda: json_cells(_cut(read(), start, stop), cols)


def _cut(rows: list[Row], start: Point, stop: Point) -> Sequence[Row]:
    """The rows without what stands before the first place and after the last; each column stays where it is."""
    if rows and stop.column:
        rows[-1] = part(rows[-1], 0, stop.column)
    if rows and start.column:
        rows[0] = part(rows[0], start.column)
    return _without_blank_end(rows)


def theme_of(emulator: Emulator) -> Theme:
    """The default colours of a terminal, for pictures. For who holds the lock."""
    fg, bg = (((each >> 16) & 255, (each >> 8) & 255, each & 255) for each in emulator.colours)
    return Theme(foreground=fg, background=bg)


def rows_between(emulator: Emulator, start: int, stop: int) -> Callable[[], list[Row]]:
    """What reads, later and without the lock, the rows of some lines as they are now. For who holds the lock."""
    height, history = emulator.size.rows, emulator.scrollback.lines
    views: list[tuple[Callable[[], list[Row]], int, int]] = []
    at = start
    while at < stop:
        back = max(0, history - at)
        top = history - back
        views.append((emulator.past(back), at - top, min(stop, top + height) - top))
        at = top + height
    return lambda: [row for read, first, last in views for row in read()[first:last]]


def _without_blank_end(rows: Sequence[Row]) -> Sequence[Row]:
    end = len(rows)
    while end and not rows[end - 1].runs:
        end -= 1
    return rows[:end]
