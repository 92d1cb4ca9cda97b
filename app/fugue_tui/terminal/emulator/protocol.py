"""The protocol that both terminal engines keep.

An emulator is not thread-safe: every call happens under its terminal's lock, except `row`, which reads the snapshot
that the last `refresh` took and belongs to the thread that called it.
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from fugue_tui.geometry import CELL_PIXELS as CELL_PIXELS
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Event, PromptMark
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.input.mouse import MouseAction
from fugue_tui.terminal.screen.cells import Cursor, Damage, Modes, Row, Scrollback
from fugue_tui.terminal.screen.images import Graphics, Image, Pixels, Placement
from fugue_tui.terminal.screen.pins import Guard, Pin, Point

XTERM_VERSION: Final = 277
"""The version of xterm that secondary device attributes name, as WezTerm does: Emacs asks for the background from 242
on (term/xterm.el), Vim takes SGR mouse reports from 277 on, and asks further questions from 279 on."""


class ViewportRows(Protocol):
    """What the viewport showed at one moment; stays as it was."""

    @property
    def rows(self) -> list[bytes]:
        """The rows as VT text, as `Emulator.paint` gives them."""
        ...

    def row(self, y: int) -> Row:
        """Row `y` (from 0); an empty one below the last."""
        ...

    @property
    def cursor(self) -> Cursor:
        """The program's cursor in viewport coordinates."""
        ...

    @property
    def placements(self) -> tuple[Placement, ...]:
        """Where images are, lowest first."""
        ...


