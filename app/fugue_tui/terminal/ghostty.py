"""The default engine: libghostty-vt, the terminal core of Ghostty, by way of pyghostty's wheel.

Native memory lives as long as the Python objects that hold it, so no call can find it gone. What may run while another
thread feeds is only `row`, which reads the last snapshot; the snapshot is replaced in `refresh` alone.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import time
from collections.abc import Callable
from typing import Final

from fugue_tui import __version__
from fugue_tui.geometry import CELL_PIXELS, Size
from fugue_tui.terminal import keys, mouse, paste
from fugue_tui.terminal.events import Event
from fugue_tui.terminal.frame import Cursor, Damage, Modes, Row, Scrollback
from fugue_tui.terminal.ghostty_binding import load
from fugue_tui.terminal.ghostty_callbacks import callbacks
from fugue_tui.terminal.ghostty_colours import ColourReader
from fugue_tui.terminal.ghostty_display import Display
from fugue_tui.terminal.ghostty_history import History
from fugue_tui.terminal.ghostty_modes import GRAPHEME_CLUSTERS, WRAPAROUND, ModeReader
from fugue_tui.terminal.ghostty_paint import Formatter
from fugue_tui.terminal.ghostty_picture import Picture
from fugue_tui.terminal.inbox import CLIPBOARD_LIMIT, Inbox
from fugue_tui.terminal.keys import KeyPress
from fugue_tui.terminal.marks import MarkScanner
from fugue_tui.terminal.mouse import MouseAction

_APC_LIMIT: Final = 65_536
_FOREGROUND: Final = 0xD0D0D0
_BACKGROUND: Final = 0x101010
_RESET: Final = (
    b"\x18\x1b[?40;1;3;5;6;9;12;45;47;66;67;69l\x1b[?1000;1002;1003;1004;1005;1006;1015;1016l"
    b"\x1b[?1047;1049;2004;2026;2031;2048l"
    b'\x1b[?7;25;1007;1036;2027h\x1b[2;4;20l\x1b[12h\x1b[r\x1b[s\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[0m\x1b[0"q'
    b"\x1b[<255u\x1b[=0u\x1b[>4;0m\x1b[0 q\x1b[?5W"
    b"\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1b]8;;\x1b\\"
    b"\x1b[H\x1b[22J\x1b[H"
)
"""RIS in parts: the engine's own RIS would empty the scrollback. ED 22 moves the screen into it."""
_SCREEN_TITLE: Final = b"\x1bk"
"""How prompts for GNU screen set a title, ended by ST; the engine would print it."""
_INTERACTIVE: Final = 4_096
"""Bytes that a prompt may come with; looking for titles in a flood would cost a tenth of its speed."""
_START: Final = b"\x1b[0 q"
"""Takes on the default cursor, which is set after the terminal is made."""


