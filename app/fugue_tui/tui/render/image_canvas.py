"""Images drawn into cells: as pictures for sixel hosts, and as half blocks for all that show no images."""

from typing import TYPE_CHECKING, Final

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from fugue_tui.attach_server.output import sixel_encoder
from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.geometry import Rect
from fugue_tui.terminal.screen.images import Pixels, Placement
from fugue_tui.tui.render.client_view import vt_text

if TYPE_CHECKING:
    from PIL.Image import Image

_BAND: Final = 6
_TRANSPARENT: Final = 128


def cells_of(placement: Placement, cell: tuple[int, int]) -> Rect:
    """The cells that a placement touches."""
    target, (wide, high) = placement.target, cell
    x, y = target.x // wide, target.y // high
    return Rect(x, y, -(-target.right // wide) - x, -(-target.bottom // high) - y)


def _canvas(pixels: Pixels, placement: Placement, cell: tuple[int, int], host: tuple[int, int]) -> "Image":
    """The placement in whole cells, each as large as the host's."""
    from PIL import Image

    across, down = host[0] / cell[0], host[1] / cell[1]
    area, target, source = cells_of(placement, cell), placement.target, placement.source
    picture = Image.frombytes(pixels.mode, (pixels.width, pixels.height), pixels.data)
    part = picture.crop((source.x, source.y, source.right, source.bottom)).convert("RGBA")
    size = max(1, round(target.width * across)), max(1, round(target.height * down))
    canvas = Image.new("RGBA", (area.cols * host[0], area.rows * host[1]))
    at = round((target.x - area.x * cell[0]) * across), round((target.y - area.y * cell[1]) * down)
    if part.size != size:
        part = part.resize(size, Image.Resampling.BILINEAR)  # pyright: ignore[reportUnknownMemberType]
    canvas.paste(part, at)
    return canvas


def sixel(
    pixels: Pixels, placement: Placement, cell: tuple[int, int], host: tuple[int, int], colours: int, *, last: bool
) -> bytes:
    """A placement as a sixel image for the first cell that it touches. In the `last` row of the host, whole bands only
    keep the screen from scrolling."""
    picture = _canvas(pixels, placement, cell, host)
    if last:
        picture = picture.crop((0, 0, picture.width, max(picture.height - picture.height % _BAND, 1)))
    return sixel_encoder.encode(picture, colours)


def half_blocks(pixels: Pixels, placement: Placement, cell: tuple[int, int], depth: Depth) -> list[bytes]:
    """A placement as rows of VT text, for the cells that it touches."""
    area = cells_of(placement, cell)
    if depth is Depth.NONE:
        label = f"[image {placement.image.width}x{placement.image.height}]"[: area.cols]
        return [label.ljust(area.cols).encode(), *[b" " * area.cols] * (area.rows - 1)]
    picture = _canvas(pixels, placement, cell, (2, 4))
    picture = picture.resize((area.cols, 2 * area.rows))  # pyright: ignore[reportUnknownMemberType]
    data, width = picture.tobytes(), 4 * area.cols
    rows = [data[at : at + width] for at in range(0, len(data), width)]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return [vt_text(Strip(_blocks(above, below)), depth) for above, below in pairs]


def _blocks(above: bytes, below: bytes) -> list[Segment]:
    return [_block(above[at : at + 4], below[at : at + 4]) for at in range(0, len(above), 4)]


def _block(above: bytes, below: bytes) -> Segment:
    top, bottom = _colour(above), _colour(below)
    if top is None:
        return Segment("▄", Style(color=bottom)) if bottom is not None else Segment(" ")
    return Segment("▀", Style(color=top, bgcolor=bottom))


def _colour(pixel: bytes) -> Color | None:
    red, green, blue, alpha = pixel
    return Color.from_triplet(ColorTriplet(red, green, blue)) if alpha >= _TRANSPARENT else None
