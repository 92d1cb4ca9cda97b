"""Pages of a pane's text: their range, missed lines, and where the next starts. Made under the terminal's lock."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.output.continuation import continuation
from fugue_tui.control.output.export import html, json_cells
from fugue_tui.control.output.full_text import wraps
from fugue_tui.control.output.hidden_text import text_between, theme_of
from fugue_tui.control.output.truncate import ends_of
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.multiplexer.watch.bookmarks import Bookmark, BookmarkPosition, bookmark
from fugue_tui.sanitize import clean_text
from fugue_tui.terminal.copy_mode.text_units import TextSpan
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.screen.highlight import part
from fugue_tui.terminal.screen.pins import START, Point

MOST_CELLS: Final = 80_000
"""The most cells that are returned with styles."""

_OPTIMISM: Final = 16
"""The factor by which more rows are tried than would fit if all were full."""
_TRIES: Final = 2
_LONG_LINE: Final = 64
"""Rows of a joined line beyond which it may be cut."""

Write: TypeAlias = Callable[[], str]
"""Makes the text without the lock, on any thread."""


class TextFormat(StrEnum):
    """The format of a page."""

    PLAIN = "plain"
    """Plain text."""
    ANSI = "ansi"
    """Text with colours and attributes as SGR sequences."""
    HTML = "html"
    """A pre element with styled spans."""
    CELLS = "cells"
    """JSON with the runs of each row and their styles."""


_TEXTS: Final = (TextFormat.PLAIN, TextFormat.ANSI)


class TextOptions(Struct, frozen=True):
    """How a page is written."""

    format: TextFormat
    joined: bool
    """Whether soft-wrapped rows are joined to lines; only for plain and ANSI."""
    limit: int
    """Characters that may be returned."""

    @property
    def joins(self) -> bool:
        """Whether rows are joined in this format."""
        return self.joined and self.format in _TEXTS


class TextPage(Struct, frozen=True):
    """A range of a terminal's text."""

    write: Write
    first: int
    """The first line, counted from 0 for the oldest kept."""
    stop: int
    """The line after the last."""
    total: int
    """The number of lines, scrollback and screen."""
    alternate: bool
    """Whether it shows the alternate screen."""
    bookmark: Bookmark
    """Where the next page starts."""
    missed: int = 0
    """Lines that were pruned unread."""
    redrawn: bool = False
    """Whether it repeats text, as the program redrew it."""
    more: bool = False
    """Whether there is more text."""


def newest(screen: LockedScreen, rows: int | None, offset: int, options: TextOptions, *, whole: bool) -> TextPage:
    """The newest rows before the last `offset`: of the screen, or of the `whole` history. The caller holds the lock.

    Blank rows at the end of the screen do not count."""
    start = Point(0 if whole else screen.emulator.scrollback.lines)
    return span(screen, start, Point(_end(screen)), rows or screen.size.rows, offset, options)


def _end(screen: LockedScreen) -> int:
    """The row after the last one with text on the screen."""
    history = screen.emulator.scrollback.lines
    rows = screen.emulator.lines(history, history + screen.size.rows)
    return history + max((y for y, row in enumerate(rows, 1) if row), default=0)


def printed(
    screen: LockedScreen, command: CommandRecord, lines: int, rows: int | None, offset: int, options: TextOptions
) -> TextPage:
    """A command's output, the newest rows before the last `offset`; `lines` is its known number of lines, 0 if unknown.
    The caller holds the lock. Raises NotFound if a full-screen program covers it."""
    emulator = screen.emulator
    ends = ends_of(emulator, command)
    if ends is None and emulator.modes.alternate_screen:
        raise NotFound("a full-screen program covers what its command printed before; read its screen")
    if ends is None:
        return replace(span(screen, START, START, rows, offset, options), missed=max(1, lines))
    page = span(screen, ends.start, ends.stop, rows, offset, options)
    kept = emulator.scrollback.lines + emulator.caret[1]
    return replace(page, missed=max(1, lines - kept) if ends.lost else 0)


def selected(
    screen: LockedScreen, found: TextSpan | None, rows: int | None, offset: int, options: TextOptions
) -> TextPage:
    """The selected text, its newest rows but `offset`; no rows if nothing is selected."""
    if found is None:
        return span(screen, screen.end, screen.end, rows, 0, options)
    page = span(screen, found.first, found.stop, rows, offset, options)
    return replace(page, write=_rectangle_writer(screen, found, page, options)) if found.rectangle else page


def _rectangle_writer(screen: LockedScreen, found: TextSpan, page: TextPage, options: TextOptions) -> Write:
    """A writer of the part of a rectangle that a page shows."""
    emulator, left, stop = screen.emulator, found.first.column, found.stop.column
    if options.format not in _TEXTS:
        theme, read = theme_of(emulator), rows_between(emulator, page.first, page.stop)

        def cut() -> list[Row]:
            return [part(row, left, stop) for row in read()]

        html_of = options.format is TextFormat.HTML
        return (lambda: html(cut(), theme)) if html_of else (lambda: json_cells(cut(), screen.size.cols))
    ends = [(Point(line, left), Point(line, stop)) for line in range(page.first, page.stop)]
    if options.format is TextFormat.ANSI:
        styled = "\n".join(emulator.between(first, last, joined=False, ansi=True) for first, last in ends)
        return lambda: styled
    text = "\n".join(text_between(emulator, first, last, joined=False) for first, last in ends)
    return lambda: clean_text(text, max(len(text), 1))


