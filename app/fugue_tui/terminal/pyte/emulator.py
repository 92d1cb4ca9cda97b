"""The fallback engine, for machines where no native library loads: the library pyte, some thousand times slower.

Rows are decoded when they are refreshed, and history is kept as rows.
"""

import codecs
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from pyte.modes import LNM

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator import osc
from fugue_tui.terminal.emulator.pending_events import TEXT_LIMIT, EventSource, PendingEvents
from fugue_tui.terminal.emulator.protocol import ViewportRows
from fugue_tui.terminal.emulator.save_format import Save, pack, unpack, write_rows
from fugue_tui.terminal.input.encoder import Encoder
from fugue_tui.terminal.pyte.screen import Screen
from fugue_tui.terminal.pyte.stream import Stream
from fugue_tui.terminal.screen.cells import (
    Cursor,
    CursorShape,
    Damage,
    Modes,
    MouseEncoding,
    MouseTracking,
    Row,
    Scrollback,
)
from fugue_tui.terminal.screen.damage import compare
from fugue_tui.terminal.screen.highlight import part
from fugue_tui.terminal.screen.images import Graphics, Image, Placement
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.terminal.screen.sgr import write_row

SLICE: Final = 4_096
"""Bytes decoded and parsed at a time."""


class _Captured(Struct, frozen=True):
    """What the viewport showed at one moment."""

    decoded: list[Row]
    rows: list[bytes]
    cursor: Cursor
    placements: tuple[Placement, ...] = ()

    def row(self, y: int) -> Row:
        return self.decoded[y] if y < len(self.decoded) else Row(())


