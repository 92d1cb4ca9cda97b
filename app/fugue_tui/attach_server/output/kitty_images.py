"""Images for hosts with the kitty graphics protocol, encoded anew from pixels. Source: kitty's graphics protocol.

Every command suppresses the host's replies (q=2).
"""

import zlib
from base64 import b64encode
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from fugue_tui.terminal.screen.images import Pixels, Placement

_CHUNK: Final = 4_096
_FORMATS: Final = {"RGB": b"24", "RGBA": b"32"}
DELETE_ALL: Final = b"\x1b_Ga=d,d=A,q=2\x1b\\"
"""Deletes every image of the screen, with its pixels."""
ABORT: Final = b"\x1b_Gm=0,q=2;\x1b\\"
"""Ends an image that was transmitted in part."""


class KittyPayload(Struct, frozen=True):
    """An image as it is sent."""

    mode: str
    """RGB or RGBA."""
    width: int
    height: int
    data: bytes
    """The base64 of the compressed pixels."""


def payload(pixels: Pixels) -> KittyPayload:
    """An image's pixels as they are sent."""
    if pixels.mode not in _FORMATS:
        from PIL import Image

        picture = Image.frombytes(pixels.mode, (pixels.width, pixels.height), pixels.data)
        mode = "RGBA" if pixels.mode == "LA" else "RGB"
        pixels = Pixels(mode, pixels.width, pixels.height, picture.convert(mode).tobytes())
    data = b64encode(zlib.compress(pixels.data, 1))
    return KittyPayload(pixels.mode, pixels.width, pixels.height, data)


def transmission(number: int, image: KittyPayload) -> Iterator[bytes]:
    """The commands that give the host an image, in order; between them it may get text, and no other command."""
    data = image.data
    keys = b"a=t,t=d,o=z,q=2,f=%b,s=%d,v=%d,i=%d," % (_FORMATS[image.mode], image.width, image.height, number)
    for at in range(0, len(data), _CHUNK):
        more = at + _CHUNK < len(data)
        yield b"\x1b_G%bm=%d%b;%b\x1b\\" % (keys, more, b"" if keys else b",q=2", data[at : at + _CHUNK])
        keys = b""


def place(number: int, placement: int, shown: Placement, cell: tuple[int, int]) -> bytes:
    """Shows a part of an image on a host with cells of that size, which moves the cursor; one with the same number of
    the placement goes. `shown` is in the host's pixels."""
    target, source = shown.target, shown.source
    x, y = target.x // cell[0], target.y // cell[1]
    keys = b"a=p,q=2,C=1,i=%d,p=%d,z=%d,x=%d,y=%d,w=%d,h=%d" % (
        number, placement, shown.z, source.x, source.y, source.width, source.height,
    )  # fmt: skip
    if offset := target.x % cell[0]:
        keys += b",X=%d" % offset
    if offset := target.y % cell[1]:
        keys += b",Y=%d" % offset
    if (target.width, target.height) != (source.width, source.height):
        cols, rows = max(1, round(target.width / cell[0])), max(1, round(target.height / cell[1]))
        keys += b",c=%d,r=%d" % (cols, rows)
    return b"\x1b[%d;%dH\x1b_G%b\x1b\\" % (y + 1, x + 1, keys)


def remove(number: int, placement: int) -> bytes:
    """Shows a placement no longer."""
    return b"\x1b_Ga=d,d=i,q=2,i=%d,p=%d\x1b\\" % (number, placement)


def forget(number: int) -> bytes:
    """Deletes an image and its pixels."""
    return b"\x1b_Ga=d,d=I,q=2,i=%d\x1b\\" % number