def span(
    screen: LockedScreen, start: Point, stop: Point, rows: int | None, offset: int, options: TextOptions
) -> TextPage:
    """The newest rows but `offset` between two places. For who holds the lock."""
    emulator, last = screen.emulator, stop.line + bool(stop.column) - offset
    end = Point(max(start.line, last)) if offset or not stop.column else stop

    def newest_of(count: int) -> tuple[int, Write]:
        return _writer(screen, Point(last - count) if count < last - start.line else start, end, options)

    count, write = _fitting(rows, last - start.line, screen.size.cols, options, newest_of)
    first = max(start.line, last - count)
    whole = _line_after(emulator, first, last) if options.joins and first > start.line else first
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


def since(screen: LockedScreen, found: BookmarkPosition, rows: int | None, options: TextOptions) -> TextPage:
    """The text after a cursor, the oldest first. The caller holds the lock."""
    emulator, total = screen.emulator, screen.end.line
    start = continuation(screen, found)

    def oldest_of(count: int) -> tuple[int, Write]:
        return _writer(screen, start.start, Point(start.start.line + count), options)

    count, write = _fitting(rows, total - start.start.line, screen.size.cols, options, oldest_of)
    stop = start.start.line + count
    whole = _line_before(emulator, start.start.line, stop) if options.joins and stop < total else stop
    if whole < stop:
        stop, (_, write) = whole, oldest_of(whole - start.start.line)
    more = stop < total and _has_text(emulator, stop, total)
    return TextPage(
        write=write,
        first=start.start.line,
        stop=stop if more else max(start.start.line, min(stop, _end(screen))),
        total=total,
        alternate=emulator.modes.alternate_screen,
        bookmark=bookmark(screen, found.bookmark, Point(stop) if more else None),
        missed=start.missed,
        redrawn=start.redrawn,
        more=more,
    )


def _has_text(emulator: Emulator, start: int, stop: int) -> bool:
    """Whether any row has text; the screen is read first, as reading all history is slow."""
    screen = max(start, emulator.scrollback.lines)
    return any(emulator.lines(screen, stop)) or any(emulator.lines(start, screen))


def _line_after(emulator: Emulator, row: int, end: int) -> int:
    """The first row of `row` to `end` that starts a line; `row` itself if there is none."""
    return next((each for each in range(row, min(end, row + _LONG_LINE)) if not wraps(emulator, each - 1)), row)


def _line_before(emulator: Emulator, start: int, stop: int) -> int:
    """The last row of `start` to `stop` that starts a line; `stop` itself if there is none."""
    return next(
        (each for each in range(stop, max(start, stop - _LONG_LINE), -1) if not wraps(emulator, each - 1)), stop
    )


def written(excerpt: TextPage, options: TextOptions) -> str:
    """The text of a page, written without the lock. Raises InvalidArgument if its styles make it too long."""
    text = excerpt.write()
    if len(text) > options.limit and options.format is not TextFormat.PLAIN:
        raise InvalidArgument(
            f"lines: as {options.format} these {excerpt.stop - excerpt.first} rows have {len(text)} characters, and "
            f"{options.limit} may be given; ask for fewer lines, or for plain"
        )
    return text


def _fitting(
    rows: int | None, most: int, cols: int, options: TextOptions, writer: Callable[[int], tuple[int, Write]]
) -> tuple[int, Write]:
    """How many rows may be returned, and their writer. More are tried than would fit if all were full."""
    sure, requested = _rows_in(options, cols), max(0, min(rows or most, most))
    count = min(requested, sure * _OPTIMISM if options.format in _TEXTS else sure)
    for _ in range(_TRIES):
        size, write = writer(count)
        if count <= sure or size <= options.limit:
            return count, write
        count = max(sure, count * options.limit // size * 15 // 16)
    count = min(count, sure)
    return count, writer(count)[1]


def _rows_in(options: TextOptions, cols: int) -> int:
    cells = MOST_CELLS if options.format in (TextFormat.HTML, TextFormat.CELLS) else options.limit
    return max(1, min(cells, options.limit) // (cols + 1))


def _writer(screen: LockedScreen, start: Point, stop: Point, options: TextOptions) -> tuple[int, Write]:
    """The length and a writer of the text between two points now; 0 if the length is only known once written."""
    emulator, cols = screen.emulator, screen.size.cols
    if options.format in _TEXTS:
        if options.format is TextFormat.ANSI:
            styled = emulator.between(start, stop, joined=options.joined, ansi=True)
            return len(styled), lambda: styled
        text = text_between(emulator, start, stop, joined=options.joined)
        return len(text), lambda: clean_text(text, max(len(text), 1))
    theme, read = theme_of(emulator), rows_between(emulator, start.line, stop.line + bool(stop.column))
    if options.format is TextFormat.HTML:
        return 0, lambda: html(_cut(read(), start, stop), theme)
    return 0, lambda: json_cells(_cut(read(), start, stop), cols)


def _cut(rows: list[Row], start: Point, stop: Point) -> Sequence[Row]:
    """The rows cut at both points, without moving any column."""
    if rows and stop.column:
        rows[-1] = part(rows[-1], 0, stop.column)
    if rows and start.column:
        rows[0] = part(rows[0], start.column)
    return _without_blank_end(rows)


def rows_between(emulator: Emulator, start: int, stop: int) -> Callable[[], list[Row]]:
    """A function that reads a snapshot of the rows of now, later and without the lock. The caller holds the lock."""
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
