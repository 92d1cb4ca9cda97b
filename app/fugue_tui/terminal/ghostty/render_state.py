"""A copy of what the viewport showed at one moment: the engine's render state.

The copy owns its memory, which lives as long as the object, so rows can be read while another thread feeds the
terminal. Only `update` touches the terminal.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeVar

from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.ghostty.gil_held_calls import quick
from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, Cursor, CursorShape, Style, Underline, rgb

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import (
        GhosttyStyle,
        GhosttyStyleColor,
        GhosttyTerminal,
        Lib,
        Null,
        Pointer,
    )

Native = TypeVar("Native")

CLEAN: Final = 0
PARTIAL: Final = 1
FULL: Final = 2

_GRAPHEME_BYTES: Final = 1_024
_STYLES_LIMIT: Final = 4_096
_SHAPES: Final = (CursorShape.BAR, CursorShape.BLOCK, CursorShape.UNDERLINE, CursorShape.BLOCK)
_HOLLOW: Final = 3
"""The shape that no program can ask for; it is set as the default, to distinguish a program's choice from none."""


class RenderState:
    """One render state with the iterators to read it."""

    def __init__(self, binding: Binding) -> None:
        self._ffi, self._lib = binding.ffi, binding.lib
        new = self._ffi.new
        self._natives: list[object] = []
        lib = self._lib
        self._state = self._made(
            new("GhosttyRenderState *"), lib.ghostty_render_state_new, lib.ghostty_render_state_free
        )
        self._rows = self._made(
            new("GhosttyRenderStateRowIterator *"),
            lib.ghostty_render_state_row_iterator_new,
            lib.ghostty_render_state_row_iterator_free,
        )
        self._cells = self._made(
            new("GhosttyRenderStateRowCells *"),
            lib.ghostty_render_state_row_cells_new,
            lib.ghostty_render_state_row_cells_free,
        )
        self._at = -1
        self._end = True
        self._selected = -1
        self._view = new("GhosttyCellsView *")
        self._row = new("GhosttyRow *")
        self._flag = new("bool *")
        self._y = new("uint16_t *")
        self._dirty = new("GhosttyRenderStateDirty *")
        self._style = new("GhosttyStyle *", {"size": self._ffi.sizeof("GhosttyStyle")})
        self._style_bytes = self._ffi.buffer(self._style)
        self._cursor = new("GhosttyRenderStateCursor *", {"size": self._ffi.sizeof("GhosttyRenderStateCursor")})
        self._cursor_bytes = self._ffi.buffer(self._cursor)
        self._cursor_known = (b"", Cursor(0, 0))
        self._utf8 = new("uint8_t[]", _GRAPHEME_BYTES)
        self._buffer = new("GhosttyBuffer *", {"ptr": self._utf8, "cap": _GRAPHEME_BYTES})
        self._styles: dict[bytes, Style] = {}
        self._quick = quick(binding)
        at = self._quick.at
        self._state_at, self._rows_at = at(self._state[0]), at(self._rows)
        self._y_at, self._dirty_at, self._cursor_at = at(self._y), at(self._dirty), at(self._cursor)
        self._view_at = at(self._view)

    def _made(
        self,
        out: "Pointer[Native]",
        make: "Callable[[Null, Pointer[Native]], int]",
        free: "Callable[[Native], None]",
    ) -> "Pointer[Native]":
        """A native object that is freed with this one."""
        if make(self._ffi.NULL, out):
            raise MemoryError("no memory for a render state")
        self._natives.append(self._ffi.gc(out[0], free))
        return out

    def update(self, terminal: "GhosttyTerminal") -> int:
        """Copy what changed in the terminal; returns CLEAN, PARTIAL or FULL: how much differs since `clean`."""
        self._quick.begin_update(self._state_at, self._quick.at(terminal))
        self._quick.end_update(self._state_at)
        self._rewind()
        self._quick.state_get(self._state_at, self._lib.GHOSTTY_RENDER_STATE_DATA_DIRTY, self._dirty_at)
        return self._dirty[0]

    def dirty_rows(self) -> list[int]:
        """The rows that differ since `clean`, ascending."""
        self._rewind()
        rows: list[int] = []
        rewound, step = self._quick.at(self._rows[0]), self._quick.row_next_dirty
        while step(rewound, self._y_at):
            rows.append(self._y[0])
        self._end = True
        return rows

    def clean(self) -> None:
        """Count changes from here."""
        self._quick.clean(self._state_at)

    def _rewind(self) -> None:
        key = self._lib.GHOSTTY_RENDER_STATE_DATA_ROW_ITERATOR
        self._quick.state_get(self._state_at, key, self._rows_at)
        self._at, self._selected, self._end = -1, -1, False

    def _go(self, y: int) -> None:
        if self._end or y < self._at:
            self._rewind()
        rewound = self._quick.at(self._rows[0])
        while self._at < y:
            if not self._quick.row_next(rewound):
                raise IndexError(f"no row {y} in this snapshot")
            self._at += 1

    def _row_data(self, y: int, key: int, out: object) -> None:
        self._go(y)
        self._lib.ghostty_render_state_row_get(self._rows[0], key, out)

    def cells(self, y: int) -> bytes:
        """The cells of a row, eight bytes each."""
        self._row_data(y, self._lib.GHOSTTY_RENDER_STATE_ROW_DATA_CELLS_RAW, self._view)
        return self._ffi.buffer(self._view.ptr, 8 * self._view.len)[:]

    def numbers(self, rows: Iterable[int], cols: int) -> Iterator[int]:
        """The cells of ascending rows, each row as one little-endian number; nothing else may be read in between."""
        self._rewind()
        step, get, buffer = self._quick.row_next, self._quick.row_get, self._ffi.buffer
        rewound, key = self._quick.at(self._rows[0]), self._lib.GHOSTTY_RENDER_STATE_ROW_DATA_CELLS_RAW
        view, view_at, at = self._view, self._view_at, -1
        self._end = True
        for y in rows:
            while at < y:
                step(rewound)
                at += 1
            get(rewound, key, view_at)
            yield int.from_bytes(buffer(view.ptr, 8 * cols), "little")

    def wraps(self, y: int) -> bool:
        """Whether the text of a row goes on in the next."""
        self._row_data(y, self._lib.GHOSTTY_RENDER_STATE_ROW_DATA_RAW, self._row)
        self._lib.ghostty_row_get(self._row[0], self._lib.GHOSTTY_ROW_DATA_WRAP, self._flag)
        return self._flag[0]

    def _select(self, y: int, x: int) -> None:
        if self._selected != y or self._at != y:
            self._row_data(y, self._lib.GHOSTTY_RENDER_STATE_ROW_DATA_CELLS, self._cells)
            self._selected = y
        self._lib.ghostty_render_state_row_cells_select(self._cells[0], x)

    def grapheme(self, y: int, x: int) -> str:
        """The whole grapheme cluster of a cell."""
        self._select(y, x)
        key = self._lib.GHOSTTY_RENDER_STATE_ROW_CELLS_DATA_GRAPHEMES_UTF8
        if self._lib.ghostty_render_state_row_cells_get(self._cells[0], key, self._buffer) or not self._buffer.len:
            return " "
        return self._ffi.buffer(self._utf8, self._buffer.len)[:].decode("utf-8", "replace")

    def style(self, y: int, x: int) -> Style:
        """The style of a cell."""
        self._select(y, x)
        key = self._lib.GHOSTTY_RENDER_STATE_ROW_CELLS_DATA_STYLE
        self._lib.ghostty_render_state_row_cells_get(self._cells[0], key, self._style)
        packed = self._style_bytes[:]
        style = self._styles.get(packed)
        if style is None:
            if len(self._styles) > _STYLES_LIMIT:
                self._styles.clear()
            style = self._styles[packed] = self._unpacked()
        return style

    def _unpacked(self) -> Style:
        return unpacked(self._lib, self._style)

    def cursor(self) -> Cursor:
        """The cursor in viewport coordinates."""
        self._quick.state_get(self._state_at, self._lib.GHOSTTY_RENDER_STATE_DATA_CURSOR, self._cursor_at)
        if self._cursor_bytes[:] != self._cursor_known[0]:
            self._cursor_known = (self._cursor_bytes[:], self._unpacked_cursor())
        return self._cursor_known[1]

    def _unpacked_cursor(self) -> Cursor:
        cursor = self._cursor
        if not cursor.viewport_has_value:
            return Cursor(0, 0, visible=False)
        return Cursor(
            cursor.viewport_x,
            cursor.viewport_y,
            visible=cursor.visible,
            shape=_SHAPES[cursor.visual_style],
            blinking=cursor.blinking,
            styled=cursor.visual_style != _HOLLOW,
        )


def unpacked(lib: "Lib", packed: "GhosttyStyle") -> Style:
    """A style of the engine's."""
    return Style(
        fg=_colour(lib, packed.fg_color),
        bg=_colour(lib, packed.bg_color),
        underline_colour=_colour(lib, packed.underline_color),
        underline=Underline(packed.underline),
        bold=packed.bold,
        faint=packed.faint,
        italic=packed.italic,
        blink=packed.blink,
        inverse=packed.inverse,
        invisible=packed.invisible,
        strikethrough=packed.strikethrough,
        overline=packed.overline,
    )


def _colour(lib: "Lib", colour: "GhosttyStyleColor") -> int:
    if colour.tag == lib.GHOSTTY_STYLE_COLOR_PALETTE:
        return colour.value.palette
    if colour.tag == lib.GHOSTTY_STYLE_COLOR_RGB:
        return rgb(colour.value.rgb.r, colour.value.rgb.g, colour.value.rgb.b)
    return DEFAULT_COLOUR
