"""What one terminal can do: as its environment promises, and as it answers when it is asked.

It is asked in one breath, with a question at the end that every terminal answers; nothing ever waits for the answers.
"""

import re
import time
from collections.abc import Callable
from typing import Final

from fugue_tui.attach_protocol import Hello
from fugue_tui.tui.vt_output.color_depth import Depth, depth_of

_KEYBOARD: Final = b"\x1b[?u"
_SYNCHRONIZED: Final = b"\x1b[?2026$p"
_DEFAULTS: Final = b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\"
_COLOURS: Final = (
    b"\x1bP+q524742;5463\x1b\\"  # XTGETTCAP: RGB, Tc
    b"\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[m"  # DECRQSS: which background was that?
)
_PIXELS: Final = b"\x1b[14t\x1b[16t"
_LAST: Final = b"\x1b[c"  # DA1

LAST_ANSWER: Final = re.compile(rb"\x1b\[\?[0-9;]*c")
"""What answers the last of the questions."""
_REPORT: Final = re.compile(
    r"\x1b\[(?:\?([0-9]{1,5})u|\?2026;([0-9])\$y|\?([0-9;]*)c|([46]);([0-9]{1,5});([0-9]{1,5})t)"
)
_DEFAULT: Final = re.compile(r"\x1b\](1[01]);rgb:([0-9a-fA-F/]{5,14})(?:\x07|\x1b\\)")
_CAPABILITY: Final = re.compile(r"(?:524742|5463)(?:=([0-9a-f]*))?(?![0-9a-f=])", re.IGNORECASE)
_EXACT: Final = re.compile(r"48[:;]2[:;]{1,2}1[:;]2[:;]3(?![0-9])")
_NONE: Final = ("30", "2d31")
"""0 and -1, as XTGETTCAP writes them."""
_DISAMBIGUATE: Final = 1
_SOON: Final = 3.0
"""Seconds after which an answer would be late."""
_KEY_SECONDS: Final = 0.03
_ASKED_SECONDS: Final = 0.1
_SPELT_SECONDS: Final = 0.5
_CERTAIN_SECONDS: Final = 2.0
_LARGEST_CELL: Final = 500


class Capabilities:
    """Known of one terminal so far. Main thread only."""

    def __init__(self, hello: Hello) -> None:
        self._hello = hello
        self._size = (1, 1)
        self._due, self._asked_at = 0, float("-inf")
        self.depth = depth_of(hello.term, hello.colorterm)
        self.keyboard = 0
        """The flags of the kitty keyboard protocol that are in force; 0 if it does not know it."""
        self.clipboard = False
        """Whether it said that programs may set its clipboard: attribute 52 of DA1, as in xterm's ctlseqs."""
        self.synchronized = False
        """Whether it knows mode 2026."""
        self.defaults: dict[bool, tuple[int, int, int]] = {}
        """Its own default colours, as far as it told: foreground True, background False."""
        self.cell: tuple[int, int] | None = None
        """Width and height of a cell in pixels; None if it does not tell."""
        self.on_depth: Callable[[], None] = _nothing
        """Called when it proved to show more colours than it promised."""
        self.on_synchronized: Callable[[], None] = _nothing
        self.on_defaults: Callable[[], None] = _nothing
        self.measure(hello.cols, hello.rows, hello.xpixel, hello.ypixel)

    def measure(self, cols: int, rows: int, xpixel: int, ypixel: int) -> None:
        """It has that size in cells and in pixels; 0 pixels if the system does not tell."""
        self._size = (max(cols, 1), max(rows, 1))
        if xpixel > 0 and ypixel > 0:
            self._celled(xpixel // self._size[0], ypixel // self._size[1])

    def questions(self) -> bytes:
        """What to ask it now."""
        self._due, self._asked_at = self._due + 1, time.monotonic()
        colours = _COLOURS if Depth.NONE < self.depth < Depth.TRUE and self._takes_strings else b""
        return _KEYBOARD + _SYNCHRONIZED + _DEFAULTS + colours + (b"" if self.cell else _PIXELS) + _LAST

    @property
    def _takes_strings(self) -> bool:
        """Whether it keeps to itself what it does not understand: screen hands it on to the terminal around it."""
        hello = self._hello
        screen = hello.nested == "screen" or (hello.term.startswith("screen") and hello.nested != "tmux")
        return not screen and not hello.term.startswith("linux")

    def patience(self, *, certain: bool) -> float:
        """Seconds to wait for the rest of a sequence, whether it may still be a key or is `certain` to be none."""
        if certain:
            return _CERTAIN_SECONDS
        if self.keyboard & _DISAMBIGUATE:
            return _SPELT_SECONDS  # Its Escape key is a whole sequence.
        return _ASKED_SECONDS if self.owes() else _KEY_SECONDS

    def owes(self) -> bool:
        """Whether it was asked lately and has not answered everything."""
        return self._due > 0 and time.monotonic() - self._asked_at < _SOON

    def hear(self, answer: str) -> None:
        """Take an answer in; what answers no question is passed over."""
        if report := _REPORT.fullmatch(answer):
            self._reported(report)
        elif default := _DEFAULT.fullmatch(answer):
            self._default(default[1] == "10", default[2].split("/"))
        elif answer.startswith("\x1bP1") and _proves(answer[3:]) and self.depth < Depth.TRUE:
            self.depth = Depth.TRUE
            self.on_depth()

    def _reported(self, report: re.Match[str]) -> None:
        keyboard, synchronized, last, kind, height, width = report.groups()
        if keyboard:
            self.keyboard = int(keyboard)
        elif synchronized:
            known = synchronized in "123"
            if known is not self.synchronized:
                self.synchronized = known
                self.on_synchronized()
        elif last is not None:
            self.clipboard = "52" in last.split(";")
            self._due = max(self._due - 1, 0)
        elif kind == "6":
            self._celled(int(width), int(height))
        elif self.cell is None:
            self._celled(int(width) // self._size[0], int(height) // self._size[1])

    def _celled(self, width: int, height: int) -> None:
        if 0 < width <= _LARGEST_CELL and 0 < height <= _LARGEST_CELL:
            self.cell = (width, height)

    def _default(self, foreground: bool, parts: list[str]) -> None:
        if len(parts) == 3 and all(parts):
            red, green, blue = (int(part, 16) * 255 // (16 ** len(part) - 1) for part in parts)
            self.defaults[foreground] = (red, green, blue)
            self.on_defaults()


def _proves(answer: str) -> bool:
    """Whether an answer is that of a terminal with all colours."""
    if answer.startswith("$r"):
        return _EXACT.search(answer) is not None
    found = _CAPABILITY.search(answer) if answer.startswith("+r") else None
    return found is not None and (found[1] or "").lower() not in _NONE


def _nothing() -> None:
    return
