"""An image in half blocks, in any terminal."""

import io
from typing import Final

from rich.color import Color
from rich.style import Style
from rich.text import Text
from textual.events import Resize
from textual.widgets import Static

from fugue_tui.errors import Unshowable
from fugue_tui.sanitize import clean

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


class ImageView(Static):
    """An image in half blocks, as large as fits."""

    DEFAULT_CSS = "ImageView { width: 100%; height: 100%; }"

    def __init__(self, image: bytes) -> None:
        super().__init__()
        self._image = image

    def on_resize(self, event: Resize) -> None:
        """Draw it at the new size."""
        size, behind = event.size, self.background_colors[1].rgb
        self.update(half_blocks(self._image, max(1, size.width), max(1, size.height), behind))


def half_blocks(image: bytes, cols: int, rows: int, behind: tuple[int, int, int] = (0, 0, 0)) -> Text:
    """An image as text of at most so many cells, each two pixels high; `behind` shows through where it is transparent.

    Raises Unshowable if it cannot be decoded."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(_critical(image))) as opened:
            opened.draft("RGB", (cols, 2 * rows))
            opened.thumbnail((cols, 2 * rows))
            if opened.has_transparency_data:
                base = Image.new("RGBA", opened.size, (*behind, 255))
                picture = Image.alpha_composite(base, opened.convert("RGBA")).convert("RGB")
            else:
                picture = opened.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        reason = "its format is unknown" if isinstance(error, UnidentifiedImageError) else clean(str(error), 200)
        raise Unshowable(f"it is no image that can be shown: {reason}") from None
    text, width, height = Text(no_wrap=True), picture.width, picture.height
    pixels = picture.tobytes()

    def colour(x: int, y: int) -> Color | None:
        at = 3 * (y * width + x)
        return Color.from_rgb(*pixels[at : at + 3]) if y < height else None

    for y in range(0, height, 2):
        for x in range(width):
            text.append("▀", Style(color=colour(x, y), bgcolor=colour(x, y + 1)))
        text.append("\n")
    return text


def _critical(image: bytes) -> bytes:
    """A PNG with the chunks alone that it is shown by: others may be damaged, which browsers do not mind either."""
    if not image.startswith(SIGNATURE):
        return image
    kept, at = [SIGNATURE], len(SIGNATURE)
    while at + 12 <= len(image):
        end = at + 12 + int.from_bytes(image[at : at + 4])
        kind = image[at + 4 : at + 8]
        if kind[:1].isupper() or kind == b"tRNS":
            kept.append(image[at:end])
        at = end
    return b"".join(kept)
