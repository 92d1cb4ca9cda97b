"""Renders a screen as PNG, cell by cell, with cached glyphs."""

from functools import lru_cache
from io import BytesIO
from typing import Final

from msgspec import Struct
from PIL import Image, ImageDraw, ImageFont

from fugue_tui.errors import InvalidArgument
from fugue_tui.imaging import box_drawing
from fugue_tui.imaging.fonts import emoji_for, face, font_for
from fugue_tui.imaging.palette import Colour, Theme, mixed
from fugue_tui.imaging.screen import Cell, PaneImage, Screen, cells
from fugue_tui.imaging.shapes import Arc, Box, Line, Polygon, Shape
from fugue_tui.terminal.screen.cells import Cursor, CursorShape, Style, Underline

SIZE: Final = 15
"""The font size in pixels."""
MOST_PIXELS: Final = 40_000_000
"""Larger images are refused before memory is allocated."""
_MASK: Final = "L"
_SCALE: Final = 4
"""Supersampling factor of curves."""


class Metrics(Struct, frozen=True):
    """The size of a cell in pixels."""

    width: int
    height: int
    baseline: int


@lru_cache(maxsize=8)
def metrics(size: int) -> Metrics:
    """The cell size of the shipped font."""
    font = face(size, bold=False)
    ascent, descent = font.getmetrics()
    return Metrics(max(1, round(font.getlength("M"))), ascent + descent, ascent)


def draw(screen: Screen, theme: Theme | None = None, size: int = SIZE) -> Image.Image:
    """Render a screen as an image. Raises InvalidArgument if it would be too large."""
    theme, cell = theme or Theme(), metrics(size)
    width, height = max(screen.cols, 1) * cell.width, max(len(screen.rows), 1) * cell.height
    if width * height > MOST_PIXELS:
        raise InvalidArgument(f"a picture of {width} x {height} pixels is too large; ask for fewer rows or one pane")
    image = Image.new("RGB", (width, height), theme.background)
    for y, row in enumerate(screen.rows):
        for each in cells(row, screen.cols):
            _cell(image, each, y, theme, cell, size)
    for each in screen.images:
        _image(image, each, cell)
    if screen.cursor is not None and screen.cursor.visible:
        _cursor(image, screen, screen.cursor, theme, cell, size)
    return image


def encode(image: Image.Image) -> bytes:
    """Encode an image as PNG."""
    out = BytesIO()
    image.save(out, "PNG", compress_level=4)
    return out.getvalue()


def png(screen: Screen, theme: Theme | None = None) -> bytes:
    """Render a screen as PNG. Raises InvalidArgument if it would be too large."""
    return encode(draw(screen, theme))


def _image(image: Image.Image, each: PaneImage, cell: Metrics) -> None:
    """Draw an image that a program printed."""
    source, pixels = each.source, each.pixels
    whole = Image.frombytes(pixels.mode, (pixels.width, pixels.height), pixels.data)
    part = whole.crop((source.x, source.y, source.right, source.bottom)).convert("RGBA")
    size = max(1, round(each.cols * cell.width)), max(1, round(each.rows * cell.height))
    drawn = part.resize(size, Image.Resampling.BILINEAR)  # pyright: ignore[reportUnknownMemberType]
    image.paste(drawn, (round(each.x * cell.width), round(each.y * cell.height)), drawn)


def _cell(image: Image.Image, each: Cell, y: int, theme: Theme, cell: Metrics, size: int) -> None:
    fg, bg = theme.pair(each.style)
    left, top = each.x * cell.width, y * cell.height
    width = each.cols * cell.width
    if bg != theme.background:
        image.paste(bg, (left, top, left + width, top + cell.height))
    if each.text.strip():
        _character(image, each, (left, top), fg, bg, cell, size)
    if each.style.underline or each.style.strikethrough or each.style.overline:
        _lines(image, each.style, (left, top), width, fg, theme, cell)


def _character(
    image: Image.Image, each: Cell, at: tuple[int, int], fg: Colour, bg: Colour, cell: Metrics, size: int
) -> None:
    width = each.cols * cell.width
    if (font := emoji_for(each.text, each.cols)) is not None:
        picture = _emoji(each.text, font, width, cell.height)
        image.paste(picture, at, picture)
        return
    known = box_drawing.shapes(each.text, width, cell.height)
    if known is not None:
        _shapes(image, known, at, fg, bg, (width, cell.height))
        return
    mask = _glyph(each.text, width, size, bold=each.style.bold, italic=each.style.italic)
    image.paste(fg, (*at, at[0] + mask.width, at[1] + mask.height), mask)


@lru_cache(maxsize=8192)
def _glyph(text: str, width: int, size: int, *, bold: bool, italic: bool) -> Image.Image:
    """The coverage mask of a character in its cell."""
    cell = metrics(size)
    mask = Image.new(_MASK, (width, cell.height))
    drawing = ImageDraw.Draw(mask)
    font = font_for(text, size, bold=bold)
    if font is None:
        drawing.rectangle((1, 2, width - 2, cell.height - 3), outline=160)
        return mask
    drawing.text(_place(font, text, width, cell), text, fill=255, font=font, anchor="ls")
    return _slanted(mask) if italic else mask


def _place(font: ImageFont.FreeTypeFont, text: str, width: int, cell: Metrics) -> tuple[float, int]:
    """The origin of the text: at the left in a monospaced font, else centred in the cell."""
    return max(0.0, (width - font.getlength(text)) / 2), cell.baseline


