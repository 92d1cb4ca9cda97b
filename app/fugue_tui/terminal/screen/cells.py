"""What a terminal shows, as plain values: styles, runs of text, rows, the cursor, modes, damage.

Both engines produce these and nothing else, so tests can compare them and widgets can draw either.
"""

from enum import IntEnum, StrEnum
from typing import Final, TypeGuard

from msgspec import Struct

DEFAULT_COLOUR: Final = -1
"""The terminal's own foreground or background."""
TRUECOLOUR: Final = 1 << 24
"""Added to a 24-bit 0xRRGGBB value to distinguish it from the palette indices 0 to 255."""


def rgb(red: int, green: int, blue: int) -> int:
    """A 24-bit colour as a style holds it; each part is 0 to 255."""
    return TRUECOLOUR | red << 16 | green << 8 | blue


class Underline(IntEnum):
    """The shapes of SGR 4:n, with their numbers."""

    NONE = 0
    SINGLE = 1
    DOUBLE = 2
    CURLY = 3
    DOTTED = 4
    DASHED = 5


class Style(Struct, frozen=True):
    """How a cell looks. A colour is DEFAULT_COLOUR, a palette index 0 to 255, or `rgb(...)`."""

    fg: int = DEFAULT_COLOUR
    bg: int = DEFAULT_COLOUR
    underline_colour: int = DEFAULT_COLOUR
    underline: Underline = Underline.NONE
    bold: bool = False
    faint: bool = False
    italic: bool = False
    blink: bool = False
    inverse: bool = False
    invisible: bool = False
    strikethrough: bool = False
    overline: bool = False


PLAIN: Final = Style()


class Run(Struct, frozen=True):
    """Neighbouring cells of one style. `cols` is the width in cells, which for wide characters is not `len(text)`."""

    text: str
    style: Style
    cols: int
    link: str | None = None
    """The OSC 8 target, as the program gave it: untrusted."""


def opens(link: str | None) -> TypeGuard[str]:
    """Whether a link may be shown as one: it leads to a page or a mailbox, and holds nothing a terminal would obey."""
    return link is not None and link.startswith(("http://", "https://", "mailto:")) and link.isprintable()


class Row(Struct, frozen=True):
    """One line of the screen, left to right. Cells past the last run are blank in the default style."""

    runs: tuple[Run, ...]
    wrapped: bool = False
    """True if the text goes on in the row below (a soft wrap)."""

    @property
    def text(self) -> str:
        """The row's characters, with trailing blanks removed."""
        return "".join(run.text for run in self.runs).rstrip()


class CursorShape(StrEnum):
    """What DECSCUSR asks for."""

    BLOCK = "block"
    UNDERLINE = "underline"
    BAR = "bar"


class Cursor(Struct, frozen=True):
    """Where the cursor is in the viewport, counted from 0. `visible` is False if hidden or scrolled out of view."""

    x: int
    y: int
    visible: bool = True
    shape: CursorShape = CursorShape.BLOCK
    blinking: bool = False
    styled: bool = False
    """True once the program chose a shape; until then the host's own cursor is kept."""


class MouseTracking(IntEnum):
    """Which mouse events a program requested, by DEC private mode."""

    NONE = 0
    X10 = 9
    NORMAL = 1000
    BUTTON = 1002
    ANY = 1003


class MouseEncoding(IntEnum):
    """How mouse events are written, by DEC private mode; X10 is the default."""

    X10 = 0
    UTF8 = 1005
    SGR = 1006
    URXVT = 1015
    SGR_PIXELS = 1016


class Modes(Struct, frozen=True):
    """The modes that decide how keys, mouse and paste are written to the program."""

    application_cursor: bool = False
    application_keypad: bool = False
    bracketed_paste: bool = False
    focus_events: bool = False
    alternate_screen: bool = False
    alternate_scroll: bool = False
    synchronized: bool = False
    backarrow_is_backspace: bool = False
    """DECBKM (67): Backspace sends BS instead of DEL."""
    newline: bool = False
    """LNM (20): Enter sends CR LF."""
    mouse: MouseTracking = MouseTracking.NONE
    mouse_encoding: MouseEncoding = MouseEncoding.X10
    kitty_flags: int = 0
    """The kitty keyboard protocol's active flags, 0 if the program did not ask."""
    modify_other_keys: int = 0
    """xterm's modifyOtherKeys level, 0 to 2."""


class Damage(Struct, frozen=True):
    """What changed on the visible screen since the last refresh."""

    full: bool = False
    """Every row may differ (resize, scroll of the view, screen switch, palette change)."""
    rows: tuple[int, ...] = ()
    """The viewport rows that differ, ascending; every row if `full`."""
    shift: int = 0
    """How many rows the old text moved up, if this was a plain scroll; `rows` then names only what is new."""


class Scrollback(Struct, frozen=True):
    """Where the view stands in the history."""

    lines: int
    """Lines kept above the screen."""
    offset: int
    """Lines between the bottom of the view and the bottom of the screen; 0 follows new output."""

    @property
    def top(self) -> int:
        """The first line that the view shows, counted from the oldest that is kept."""
        return self.lines - self.offset
