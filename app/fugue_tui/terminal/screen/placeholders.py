"""Parts of images in text: what the characters of a placeholder's cell say. Source: kitty's graphics protocol, Unicode
placeholders, whose diacritics stand for numbers."""

from functools import cache
from typing import Final

from msgspec import Struct

from fugue_tui.terminal.screen.cells import Style
from fugue_tui.terminal.screen.images import PLACEHOLDER

_RANGES: Final = (
    "305 30d-30e 310 312 33d-33f 346 34a-34c 350-352 357 35b 363-36f 483-487 592-595 597-599 59c-5a1 5a8-5a9 5ab-5ac "
    "5af 5c4 610-617 657-65b 65d-65e 6d6-6dc 6df-6e2 6e4 6e7-6e8 6eb-6ec 730 732-733 735-736 73a 73d 73f-741 743 745 "
    "747 749-74a 7eb-7f1 7f3 816-819 81b-823 825-827 829-82d 951 953-954 f82-f83 f86-f87 135d-135f 17dd 193a 1a17 "
    "1a75-1a7c 1b6b 1b6d-1b73 1cd0-1cd2 1cda-1cdb 1ce0 1dc0-1dc1 1dc3-1dc9 1dcb-1dcc 1dd1-1de6 1dfe 20d0-20d1 "
    "20d4-20d7 20db-20dc 20e1 20e7 20e9 20f0 2cef-2cf1 2de0-2dff a66f a67c-a67d a6f0-a6f1 a8e0-a8f1 aab0 aab2-aab3 "
    "aab7-aab8 aabe-aabf aac1 fe20-fe26 10a0f 10a38 1d185-1d189 1d1aa-1d1ad 1d242-1d244"
)
"""Combining characters of class 230 in Unicode 6.0 that take part in no composition."""
MOST: Final = 256
"""Rows, and columns, that placeholders are written for."""


@cache
def diacritics() -> str:
    """The diacritic for each number."""
    bounds = [[int(bound, 16) for bound in part.split("-")] for part in _RANGES.split()]
    return "".join(chr(code) for each in bounds for code in range(each[0], each[-1] + 1))


@cache
def _numbers() -> dict[str, int]:
    return {diacritic: number for number, diacritic in enumerate(diacritics())}


class Part(Struct, frozen=True):
    """The cell of an image that a cell of the screen shows."""

    image: int
    """The image's id."""
    row: int
    column: int


def read_part(cluster: str, style: Style, before: Part | None) -> Part:
    """What a placeholder shows; `before` is what the cell to its left shows, from which it goes on where it says no
    more."""
    numbers = [_numbers().get(each) for each in cluster[1:4]]
    row, column, high = (*numbers, None, None, None)[:3]
    low = max(style.fg & 0xFFFFFF, 0) if style.fg >= 0 else 0
    goes_on = before is not None and before.image & 0xFFFFFF == low and row in (None, before.row)
    if before is not None and goes_on and column in (None, before.column + 1):
        image = before.image if high is None else low | high << 24
        if image == before.image:
            return Part(image, before.row, before.column + 1)
    return Part(low | (high or 0) << 24, row or 0, column or 0)


def placeholder(image: int, row: int, column: int) -> str:
    """The characters of a cell that shows a part of an image, without its colour."""
    marks = diacritics()
    return PLACEHOLDER + marks[row] + marks[column] + marks[image >> 24]
