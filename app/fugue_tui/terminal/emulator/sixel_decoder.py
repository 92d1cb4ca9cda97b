"""Decodes sixel images. Source: DEC's VT330/VT340 manual, chapter 14.

A band of six rows is drawn colour by colour, each as a mask that Pillow fills: its bits are taken from the characters
by translation tables, so that no pixel is touched in Python.
"""

import re
from colorsys import hls_to_rgb
from functools import cache
from typing import TYPE_CHECKING, Final

from fugue_tui.terminal.screen.images import Pixels

if TYPE_CHECKING:
    from PIL.Image import Image

_RASTER: Final = re.compile(rb'[0-9;]*q\s*"[0-9]*;[0-9]*;([0-9]{1,5});([0-9]{1,5})')
_REPEAT: Final = re.compile(rb"!([0-9]{1,6})([?-~])")
_TOKEN: Final = re.compile(rb"#([0-9]{1,5})((?:;[0-9]{1,5}){4})?|([$])|([!0-9?-~]+)")
_BAND: Final = 6
_EMPTY: Final = ord("?")
_LONGEST_ROW: Final = 10_000
_COLOURS: Final = 1_024
_DEFAULTS: Final = (
    "000000 3333cc cc2121 33cc33 cc33cc 33cccc cccc33 878787 424242 545499 994242 549954 995499 549999 999954 cccccc"
)
"""The VT340's colours."""


def size(data: bytes) -> tuple[int, int]:
    """Width and height of an image: as it declares them, or else as far as it draws."""
    declared = _RASTER.match(data)
    if declared and int(declared[1]) and int(declared[2]):
        return int(declared[1]), int(declared[2])
    bands = _body(data).split(b"-")
    while bands and not bands[-1].strip(b"$ \r\n"):
        bands.pop()
    passes = (line for band in bands for line in re.sub(rb"#[0-9;]*", b"", band).split(b"$"))
    return min(max(map(_length, passes), default=0), _LONGEST_ROW), _BAND * len(bands)


def end(data: bytes) -> int:
    """Where the last band ends, in pixels from the top: xterm leaves the cursor in that row, below the first column. Of
    an image that ends with a graphics newline it is the band below."""
    return _BAND * (data.count(b"-") + 1)


def _length(line: bytes) -> int:
    repeated = sum(min(int(count), _LONGEST_ROW) for count, _ in _REPEAT.findall(line))
    return repeated + len(re.findall(rb"[?-~]", _REPEAT.sub(b"", line)))


def _body(data: bytes) -> bytes:
    """The image without the parameters in front of it and without raster attributes."""
    return re.sub(rb'"[0-9;]*', b"", data.partition(b"q")[2])


def decode(data: bytes, width: int, height: int) -> Pixels:
    """The pixels of an image, cut or filled up with transparent ones to a size."""
    from PIL import Image

    picture = Image.new("RGBA", (width, height))
    colours = {number: _rgb(each) for number, each in enumerate(_DEFAULTS.split())}
    colour = 0
    for index, band in enumerate(_body(data).split(b"-")):
        if index * _BAND >= height:
            break
        colour = _draw(picture, band, index * _BAND, colours, colour)
    return Pixels("RGBA", width, height, picture.tobytes())


def _rgb(text: str) -> tuple[int, int, int]:
    return int(text[:2], 16), int(text[2:4], 16), int(text[4:], 16)


def _draw(picture: "Image", band: bytes, top: int, colours: dict[int, tuple[int, int, int]], colour: int) -> int:
    """Draw a band; the colour that its end leaves selected."""
    x = 0
    for token in _TOKEN.finditer(band):
        if token[1]:
            colour = int(token[1]) % _COLOURS
            if token[2]:
                colours[colour] = _defined(token[2])
        elif token[3]:
            x = 0
        elif x < picture.width:
            line = _REPEAT.sub(_repeated, token[4])
            line = line.translate(None, b"!0123456789")[: picture.width - x]
            _fill(picture, line, x, top, colours.get(colour, (0, 0, 0)))
            x += len(line)
    return colour


def _repeated(found: re.Match[bytes]) -> bytes:
    return found[2] * min(int(found[1]), _LONGEST_ROW)


def _defined(text: bytes) -> tuple[int, int, int]:
    """A colour as HLS, whose hue begins at blue, or RGB in per cent."""
    system, *parts = (int(part) for part in text[1:].split(b";"))
    if system == 1:
        red, green, blue = hls_to_rgb((parts[0] + 240) % 360 / 360, min(parts[1], 100) / 100, min(parts[2], 100) / 100)
    else:
        red, green, blue = (min(part, 100) / 100 for part in parts)
    return round(red * 255), round(green * 255), round(blue * 255)


def _fill(picture: "Image", line: bytes, x: int, top: int, colour: tuple[int, int, int]) -> None:
    from PIL import Image

    if not line.strip(b"?"):
        return
    mask = b"".join(line.translate(table) for table in _tables())
    picture.paste((*colour, 255), (x, top), Image.frombytes("L", (len(line), _BAND), mask))


@cache
def _tables() -> tuple[bytes, ...]:
    """For each of the six rows: 255 for the characters that draw in it."""
    return tuple(
        bytes(255 * (code >= _EMPTY and (code - _EMPTY) >> row & 1) for code in range(256)) for row in range(_BAND)
    )
