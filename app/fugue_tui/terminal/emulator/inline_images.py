"""Images that programs print as sixels or as files (OSC 1337): kept as they were sent, and decoded when they are drawn.

The cells that show them are placeholders of the kitty graphics protocol, so that text that is printed over them, that
scrolls them and that erases them does what it does to text.
"""

from binascii import Error, a2b_base64
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.graphics_scanner import InlineFile, Sixel
from fugue_tui.terminal.screen.images import Image, Pixels
from fugue_tui.terminal.screen.placeholders import MOST, placeholder

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

_OWN: Final = 0xFF << 24
_IMAGES: Final = 256
_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_generations: Final = count(-1, -1)


class InlineImages:
    """The images of one terminal. Needs the terminal's lock."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Image, Callable[[], Pixels | None], int]] = {}
        self._numbers = count(1)
        self._kept = 0

    def add(
        self, image: Sixel | InlineFile, cell: tuple[int, int], room: Size, memory: int
    ) -> tuple[Image, Size] | None:
        """Keep an image, for which older ones may go; and the cells that it fills, of those that there are. None if it
        is broken, or too large for so much memory."""
        opened = _sixel(image, memory) if isinstance(image, Sixel) else _file(image, cell, room, memory)
        if opened is None:
            return None
        width, height, decode = opened
        number = _OWN | next(self._numbers) & 0xFFFFFF
        cols, rows = -(-width // cell[0]), -(-height // cell[1])
        padded = Image(number, next(_generations), cols * cell[0], rows * cell[1])
        self._keep(padded, partial(decode, padded.width, padded.height), len(image.data), memory)
        return padded, Size(cols, rows)

    def _keep(self, image: Image, decode: Callable[[], Pixels | None], length: int, memory: int) -> None:
        self._found[image.id] = (image, decode, length)
        self._kept += length
        while self._found and (self._kept > memory or len(self._found) > _IMAGES):
            self._kept -= self._found.pop(next(iter(self._found)))[2]

    def find(self, number: int) -> Image | None:
        """The image with an id; None if there is none any more."""
        found = self._found.get(number)
        return found[0] if found else None

    def pixels(self, image: Image) -> Callable[[], Pixels | None] | None:
        """Decodes an image, later and without the lock; None if it is not kept."""
        found = self._found.get(image.id)
        return found[1] if found and found[0] == image else None

    def clear(self) -> None:
        """Forget every image."""
        self._found.clear()
        self._kept = 0


def cells(image: int, size: Size, room: Size, x: int, *, below: int = 0) -> str:
    """What a program would print to show an image from column `x` on, as far as there is room for it: in the colour
    that identifies the image, with the cursor left in the image's first column and last row, or so many rows `below`
    that."""
    cols, rows = min(size.cols, room.cols - x, MOST), min(size.rows, MOST)
    colour = f"\x1b[0;38;2;{image >> 16 & 255};{image >> 8 & 255};{image & 255}m"
    lines = ("".join(placeholder(image, row, column) for column in range(cols)) for row in range(rows))
    return colour + f"\x1bD\x1b[{x + 1}G".join(lines) + "\x1bD" * min(below, room.rows) + f"\x1b[{x + 1}G"


def _sixel(image: Sixel, memory: int) -> tuple[int, int, Callable[[int, int], Pixels]] | None:
    from fugue_tui.terminal.emulator import sixel_decoder

    width, height = sixel_decoder.size(image.data)
    if not 0 < width * height * 4 <= memory:
        return None
    return width, height, partial(sixel_decoder.decode, image.data)


def _file(
    image: InlineFile, cell: tuple[int, int], room: Size, memory: int
) -> tuple[int, int, Callable[[int, int], Pixels | None]] | None:
    try:
        data = a2b_base64(image.data)
        with _open(data) as picture:
            width, height = picture.size
    except (Error, OSError, ValueError, SyntaxError):
        return None
    if not 0 < width * height * 4 <= memory:
        return None
    wide, high = (
        _length(image.arguments.get(name, "auto"), *each)
        for name, *each in (("width", cell[0], room.cols), ("height", cell[1], room.rows))
    )
    if wide is None:
        wide = width if high is None else round(width * high / height)
    high = round(height * wide / width) if high is None else high
    wide, high = max(1, min(wide, room.cols * cell[0])), max(1, min(high, MOST * cell[1]))
    return wide, high, partial(_decoded, data, (wide, high))


def _length(text: str, cell: int, cells: int) -> int | None:
    """A width or a height in pixels: `auto`, cells, pixels or per cent of the screen. None for `auto`."""
    number = text.rstrip("px%")
    if not number.isdecimal() or len(number) > 5:
        return None
    unit = text[len(number) :]
    return int(number) * (1 if unit == "px" else cell) if unit != "%" else int(number) * cell * cells // 100


def _open(data: bytes) -> "Picture":
    from io import BytesIO

    from PIL import Image

    return Image.open(BytesIO(data), formats=_FORMATS)


def _decoded(data: bytes, size: tuple[int, int], width: int, height: int) -> Pixels | None:
    """The picture in a size, filled up with transparent pixels to a width and a height."""
    from PIL import Image

    try:
        with _open(data) as picture:
            picture.draft("RGB", size)
            shown = picture.convert("RGBA").resize(size)  # pyright: ignore[reportUnknownMemberType]
    except (OSError, ValueError, SyntaxError):
        return None
    canvas = Image.new("RGBA", (width, height))
    canvas.paste(shown)
    return Pixels("RGBA", width, height, canvas.tobytes())
