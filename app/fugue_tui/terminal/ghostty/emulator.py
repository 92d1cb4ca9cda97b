"""The default engine: libghostty-vt, the terminal core of Ghostty, by way of pyghostty's wheel.

Native memory lives as long as the Python objects that hold it, so no call can find it gone. What may run while another
thread feeds is only `row`, which reads the last snapshot; the snapshot is replaced in `refresh` alone.

How a terminal of libghostty-vt is set up, and brought back to that state.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Self

from fugue_tui import __version__
from fugue_tui.errors import SaveError
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.graphics_scanner import InlineFile, Sixel
from fugue_tui.terminal.emulator.osc_scanner import OscScanner
from fugue_tui.terminal.emulator.pending_events import CLIPBOARD_LIMIT, PendingEvents
from fugue_tui.terminal.emulator.save_format import PORTABLE_LINES, Save, pack, unpack, write_rows
from fugue_tui.terminal.ghostty import snapshot as records
from fugue_tui.terminal.ghostty.binding import Binding, load
from fugue_tui.terminal.ghostty.callbacks import callbacks
from fugue_tui.terminal.ghostty.colors import ColorReader
from fugue_tui.terminal.ghostty.formatter import Formatter
from fugue_tui.terminal.ghostty.modes import COLOUR_SCHEME, GRAPHEME_CLUSTERS, SYNCHRONIZED, WRAPAROUND, ModeReader
from fugue_tui.terminal.ghostty.pins import GhosttyAnchors, GhosttyPins
from fugue_tui.terminal.ghostty.render_state import unpacked
from fugue_tui.terminal.ghostty.screen_images import ScreenImages
from fugue_tui.terminal.ghostty.scrollback import ScrollbackLimit
from fugue_tui.terminal.ghostty.snapshot import UNFINISHED, Snapshots, decode, snapshot
from fugue_tui.terminal.ghostty.viewport import RenderedScreen, ScreenText, SynchronizedViewport
from fugue_tui.terminal.input.encoder import Encoder
from fugue_tui.terminal.screen.cells import Cursor, Damage, Modes, Row, Scrollback
from fugue_tui.terminal.screen.images import Graphics, Image, Pixels, Placement
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.terminal.screen.sgr import sgr

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import GhosttyTerminal

_APC_LIMIT: Final = 65_536
FOREGROUND: Final = 0xD0D0D0
BACKGROUND: Final = 0x101010
RESET: Final = (
    b"\x18\x1b[?40;1;3;5;6;9;12;45;47;66;67;69l\x1b[?1000;1002;1003;1004;1005;1006;1015;1016l"
    b"\x1b[?1047;1049;2004;2026;2031;2048l"
    b'\x1b[?7;25;1007;1036;2027h\x1b[2;4;20l\x1b[12h\x1b[r\x1b[s\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[0m\x1b[0"q'
    b"\x1b[<255u\x1b[=0u\x1b[>4;0m\x1b[0 q\x1b[?5W"
    b"\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1b]8;;\x1b\\"
    b"\x1b[H\x1b[22J\x1b[H"
)
"""RIS in parts: the engine's own RIS would empty the scrollback. ED 22 moves the screen into it."""
START: Final = b"\x1b[0 q"
"""Takes on the default cursor, which is set after the terminal is made."""


def configure(binding: Binding, terminal: "GhosttyTerminal") -> None:
    """Set what holds for every terminal, however it was made."""
    lib, new = binding.lib, binding.ffi.new
    hollow = new("GhosttyTerminalCursorStyle *", lib.GHOSTTY_TERMINAL_CURSOR_STYLE_BLOCK_HOLLOW)
    for option, value in (
        (lib.GHOSTTY_TERMINAL_OPT_GLYPH_PROTOCOL, new("bool *", False)),
        (lib.GHOSTTY_TERMINAL_OPT_APC_MAX_BYTES, new("size_t *", _APC_LIMIT)),
        (lib.GHOSTTY_TERMINAL_OPT_CLIPBOARD_WRITE_MAX_BYTES, new("size_t *", CLIPBOARD_LIMIT)),
        (lib.GHOSTTY_TERMINAL_OPT_CONTINUATION_MAX_BYTES, new("size_t *", UNFINISHED)),
        (lib.GHOSTTY_TERMINAL_OPT_DEFAULT_CURSOR_STYLE, hollow),
    ):
        lib.ghostty_terminal_set(terminal, option, value)