class Emulator(Protocol):
    """Bytes in; rows, modes, replies and events out."""

    @property
    def engine(self) -> str:
        """The engine's name, as `[terminal] engine` spells it."""
        ...

    @property
    def lacks(self) -> frozenset[str]:
        """What this engine cannot do, in words for users; empty for a complete engine."""
        ...

    @property
    def size(self) -> Size:
        """The screen's size in cells."""
        ...

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take program output; sequences and characters may be cut anywhere. Never raises, whatever the bytes."""
        ...

    def take_events(self) -> list[Event]:
        """Replies and events since the last call, in order."""
        ...

    def resize(self, size: Size) -> None:
        """Change the size, reflowing the primary screen where the engine can."""
        ...

    def refresh(self) -> Damage:
        """Snapshot the viewport and say what changed since the last refresh. A synchronized update (mode 2026) in
        progress holds the old snapshot, for at most a second."""
        ...

    def row(self, y: int) -> Row:
        """Viewport row `y` (from 0) of the snapshot; an empty one below its last: the screen may have grown."""
        ...

    def paint(self, first: int, count: int) -> list[bytes]:
        """Viewport rows as VT text: SGR, OSC 8 and characters only, each row starting from and ending in the default
        style, trailing default blanks left out. Call under the same hold of the lock as `refresh`."""
        ...

    @property
    def cursor(self) -> Cursor:
        """The cursor in viewport coordinates, as of the last refresh."""
        ...

    @property
    def caret(self) -> tuple[int, int]:
        """Where the program's cursor is on its screen now, as (x, y) from 0: whatever was refreshed or scrolled."""
        ...

    @property
    def shows_caret(self) -> bool:
        """Whether the program shows its cursor now."""
        ...

    @property
    def synchronized(self) -> bool:
        """Whether a synchronized update (mode 2026) is in progress."""
        ...

    @property
    def modes(self) -> Modes:
        """The modes in force now."""
        ...

    @property
    def title(self) -> str:
        """The title that the program set last; empty if none."""
        ...

    @property
    def cwd(self) -> str:
        """The working directory that the program reported last by OSC 7; empty if none."""
        ...

    @property
    def scrollback(self) -> Scrollback:
        """How much history there is, and where the view stands in it."""
        ...

    def scroll(self, lines: int) -> None:
        """Move the view: positive towards older lines, negative towards newer; stops at either end."""
        ...

    def scroll_to_bottom(self) -> None:
        """Follow new output again."""
        ...

    def capture(self) -> ViewportRows:
        """What the viewport shows now. The snapshot and the result of the next `refresh` stay."""
        ...

    def past(self, lines: int) -> Callable[[], list[Row]]:
        """A function that reads, later and without the lock, the rows that a view scrolled back by `lines` shows now.

        It stops at the start of the scrollback. The view, the snapshot and the result of the next `refresh` stay."""
        ...

    def screen_rows(self) -> Callable[[], list[Row]]:
        """A function that reads, later and without the lock, the rows of the screen as they are now.

        It costs what changed since the last frame and little memory. The result of the next `refresh` stays."""
        ...

    def lines(self, start: int, stop: int, *, joined: bool = False) -> list[str]:
        """Plain text of lines `start` to `stop`; 0 is the oldest kept, `scrollback.lines` the first of the screen.
        With `joined`, rows that wrapped softly are one line. Trailing blanks are removed."""
        ...

    def is_prompt(self, line: int, *, continued: bool = False) -> bool:
        """Whether a line, counted as `lines` does, holds the beginning of a shell's prompt (OSC 133); with `continued`,
        any part of a prompt and of what is typed there. False where the engine does not keep that."""
        ...

    def connect_marks(self, lock: Guard, on_mark: Callable[[PromptMark], None]) -> None:
        """Have pins take `lock` when they are resolved, and call `on_mark` with each prompt mark: inside
        `feed`, when the text before the mark is on the screen and the text after it is not."""
        ...

    def pin(self, place: Point | None = None) -> Pin:
        """A pin at a place, or where the program writes next."""
        ...

    def between(self, start: Point, stop: Point, *, joined: bool = True, ansi: bool = False) -> str:
        """The text from one place up to another, exact to the column; its lines as `lines` gives them, without blank
        ones at the end. With `ansi` it is VT text, which starts from and ends in the default style."""
        ...

    def encode_key(self, press: KeyPress) -> bytes:
        """What the program must be sent for a key; empty if nothing."""
        ...

    def encode_mouse(self, action: MouseAction) -> bytes:
        """What the program must be sent for a mouse event; empty if it did not ask."""
        ...

    def encode_paste(self, text: str) -> bytes:
        """Pasted text: bracketed if asked for, end markers and control characters but tab and newline removed."""
        ...

    def encode_focus(self, focused: bool) -> bytes:
        """A focus report; empty if the program did not ask."""
        ...

    @property
    def colours(self) -> tuple[int, int]:
        """The default foreground and background that programs get on request; each 0xRRGGBB."""
        ...

    def set_colours(self, fg: int, bg: int) -> None:
        """The answer to a program that requests the default colours; each 0xRRGGBB."""
        ...

    @property
    def graphics(self) -> Graphics:
        """What programs may do with images, and what they are told of it."""
        ...

    def set_graphics(self, graphics: Graphics) -> None:
        """Set that. Other memory than before drops every image."""
        ...

    @property
    def images(self) -> tuple[Placement, ...]:
        """Where images are in the snapshot of the last refresh, lowest first."""
        ...

    def past_images(self, lines: int) -> tuple[Placement, ...]:
        """Where images are in a view that is scrolled back by `lines`; the view and the snapshot stay."""
        ...

    def pixels(self, image: Image) -> Callable[[], Pixels | None] | None:
        """What reads an image's pixels, later and without the lock, and returns None for one that is broken; None if
        the image is gone."""
        ...

    def save(self) -> bytes:
        """All of the terminal that `recall` can bring back, on any size: text, styles, links, soft wraps, marks."""
        ...

    def prepare(self) -> None:
        """Make room for the next `freeze`, without the lock, so that it is over sooner. Need not be called."""
        ...

    def freeze(self, past: Callable[[], bytes] = bytes) -> Callable[[], bytes]:
        """What makes, later and without the lock, the bytes that `save` would give now, with `past` in them, which is
        made then, too."""
        ...

    def recall(self, data: bytes, places: Sequence[Point] = ()) -> list[Point | None]:
        """For a fresh emulator: have the text of a save as history, reflowed, with what was on the alternate screen
        after it, and the cursor on a line below; modes, title and all else stay as fresh, and nothing is replied.
        Returns where points of the primary screen's text are now; None for one that is gone or unknown.
        Raises SaveError for what is no save, or a damaged one, and then changes nothing."""
        ...

    def compact(self) -> bool:
        """Give back some of the scrollback's memory while the pane is quiet; True if there is more to give. It takes a
        few milliseconds at most, and what was given back is taken again when it is read."""
        ...

    def reset(self) -> None:
        """Do what RIS does; the scrollback is kept."""
        ...

    def close(self) -> None:
        """Give back the history's memory; the rest goes with the last reference."""
        ...
