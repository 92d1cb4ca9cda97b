"""The screen as one client shows it that is no mirror: the part that fits, in the colours of its terminal; dots fill a
larger terminal.

Rows come from the compositor as strips, and are sent only where they differ from what the client was sent last.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Final

from msgspec import Struct
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.attach_server.output.row_diff import Delta
from fugue_tui.attach_server.output.viewport import Viewport
from fugue_tui.geometry import Rect, Size
from fugue_tui.layout.frame_lines import line

_SYSTEMS: Final = {
    Depth.STANDARD: ColorSystem.STANDARD,
    Depth.EIGHT_BIT: ColorSystem.EIGHT_BIT,
    Depth.TRUE: ColorSystem.TRUECOLOR,
}


class ScreenCursor(Struct, frozen=True):
    """The cursor on the whole screen."""

    x: int
    y: int
    shape: bytes
    """The sequence that gives it its shape."""


class ScreenState(Struct, frozen=True):
    """The whole screen at one time."""

    size: Size
    strips: Sequence[Strip]
    caret: ScreenCursor | None
    """None if it is hidden."""
    focus: Rect | None = None
    """What must be visible if not everything can be; None if nothing must."""
    context: Rect | None = None
    """What should be visible with it."""
    bar: bool = False
    """Whether the last row is the status bar."""
    line_style: str = "thin"
    """The style of lines: a value of `ui.dividers`."""


class ClientView:
    """What one client was sent; `frame` brings it up to date."""

    def __init__(self, viewport: Viewport, depth: Depth) -> None:
        self.viewport = viewport
        """The part of the screen that the client shows; chosen here."""
        self._depth = depth
        self._delta = Delta()
        self._sent: list[bytes | None] = []
        self._rendered: list[tuple[Strip, int, bytes]] = []
        self._shape = b""
        self._shown: bool | None = None
        self._at: tuple[int, int] | None = None
        self.written = set[int]()
        """The rows of the client to which the last frame wrote text."""
        self._visible: tuple[Size, str] | None = None
        """How much of the screen the client shows, and the style of the border around it."""

    def forget(self) -> None:
        """What the client shows is unknown."""
        self._sent, self._rendered, self._shape, self._shown, self._at = [], [], b"", None, None
        self._visible = None

    def frame(self, screen: ScreenState, note: str = "") -> bytes:
        """What to send; empty if the client shows the screen already. `note` is clean and ends the last row."""
        self.viewport.fit(screen.size, screen.focus, screen.context)
        out = bytearray()
        visible = self._visible_size(screen)
        if self._visible != (visible, screen.line_style):
            self._visible, self._sent = (visible, screen.line_style), []
            out += _unused_area(visible, self.viewport.size, screen.line_style)
        rows = self._rows(screen, note)
        self.written = set[int]()
        for y, row in enumerate(rows):
            old = self._sent[y] if y < len(self._sent) else None
            if old != row:
                self.written.add(y)
                out += self._change(old, row, y, visible.cols)
        if out:
            self._at = None
        self._sent = list(rows)
        out += self._cursor(screen.caret)
        return bytes(out)

    def frame_again(self, screen: ScreenState, note: str, rows: set[int]) -> bytes:
        """What to send to have the text of some rows of the client written again."""
        self._sent = [None if y in rows else row for y, row in enumerate(self._sent)]
        written = self.written
        data = self.frame(screen, note)
        self.written |= written
        return data

    def _visible_size(self, screen: ScreenState) -> Size:
        """How much of the screen the client shows."""
        size = self.viewport.size
        return Size(min(size.cols, screen.size.cols), min(size.rows, screen.size.rows))

    def _change(self, old: bytes | None, row: bytes, y: int, cols: int) -> bytes:
        """What turns one row of the client into another."""
        parts = self._delta.spans(old, row, cols) if old is not None else None
        if parts is None:
            clear = b"\x1b[K" if cols == self.viewport.size.cols else b"\x1b[%dX" % cols
            return move_to(0, y) + b"\x1b[m" + clear + row
        return b"".join(move_to(column, y) + text for column, text, _ in parts)

    def _rows(self, screen: ScreenState, note: str) -> list[bytes]:
        viewport, cols = self.viewport, self._visible_size(screen).cols
        known, self._rendered = self._rendered, []
        for y, source in enumerate(viewport.rows):
            strip = screen.strips[source] if source < len(screen.strips) else Strip([])
            left = viewport.left(y)
            if y < len(known) and known[y][0] is strip and known[y][1] == left:
                row = known[y][2]
            else:
                row = _render(strip.crop(left, left + cols), self._depth)
            self._rendered.append((strip, left, row))
        rows = [row for _, _, row in self._rendered]
        if note and viewport.rows:
            strip, left, _ = self._rendered[-1]
            visible = strip.crop(left, left + cols)
            rows[-1] = _render(_with_note(visible, note, cols, whole_segments=screen.bar), self._depth)
        return rows

    def _cursor(self, caret: ScreenCursor | None) -> bytes:
        cell = self._cell(caret) if caret is not None else None
        if caret is None or cell is None:
            shown, self._shown = self._shown, False
            return b"" if shown is False else b"\x1b[?25l"
        out = b"" if self._at == cell else move_to(*cell)
        if self._shape != caret.shape:
            out += caret.shape
        if self._shown is not True:
            out += b"\x1b[?25h"
        self._at, self._shape, self._shown = cell, caret.shape, True
        return out

    def _cell(self, caret: ScreenCursor) -> tuple[int, int] | None:
        """The cursor's cell on the client; None if it is not visible there."""
        if caret.y not in self.viewport.rows:
            return None
        y = self.viewport.rows.index(caret.y)
        x = caret.x - self.viewport.left(y)
        return (x, y) if 0 <= x < self.viewport.size.cols else None