_SCREEN_TITLE: Final = b"\x1bk"
"""How prompts for GNU screen set a title, ended by ST; the engine would print it."""
_INTERACTIVE: Final = 4_096
"""Bytes that a prompt may come with; looking for titles in a flood would cost a tenth of its speed."""


class GhosttyEmulator(GhosttyAnchors, Encoder):
    """One terminal. See `Emulator` for what each method promises."""

    engine = "ghostty"
    lacks: frozenset[str] = frozenset()

    def __init__(self, size: Size, scrollback: int = 10_000, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._binding = load()
        self._ffi, self._lib = self._binding.ffi, self._binding.lib
        self._clock = clock
        self._inbox = PendingEvents(size, _ignore)
        self.colours = (FOREGROUND, BACKGROUND)
        self.graphics = Graphics()
        self._number = self._ffi.new("uint16_t *")
        self._bar = self._ffi.new("GhosttyTerminalScrollbar *")
        self._scroll = self._ffi.new("FugueScroll *")
        made = self._ffi.new("GhosttyTerminal *")
        if self._lib.ghostty_terminal_new(self._ffi.NULL, made, size.cols, size.rows):
            raise MemoryError("no memory for a terminal")
        self._take(self._ffi.gc(made[0], self._lib.ghostty_terminal_free), scrollback)
        self._history.fit(size)

    def _take(self, terminal: "GhosttyTerminal", scrollback: int) -> None:
        """Be this terminal from now on; it has this emulator's size."""
        self._terminal = terminal
        self._handle = callbacks(self._binding, f"fugue-tui {__version__}").install(terminal, self._inbox)
        self._modes = ModeReader(self._binding, terminal)
        self._known_modes: Modes | None = None
        self._colours = ColorReader(self._binding, terminal)
        self._formatter = Formatter(self._binding, terminal)
        self._pins = GhosttyPins(self._binding, terminal)
        self._oscs = OscScanner()
        self._history = ScrollbackLimit(self._binding, terminal, scrollback)
        self._freezer = Snapshots(self._binding, terminal)
        configure(self._binding, terminal)
        self._modes.put(GRAPHEME_CLUSTERS, self._lib.GHOSTTY_TERMINAL_OPT_MODE_DEFAULT, value=True)
        self.set_colours(*self.colours)
        self._write(START)
        self._images = ScreenImages(self._binding, terminal, self.graphics)
        self._resize(self.size)  # Only so it learns how many pixels a cell has.
        make = partial(RenderedScreen, self._binding, terminal, self._formatter, self._colours, self._images)
        self._display = SynchronizedViewport(make, self._inbox, self._clock)
        self._inbox.on_hold = self._display.hold

    def set_colours(self, fg: int, bg: int) -> None:
        """Set the host's default colours (0xRRGGBB), for programs that query them."""
        self.colours = (fg, bg)
        self._colours.set_defaults(fg, bg)
        dark = sum(bg.to_bytes(3, "big")) < 384
        if dark is not self._inbox.dark and self._modes.is_set(COLOUR_SCHEME):
            self._inbox.reply(b"\x1b[?997;%dn" % (1 if dark else 2))
        self._inbox.dark = dark

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take program output, cut anywhere."""
        text = data if isinstance(data, bytes) else bytes(data)
        if len(text) <= _INTERACTIVE and _SCREEN_TITLE in text:
            text = text.replace(_SCREEN_TITLE, b"\x1b]2;")
        for piece in self._images.split(text):
            if isinstance(piece, bytes):
                self._feed_text(piece)
            else:
                self._print_image(piece)
        self._keep_size()
        self._pins.sweep()
        self._history.fed(len(data))

    def _feed_text(self, text: bytes) -> None:
        at = 0
        for end, event in self._oscs.scan(text):
            self._write(memoryview(text)[at:end])
            self._inbox.emit(event)
            at = end
        self._write(memoryview(text)[at:] if at else text)
        if self.graphics.memory:
            self._images.fed(text)

    def _print_image(self, image: Sixel | InlineFile) -> None:
        """Print an image that the engine does not parse, and go on in the program's style."""
        if text := self._images.print(image, self.size, self.caret[0]):
            pen = self._ffi.new("GhosttyStyle *", {"size": self._ffi.sizeof("GhosttyStyle")})
            self._lib.ghostty_terminal_get(self._terminal, self._lib.GHOSTTY_TERMINAL_DATA_CURSOR_STYLE, pen)
            self._write((text + sgr(unpacked(self._lib, pen))).encode())

    def set_graphics(self, graphics: Graphics) -> None:
        """Set what programs may do with images, and what they are told of it."""
        resized = graphics.cell != self.graphics.cell
        self._inbox.graphics = self.graphics = graphics
        self._images.allow(graphics)
        if resized:
            self._resize(self.size)

    @property
    def images(self) -> tuple[Placement, ...]:
        """Where images are in the snapshot, lowest first."""
        return self._display.front.placements

    def past_images(self, lines: int) -> tuple[Placement, ...]:
        """Where images are in a view that is scrolled back by `lines`."""
        known = self._images.has_commands or self._images.has_placeholders
        return self._past(lines).placements if known else ()

    def pixels(self, image: Image) -> Callable[[], Pixels | None] | None:
        """Reads an image's pixels, later and without the lock."""
        return self._images.pixels(image)

    def _write(self, data: bytes | memoryview) -> None:
        self._known_modes = None
        self._lib.ghostty_terminal_vt_write(self._terminal, self._ffi.from_buffer("uint8_t[]", data), len(data))

    def _keep_size(self) -> None:
        """Undo DECCOLM: the width is not the program's to choose. Without autowrap the engine does not reflow."""
        self._lib.ghostty_terminal_get(self._terminal, self._lib.GHOSTTY_TERMINAL_DATA_COLS, self._number)
        if self._number[0] != self.size.cols:
            wraps = self._modes.is_set(WRAPAROUND)
            self._modes.put(WRAPAROUND, self._lib.GHOSTTY_TERMINAL_OPT_MODE, value=False)
            self._resize(self.size)
            self._modes.put(WRAPAROUND, self._lib.GHOSTTY_TERMINAL_OPT_MODE, value=wraps)

    def resize(self, size: Size) -> None:
        """Change the size; the primary screen reflows."""
        self._inbox.size = size = Size(max(1, size.cols), max(1, size.rows))
        self._resize(size)
        self._history.fit(size)  # A narrower screen's limit would prune rows that are still as wide as before.

    def _resize(self, size: Size) -> None:
        self._known_modes = None
        self._lib.ghostty_terminal_resize(self._terminal, size.cols, size.rows, *self.graphics.cell)

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
    def synchronized(self) -> bool:
        """Whether a synchronized update (mode 2026) is in progress."""
        known = self._known_modes
        return self._modes.is_set(SYNCHRONIZED) if known is None else known.synchronized

    @property
    def modes(self) -> Modes:
        """The modes in force now."""
        known = self._known_modes
        if known is None:
            known = self._known_modes = self._modes.read()
        return known

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

    def capture(self) -> RenderedScreen:
        """What the viewport shows now."""
        return self._display.capture_now()

    def past(self, lines: int) -> Callable[[], list[Row]]:
        """Reads the rows of a view that is scrolled back that far."""
        return self._past(lines).decode

    def screen_rows(self) -> Callable[[], list[Row]]:
        """Reads the rows of the screen as they are now."""
        text = self._past(0).text(self.size) if self.scrollback.offset else self._display.text()
        return partial(self._decoded, text)

    @classmethod
    def _decoded(cls, text: ScreenText) -> list[Row]:
        scratch = cls(text.size, 0)
        scratch.feed(b"\x1b[?7l" + b"\r\n".join(text.rows))
        rows = scratch.past(0)()
        scratch.close()
        return [text.decoded.get(y) or Row(row.runs, y in text.wrapped) for y, row in enumerate(rows)]

    def _past(self, lines: int) -> RenderedScreen:
        before = self.scrollback.offset
        self.scroll(lines - before)
        picture = self._display.capture_now()
        self.scroll(before - self.scrollback.offset)
        return picture

    def save(self) -> bytes:
        """All that `recall` brings back."""
        return self.freeze()()

    def prepare(self) -> None:
        """Make room for the next `freeze`, without the terminal."""
        self._freezer.prepare()

    def freeze(self, past: Callable[[], bytes] = bytes) -> Callable[[], bytes]:
        """What makes the save of this moment, without the terminal."""
        size, title, cwd = self.size, self.title, self.cwd
        native = self._freezer.take()
        stop = self.scrollback.lines + size.rows
        start = max(0, stop - PORTABLE_LINES) if native else 0
        portable = self._formatter.whole(start, stop - 1, size.cols)
        return lambda: pack(Save(self.engine, size, title, cwd, native() if native else b"", portable, past()))

    def recall(self, data: bytes, places: Sequence[Point] = ()) -> list[Point | None]:
        """Have the text of a save as history; where places of it are now."""
        save, pins = unpack(data), list[Pin | None]()
        try:
            if save.engine != self.engine:
                raise SaveError(f"the text of a pane was saved by another engine, {save.engine!a}, and by it alone")
            old, pins = self._laid_out(save.size, save.native, places)
        except SaveError:
            if save.native and not save.portable:
                raise
            writer = type(self)(save.size, self._history.lines)
            writer.feed(save.portable)
            native = snapshot(self._binding, writer._terminal)
            writer.close()
            old, _ = self._laid_out(save.size, native)
        old.resize(self.size)
        if old.caret[0]:  # The engine joins a blank end of a wrapped line with the line below.
            old.feed(b"\r\n")
        old._detach()
        self._take(old._terminal, self._history.lines)
        self._history.lift(self.size)
        return [pin and pin.found() for pin in pins] or [None] * len(places)

    def _laid_out(self, size: Size, native: bytes, places: Sequence[Point] = ()) -> tuple[Self, list[Pin | None]]:
        """A fresh emulator of that size over the text of a snapshot, its cursor on a line of its own below the text,
        and pins at places of the text.

        What was in front of the primary screen follows it. Raises SaveError."""
        fresh, front = type(self)(size, self._history.lines), b""
        fresh._history.lift(size)
        blank, old = records.read(snapshot(self._binding, fresh._terminal)), records.read(native)
        if records.size(old) != (size.cols, size.rows):
            raise SaveError("the saved text of a pane has another size than declared")
        if old.alternate:
            behind = type(self)(size, 0)
            behind._take(decode(self._binding, records.put(old.alternate, blank)), 0)
            front = write_rows(behind.past(0)(), size.cols)
            behind.close()
        fresh._take(decode(self._binding, records.put(old.primary, blank)), self._history.lines)
        pruned = records.older_lines(old.primary) - fresh.scrollback.lines
        pins = [fresh.pin_if_there(Point(place.line - pruned, place.column)) for place in places]
        fresh._history.lift(size)
        fresh.feed(fresh._below() + front)
        return fresh, pins

    def _below(self) -> bytes:
        """Goes to a line of its own below the text; a blank row that ends a wrapped line is text."""
        start = self.scrollback.lines
        above = self._past(1)
        last = 0
        for y, line in enumerate(self.lines(start, start + self.size.rows)):
            before = y if start else y - 1
            if line or (before >= 0 and above.wraps(before)):
                last = y + 1
        return b"\x1b[%d;1H\r\n\x1b[J" % last if last else b"\x1b[H\x1b[J"

    def compact(self) -> bool:
        """Give scrollback memory back while the pane is quiet; True if there is more to do. Milliseconds a call."""
        return self._history.compact()

    def reset(self) -> None:
        """Do what RIS does, but keep the scrollback."""
        self._write(RESET)
        self._keep_size()
        self.scroll_to_bottom()

    def close(self) -> None:
        """Give the history back at once, and the rest with the last reference: a late call finds a small terminal."""
        self._detach()
        self._display.close()
        self._history.forget()

    def _detach(self) -> None:
        """Undo the only cycle of references, so that native memory does not wait for a collection."""
        self._inbox.on_hold = _ignore


def _ignore(held: bool) -> None: ...
