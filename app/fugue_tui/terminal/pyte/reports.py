"""What the fallback engine answers to programs that ask: attributes, status, modes, sizes, colours.

No answer holds text that a program supplied.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from pyte import modes as mode

from fugue_tui import __version__
from fugue_tui.geometry import CELL_PIXELS
from fugue_tui.terminal.emulator.pending_events import PendingEvents
from fugue_tui.terminal.emulator.protocol import XTERM_VERSION
from fugue_tui.terminal.pyte.modes import ModeTable
from fugue_tui.terminal.pyte.screen import Screen

COLOUR_QUERIES: Final = frozenset({"4", "10", "11", "12"})
"""The OSC numbers that ask for colours (and set them, which this engine does not)."""

_SIXTEEN: Final = (
    0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
    0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
)  # fmt: skip
_STATUS_STRING: Final = re.compile(r"\$q(.{1,2})")


class Replies:
    """Answers, put into the inbox in the order of the questions."""

    def __init__(self, screen: Screen, modes: ModeTable, inbox: PendingEvents) -> None:
        self._screen = screen
        self._modes = modes
        self._inbox = inbox
        self.foreground = 0xD0D0D0
        self.background = 0x101010

    def table(self) -> dict[str, Callable[[list[int]], None]]:
        """The control sequences that ask something."""
        return {
            "c": lambda n: self._reply("\x1b[?62;22c") if n[0] == 0 else None,
            ">c": lambda n: self._reply(f"\x1b[>1;{XTERM_VERSION};0c") if n[0] == 0 else None,
            "=c": lambda n: self._reply("\x1bP!|00000000\x1b\\") if n[0] == 0 else None,
            "n": self._status,
            "?n": self._private_status,
            ">q": lambda n: self._reply(f"\x1bP>|fugue-tui {__version__}\x1b\\") if n[0] == 0 else None,
            "t": self._window,
            "$p": lambda n: self._reply(f"\x1b[{n[0]};{self._modes.report_ansi(n[0])}$y"),
            "?$p": lambda n: self._reply(f"\x1b[?{n[0]};{self._modes.report(n[0])}$y"),
            "?u": lambda _: self._reply(f"\x1b[?{self._modes.kitty_flags}u"),
        }

    def colours(self, number: str, rest: str, end: str) -> None:
        """Answer OSC 4, 10, 11 and 12 where they ask; where they set a colour nothing happens."""
        if number == "4":
            words = iter(rest.split(";"))
            answers = [self._palette_answer(index, end) for index in words if next(words, "") == "?"]
            self._reply("".join(answers[:256]))
        elif rest == "?":
            colour = self.background if number == "11" else self.foreground
            self._reply(f"\x1b]{number};{_spelt(colour)}{end}")

    def request(self, text: str) -> None:
        """Answer DECRQSS for the margins; other settings and capabilities are unknown here."""
        asked = _STATUS_STRING.fullmatch(text)
        top, bottom = self._screen.region
        if asked and asked[1] == "r":
            self._reply(f"\x1bP1$r{top + 1};{bottom + 1}r\x1b\\")
        elif asked:
            self._reply("\x1bP0$r\x1b\\")

    def _reply(self, text: str) -> None:
        self._inbox.reply(text.encode())

    def _palette_answer(self, index: str, end: str) -> str:
        """One colour of the usual palette; nothing for an index that is none."""
        if not (index.isascii() and index.isdigit() and len(index) < 4 and int(index) < 256):
            return ""
        return f"\x1b]4;{int(index)};{_spelt(_palette(int(index)))}{end}"

    def _status(self, numbers: list[int]) -> None:
        """DSR: in order, or where the cursor is."""
        screen = self._screen
        if numbers[0] == 5:
            self._reply("\x1b[0n")
        elif numbers[0] == 6:
            top = screen.region[0] if mode.DECOM in screen.mode else 0
            x = min(screen.cursor.x, screen.columns - 1)
            self._reply(f"\x1b[{screen.cursor.y - top + 1};{x + 1}R")

    def _private_status(self, numbers: list[int]) -> None:
        """Whether the colours are dark (1) or light (2)."""
        if numbers[0] == 996:
            dark = sum(self.background.to_bytes(3, "big")) < 384
            self._reply(f"\x1b[?997;{1 if dark else 2}n")

    def _window(self, numbers: list[int]) -> None:
        """Sizes; what would change the window is ignored."""
        width, height = CELL_PIXELS
        cols, rows = self._screen.columns, self._screen.lines
        answers = {14: (4, rows * height, cols * width), 16: (6, height, width), 18: (8, rows, cols)}
        if answer := answers.get(numbers[0]):
            self._reply("\x1b[{};{};{}t".format(*answer))


def _spelt(colour: int) -> str:
    """A 24-bit colour as X11 spells it, with four digits a part."""
    return "rgb:" + "/".join(f"{part:02x}{part:02x}" for part in colour.to_bytes(3, "big"))


def _palette(index: int) -> int:
    """xterm's palette."""
    if index < 16:
        return _SIXTEEN[index]
    if index < 232:
        parts: Iterator[int] = ((index - 16) // place % 6 for place in (36, 6, 1))
        return int.from_bytes(bytes(part * 40 + 55 if part else 0 for part in parts), "big")
    return (8 + (index - 232) * 10) * 0x010101
