"""What one terminal supports, by its environment and by its replies to queries.

All queries are sent at once, ending with one that every terminal answers; nothing ever waits for the replies.
"""

import re
import time
from enum import Enum, auto
from typing import Final

from fugue_tui.attach_protocol import Hello
from fugue_tui.attach_server.output.color_depth import Depth, depth_of

_KEYBOARD: Final = b"\x1b[?u"
_SYNCHRONIZED: Final = b"\x1b[?2026$p"
_DEFAULTS: Final = b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\"
_COLOURS: Final = (
    b"\x1bP+q524742;5463\x1b\\"  # XTGETTCAP: RGB, Tc
    b"\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[m"  # DECRQSS: which background was that?
)
_PIXELS: Final = b"\x1b[14t\x1b[16t"
_GRAPHICS: Final = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"  # kitty graphics: an image that is not kept
_LAST: Final = b"\x1b[c"  # DA1
SIXEL_QUERY: Final = b"\x1b[?1;1;0S"
"""XTSMGRAPHICS: how many colours has a sixel image? Only for terminals that show some."""

LAST_REPLY: Final = re.compile(rb"\x1b\[\?[0-9;]*c")
"""The reply to the last query."""
_REPORT: Final = re.compile(
    r"\x1b\[(?:\?([0-9]{1,5})u|\?2026;([0-9])\$y|\?([0-9;]*)c|([46]);([0-9]{1,5});([0-9]{1,5})t|\?1;0;([0-9]{1,9})S)"
)
_COLOUR_SCHEME: Final = re.compile(r"\x1b\[\?997;[12]n")
"""The report of mode 2031: its colours are others now."""
_DEFAULT: Final = re.compile(r"\x1b\](1[01]);rgb:([0-9a-fA-F/]{5,14})(?:\x07|\x1b\\)")
_CAPABILITY: Final = re.compile(r"(?:524742|5463)(?:=([0-9a-f]*))?(?![0-9a-f=])", re.IGNORECASE)
_EXACT: Final = re.compile(r"48[:;]2[:;]{1,2}1[:;]2[:;]3(?![0-9])")
_SHOWS_GRAPHICS: Final = re.compile(r"\x1b_Gi=31;OK\x1b\\")
_NONE: Final = ("30", "2d31")
"""0 and -1, as XTGETTCAP writes them."""
_DISAMBIGUATE: Final = 1
_REPLY_SECONDS: Final = 3.0
"""Seconds after which a reply is no longer expected."""
_KEY_SECONDS: Final = 0.03
_QUERIED_SECONDS: Final = 0.1
_UNAMBIGUOUS_SECONDS: Final = 0.5
_CERTAIN_SECONDS: Final = 2.0
_MOST_COLOURS: Final = 256
_LARGEST_CELL: Final = 500


class Change(Enum):
    """What a reply changed that affects how the client is drawn on."""

    DEPTH = auto()
    """It shows more colours than its environment promised."""
    SYNCHRONIZED_OUTPUT = auto()
    DEFAULT_COLOURS = auto()
    COLOUR_SCHEME = auto()
    """Its colours are others now, and were asked for."""
    SIXEL = auto()
    """It shows sixel images."""
    IMAGES = auto()
    """It shows images, or others than before."""


