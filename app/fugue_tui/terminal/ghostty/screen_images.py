"""The images of one terminal, whatever they came as: where the viewport shows them, and their pixels.

Every call needs the terminal's lock, but for those that a method says are made later.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.graphics_scanner import GraphicsScanner, InlineFile, Piece, Sixel
from fugue_tui.terminal.emulator.inline_images import InlineImages, cells
from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.ghostty.graphics import PLACEMENTS, GraphicsReader
from fugue_tui.terminal.screen.images import PLACEHOLDER, Area, Graphics, Image, Pixels, Placement
from fugue_tui.terminal.screen.placeholders import Part

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import GhosttyTerminal

_COMMAND: Final = b"\x1b_G"
_PLACEHOLDER: Final = PLACEHOLDER.encode()

Rows = Mapping[int, Sequence[tuple[int, Part]]]
"""By row of the viewport: the columns of placeholders, and what each shows."""


class ScreenImages:
    """The images of one terminal."""

    def __init__(self, binding: Binding, terminal: "GhosttyTerminal", graphics: Graphics) -> None:
        self._reader = GraphicsReader(binding, terminal)
        self._inline = InlineImages()
        self.graphics = Graphics()
        self._scanner = GraphicsScanner(0)
        self._room = PLACEMENTS
        """How many commands may come until placements are counted."""
        self.has_commands = self.has_placeholders = False
        """Whether the program has ever printed graphics commands, and placeholders."""
        self.allow(graphics)

    def allow(self, graphics: Graphics) -> None:
        """Do what programs may from now on."""
        if graphics.memory != self.graphics.memory:
            self._reader.limit(graphics.memory)
            self._scanner = GraphicsScanner(graphics.memory)
            self._inline.clear()
        self.graphics = graphics

    def split(self, text: bytes) -> Iterator[Piece]:
        """The output without images that the engine does not parse, and those, in order."""
        return self._scanner.split(text) if self.graphics.memory else iter((text,))

    def fed(self, text: bytes) -> None:
        """The engine has parsed a piece of output; drops every image if there are too many placements."""
        if not self.has_placeholders and _PLACEHOLDER[:1] in text and _PLACEHOLDER in text:
            self.has_placeholders = True
        if not text.startswith(_COMMAND):
            return
        self.has_commands = True
        self._room -= 1
        if self._room < 0 and (count := self._reader.count()) <= PLACEMENTS:
            self._room = PLACEMENTS - count
        elif self._room < 0:
            self._reader.limit(0)
            self._reader.limit(self.graphics.memory)
            self._room = PLACEMENTS

    def print(self, image: Sixel | InlineFile, room: Size, x: int) -> str:
        """What shows an image from column `x` on, if it was printed; empty if it is broken or too large."""
        added = self._inline.add(image, self.graphics.cell, room, self.graphics.memory)
        if added is None:
            return ""
        self.has_placeholders = True
        from fugue_tui.terminal.emulator import sixel_decoder

        bottom = sixel_decoder.end(image.data) if isinstance(image, Sixel) else 0
        below = max(0, (bottom - 1) // self.graphics.cell[1] - (added[1].rows - 1))
        return cells(added[0].id, added[1], room, x, below=below)

    def placements(self, placeholders: Rows) -> tuple[Placement, ...]:
        """What the viewport shows, lowest first; `placeholders` are those in it."""
        if not (self.has_commands or placeholders) or not self.graphics.memory:
            return ()
        shown, virtual = self._reader.placements(self.graphics.cell) if self.has_commands else ([], {})
        if placeholders:
            shown += self._drawn(placeholders, virtual)
        return tuple(sorted(shown, key=lambda each: (each.z, each.image.generation)))

    def _drawn(self, rows: Rows, virtual: Mapping[int, tuple[Image, int, int]]) -> Iterator[Placement]:
        """The parts of images that placeholders show."""
        wide, high = self.graphics.cell
        for x, y, part, cols, count in _blocks(rows):
            image, across, down = virtual.get(part.image) or (self._inline.find(part.image), 0, 0)
            if image is None:
                continue
            across, down = across or -(-image.width // wide), down or -(-image.height // high)
            source = Area(
                part.column * image.width // across,
                part.row * image.height // down,
                max(1, cols * image.width // across),
                max(1, count * image.height // down),
            ).shared(Area(0, 0, image.width, image.height))
            if source:
                yield Placement(image, Area(x * wide, y * high, cols * wide, count * high), source, 0)

    def pixels(self, image: Image) -> Callable[[], Pixels | None] | None:
        """Reads an image's pixels, later and without the lock; None if the terminal no longer has it."""
        if decode := self._inline.pixels(image):
            return decode
        pixels = self._reader.pixels(image)
        return (lambda: pixels) if pixels else None


def _blocks(rows: Rows) -> Iterator[tuple[int, int, Part, int, int]]:
    """Placeholders that show one part of an image together: column, row, what the first shows, columns and rows."""
    open_blocks: dict[tuple[int, int, int, int], list[int]] = {}
    done: list[tuple[int, int, Part, int, int]] = []
    last = -1
    for y in sorted(rows):
        runs = list(_runs(rows[y]))
        kept: dict[tuple[int, int, int, int], list[int]] = {}
        for x, part, cols in runs:
            key = (part.image, x, cols, part.column)
            block = open_blocks.pop(key, None) if y == last + 1 else None
            if block and block[1] + block[2] == part.row:
                kept[key] = [block[0], block[1], block[2] + 1]
            else:
                if block:
                    open_blocks[key] = block
                kept[key] = [y, part.row, 1]
        done += _closed(open_blocks)
        open_blocks, last = kept, y
    return chain(done, _closed(open_blocks))


def _closed(blocks: Mapping[tuple[int, int, int, int], Sequence[int]]) -> Iterator[tuple[int, int, Part, int, int]]:
    for (image, x, cols, column), (y, row, count) in blocks.items():
        yield x, y, Part(image, row, column), cols, count


def _runs(cells: Sequence[tuple[int, Part]]) -> Iterator[tuple[int, Part, int]]:
    """Neighbours that show neighbouring parts: column, what the first shows, and how many they are."""
    start, first, length = -1, Part(0, 0, 0), 0
    for x, part in cells:
        if length and x == start + length and part == Part(first.image, first.row, first.column + length):
            length += 1
            continue
        if length:
            yield start, first, length
        start, first, length = x, part, 1
    if length:
        yield start, first, length
