"""What one terminal is shown when it cannot show what the others do: the screen cut to its size, in its colours.

Rows come from the compositor as strips, and are sent only where they differ from what the terminal was sent last.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final

from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from fugue_tui.geometry import Rect, Size
from fugue_tui.tui.vt_output.color_depth import Depth
from fugue_tui.tui.vt_output.row_diff import Delta

_SYSTEMS: Final = {
    Depth.STANDARD: ColorSystem.STANDARD,
    Depth.EIGHT_BIT: ColorSystem.EIGHT_BIT,
    Depth.TRUE: ColorSystem.TRUECOLOR,
}


@dataclass(frozen=True, slots=True)
class ScreenCursor:
    """The cursor on the whole screen."""

    x: int
    y: int
    shape: bytes
    """The sequence that gives it its shape."""


@dataclass(frozen=True, slots=True)
class ScreenState:
    """The whole screen at one moment."""

    size: Size
    strips: Sequence[Strip]
    caret: ScreenCursor | None
    """None if it is hidden."""
    interest: Rect | None = None
    """What must be in sight if not everything can; None if nothing need."""
    around: Rect | None = None
    """What should be in sight with it."""
    bar: bool = False
    """Whether the last row is the status bar."""


class ClientView:
    """What one terminal was sent; `frame` brings it up to date."""

    def __init__(self, size: Size, depth: Depth) -> None:
        self.size = size
        """The terminal's size."""
        self.depth = depth
        self._delta = Delta()
        self._sent: list[bytes] = []
        self._written: list[tuple[Strip, int, bytes]] = []
        self._shape = b""
        self._shown: bool | None = None
        self._at: tuple[int, int] | None = None
        self._pinned = False
        self.rows: tuple[int, ...] = ()
        """Which row of the screen each row of the terminal shows."""
        self.left = 0
        """The column of the screen in the terminal's first; the last row begins at 0 if it is the screen's last."""

    def forget(self) -> None:
        """Nothing is known of what the terminal shows."""
        self._sent, self._written, self._shape, self._shown, self._at = [], [], b"", None, None

    def frame(self, scene: ScreenState, mark: str = "") -> bytes:
        """What to send; empty if it shows the scene already. `mark` is clean and stands at the end of the last row."""
        self._look_at(scene)
        out = bytearray()
        rows = self._rows(scene, mark)
        for y, row in enumerate(rows):
            old = self._sent[y] if y < len(self._sent) else None
            if old != row:
                out += self._change(old, row, y)
        if out:
            self._at = None
        self._sent = rows
        out += self._cursor(scene.caret)
        return bytes(out)

    def _change(self, old: bytes | None, row: bytes, y: int) -> bytes:
        """What turns one row of the terminal into another."""
        parts = self._delta.spans(old, row, self.size.cols) if old is not None else None
        if parts is None:
            return b"\x1b[%d;1H\x1b[m\x1b[K" % (y + 1) + row
        return b"".join(b"\x1b[%d;%dH" % (y + 1, column + 1) + text for column, text, _ in parts)

    def at(self, x: int, y: int) -> tuple[int, int] | None:
        """The cell of the screen under a cell of the terminal; None if there is none."""
        if not 0 <= y < len(self.rows):
            return None
        return x + self._left_of(y), self.rows[y]

    def _left_of(self, y: int) -> int:
        return 0 if self._pinned and y == len(self.rows) - 1 else self.left

    def _look_at(self, scene: ScreenState) -> None:
        """Choose the part of the screen: as before, unless what matters would be out of sight."""
        cols, rows = min(self.size.cols, scene.size.cols), min(self.size.rows, scene.size.rows)
        self._pinned = 1 < rows < scene.size.rows
        body, whole = (rows - 1, scene.size.rows - 1) if self._pinned else (rows, scene.size.rows)
        top, seen, around = self.rows[0] if self.rows else 0, scene.interest, scene.around or scene.interest
        if seen is not None and around is not None:
            wanted = (min(seen.y, whole - 1), min(seen.bottom, whole))
            top = _into(top, body, wanted, (around.y, min(around.bottom, whole)), whole)
            self.left = _into(self.left, cols, (seen.x, seen.right), (around.x, around.right), scene.size.cols)
        top, self.left = max(0, min(top, whole - body)), max(0, min(self.left, scene.size.cols - cols))
        self.rows = (*range(top, top + body), *([scene.size.rows - 1] if self._pinned else []))

    def _rows(self, scene: ScreenState, mark: str) -> list[bytes]:
        last = len(self.rows) - 1
        cols = self.size.cols
        known, self._written = self._written, []
        for y, source in enumerate(self.rows):
            strip = scene.strips[source] if source < len(scene.strips) else Strip([])
            left = self._left_of(y)
            if y < len(known) and known[y][0] is strip and known[y][1] == left:
                row = known[y][2]
            else:
                row = _written(strip.crop(left, left + cols), self.depth)
            self._written.append((strip, left, row))
        rows = [row for _, _, row in self._written]
        if mark and self.rows:
            strip, left, _ = self._written[last]
            seen = strip.crop(left, left + cols)
            rows[last] = _written(_marked(seen, mark, cols, whole=scene.bar), self.depth)
        return rows + [b""] * (self.size.rows - len(rows))

    def _cursor(self, caret: ScreenCursor | None) -> bytes:
        spot = self._spot(caret) if caret is not None else None
        if caret is None or spot is None:
            shown, self._shown = self._shown, False
            return b"" if shown is False else b"\x1b[?25l"
        out = b"" if self._at == spot else b"\x1b[%d;%dH" % (spot[1] + 1, spot[0] + 1)
        if self._shape != caret.shape:
            out += caret.shape
        if self._shown is not True:
            out += b"\x1b[?25h"
        self._at, self._shape, self._shown = spot, caret.shape, True
        return out

    def _spot(self, caret: ScreenCursor) -> tuple[int, int] | None:
        if caret.y not in self.rows:
            return None
        y = self.rows.index(caret.y)
        x = caret.x - self._left_of(y)
        return (x, y) if 0 <= x < self.size.cols else None