class Capabilities:
    """What is known of one terminal so far. Main thread only."""

    def __init__(self, hello: Hello) -> None:
        self._hello = hello
        self._size = (1, 1)
        self._pending, self._queried_at = 0, float("-inf")
        self.round_trip = 0.0
        """Seconds from the queries to the answer to the last of them, at best; 0 before there was one."""
        self.depth = depth_of(hello.term, hello.colorterm)
        self.keyboard = 0
        """The flags of the kitty keyboard protocol in force; 0 if it is not supported."""
        self.clipboard = False
        """Whether it reported that programs may set its clipboard: attribute 52 of DA1, as in xterm's ctlseqs."""
        self.kitty_graphics = False
        """Whether it supports the kitty graphics protocol."""
        self.sixel = False
        """Whether it shows sixel images."""
        self.sixel_colours = 16
        """How many colours they have."""
        self.synchronized = False
        """Whether it supports mode 2026."""
        self.defaults: dict[bool, tuple[int, int, int]] = {}
        """Its default colours, as far as it reported them: foreground True, background False."""
        self.cell: tuple[int, int] | None = None
        """Width and height of a cell in pixels; None if unknown."""
        self.measure(hello.cols, hello.rows, hello.xpixel, hello.ypixel)

    def measure(self, cols: int, rows: int, xpixel: int, ypixel: int) -> None:
        """Set its size in cells and in pixels; 0 pixels if the system does not report them."""
        self._size = (max(cols, 1), max(rows, 1))
        if xpixel > 0 and ypixel > 0:
            self._set_cell(xpixel // self._size[0], ypixel // self._size[1])

    def queries(self) -> bytes:
        """The queries to send now."""
        self._pending, self._queried_at = self._pending + 1, time.monotonic()
        colours = _COLOURS if Depth.NONE < self.depth < Depth.TRUE and self._ignores_unknown_strings else b""
        graphics = _GRAPHICS if self._ignores_unknown_strings else b""
        return _KEYBOARD + _SYNCHRONIZED + _DEFAULTS + colours + (b"" if self.cell else _PIXELS) + graphics + _LAST

    def colour_queries(self) -> bytes:
        """The queries for its default colours, to send now."""
        self._pending, self._queried_at = self._pending + 1, time.monotonic()
        return _DEFAULTS + _LAST

    @property
    def _ignores_unknown_strings(self) -> bool:
        """Whether it ignores DCS strings that it does not support: screen passes them to the terminal around it."""
        hello = self._hello
        screen = hello.nested == "screen" or (hello.term.startswith("screen") and hello.nested != "tmux")
        return not screen and not hello.term.startswith("linux")

    def escape_timeout(self, *, certain: bool) -> float:
        """Seconds to wait for the rest of a sequence, which may still be a key or is `certain` to be none."""
        if certain:
            return _CERTAIN_SECONDS
        if self.keyboard & _DISAMBIGUATE:
            return _UNAMBIGUOUS_SECONDS  # Its Escape key is a whole sequence.
        return _QUERIED_SECONDS if self.awaits_reply() else _KEY_SECONDS

    @property
    def images(self) -> bool:
        """Whether it shows images."""
        return self.kitty_graphics or self.sixel

    def awaits_reply(self) -> bool:
        """Whether it was queried recently and has not answered everything."""
        return self._pending > 0 and time.monotonic() - self._queried_at < _REPLY_SECONDS

    def receive(self, reply: str) -> Change | None:
        """Parse a reply; what answers no query is ignored."""
        if report := _REPORT.fullmatch(reply):
            return self._report(report)
        if default := _DEFAULT.fullmatch(reply):
            return self._default(default[1] == "10", default[2].split("/"))
        if _COLOUR_SCHEME.fullmatch(reply):
            return Change.COLOUR_SCHEME
        if _SHOWS_GRAPHICS.fullmatch(reply) and not self.kitty_graphics:
            self.kitty_graphics = True
            return Change.IMAGES
        if reply.startswith("\x1bP1") and _is_true_colour(reply[3:]) and self.depth < Depth.TRUE:
            self.depth = Depth.TRUE
            return Change.DEPTH
        return None

    def _report(self, report: re.Match[str]) -> Change | None:
        keyboard, synchronized, last, kind, height, width, registers = report.groups()
        if keyboard:
            self.keyboard = int(keyboard)
        elif synchronized:
            before, self.synchronized = self.synchronized, synchronized in "123"
            return Change.SYNCHRONIZED_OUTPUT if before is not self.synchronized else None
        elif last is not None:
            self.clipboard = "52" in last.split(";")
            if self._pending:
                seconds = time.monotonic() - self._queried_at
                self.round_trip = min(seconds, self.round_trip or seconds)
            self._pending = max(self._pending - 1, 0)
            before, self.sixel = self.sixel, "4" in last.split(";")[1:]
            return Change.SIXEL if self.sixel and not before else None
        elif registers:
            self.sixel_colours = min(max(int(registers), 2), _MOST_COLOURS)
            return Change.IMAGES
        elif kind == "6":
            self._set_cell(int(width), int(height))
        elif self.cell is None:
            self._set_cell(int(width) // self._size[0], int(height) // self._size[1])
        return None

    def _set_cell(self, width: int, height: int) -> None:
        if 0 < width <= _LARGEST_CELL and 0 < height <= _LARGEST_CELL:
            self.cell = (width, height)

    def _default(self, foreground: bool, parts: list[str]) -> Change | None:
        if len(parts) != 3 or not all(parts):
            return None
        red, green, blue = (int(part, 16) * 255 // (16 ** len(part) - 1) for part in parts)
        self.defaults[foreground] = (red, green, blue)
        return Change.DEFAULT_COLOURS


def _is_true_colour(reply: str) -> bool:
    """Whether the reply to DECRQSS or XTGETTCAP is that of a terminal with 24-bit colour."""
    if reply.startswith("$r"):
        return _EXACT.search(reply) is not None
    found = _CAPABILITY.search(reply) if reply.startswith("+r") else None
    return found is not None and (found[1] or "").lower() not in _NONE
