"""Characters that few fonts have and that must fill their cells: Powerline separators, sextants, Braille.

Powerline's are private-use characters (U+E0A0, U+E0B0 to U+E0BF); sextants are named in the Unicode database (U+1FB00),
and a Braille character's bits are its dots (U+2800).
"""

import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import cos, pi, sin
from typing import Final

from fugue_tui.imaging.shapes import Box, Line, Polygon, Shape

BLANK: Final = "\u2800"
"""Braille without dots: nothing is drawn."""
_STEPS: Final = 16
_DOTS: Final = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
"""Column and row of each Braille dot, from the lowest bit on."""


def symbol(char: str, width: int, height: int, light: int) -> Iterator[Shape]:
    """The shapes of a character in a cell of this size, with lines `light` pixels wide; empty if a font must draw
    it."""
    if draw := _POWERLINE.get(char):
        yield from draw(width, height, light)
    elif "\u2800" <= char <= "\u28ff":
        yield from _braille(ord(char) - 0x2800, width, height)
    elif "\U0001fb00" <= char <= "\U0001fb3b":
        yield from _sextant(unicodedata.name(char, ""), width, height)


def _braille(bits: int, width: int, height: int) -> Iterator[Shape]:
    size = max(1.0, min(width / 4, height / 8))
    for bit, (column, row) in enumerate(_DOTS):
        if bits >> bit & 1:
            x, y = width * (1 + 2 * column) / 4, height * (1 + 2 * row) / 8
            yield Box(x - size / 2, y - size / 2, x + size / 2, y + size / 2)


def _sextant(name: str, width: int, height: int) -> Iterator[Shape]:
    for digit in name.rpartition("-")[2]:
        row, column = divmod(int(digit) - 1, 2)
        left, right = (0, round(width / 2)) if column == 0 else (round(width / 2), width)
        yield Box(left, round(height * row / 3), right, round(height * (row + 1) / 3))


def _wedge(*corners: tuple[int, int]) -> "_Draw":
    """A filled polygon between corners of the cell; coordinates count half cells."""

    def draw(width: int, height: int, light: int) -> Iterator[Shape]:
        yield Polygon(tuple((x * width / 2, y * height / 2) for x, y in corners))

    return draw


def _bent(*corners: tuple[int, int]) -> "_Draw":
    """A polyline between corners."""

    def draw(width: int, height: int, light: int) -> Iterator[Shape]:
        places = [(x * width / 2, y * height / 2) for x, y in corners]
        for (x0, y0), (x1, y1) in pairwise(places):
            yield Line(x0, y0, x1, y1, light)

    return draw


def _half(*, left: bool, filled: bool) -> "_Draw":
    """Half an ellipse that is flat on its left or right side."""

    def draw(width: int, height: int, light: int) -> Iterator[Shape]:
        angles = [pi * step / _STEPS - pi / 2 for step in range(_STEPS + 1)]
        reach = width if filled else width - light / 2
        bows = [(reach * cos(angle), height * (1 + sin(angle)) / 2) for angle in angles]
        places = [(x if left else width - x, y) for x, y in bows]
        if filled:
            yield Polygon(tuple(places))
            return
        for (x0, y0), (x1, y1) in pairwise(places):
            yield Line(x0, y0, x1, y1, light)

    return draw


def _branch(width: int, height: int, light: int) -> Iterator[Shape]:
    left, right = width * 0.28, width * 0.72
    yield Line(left, height * 0.15, left, height * 0.85, light)
    yield Line(right, height * 0.15, right, height * 0.42, light)
    yield Line(right, height * 0.42, left, height * 0.68, light)


_Draw = Callable[[int, int, int], Iterator[Shape]]
_TOP_LEFT: Final = (0, 0)
_TOP_RIGHT: Final = (2, 0)
_LOW_LEFT: Final = (0, 2)
_LOW_RIGHT: Final = (2, 2)
_POWERLINE: Final[dict[str, _Draw]] = {
    "\ue0a0": _branch,
    "\ue0b0": _wedge(_TOP_LEFT, (2, 1), _LOW_LEFT),
    "\ue0b1": _bent(_TOP_LEFT, (2, 1), _LOW_LEFT),
    "\ue0b2": _wedge(_TOP_RIGHT, (0, 1), _LOW_RIGHT),
    "\ue0b3": _bent(_TOP_RIGHT, (0, 1), _LOW_RIGHT),
    "\ue0b4": _half(left=True, filled=True),
    "\ue0b5": _half(left=True, filled=False),
    "\ue0b6": _half(left=False, filled=True),
    "\ue0b7": _half(left=False, filled=False),
    "\ue0b8": _wedge(_TOP_LEFT, _LOW_LEFT, _LOW_RIGHT),
    "\ue0b9": _bent(_TOP_LEFT, _LOW_RIGHT),
    "\ue0ba": _wedge(_TOP_RIGHT, _LOW_LEFT, _LOW_RIGHT),
    "\ue0bb": _bent(_TOP_RIGHT, _LOW_LEFT),
    "\ue0bc": _wedge(_TOP_LEFT, _TOP_RIGHT, _LOW_LEFT),
    "\ue0bd": _bent(_TOP_RIGHT, _LOW_LEFT),
    "\ue0be": _wedge(_TOP_LEFT, _TOP_RIGHT, _LOW_RIGHT),
    "\ue0bf": _bent(_TOP_LEFT, _LOW_RIGHT),
}
