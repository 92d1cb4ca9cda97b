"""Sixel images for hosts, encoded from pictures of Pillow. Source: DEC's VT330/VT340 manual, chapter 14.

The six rows of a band become one number, in which translation tables set the bits of a colour: no pixel is touched in
Python.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL.Image import Image

_BAND: Final = 6
_RUN: Final = re.compile(rb"(?s)(.)\1{3,}")
_HOLE: Final = 255
"""The number of transparent pixels."""
_FEW: Final = 64
"""Colours that are worth choosing well, which takes long: from a smaller picture."""
_REDUCTION: Final = 4
_TRANSPARENT: Final = 128
"""The least alpha that is drawn."""


def encode(picture: "Image", colours: int) -> bytes:
    """An RGBA picture as a sixel image of that many colours at most; what is transparent is left as it is."""
    width, height = picture.size
    from PIL.Image import Dither, Quantize

    opaque = picture.convert("RGB")
    if colours > _FEW:
        chosen = opaque.quantize(min(colours, _HOLE), method=Quantize.FASTOCTREE)
    else:
        chosen = opaque.reduce(_REDUCTION).quantize(colours, method=Quantize.MEDIANCUT)
    indexed = opaque.quantize(palette=chosen, dither=Dither.FLOYDSTEINBERG)
    palette, used = indexed.getpalette() or [], indexed.getcolors() or []
    pixels = indexed.tobytes()
    alpha = picture.getchannel("A").tobytes()
    if min(alpha) < _TRANSPARENT:
        pixels = _with_holes(pixels, alpha)
    out = [b'\x1bP0;1q"1;1;%d;%d' % (width, height)]
    for _, number in used:
        assert isinstance(number, int)
        red, green, blue = (round(part * 100 / 255) for part in palette[3 * number : 3 * number + 3])
        out.append(b"#%d;2;%d;%d;%d" % (number, red, green, blue))
    bands = (_band(pixels[top * width : (top + _BAND) * width], width) for top in range(0, height, _BAND))
    return b"".join(out) + b"-".join(bands) + b"\x1b\\"


def _with_holes(pixels: bytes, alpha: bytes) -> bytes:
    """The pixels, with 255 for those that are transparent."""
    hidden = alpha.translate(bytes(255 * (value < _TRANSPARENT) for value in range(256)))
    holes = int.from_bytes(pixels, "little") | int.from_bytes(hidden, "little")
    return holes.to_bytes(len(pixels), "little")


def _band(pixels: bytes, width: int) -> bytes:
    rows = [pixels[at : at + width] for at in range(0, len(pixels), width)]
    lines: list[bytes] = []
    for number in sorted(set(pixels) - {_HOLE}):
        bits = 0
        for row, line in enumerate(rows):
            if number in line:
                bits |= int.from_bytes(line.translate(_table(number, row)), "little")
        characters = bits.to_bytes(width, "little").translate(_characters()).rstrip(b"?")
        lines.append(b"#%d%b" % (number, _RUN.sub(_repeated, characters)))
    return b"$".join(lines)


@cache
def _table(number: int, row: int) -> bytes:
    """Sets the bit of a row for one colour."""
    return bytes(1 << row if value == number else 0 for value in range(256))


@cache
def _characters() -> bytes:
    return bytes(min(value + 63, 255) for value in range(256))


def _repeated(found: re.Match[bytes]) -> bytes:
    return b"!%d%b" % (len(found[0]), found[1])