def _into(start: int, room: int, seen: tuple[int, int], around: tuple[int, int], whole: int) -> int:
    """Where a window of `room` cells begins that has `seen` in it: where it began, or with as much of `around`."""
    if start <= seen[0] and seen[1] <= start + room:
        return start
    for first, end in (around, seen):
        start = min(max(start, end - room), first)
    return max(0, min(start, whole - room))


def _marked(strip: Strip, mark: str, cols: int, *, whole: bool) -> Strip:
    """The row with a word at its right end; of what it covers in part nothing is left if only the `whole` has sense."""
    word = Strip([Segment(f" {mark} ", Style(reverse=True))]).crop(0, cols)
    room = cols - word.cell_length
    if whole:
        ends = accumulate(segment.cell_length for segment in strip)
        strip = strip.crop(0, max((end for end in ends if end <= room), default=room))
    return Strip.join([strip.adjust_cell_length(room), word])


def _written(strip: Strip, depth: Depth) -> bytes:
    """A row as VT text from and to the default style, without the blanks at its end."""
    parts: list[str] = []
    for text, style, _ in strip:
        codes, link = _look(style, depth) if style is not None else ("", "")
        piece = f"\x1b[{codes}m{text}\x1b[m" if codes else text
        parts.append(f"\x1b]8;;{link}\x1b\\{piece}\x1b]8;;\x1b\\" if link else piece)
    return "".join(parts).encode("utf-8", "replace").rstrip(b" ")


def _look(style: Style, depth: Depth) -> tuple[str, str]:
    """The parameters that set a style, and its link."""
    exact = style._ansi if depth is Depth.TRUE else None  # pyright: ignore[reportPrivateUsage]
    return (_codes(style, depth) if exact is None else exact), style.link or ""


@lru_cache(maxsize=8_192)
def _codes(style: Style, depth: Depth) -> str:
    fresh = Style(
        color=_reduced(style.color, depth),
        bgcolor=_reduced(style.bgcolor, depth),
        bold=style.bold,
        dim=style.dim,
        italic=style.italic,
        underline=style.underline,
        underline2=style.underline2,
        blink=style.blink,
        reverse=style.reverse,
        conceal=style.conceal,
        strike=style.strike,
        overline=style.overline,
    )
    return Strip.render_ansi(fresh, _SYSTEMS.get(depth, ColorSystem.TRUECOLOR))


def _reduced(colour: Color | None, depth: Depth) -> Color | None:
    return None if depth is Depth.NONE or colour is None else colour.downgrade(_SYSTEMS[depth])
