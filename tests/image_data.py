"""Pictures as programs print them."""

import zlib
from base64 import b64encode

from fugue_tui.terminal.screen.images import Pixels

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def plain(colour: tuple[int, int, int], width: int, height: int) -> bytes:
    """The RGB pixels of a picture of one colour."""
    return bytes(colour) * (width * height)


def kitty(keys: str, data: bytes = b"", *, chunk: int = 4_096, compressed: bool = False) -> bytes:
    """Commands of the kitty graphics protocol that carry data."""
    text = b64encode(zlib.compress(data) if compressed else data)
    parts = [text[at : at + chunk] for at in range(0, len(text), chunk)] or [b""]
    heads = [f"{keys}{',o=z' if compressed else ''},m={int(len(parts) > 1)}"]
    heads += [f"m={int(index < len(parts) - 1)}" for index in range(1, len(parts))]
    return b"".join(b"\x1b_G%b;%b\x1b\\" % (head.encode(), part) for head, part in zip(heads, parts, strict=True))


def shown(colour: tuple[int, int, int], width: int, height: int, keys: str = "") -> bytes:
    """A picture of one colour, transmitted and shown where the cursor is."""
    return kitty(f"a=T,f=24,q=2,s={width},v={height}{keys}", plain(colour, width, height))


def sixel(colour: tuple[int, int, int], width: int, height: int) -> bytes:
    """A sixel image of one colour; the height is a multiple of six."""
    red, green, blue = (part * 100 // 255 for part in colour)
    bands = b"-".join([b"#1!%d~" % width] * (height // 6))
    return b'\x1bPq"1;1;%d;%d#1;2;%d;%d;%d' % (width, height, red, green, blue) + bands + b"\x1b\\"


def pixel(pixels: Pixels, x: int, y: int) -> tuple[int, ...]:
    """One pixel."""
    at = (y * pixels.width + x) * len(pixels.mode)
    return tuple(pixels.data[at : at + len(pixels.mode)])
