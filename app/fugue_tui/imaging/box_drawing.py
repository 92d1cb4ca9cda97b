"""Box drawing, blocks and shades as shapes that meet at the edges of their cells, in any font.

The shapes are derived from the characters' names in the Unicode database (blocks U+2500 and U+2580).
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from fugue_tui.imaging.glyph_shapes import BLANK, symbol
from fugue_tui.imaging.shapes import Arc, Box, Line, Shape

_WEIGHTS: Final = {"LIGHT": 1, "SINGLE": 1, "HEAVY": 2, "DOUBLE": 3}
_DOUBLE: Final = 3
_OPPOSITE: Final = {"u": "d", "d": "u", "l": "r", "r": "l"}
_SIDES: Final = {"UP": "u", "DOWN": "d", "LEFT": "l", "RIGHT": "r", "VERTICAL": "ud", "HORIZONTAL": "lr"}
_DASHES: Final = {"DOUBLE DASH": 2, "TRIPLE DASH": 3, "QUADRUPLE DASH": 4}
_PARTS: Final = {"HALF": 1 / 2, "ONE QUARTER": 1 / 4, "THREE QUARTERS": 3 / 4}
_EIGHTHS: Final = {"ONE": 1, "THREE": 3, "FIVE": 5, "SEVEN": 7}
_SHADES: Final = {"LIGHT SHADE": 0.25, "MEDIUM SHADE": 0.5, "DARK SHADE": 0.75}


@lru_cache(maxsize=2048)
def shapes(char: str, width: int, height: int) -> tuple[Shape, ...] | None:
    """The shapes of a character in a cell of this size in pixels; None if a font must draw it."""
    if len(char) != 1 or char.isascii():
        return None
    if not "\u2500" <= char <= "\u259f":
        drawn = tuple(symbol(char, width, height, thickness(width, height)))
        return drawn if drawn or char == BLANK else None
    name = unicodedata.name(char)
    if char >= "\u2580":
        return tuple(_block(name, width, height))
    return tuple(_drawing(name.removeprefix("BOX DRAWINGS "), width, height))


def thickness(width: int, height: int) -> int:
    """The width of a light line in pixels."""
    return max(1, round(min(width, height) / 8))


def _drawing(name: str, width: int, height: int) -> Iterator[Shape]:
    light = thickness(width, height)
    if "DIAGONAL" in name:
        if "CROSS" in name or "UPPER RIGHT" in name:
            yield Line(width, 0, 0, height, light)
        if "CROSS" in name or "UPPER LEFT" in name:
            yield Line(0, 0, width, height, light)
        return
    if "ARC" in name:
        yield from _rounded(name, width, height, light)
        return
    for word, count in _DASHES.items():
        if word in name:
            yield from _dashed(name, count, width, height, light)
            return
    yield from _arms(_weights(name), width, height, light)


def _weights(name: str) -> dict[str, int]:
    """The weight of each arm: `u`, `d`, `l`, `r`."""
    found: dict[str, int] = {}
    weight = 1
    parts = [part.split() for part in name.split(" AND ")]
    first = next(word for word in parts[0] + parts[-1] if word in _WEIGHTS)
    for words in parts:
        weight = next((_WEIGHTS[word] for word in words if word in _WEIGHTS), _WEIGHTS[first])
        for word in words:
            for side in _SIDES.get(word, ""):
                found[side] = weight
    return found


def _arms(weights: dict[str, int], width: int, height: int, light: int) -> Iterator[Shape]:
    """Each arm from its edge to the centre, extended to join the arms that cross it."""
    for side, weight in weights.items():
        length, breadth = (height, width) if side in "ud" else (width, height)
        before, after = (weights.get(other, 0) for other in ("lr" if side in "ud" else "ud"))
        goes_on = _OPPOSITE[side] in weights
        for offset, thick in _tracks(weight, light):
            past = _past(offset, (before, after), light, towards_end=side in "ul", goes_on=goes_on)
            near, far = breadth // 2 + offset - thick // 2, breadth // 2 + offset - thick // 2 + thick
            first, last = (0, length // 2 + past) if side in "ul" else (length // 2 - past, length)
            yield Box(near, first, far, last) if side in "ud" else Box(first, near, last, far)


def _tracks(weight: int, light: int) -> list[tuple[int, int]]:
    """The parallel lines of a weight, as (offset from the middle, thickness)."""
    return [(-light, light), (light, light)] if weight == _DOUBLE else [(0, light * weight)]


def _past(offset: int, across: tuple[int, int], light: int, *, towards_end: bool, goes_on: bool) -> int:
    """How far a line extends past the centre (or stops before it) to meet the crossing lines, in pixels."""

    def half(thick: int) -> int:
        """From the centre to the far edge of a crossing line."""
        return thick - thick // 2 if towards_end else thick // 2

    if offset:
        outer, inner = across if offset < 0 else across[::-1]
        if outer == _DOUBLE:
            return half(light) - light
        return half(light) + light if inner == _DOUBLE and not outer and not goes_on else half(light)
    if goes_on or _DOUBLE not in across:
        return half(light * max(*across, 1))
    return half(light) - light if across == (_DOUBLE, _DOUBLE) else half(light) + light


def _rounded(name: str, width: int, height: int, light: int) -> Iterator[Shape]:
    """A quarter circle in the middle, and straight ends to the edges."""
    down, right = "DOWN" in name, "RIGHT" in name
    x, y = width // 2 - light // 2, height // 2 - light // 2
    middle, centre = x + light / 2, y + light / 2
    radius = min(middle, width - middle, centre, height - centre) - 0.5
    cx, cy = middle + (radius if right else -radius), centre + (radius if down else -radius)
    start = {(True, True): 180, (True, False): 270, (False, True): 90, (False, False): 0}[down, right]
    yield Arc(cx, cy, radius, start, light)
    yield Box(x, cy, x + light, height) if down else Box(x, 0, x + light, cy)
    yield Box(cx, y, width, y + light) if right else Box(0, y, cx, y + light)


def _dashed(name: str, count: int, width: int, height: int, light: int) -> Iterator[Shape]:
    thick = light * (2 if "HEAVY" in name else 1)
    vertical = "VERTICAL" in name
    length, middle = (height, width // 2) if vertical else (width, height // 2)
    gap = max(1.0, length / count / 4)
    for index in range(count):
        start, end = length * index / count + gap / 2, length * (index + 1) / count - gap / 2
        near, far = middle - thick // 2, middle - thick // 2 + thick
        yield Box(near, start, far, end) if vertical else Box(start, near, end, far)


def _block(name: str, width: int, height: int) -> Iterator[Shape]:
    if name in _SHADES:
        yield Box(0, 0, width, height, _SHADES[name])
        return
    if name.startswith("QUADRANT"):
        for part in name.removeprefix("QUADRANT ").split(" AND "):
            yield _quadrant(part, width, height)
        return
    share = _share(name)
    side = name.split()[0]
    x, y = round(width * share), round(height * share)
    yield {
        "UPPER": Box(0, 0, width, y),
        "LOWER": Box(0, height - y, width, height),
        "LEFT": Box(0, 0, x, height),
        "RIGHT": Box(width - x, 0, width, height),
        "FULL": Box(0, 0, width, height),
    }[side]


def _share(name: str) -> float:
    for word, share in _PARTS.items():
        if word in name:
            return share
    found = re.search(r"(\w+) EIGHTHS?", name)
    return _EIGHTHS[found[1]] / 8 if found else 1.0


def _quadrant(part: str, width: int, height: int) -> Box:
    x, y = round(width / 2), round(height / 2)
    left, upper = part.endswith("LEFT"), part.startswith("UPPER")
    return Box(0 if left else x, 0 if upper else y, x if left else width, y if upper else height)