class PyteEmulator(EventSource, Encoder):
    """One terminal. See `Emulator` for what each method promises."""

    engine = "pyte"
    lacks: frozenset[str] = frozenset(
        {
            "reflow of text on resize",
            "hyperlinks",
            "faint, invisible and overlined text",
            "styled and coloured underlines",
            "colours redefined by programs",
            "emoji joined into one character",
            "reverse screen",
            "synchronized output",
            "left and right margins",
            "origin mode and moving outside the margins",
            "saved modes",
            "images",
            "the kitty keyboard protocol and modifyOtherKeys",
            "answers about modes, sizes, versions and the palette",
            "speed (some thousand times slower)",
        }
    )

    def __init__(self, size: Size, scrollback: int = 10_000) -> None:
        size = _bounded(size)
        self._inbox = PendingEvents(size, lambda _: None)
        self._screen = Screen(size, scrollback, self._inbox)
        self._stream = Stream(self._screen, self._osc)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self.colours = (0xD0D0D0, 0x101010)
        self.graphics = Graphics()
        self._offset = 0
        self._rows: list[Row] = []
        self._painted: list[bytes] = []
        self._moved = True
        self._cursor = Cursor(0, 0)
        self.refresh()

    def set_colours(self, fg: int, bg: int) -> None:
        """Set the host's default colours (0xRRGGBB), for programs that query them."""
        self.colours = (fg, bg)

    def set_graphics(self, graphics: Graphics) -> None:
        """Set the size of cells in pixels; there are no images."""
        self.graphics = graphics

    @property
    def images(self) -> tuple[Placement, ...]:
        """None: this engine has no images."""
        return ()

    def past_images(self, lines: int) -> tuple[Placement, ...]:
        """None likewise."""
        return ()

    def pixels(self, image: Image) -> None:
        """None likewise."""
        return

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take program output, cut anywhere."""
        pushed = self._screen.pushed
        with memoryview(data) as view, view.cast("B") as octets:
            for at in range(0, len(octets), SLICE):
                self._stream.feed(self._decode(bytes(octets[at : at + SLICE])))
        if self._offset:  # The view stays on its lines while the history grows under it.
            self._offset = min(self._offset + self._screen.pushed - pushed, len(self._screen.history))
            self._moved = True

    def _osc(self, text: str, end: str) -> None:
        """Act on an operating system command, or answer it as it was ended."""
        number, _, rest = text.partition(";")
        if number in ("0", "2"):
            self._inbox.set_title(rest[:TEXT_LIMIT])
        elif number == "7":
            self._inbox.set_cwd(rest[:TEXT_LIMIT])
        elif number in ("10", "11") and rest == "?":
            red, green, blue = self.colours[number == "11"].to_bytes(3, "big")
            answer = f"\x1b]{number};rgb:{red:02x}{red:02x}/{green:02x}{green:02x}/{blue:02x}{blue:02x}{end}"
            self._inbox.reply(answer.encode())
        elif event := osc.read(text):
            if text.startswith("133;A") and self._screen.cursor.x:  # semantic prompts, "fresh-line"
                self._screen.index()
                self._screen.carriage_return()
                self._screen.complete()
            self._inbox.emit(event)

    def resize(self, size: Size) -> None:
        """Change the size; nothing is reflowed, and what does not fit at the top becomes history."""
        size = _bounded(size)
        if size != self.size:
            self._inbox.size = size
            self._screen.resize(size.rows, size.cols)
            self._offset = min(self._offset, len(self._screen.history))

    def refresh(self) -> Damage:
        """Snapshot the viewport and say what changed."""
        rows = self._visible()
        painted = [
            self._painted[y] if y < len(self._rows) and self._rows[y] is row else write_row(row)
            for y, row in enumerate(rows)
        ]
        self._cursor = self._place()
        damage = compare(self._painted, painted)
        self._rows, self._painted, self._moved = rows, painted, False
        return damage

    def _visible(self) -> list[Row]:
        """The viewport's rows; at the bottom only those that may have changed are decoded."""
        screen = self._screen
        dirty, screen.dirty = screen.dirty, set[int]()
        if self._moved or self._offset or len(self._rows) != screen.lines:
            return self._view(self._offset)
        return [screen.line(y).row(screen.columns) if y in dirty else row for y, row in enumerate(self._rows)]

    def _view(self, offset: int) -> list[Row]:
        """The rows that a view shows which is scrolled back that far; those from wider times are cut."""
        first = len(self._screen.history) - offset
        rows = self._screen.rows(first, first + self._screen.lines)
        return [_cut(row, self._screen.columns) for row in rows[:offset]] + rows[offset:]

    def _place(self) -> Cursor:
        """Where the cursor is in the viewport."""
        x, y = self.caret
        y, shape = y + self._offset, self._screen.shape
        visible = self.shows_caret and y < self._screen.lines
        blinking = self._screen.is_set(12)
        y = min(y, self._screen.lines - 1)
        return Cursor(x, y, visible, shape or CursorShape.BLOCK, blinking, shape is not None)

    def row(self, y: int) -> Row:
        """Viewport row `y` of the snapshot; an empty one below its last."""
        return self._rows[y] if y < len(self._rows) else Row(())

    def paint(self, first: int, count: int) -> list[bytes]:
        """Viewport rows of the snapshot as VT text."""
        return self._painted[first : first + count]

    @property
    def cursor(self) -> Cursor:
        """The cursor as of the last refresh."""
        return self._cursor

    @property
    def caret(self) -> tuple[int, int]:
        """Where the cursor is on the screen now."""
        return min(self._screen.cursor.x, self._screen.columns - 1), self._screen.cursor.y

    @property
    def shows_caret(self) -> bool:
        """Whether the program shows its cursor now."""
        return self._screen.is_set(25)

    @property
    def synchronized(self) -> bool:
        """Whether a synchronized update (mode 2026) is in progress."""
        return self.modes.synchronized

    @property
    def modes(self) -> Modes:
        """The modes in force now."""
        screen = self._screen
        return Modes(
            application_cursor=screen.is_set(1),
            application_keypad=screen.is_set(66),
            bracketed_paste=screen.is_set(2004),
            focus_events=screen.is_set(1004),
            alternate_screen=screen.alternate,
            alternate_scroll=screen.is_set(1007),
            backarrow_is_backspace=screen.is_set(67),
            newline=LNM in screen.mode,
            mouse=max(filter(screen.is_set, MouseTracking), default=MouseTracking.NONE),
            mouse_encoding=max(filter(screen.is_set, MouseEncoding), default=MouseEncoding.X10),
        )

    @property
    def scrollback(self) -> Scrollback:
        """How much history there is, and where the view stands in it."""
        return Scrollback(len(self._screen.history), self._offset)

    def scroll(self, lines: int) -> None:
        """Move the view towards older lines, or newer if negative."""
        offset = max(0, min(self._offset + lines, len(self._screen.history)))
        self._moved = self._moved or offset != self._offset
        self._offset = offset

    def scroll_to_bottom(self) -> None:
        """Follow new output again."""
        self.scroll(-self._offset)

    def capture(self) -> ViewportRows:
        """What the viewport shows now."""
        rows = self._view(self._offset)
        return _Captured(rows, [write_row(row) for row in rows], self._place())

    def past(self, lines: int) -> Callable[[], list[Row]]:
        """Reads the rows of a view that is scrolled back that far."""
        rows = self._view(0 if self._screen.alternate else max(0, min(lines, len(self._screen.history))))
        return lambda: rows

    def screen_rows(self) -> Callable[[], list[Row]]:
        """Reads the rows of the screen as they are now."""
        return self.past(0)

    def lines(self, start: int, stop: int, *, joined: bool = False) -> list[str]:
        """Plain text of lines, counted from the oldest kept."""
        return _lines(self._screen.rows(start, stop), joined=joined)

    def is_prompt(self, line: int, *, continued: bool = False) -> bool:
        """False: prompts are not kept."""
        return False

    def pin(self, place: Point | None = None) -> Pin:
        """A pin at a place, or where the program writes next. It does not follow rows that are inserted or deleted."""
        screen, alternate = self._screen, self._screen.alternate
        place = place or Point(len(screen.history) + screen.cursor.y, screen.cursor.x)
        number = place.line + screen.pruned

        def still() -> Point | None:
            return Point(number - screen.pruned, place.column) if number >= screen.pruned else None

        return Pin(lambda: still() if alternate == screen.alternate else None, still, self._guard, alternate=alternate)

    def between(self, start: Point, stop: Point, *, joined: bool = True, ansi: bool = False) -> str:
        """The text from one place up to another."""
        if start >= stop:
            return ""
        rows = self._screen.rows(start.line, stop.line + 1)
        rows[stop.line - start.line :] = [part(row, 0, stop.column) for row in rows[stop.line - start.line :]]
        rows[:1] = [_from(row, start.column) for row in rows[:1]]
        return "\n".join(_lines(rows, joined=joined, ansi=ansi)).rstrip()

    def save(self) -> bytes:
        """All that `recall` brings back."""
        return self.freeze()()

    def prepare(self) -> None:
        """Nothing: rows are shared, not copied."""

    def freeze(self, past: Callable[[], bytes] = bytes) -> Callable[[], bytes]:
        """What makes the save of this moment, without the terminal."""
        size, title, cwd, rows = self.size, self.title, self.cwd, self._screen.text_rows()
        return lambda: pack(Save(self.engine, size, title, cwd, b"", write_rows(rows, size.cols), past(), len(rows)))

    def recall(self, data: bytes, places: Sequence[Point] = ()) -> list[Point | None]:
        """Have the text of a save as history; only that part of it which any engine can read."""
        save = unpack(data)
        old = PyteEmulator(self.size, self._screen.history.maxlen or 0)
        old.feed(save.portable)
        rows = old._screen.text_rows()
        self.feed(write_rows(rows, self.size.cols))
        if save.lines != len(rows) + old._screen.pruned:  # Some were wrapped anew: who knows which.
            return [None] * len(places)
        pruned = old._screen.pruned + self._screen.pruned
        return [Point(place.line - pruned, place.column) if place.line >= pruned else None for place in places]

    def compact(self) -> bool:
        """Nothing: lines are kept as they are."""
        return False

    def reset(self) -> None:
        """Do what RIS does; the scrollback is kept."""
        self.feed(b"\x18\x1bc")

    def close(self) -> None:
        """Nothing native is held."""


def _bounded(size: Size) -> Size:
    """A size that is at least one cell."""
    return Size(max(1, size.cols), max(1, size.rows))


def _cut(row: Row, columns: int) -> Row:
    """As much of the row as fits."""
    short = part(row, 0, columns)
    return short if sum(run.cols for run in short.runs) <= columns else part(row, 0, columns - 1)


def _from(row: Row, column: int) -> Row:
    """The row without what stands before a column."""
    return Row(part(row, column).runs[1:], row.wrapped) if column else row


def _lines(rows: list[Row], *, joined: bool, ansi: bool = False) -> list[str]:
    """Rows as text without trailing blanks; with `joined`, those that wrapped softly are one line."""
    lines: list[str] = []
    going_on = False
    for row in rows:
        text = write_row(row).decode() if ansi else "".join(run.text for run in row.runs)
        if going_on:
            lines[-1] += text
        else:
            lines.append(text)
        going_on = joined and row.wrapped
    return [line.rstrip() for line in lines]
