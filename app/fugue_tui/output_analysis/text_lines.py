"""The text to be analysed: sanitized, bounded, split into lines, and mapped to terminal cells."""

from functools import lru_cache
from typing import Final

from msgspec import Struct
from wcwidth import wcwidth

from fugue_tui.sanitize import clean_text

MOST_TEXT: Final = 1 << 20
"""Most characters of a text that are analysed."""
MOST_LINES: Final = 20_000
"""Most lines of a text that are analysed."""
WIDEST: Final = 4096
"""Most characters of a line that can be part of a table or match a rule."""
_FILL: Final = "\0"
_JOINER: Final = "\u200d"
_MARKS: Final = bytes(0x30 if byte == 0x20 else 0x31 for byte in range(256))


class Source(Struct, frozen=True):
    """A sanitized text, and its lines."""

    text: str
    lines: tuple[str, ...]
    """The first `MOST_LINES` lines, without trailing blanks."""
    cut: bool
    """Whether the text was truncated."""

    @property
    def truncated(self) -> bool:
        """Whether there is more text than the lines."""
        return self.cut or len(self.lines) == MOST_LINES


def source(text: str) -> Source:
    """Sanitize and truncate a text, at a line break if possible."""
    cut = text[:MOST_TEXT]
    whole = clean_text(cut, MOST_TEXT)
    if len(cut) < len(text) and "\n" in whole:
        whole = whole[: whole.rindex("\n")]
    lines = whole.split("\n", MOST_LINES)[:MOST_LINES]
    return Source(whole, tuple(line.rstrip() for line in lines), len(cut) < len(text))


class Line(Struct, frozen=True):
    """One line, indexed by its cells on a screen."""

    number: int
    """Its line number, counted from 0."""
    text: str
    cells: str
    """One character per cell; the second cell of a wide character is not blank."""
    offsets: tuple[int, ...] | None = None
    """The index in the text of each cell's character; None if cells and characters coincide."""

    def between(self, start: int, end: int | None = None) -> str:
        """The text in a range of cells, stripped."""
        if self.offsets is None:
            return self.text[start:end].strip()
        known = len(self.offsets)
        begin = self.offsets[start] if start < known else len(self.text)
        stop = self.offsets[end] if end is not None and end < known else len(self.text)
        return self.text[begin:stop].strip()

    @property
    def mask(self) -> int:
        """A bit for every non-blank cell, the first cell's the lowest."""
        return int(self.cells[::-1].encode("ascii", "replace").translate(_MARKS) or b"0", 2)


def in_cells(number: int, text: str) -> Line:
    """A line as a terminal shows it: wide characters take two cells, tabs stop at every eighth."""
    text = text[:WIDEST].expandtabs(8)
    return Line(number, text, text) if text.isascii() else _in_wide_cells(number, text)


def in_characters(number: int, text: str) -> Line:
    """A line with one cell per character, which is how some programs align."""
    text = text[:WIDEST].expandtabs(8)
    return Line(number, text, text)


def _in_wide_cells(number: int, text: str) -> Line:
    cells: list[str] = []
    offsets: list[int] = []
    joined = False
    for index, char in enumerate(text):
        width = 0 if joined else _width(char)
        joined = char == _JOINER
        if width > 0:
            cells.append(char + _FILL * (width - 1))
            offsets.extend([index] * width)
    return Line(number, text, "".join(cells), tuple(offsets))


@lru_cache(maxsize=8192)
def _width(char: str) -> int:
    return max(wcwidth(char), 0)
