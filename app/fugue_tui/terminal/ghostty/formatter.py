"""Rows as VT text by the engine's own formatter: about a microsecond a row, where decoding cells takes forty.

The formatter's text is cut into rows that stand alone. Rows with characters that must not reach the host are left to
the caller.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.ghostty.gil_held_calls import quick
from fugue_tui.terminal.screen.images import PLACEHOLDER
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.screen.placeholders import diacritics
from fugue_tui.terminal.screen.sgr import PARAMETERS

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import GhosttyTerminal, Pointer

_RESET: Final = b"\x1b[0m"
_SURFACES: Final = (b"\x1b[4", b"\x1b[7m", b"\x1b[9m", b"\x1b[53m")
"""A background or an underline, inverse video, a line through or above: what shows on blanks."""
_SGR: Final = re.compile(rb"(?:\x1b\[[0-9;:]*m)+")
_ANSI_COLOUR: Final = re.compile(rb"\x1b\[([34])8;5;([0-9]|1[0-5])m")
_BACKGROUND: Final = re.compile(rb"m\x1b\[(?=4[0-7]m|10[0-7]m|48;|58;)")
_HIDDEN: Final = re.compile(
    rb"[\x00-\x09\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\xc2[\x80-\x9f\xad]|\xd8\x9c|\xe1\xa0\x8e"
    rb"|\xe2\x80[\x8b\x8e\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xef\xbf[\xb9-\xbb]|\xf4\x8e\xbb\xae|\xf3\xa0[\x80-\xbf]"
)
"""The characters of `ghostty_rows.HIDDEN`, as UTF-8."""
_HIDDEN_STARTS: Final = tuple(
    bytes.fromhex(start) for start in ["7f", "c2", "d89c", "e1a0", "e280", "e281", "efbb", "efbf", "f48e", "f3a0"]
)
_PLACEHOLDER: Final = PLACEHOLDER.encode()
_LEAST_BUFFER: Final = 32_768
_SCREENFUL: Final = 200
"""Rows that are formatted without letting go of the interpreter's lock."""