def _unused_area(visible: Size, size: Size, line_style: str) -> bytes:
    """Draw what a terminal has beyond the screen as tmux does: dots, behind a border."""
    dot = "." if line_style == "ascii" else "·"
    right, below = line((1, 0, 1, 0), line_style), line((0, 1, 0, 1), line_style) * visible.cols
    room, rows = size.cols - visible.cols, [""] * visible.rows
    if room:
        rows = [right + dot * (room - 1)] * visible.rows
        below += line((1, 0, 0, 1), line_style) + dot * (room - 1)
    rows += [below, *[dot * size.cols] * size.rows][: size.rows - visible.rows]
    cells = (f"\x1b[{y + 1};{visible.cols + 1 if y < visible.rows else 1}H{row}" for y, row in enumerate(rows) if row)
    return f"\x1b[m{''.join(cells)}".encode() if size != visible else b""


def _with_note(strip: Strip, note: str, cols: int, *, whole_segments: bool) -> Strip:
    """The row with a note at its right end; with `whole_segments`, a segment that it covers in part is left out."""
    label = Strip([Segment(f" {note} ", Style(reverse=True))]).crop(0, cols)
    room = cols - label.cell_length
    if whole_segments:
        ends = accumulate(segment.cell_length for segment in strip)
        strip = strip.crop(0, max((end for end in ends if end <= room), default=room))
    return Strip.join([strip.adjust_cell_length(room), label])


def _render(strip: Strip, depth: Depth) -> bytes:
    """A row as VT text, without the blanks at its end."""
    return vt_text(strip, depth).rstrip(b" ")


def move_to(x: int, y: int) -> bytes:
    """The sequence that puts the cursor on a cell."""
    return b"\x1b[%d;%dH" % (y + 1, x + 1)


def vt_text(strip: Strip, depth: Depth) -> bytes:
    """Cells as VT text that starts and ends in the default style."""
    parts: list[str] = []
    looks = ((_sgr(style, depth) if style else ("", ""), text) for text, style, _ in strip)
    for (codes, link), pieces in groupby(looks, itemgetter(0)):
        text = "".join(text for _, text in pieces)
        piece = f"\x1b[{codes}m{text}\x1b[m" if codes else text
        parts.append(f"\x1b]8;;{link}\x1b\\{piece}\x1b]8;;\x1b\\" if link else piece)
    return "".join(parts).encode("utf-8", "replace")


def _sgr(style: Style, depth: Depth) -> tuple[str, str]:
    """The SGR parameters of a style, and its link. Those of panes are exact, and begin with 0; others name default
    colours, too, which need not be set."""
    exact = style._ansi if depth is Depth.TRUE else None  # pyright: ignore[reportPrivateUsage]
    return (exact if exact and exact.startswith("0") else _codes(style, depth)), style.link or ""


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
    """A colour as the terminal shows it; None for its default one, which the text starts in."""
    if depth is Depth.NONE or colour is None or colour.is_default:
        return None
    return colour.downgrade(_SYSTEMS[depth])
