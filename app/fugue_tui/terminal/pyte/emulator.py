"""The fallback engine, for machines where no native library loads: pure Python, some hundred times slower.

Built on pyte's screen (see `pyte_grid`). Rows are decoded when they are refreshed, and history is kept as rows.
"""

import codecs
from collections.abc import Callable, Sequence
from typing import Final

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.pending_events import PendingEvents
from fugue_tui.terminal.emulator.save_format import Save, pack, unpack, write_rows
from fugue_tui.terminal.input import mouse
from fugue_tui.terminal.input.encoder import Encoder
from fugue_tui.terminal.input.mouse import MouseAction
from fugue_tui.terminal.pyte.dispatch import Actions
from fugue_tui.terminal.pyte.modes import ModeTable
from fugue_tui.terminal.pyte.parser import Parser
from fugue_tui.terminal.pyte.pins import PyteAnchors
from fugue_tui.terminal.pyte.screen import Screen
from fugue_tui.terminal.screen.cells import Cursor, CursorShape, Damage, Modes, Row, Scrollback
from fugue_tui.terminal.screen.damage import compare
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.screen.sgr import write_row

SLICE: Final = 4_096
"""Bytes decoded and parsed at a time."""


class PyteEmulator(PyteAnchors, Encoder):
    """One terminal. See `Emulator` for what each method promises."""

    engine = "pyte"
    lacks: frozenset[str] = frozenset(
        {
            "reflow of text on resize",
            "synchronized output",
            "emoji joined into one character",
            "colours redefined by programs",
            "reverse screen",
            "left and right margins",
            "speed (some hundred times slower)",
        }
    )

    def __init__(self, size: Size, scrollback: int = 10_000) -> None:
        size = _bounded(size)
        self._screen = Screen(size, scrollback)
        self._mode_table = ModeTable(self._screen)
        self._inbox = PendingEvents(size, lambda _: None)
        self._actions = Actions(self._screen, self._mode_table, self._inbox)
        self._parser = Parser(self._actions)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._offset = 0
        self._rows: list[Row] = []
        self._painted: list[bytes] = []
        self._moved = True
        self._cursor = Cursor(0, 0)
        self.refresh()

    def set_colours(self, fg: int, bg: int) -> None:
        """Tell what the host's default colours are (0xRRGGBB), for programs that ask."""
        self._actions.replies.foreground, self._actions.replies.background = fg, bg

    @property
    def colours(self) -> tuple[int, int]:
        """The default colours that programs are told."""
        return self._actions.replies.foreground, self._actions.replies.background

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take program output, cut anywhere."""
        pushed = self._screen.pushed
        with memoryview(data) as view, view.cast("B") as octets:
            for at in range(0, len(octets), SLICE):
                self._parser.feed(self._decode(bytes(octets[at : at + SLICE])))
        self._anchor(self._screen.pushed - pushed)

    def _anchor(self, pushed: int) -> None:
        """Keep the view on its lines while the history grew under it."""
        if self._offset:
            self._offset = min(self._offset + pushed, len(self._screen.history))
            self._moved = True

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
        painted = [self._paint(y, row) for y, row in enumerate(rows)]
        self._cursor = self._place()
        damage = compare(self._painted, painted)
        self._rows, self._painted, self._moved = rows, painted, False
        return damage

    def _visible(self) -> list[Row]:
        """The viewport's rows; only those that may have changed are decoded."""
        screen = self._screen
        whole = self._moved or self._offset > 0 or len(self._rows) != screen.lines
        dirty, screen.dirty = screen.dirty, set[int]()
        live = [
            line.row(screen.columns) if whole or y in dirty else self._rows[y] for y, line in enumerate(screen.buffer)
        ]
        return self._with_history(live, self._offset)

    def _with_history(self, live: list[Row], offset: int) -> list[Row]:
        """What a view that is scrolled back shows of the history and the screen's own rows."""
        screen = self._screen
        return [*screen.history_rows(-offset, screen.lines), *live][: screen.lines] if offset else live

    def _paint(self, y: int, row: Row) -> bytes:
        """A row as VT text, from the last snapshot if it is the same row."""
        return self._painted[y] if y < len(self._rows) and self._rows[y] is row else write_row(row)

    def _place(self) -> Cursor:
        """Where the cursor is in the viewport."""
        cursor = self._screen.cursor
        y = cursor.y + self._offset
        visible = self._mode_table.is_set(25) and y < self._screen.lines
        shape = self._actions.shape
        x = min(cursor.x, self._screen.columns - 1)
        y = min(y, self._screen.lines - 1)
        blinking = self._mode_table.is_set(12)
        return Cursor(x, y, visible, shape or CursorShape.BLOCK, blinking, shape is not None)

    def row(self, y: int) -> Row:
        """Viewport row `y` of the snapshot."""
        return self._rows[y]

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
        return self._mode_table.is_set(25)

    @property
    def modes(self) -> Modes:
        """The modes in force now."""
        return self._mode_table.read()

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

    def past(self, lines: int) -> Callable[[], list[Row]]:
        """Reads the rows of a view that is scrolled back that far."""
        screen = self._screen
        live = [line.row(screen.columns) for line in screen.buffer]
        offset = 0 if screen.alternate else max(0, min(lines, len(screen.history)))
        rows = self._with_history(live, offset)
        return lambda: rows

    def lines(self, start: int, stop: int, *, joined: bool = False) -> list[str]:
        """Plain text of lines, counted from the oldest kept."""
        kept = len(self._screen.history)
        start, stop = max(0, start), max(0, stop)
        rows = self._screen.history_rows(start, stop - start) if start < kept else []
        screen = self._screen.buffer[max(0, start - kept) : max(0, stop - kept)]
        rows += [line.row(self._screen.columns) for line in screen]
        return _joined(rows) if joined else [row.text for row in rows]

    def encode_mouse(self, action: MouseAction) -> bytes:
        """What the program must be sent for a mouse event."""
        return mouse.encode(action, self.modes) or mouse.encode_alternate_scroll(action, self.modes)

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
        self._screen.begin_below(rows)
        self._offset, self._moved = 0, True
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


def _joined(rows: list[Row]) -> list[str]:
    """Rows as text, with those that wrapped softly put together."""
    lines: list[str] = []
    going_on = False
    for row in rows:
        text = "".join(run.text for run in row.runs)
        if going_on:
            lines[-1] += text
        else:
            lines.append(text)
        going_on = row.wrapped
    return [line.rstrip() for line in lines]