class Formatter:
    """The native formatter of one terminal."""

    def __init__(self, binding: Binding, terminal: "GhosttyTerminal") -> None:
        self._ffi, self._lib = binding.ffi, binding.lib
        self._terminal = terminal
        new, sizeof = self._ffi.new, self._ffi.sizeof
        self._selection = new("GhosttySelection *", {"size": sizeof("GhosttySelection")})
        self._selection.start.size = self._selection.end.size = sizeof("GhosttyGridRef")
        self._start = self._ffi.addressof(self._selection, "start")
        self._end = self._ffi.addressof(self._selection, "end")
        self._point = new("FuguePoint *")
        self._options = new("GhosttyFormatterTerminalOptions *", {"size": sizeof("GhosttyFormatterTerminalOptions")})
        self._options.extra.size = sizeof("GhosttyFormatterTerminalExtra")
        self._options.extra.screen.size = sizeof("GhosttyFormatterScreenExtra")
        self._options.selection = self._selection
        self._allocate = self._ffi.new_allocator(should_clear_after_alloc=False)
        self._capacity = _LEAST_BUFFER
        self._made = new("GhosttyFormatter *")
        self._written = new("size_t *")
        self._cell, self._wide = new("GhosttyCell *"), new("GhosttyCellWide *")
        self._row, self._flag = new("GhosttyRow *"), new("bool *")
        self._semantic = new("GhosttyRowSemanticPrompt *")
        self._quick = quick(binding)
        at = self._quick.at
        self._terminal_at, self._made_at, self._written_at = at(terminal), at(self._made), at(self._written)
        self._start_at, self._end_at = at(self._start), at(self._end)
        self._cell_at, self._wide_at = at(self._cell), at(self._wide)
        self._point_value, self._options_value = self._quick.by_value(self._point), self._quick.by_value(self._options)
        self._grid_ref = self._quick.grid_ref(self._point_value)
        self._new = self._quick.formatter_new(self._options_value)

    def vt(self, first: int, count: int, cols: int) -> tuple[list[bytes | None], bool]:
        """Viewport rows `first` to `first + count - 1`, and whether there may be styles that show on blanks.

        A row is None where the text would not be exact. One with only blanks is empty, even if they have a background.
        """
        self._options.emit = self._lib.GHOSTTY_FORMATTER_FORMAT_VT
        self._options.unwrap, self._options.trim = False, True
        text = self._format(self._lib.GHOSTTY_POINT_TAG_VIEWPORT, first, first + count - 1, cols)
        rows = _standing_alone(_joined(text).split(b"\r\n")) if b"\x1b" in text else _trimmed(text.split(b"\r\n"))
        if not text.isascii() or b"\x7f" in text:
            rows = _checked(text, rows)
        return [*rows, *[b""] * (count - len(rows))], any(code in text for code in _SURFACES)

    def whole(self, first: int, last: int, cols: int) -> bytes:
        """Lines of history and screen as VT text to be fed to another terminal; those that wrapped softly are one."""
        self._options.emit = self._lib.GHOSTTY_FORMATTER_FORMAT_VT
        self._options.unwrap, self._options.trim = True, True
        return _blanked(self._format(self._lib.GHOSTTY_POINT_TAG_SCREEN, first, last, cols))

    def lines(self, start: int, stop: int, cols: int, *, joined: bool) -> list[str]:
        """Lines of history and screen as text, blank ones at the end too; `joined` has those that wrapped as one."""
        lines = self._plain(start, stop - 1, cols, joined=False)
        blank = [""] * (stop - start - len(lines))
        return (self._plain(start, stop - 1, cols, joined=True) if joined else lines) + blank

    def _plain(self, first: int, last: int, cols: int, *, joined: bool) -> list[str]:
        self._options.emit = self._lib.GHOSTTY_FORMATTER_FORMAT_PLAIN
        self._options.unwrap, self._options.trim = joined, True
        text = _blanked(self._format(self._lib.GHOSTTY_POINT_TAG_SCREEN, first, last, cols)).decode("utf-8", "replace")
        return [line.rstrip() for line in text.split("\n")] if text else []

    def between(self, start: Point, end: Point, cols: int, *, joined: bool, ansi: bool) -> bytes:
        """The text from a place to another place's line, of which the first `cols` columns; as VT text, or plain."""
        formats = self._lib.GHOSTTY_FORMATTER_FORMAT_VT, self._lib.GHOSTTY_FORMATTER_FORMAT_PLAIN
        self._options.emit = formats[0] if ansi else formats[1]
        self._options.unwrap, self._options.trim = joined, True
        return _blanked(self._format(self._lib.GHOSTTY_POINT_TAG_SCREEN, start.line, end.line, cols, start.column))

    def _format(self, tag: int, first: int, last: int, cols: int, left: int = 0) -> bytes:
        if self._refer(tag, left, first, self._start_at) or self._refer(tag, cols - 1, last, self._end_at):
            return b""
        if self._options.unwrap and self._ends_in_spacer():
            if first == last and left > cols - 2:
                return b""
            self._refer(tag, cols - 2, last, self._end_at)
        if self._new(None, self._made_at, self._terminal_at, self._options_value):
            return b""
        made = self._quick.at(self._made[0])
        text = self._screenful(made) if last - first < _SCREENFUL else self._long(made, (last - first + 1) * (cols + 2))
        self._quick.formatter_free(made)
        return text

    def wraps(self, line: int) -> bool:
        """Whether a line of history and screen goes on in the next, be it with blanks."""
        at, lib = self._quick.at, self._lib
        if self._refer(lib.GHOSTTY_POINT_TAG_SCREEN, 0, line, self._start_at):
            return False
        self._quick.grid_ref_row(self._start_at, at(self._row))
        self._quick.grid_row_get(self._row[0], lib.GHOSTTY_ROW_DATA_WRAP, at(self._flag))
        return bool(self._flag[0])

    def is_prompt(self, line: int, *, continued: bool) -> bool:
        """Whether a line of history and screen begins a prompt; with `continued`, whether it is part of one."""
        at, lib = self._quick.at, self._lib
        if self._refer(lib.GHOSTTY_POINT_TAG_SCREEN, 0, line, self._start_at):
            return False
        self._quick.grid_ref_row(self._start_at, at(self._row))
        self._quick.grid_row_get(self._row[0], lib.GHOSTTY_ROW_DATA_SEMANTIC_PROMPT, at(self._semantic))
        kind = self._semantic[0]
        return kind == lib.GHOSTTY_ROW_SEMANTIC_PROMPT or (continued and kind != lib.GHOSTTY_ROW_SEMANTIC_NONE)

    def _ends_in_spacer(self) -> bool:
        """Whether the end is the cell before a wide character that wrapped, which would be written for it."""
        self._quick.grid_ref_cell(self._end_at, self._cell_at)
        self._quick.cell_get(self._cell[0], self._lib.GHOSTTY_CELL_DATA_WIDE, self._wide_at)
        return self._wide[0] == self._lib.GHOSTTY_CELL_WIDE_SPACER_HEAD

    def _refer(self, tag: int, x: int, y: int, out: int) -> int:
        self._point.tag, self._point.value.x, self._point.value.y = tag, x, y
        return self._grid_ref(self._terminal_at, self._point_value, out)

    def _quick_format(self, formatter: int, buffer: "Pointer[int]") -> int:
        return self._quick.format(formatter, self._quick.at(buffer), len(buffer), self._written_at)

    def _long_format(self, formatter: int, buffer: "Pointer[int]") -> int:
        made = self._ffi.cast("GhosttyFormatter", formatter)
        return self._lib.ghostty_formatter_format_buf(made, buffer, len(buffer), self._written)

    def _screenful(self, formatter: int) -> bytes:
        text = self._read(formatter, self._quick_format, self._capacity)
        self._capacity = max(_LEAST_BUFFER, len(text) * 5 // 4)
        return text

    def _long(self, formatter: int, room: int) -> bytes:
        """Plain text without wide characters always has room at once; nothing is touched of what is not written."""
        return self._read(formatter, self._long_format, room)

    def _read(self, formatter: int, format: Callable[[int, "Pointer[int]"], int], room: int) -> bytes:
        buffer = self._allocate("uint8_t[]", room)
        result = format(formatter, buffer)
        if result == self._lib.GHOSTTY_OUT_OF_SPACE:
            buffer = self._allocate("uint8_t[]", self._written[0])
            result = format(formatter, buffer)
        return b"" if result else self._ffi.buffer(buffer, self._written[0])[:]


def _blanked(text: bytes) -> bytes:
    """Text with blanks for the parts of images in it."""
    return _parts().sub(b" ", text) if _PLACEHOLDER in text else text


@cache
def _parts() -> re.Pattern[bytes]:
    return re.compile(b"%b(?:%b){0,3}" % (_PLACEHOLDER, "|".join(diacritics()).encode()))


def _trimmed(rows: list[bytes]) -> list[bytes | None]:
    return [row.rstrip(b" ") for row in rows]


def _joined(text: bytes) -> bytes:
    """Each look as one sequence, in which hosts that brighten bold colours find both, as `vt_text.sgr` writes it."""
    return _SGR.sub(_as_one, _ANSI_COLOUR.sub(_short_colour, text))


def _short_colour(found: re.Match[bytes]) -> bytes:
    """One of the sixteen colours, by its own number."""
    base, colour = 10 * int(found[1]), int(found[2])
    return b"\x1b[%dm" % (base + colour if colour < 8 else base + 52 + colour)


def _as_one(found: re.Match[bytes]) -> bytes:
    look = found[0].replace(b"m\x1b[", b";")
    if look.count(b";") < PARAMETERS - 1:
        return look
    return b"m\x1b[".join(part.replace(b"m\x1b[", b";") for part in _BACKGROUND.split(found[0]))


def _standing_alone(rows: list[bytes]) -> list[bytes | None]:
    """Rows that start from and end in the default style, whatever style was in force between them."""
    style = b""
    alone: list[bytes | None] = []
    for row in rows:
        before, at = style, row.rfind(b"\x1b[0")
        if row.startswith(b"\x1b[0"):
            before = b""
        if at >= 0:
            found = _SGR.match(row, at)
            style = found[0] if found and found[0] != _RESET else b""
        row = before + row.removeprefix(_RESET)
        alone.append(row + _RESET if style else row.rstrip(b" "))
    return alone


def _checked(text: bytes, rows: list[bytes | None]) -> list[bytes | None]:
    if not any(start in text for start in _HIDDEN_STARTS):
        return rows
    return [None if row and _HIDDEN.search(row) else row for row in rows]
