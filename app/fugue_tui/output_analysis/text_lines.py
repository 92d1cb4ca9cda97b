"""The text to be understood: cleaned, bounded, cut into lines, and laid on a terminal's cells."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from wcwidth import wcwidth

from fugue_tui.sanitize import clean_text

MOST_TEXT: Final = 1 << 20
"""Characters that are read of a text."""
MOST_LINES: Final = 20_000
"""Lines that are read of a text."""
WIDEST: Final = 4096
"""Characters of a line that can be part of a table or match a rule."""
_FILL: Final = "\0"
_JOINER: Final = "\u200d"
_MARKS: Final = bytes(0x30 if byte == 0x20 else 0x31 for byte in range(256))


@dataclass(frozen=True, slots=True)
class Source:
    """A text that is safe to show, and its lines."""

    text: str
    lines: tuple[str, ...]
    """The first `MOST_LINES` of its lines, without blanks at their ends."""
    cut: bool
    """Whether the text itself was longer than is read."""

    @property
    def truncated(self) -> bool:
        """Whether there is more of it than its lines."""
        return self.cut or len(self.lines) == MOST_LINES


def source(text: str) -> Source:
    """The text, made safe and cut to what is read; a cut falls between lines if it can."""
    cut = text[:MOST_TEXT]
    whole = clean_text(cut, MOST_TEXT)
    if len(cut) < len(text) and "\n" in whole:
        whole = whole[: whole.rindex("\n")]
    lines = whole.split("\n", MOST_LINES)[:MOST_LINES]
    return Source(whole, tuple(line.rstrip() for line in lines), len(cut) < len(text))


@dataclass(frozen=True, slots=True)
class Line:
    """One line, addressed by the cells that it takes on a screen."""

    number: int
    """Which line of the text it is, counted from 0."""
    text: str
    cells: str
    """A character a cell; the second cell of a wide character is not blank."""
    offsets: tuple[int, ...] | None = None
    """Where in the text each cell's character begins; None if cells and characters are the same."""

    def between(self, start: int, end: int | None = None) -> str:
        """The text in a range of cells, without blanks at its ends."""
        if self.offsets is None:
            return self.text[start:end].strip()
        known = len(self.offsets)
        begin = self.offsets[start] if start < known else len(self.text)
        stop = self.offsets[end] if end is not None and end < known else len(self.text)
        return self.text[begin:stop].strip()

    @property
    def mask(self) -> int:
        """A bit for every cell that is not blank, the first cell's the lowest."""
        return int(self.cells[::-1].encode("ascii", "replace").translate(_MARKS) or b"0", 2)


def in_cells(number: int, text: str) -> Line:
    """A line as a terminal shows it, wide characters in two cells and tabs at every eighth."""
    text = text[:WIDEST].expandtabs(8)
    return Line(number, text, text) if text.isascii() else _laid(number, text)


def in_characters(number: int, text: str) -> Line:
    """A line with a cell for each character, which is how some programs count."""
    text = text[:WIDEST].expandtabs(8)
    return Line(number, text, text)


def _laid(number: int, text: str) -> Line:
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