def _slanted(mask: Image.Image) -> Image.Image:
    """Slant the letters by a fifth of their height, as the shipped font has no italic face."""
    lean = 0.2
    shift = lean * mask.height * 0.75
    return mask.transform(mask.size, Image.Transform.AFFINE, (1, lean, -shift, 0, 1, 0), Image.Resampling.BICUBIC)


@lru_cache(maxsize=512)
def _emoji(text: str, font: ImageFont.FreeTypeFont, width: int, height: int) -> Image.Image:
    box = font.getbbox(text)
    drawn = Image.new("RGBA", (max(1, round(box[2] - box[0])), max(1, round(box[3] - box[1]))))
    ImageDraw.Draw(drawn).text((-box[0], -box[1]), text, font=font, embedded_color=True)
    scale = min(width / drawn.width, height / drawn.height)
    drawn.thumbnail((max(1, int(drawn.width * scale)), max(1, int(drawn.height * scale))))
    cell = Image.new("RGBA", (width, height))
    cell.paste(drawn, ((width - drawn.width) // 2, (height - drawn.height) // 2))
    return cell


def _shapes(
    image: Image.Image,
    known: tuple[Shape, ...],
    at: tuple[int, int],
    fg: Colour,
    bg: Colour,
    size: tuple[int, int],
) -> None:
    for shape in known:
        match shape:
            case Box(x0, y0, x1, y1, alpha):
                area = (at[0] + round(x0), at[1] + round(y0), at[0] + round(x1), at[1] + round(y1))
                image.paste(fg if alpha == 1 else mixed(fg, bg, alpha), area)
            case _:
                mask = _curve(shape, size)
                image.paste(fg, (*at, at[0] + size[0], at[1] + size[1]), mask)


@lru_cache(maxsize=256)
def _curve(shape: Line | Arc | Polygon, size: tuple[int, int]) -> Image.Image:
    mask = Image.new(_MASK, (size[0] * _SCALE, size[1] * _SCALE))
    drawing = ImageDraw.Draw(mask)
    if isinstance(shape, Polygon):
        drawing.polygon([(x * _SCALE, y * _SCALE) for x, y in shape.points], fill=255)
    elif isinstance(shape, Line):
        ends = [coordinate * _SCALE for coordinate in (shape.x0, shape.y0, shape.x1, shape.y1)]
        drawing.line(ends, fill=255, width=round(shape.width * _SCALE))
    else:
        thick = round(shape.width * _SCALE)
        outer = (shape.radius + shape.width / 2) * _SCALE
        x, y = shape.cx * _SCALE, shape.cy * _SCALE
        drawing.arc((x - outer, y - outer, x + outer, y + outer), shape.start, shape.start + 90, fill=255, width=thick)
    return mask.reduce(_SCALE)


def _lines(
    image: Image.Image, style: Style, at: tuple[int, int], width: int, fg: Colour, theme: Theme, cell: Metrics
) -> None:
    drawing = ImageDraw.Draw(image)
    left, top = at
    right = left + width - 1
    light = box_drawing.thickness(cell.width, cell.height)
    if style.underline:
        y = top + min(cell.baseline + 2, cell.height - 1 - light)
        _underline(drawing, style.underline, (left, right, y), theme.colour(style.underline_colour, fg), light)
    if style.strikethrough:
        y = top + round(cell.baseline * 0.68)
        drawing.rectangle((left, y, right, y + light - 1), fill=fg)
    if style.overline:
        drawing.rectangle((left, top, right, top + light - 1), fill=fg)


def _underline(
    drawing: ImageDraw.ImageDraw, kind: Underline, place: tuple[int, int, int], colour: Colour, light: int
) -> None:
    left, right, y = place
    match kind:
        case Underline.DOUBLE:
            drawing.rectangle((left, y - 1, right, y - 2 + light), fill=colour)
            drawing.rectangle((left, y + 1, right, y + light), fill=colour)
        case Underline.DOTTED | Underline.DASHED:
            step, length = (2 * light, light) if kind is Underline.DOTTED else (6 * light, 3 * light)
            for x in range(left - left % step, right + 1, step):
                if x + length > left:
                    drawing.rectangle((max(x, left), y, min(x + length - 1, right), y + light - 1), fill=colour)
        case Underline.CURLY:
            for x in range(left, right + 1):
                wave = (0, 1, 1, 0, -1, -1)[x % 6]
                drawing.rectangle((x, y + wave, x, y + wave + light - 1), fill=colour)
        case _:
            drawing.rectangle((left, y, right, y + light - 1), fill=colour)


def _cursor(image: Image.Image, screen: Screen, cursor: Cursor, theme: Theme, cell: Metrics, size: int) -> None:
    if not (0 <= cursor.y < len(screen.rows) and 0 <= cursor.x < screen.cols):
        return
    under = next((each for each in cells(screen.rows[cursor.y], screen.cols) if each.x == cursor.x), None)
    left, top = cursor.x * cell.width, cursor.y * cell.height
    width = cell.width * (under.cols if under else 1)
    area = {
        CursorShape.BLOCK: (left, top, left + width, top + cell.height),
        CursorShape.UNDERLINE: (left, top + cell.height - 2, left + width, top + cell.height),
        CursorShape.BAR: (left, top, left + 2, top + cell.height),
    }[cursor.shape]
    image.paste(theme.foreground, area)
    if cursor.shape is CursorShape.BLOCK and under is not None and under.text.strip():
        _character(image, under, (left, top), theme.background, theme.foreground, cell, size)
