"""Rows of a terminal as Textual strips."""

from functools import lru_cache

from rich.color import Color, ColorType
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.strip import Strip

from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, PLAIN, TRUECOLOUR, Row, Style, Underline, opens
from fugue_tui.terminal.screen.sgr import sgr

_BLANK = RichStyle()


def strip_of(row: Row, cols: int) -> Strip:
    """A row as a strip of exactly `cols` cells; colours 0 to 15 stay the host's own."""
    segments: list[Segment] = []
    used = 0
    for run in row.runs:
        segments.append(Segment(run.text, linked(run.style, run.link) if opens(run.link) else rich_style(run.style)))
        used += run.cols
    if used < cols:
        segments.append(Segment(" " * (cols - used), _BLANK))
    strip = Strip(segments, max(used, cols))
    return strip if used <= cols else strip.crop(0, cols)


def with_cursor(strip: Strip, x: int, cols: int) -> Strip:
    """The same strip with the cell at `x` in reverse video, for hosts whose own cursor is hidden."""
    if not 0 <= x < cols:
        return strip
    head, cell, tail = strip.crop(0, x), strip.crop(x, x + 1), strip.crop(x + 1, cols)
    return Strip.join([head, cell.apply_style(RichStyle(reverse=True)), tail])


@lru_cache(maxsize=4096)
def rich_style(style: Style) -> RichStyle:
    """A Rich style that renders as the exact style where it is not combined with another."""
    return _BLANK if style == PLAIN else _exact(_nearest(style), style)


@lru_cache(maxsize=1024)
def linked(style: Style, link: str) -> RichStyle:
    """The same for the text of a link."""
    return _exact(rich_style(style) + RichStyle(link=link), style)


def _exact(rich: RichStyle, style: Style) -> RichStyle:
    """Adds what Rich lacks: kinds and colours of underlines, and colours whatever it detects of the host."""
    if style != PLAIN:
        rich._ansi = sgr(style)[2:-1]  # pyright: ignore[reportPrivateUsage]
    return rich


def _nearest(style: Style) -> RichStyle:
    """The nearest Rich style: every underline but the double one is a plain line."""
    return RichStyle(
        color=_colour(style.fg),
        bgcolor=_colour(style.bg),
        bold=style.bold or None,
        dim=style.faint or None,
        italic=style.italic or None,
        underline=style.underline not in (Underline.NONE, Underline.DOUBLE) or None,
        underline2=style.underline is Underline.DOUBLE or None,
        blink=style.blink or None,
        reverse=style.inverse or None,
        conceal=style.invisible or None,
        strike=style.strikethrough or None,
        overline=style.overline or None,
    )


@lru_cache(maxsize=4096)
def _colour(colour: int) -> Color | None:
    if colour == DEFAULT_COLOUR:
        return None
    if colour >= TRUECOLOUR:
        value = colour - TRUECOLOUR
        return Color.from_rgb(value >> 16, value >> 8 & 255, value & 255)
    kind = ColorType.STANDARD if colour < 16 else ColorType.EIGHT_BIT
    return Color(f"color({colour})", kind, number=colour)