class GhosttyEmulator:
    """One terminal. See `Emulator` for what each method promises."""

    engine = "ghostty"
    lacks: frozenset[str] = frozenset()

    def __init__(self, size: Size, scrollback: int = 10_000, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._binding = load()
        self._ffi, self._lib = self._binding.ffi, self._binding.lib
        made = self._ffi.new("GhosttyTerminal *")
        if self._lib.ghostty_terminal_new(self._ffi.NULL, made, size.cols, size.rows):
            raise MemoryError("no memory for a terminal")
        self._terminal = self._ffi.gc(made[0], self._lib.ghostty_terminal_free)
        self._inbox = Inbox(size, _ignore)
        self._handle = callbacks(self._binding, f"fugue-tui {__version__}").install(self._terminal, self._inbox)
        self._number = self._ffi.new("uint16_t *")
        self._bar = self._ffi.new("GhosttyTerminalScrollbar *")
        self._scroll = self._ffi.new("FugueScroll *")
        self._modes = ModeReader(self._binding, self._terminal)
        self._colours = ColourReader(self._binding, self._terminal)
        self._formatter = Formatter(self._binding, self._terminal)
        self._marks = MarkScanner()
        self._history = History(self._binding, self._terminal, scrollback)
        self._history.fit(size)
        self._configure()
        self._display = Display(self._picture, lambda: self.size, clock)
        self._inbox.on_hold = self._display.hold

    def _configure(self) -> None:
        lib, new, null = self._lib, self._ffi.new, self._ffi.NULL
        hollow = new("GhosttyTerminalCursorStyle *", lib.GHOSTTY_TERMINAL_CURSOR_STYLE_BLOCK_HOLLOW)
        for option, value in (
            (lib.GHOSTTY_TERMINAL_OPT_KITTY_IMAGE_STORAGE_LIMIT, null),
            (lib.GHOSTTY_TERMINAL_OPT_GLYPH_PROTOCOL, new("bool *", False)),
            (lib.GHOSTTY_TERMINAL_OPT_APC_MAX_BYTES, new("size_t *", _APC_LIMIT)),
            (lib.GHOSTTY_TERMINAL_OPT_CLIPBOARD_WRITE_MAX_BYTES, new("size_t *", CLIPBOARD_LIMIT)),
            (lib.GHOSTTY_TERMINAL_OPT_DEFAULT_CURSOR_STYLE, hollow),
        ):
            lib.ghostty_terminal_set(self._terminal, option, value)
        self._modes.put(GRAPHEME_CLUSTERS, lib.GHOSTTY_TERMINAL_OPT_MODE_DEFAULT, value=True)
        self.set_colours(_FOREGROUND, _BACKGROUND)
        self._write(_START)

    def set_colours(self, fg: int, bg: int) -> None:
        """Tell what the host's default colours are (0xRRGGBB), for programs that ask."""
        self._colours.set_defaults(fg, bg)
        self._inbox.dark = sum(bg.to_bytes(3, "big")) < 384

    @property
    def size(self) -> Size:
        """The screen's size in cells."""
        return self._inbox.size

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take program output, cut anywhere."""
        text = data if isinstance(data, bytes) else bytes(data)
        if len(text) <= _INTERACTIVE and _SCREEN_TITLE in text:
            text = text.replace(_SCREEN_TITLE, b"\x1b]2;")
        at = 0
        for end, mark in self._marks.scan(text):
            self._write(memoryview(text)[at:end])
            self._inbox.say(mark)
            at = end
        self._write(memoryview(text)[at:] if at else text)
        self._keep_size()
        self._history.fed(len(data))

    def _write(self, data: bytes | memoryview) -> None:
        self._lib.ghostty_terminal_vt_write(self._terminal, self._ffi.from_buffer("uint8_t[]", data), len(data))

    def _keep_size(self) -> None:
        """Undo DECCOLM: the width is not the program's to choose. Without autowrap the engine does not reflow."""
        self._lib.ghostty_terminal_get(self._terminal, self._lib.GHOSTTY_TERMINAL_DATA_COLS, self._number)
        if self._number[0] != self.size.cols:
            wraps = self._modes.is_set(WRAPAROUND)
            self._modes.put(WRAPAROUND, self._lib.GHOSTTY_TERMINAL_OPT_MODE, value=False)
            self._resize(self.size)
            self._modes.put(WRAPAROUND, self._lib.GHOSTTY_TERMINAL_OPT_MODE, value=wraps)

    def take_events(self) -> list[Event]:
        """Replies and events since the last call, in order."""
        return self._inbox.take()

    def resize(self, size: Size) -> None:
        """Change the size; the primary screen reflows."""
        self._inbox.size = size = Size(max(1, size.cols), max(1, size.rows))
        self._history.fit(size)
        self._resize(size)

    def _resize(self, size: Size) -> None:
        self._lib.ghostty_terminal_resize(self._terminal, size.cols, size.rows, *CELL_PIXELS)

    def _picture(self) -> Picture:
        return Picture(self._binding, self._terminal, self._formatter, self._colours)

    def refresh(self) -> Damage:
        """Snapshot the viewport and say what changed."""
        return self._display.refresh()

    def row(self, y: int) -> Row:
        """Viewport row `y` of the snapshot."""
        return self._display.front.row(y)

    def paint(self, first: int, count: int) -> list[bytes]:
        """Viewport rows of the snapshot as VT text."""
        return self._display.front.rows[first : first + count]

    @property
    def cursor(self) -> Cursor:
        """The cursor as of the last refresh."""
        return self._display.front.cursor

    @property
    def caret(self) -> tuple[int, int]:
        """Where the cursor is on the screen now."""
        get, terminal, number = self._lib.ghostty_terminal_get, self._terminal, self._number
        get(terminal, self._lib.GHOSTTY_TERMINAL_DATA_CURSOR_X, number)
        x = int(number[0])
        get(terminal, self._lib.GHOSTTY_TERMINAL_DATA_CURSOR_Y, number)
        return x, int(number[0])

    @property
    def modes(self) -> Modes:
        """The modes in force now."""
        return self._modes.read()

    @property
    def title(self) -> str:
        """The title that the program set last."""
        return self._inbox.title

    @property
    def cwd(self) -> str:
        """The directory that the program reported last."""
        return self._inbox.cwd

    @property
    def scrollback(self) -> Scrollback:
        """How much history there is, and where the view stands in it."""
        bar = self._bar
        self._lib.ghostty_terminal_get(self._terminal, self._lib.GHOSTTY_TERMINAL_DATA_SCROLLBAR, bar)
        history = max(0, bar.total - bar.len)
        return Scrollback(history, max(0, history - bar.offset))

    def scroll(self, lines: int) -> None:
        """Move the view: positive towards older lines."""
        self._move_view(self._lib.GHOSTTY_SCROLL_VIEWPORT_DELTA, -lines)

    def scroll_to_bottom(self) -> None:
        """Follow new output again."""
        self._move_view(self._lib.GHOSTTY_SCROLL_VIEWPORT_BOTTOM, 0)

    def _move_view(self, how: int, delta: int) -> None:
        self._scroll.tag, self._scroll.value.delta = how, delta
        self._binding.scroll_viewport(self._terminal, self._scroll[0])

    def past(self, lines: int) -> Callable[[], list[Row]]:
        """Reads the rows of a view that is scrolled back that far."""
        before = self.scrollback.offset
        self.scroll(lines - before)
        read = self._display.glance()
        self.scroll(before - self.scrollback.offset)
        return read

    def lines(self, start: int, stop: int, *, joined: bool = False) -> list[str]:
        """Plain text of history and screen."""
        start, stop = max(0, start), min(stop, self.scrollback.lines + self.size.rows)
        if start >= stop:
            return []
        cols = self.size.cols
        lines = _split(self._formatter.plain(start, stop - 1, cols, joined=False))
        blank = [""] * (stop - start - len(lines))
        if joined:
            lines = _split(self._formatter.plain(start, stop - 1, cols, joined=True))
        return lines + blank

    def encode_key(self, press: KeyPress) -> bytes:
        """What the program must be sent for a key."""
        return keys.encode(press, self.modes)

    def encode_mouse(self, action: MouseAction) -> bytes:
        """What the program must be sent for a mouse event."""
        return mouse.encode(action, self.modes)

    def encode_paste(self, text: str) -> bytes:
        """Pasted text, made safe."""
        return paste.encode(text, self.modes)

    def encode_focus(self, focused: bool) -> bytes:
        """A focus report."""
        return (b"\x1b[I" if focused else b"\x1b[O") if self.modes.focus_events else b""

    def compact(self) -> bool:
        """Give scrollback memory back while the pane is quiet; True if there is more to do. Milliseconds a call."""
        return self._history.compact()

    def reset(self) -> None:
        """Do what RIS does, but keep the scrollback."""
        self._write(_RESET)
        self._keep_size()
        self.scroll_to_bottom()

    def close(self) -> None:
        """Give the history back at once, and the rest with the last reference: a late call finds a small terminal."""
        self._inbox.on_hold = _ignore
        self._display.close()
        self._history.forget()


def _ignore(held: bool) -> None: ...


def _split(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n")] if text else []
