"""Renders a screen as SVG: text stays text, line drawing becomes shapes, and every run keeps its columns."""

from collections.abc import Iterator
from html import escape
from itertools import groupby
from math import cos, radians, sin
from typing import Final

from fugue_tui.imaging import box_drawing
from fugue_tui.imaging.palette import Colour, Theme
from fugue_tui.imaging.screen import Cell, Screen, cells
from fugue_tui.imaging.shapes import Arc, Box, Line, Polygon, Shape
from fugue_tui.sanitize import clean
from fugue_tui.terminal.screen.cells import Cursor, CursorShape, Style, Underline

WIDTH: Final = 9
HEIGHT: Final = 18
BASELINE: Final = 14
_FONTS: Final = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
_UNDERLINES: Final = {
    Underline.DOUBLE: "double",
    Underline.CURLY: "wavy",
    Underline.DOTTED: "dotted",
    Underline.DASHED: "dashed",
}


def svg(screen: Screen, theme: Theme | None = None, title: str = "") -> str:
    """A screen as an SVG document; the title is for screen readers."""
    theme = theme or Theme()
    width, height = screen.cols * WIDTH, len(screen.rows) * HEIGHT
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="{_FONTS}" font-size="15" xml:space="preserve">'
    )
    parts = [head, f"<title>{escape(clean(title))}</title>"] if title else [head]
    parts.append(_rect(0, 0, width, height, theme.background))
    for y, row in enumerate(screen.rows):
        parts += _row(list(cells(row, screen.cols)), y, theme)
    if screen.cursor is not None and screen.cursor.visible:
        parts += _cursor(screen.cursor, theme)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _row(row: list[Cell], y: int, theme: Theme) -> Iterator[str]:
    for style, group in groupby(row, key=lambda cell: cell.style):
        run = list(group)
        bg = theme.pair(style)[1]
        if bg != theme.background:
            columns = run[-1].x + run[-1].cols - run[0].x
            yield _rect(run[0].x * WIDTH, y * HEIGHT, columns * WIDTH, HEIGHT, bg)
    for _, group in groupby(row, key=lambda cell: (cell.style, _kind(cell))):
        run = list(group)
        yield from _shapes(run, y, theme) if _kind(run[0]) == "shape" else _texts(run, y, theme)


def _kind(cell: Cell) -> str:
    if box_drawing.shapes(cell.text, cell.cols * WIDTH, HEIGHT) is not None:
        return "shape"
    return "ascii" if cell.text.isascii() else f"alone {cell.x}"


def _texts(run: list[Cell], y: int, theme: Theme) -> Iterator[str]:
    text = "".join(cell.text for cell in run)
    style = run[0].style
    if not text.strip() and not (style.underline or style.strikethrough or style.overline):
        return
    columns = run[-1].x + run[-1].cols - run[0].x
    look = _look(style, theme)
    place = f'x="{run[0].x * WIDTH}" y="{y * HEIGHT + BASELINE}" textLength="{columns * WIDTH}"'
    yield f"<text {place} {look}>{escape(text)}</text>"


def _look(style: Style, theme: Theme) -> str:
    fg = theme.pair(style)[0]
    look = [f'fill="{_hex(fg)}"']
    if style.bold:
        look.append('font-weight="bold"')
    if style.italic:
        look.append('font-style="italic"')
    lines = [
        *(["underline"] if style.underline else []),
        *(["line-through"] if style.strikethrough else []),
        *(["overline"] if style.overline else []),
    ]
    if lines:
        colour = _hex(theme.colour(style.underline_colour, fg)) if style.underline else _hex(fg)
        shape = _UNDERLINES.get(style.underline, "solid")
        look.append(f'text-decoration="{" ".join(lines)}"')
        look.append(f'style="text-decoration-style:{shape};text-decoration-color:{colour}"')
    return " ".join(look)


def _shapes(run: list[Cell], y: int, theme: Theme) -> Iterator[str]:
    fg = theme.pair(run[0].style)[0]
    for cell in run:
        for shape in box_drawing.shapes(cell.text, cell.cols * WIDTH, HEIGHT) or ():
            yield _shape(shape, cell.x * WIDTH, y * HEIGHT, fg)


def _shape(shape: Shape, left: int, top: int, fg: Colour) -> str:
    match shape:
        case Box(x0, y0, x1, y1, alpha):
            return _rect(left + x0, top + y0, x1 - x0, y1 - y0, fg, alpha)
        case Line(x0, y0, x1, y1, width):
            ends = f'x1="{left + x0:g}" y1="{top + y0:g}" x2="{left + x1:g}" y2="{top + y1:g}"'
            return f'<line {ends} stroke="{_hex(fg)}" stroke-width="{width:g}"/>'
        case Arc(cx, cy, radius, start, width):
            x0, y0 = left + cx + radius * cos(radians(start)), top + cy + radius * sin(radians(start))
            x1, y1 = left + cx + radius * cos(radians(start + 90)), top + cy + radius * sin(radians(start + 90))
            path = f"M{x0:g} {y0:g}A{radius:g} {radius:g} 0 0 1 {x1:g} {y1:g}"
            return f'<path d="{path}" fill="none" stroke="{_hex(fg)}" stroke-width="{width:g}"/>'
        case Polygon(points):
            corners = " ".join(f"{left + x:g},{top + y:g}" for x, y in points)
            return f'<polygon points="{corners}" fill="{_hex(fg)}"/>'


def _cursor(cursor: Cursor, theme: Theme) -> Iterator[str]:
    left, top = cursor.x * WIDTH, cursor.y * HEIGHT
    match cursor.shape:
        case CursorShape.BLOCK:
            yield _rect(left, top, WIDTH, HEIGHT, theme.foreground, 0.6)
        case CursorShape.UNDERLINE:
            yield _rect(left, top + HEIGHT - 2, WIDTH, 2, theme.foreground)
        case CursorShape.BAR:
            yield _rect(left, top, 2, HEIGHT, theme.foreground)


def _rect(x: float, y: float, width: float, height: float, colour: Colour, alpha: float = 1.0) -> str:
    clear = f' fill-opacity="{alpha:g}"' if alpha < 1 else ""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{_hex(colour)}"{clear}/>'


def _hex(colour: Colour) -> str:
    return f"#{colour[0]:02x}{colour[1]:02x}{colour[2]:02x}"
