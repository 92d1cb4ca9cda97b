"""Decodes the engine's render state: 64-bit cells into runs of text in one style.

The bits of a cell are not part of the library's promise; they come from the manifest that it carries, so that a new
layout is read and not guessed.

Reads the targets of OSC 8 links, which only the terminal itself knows.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.ghostty.render_state import RenderState
from fugue_tui.terminal.screen.cells import PLAIN, Row, Run, Style, rgb
from fugue_tui.terminal.screen.damage import spans
from fugue_tui.terminal.screen.dynamic_colors import DynamicColors
from fugue_tui.terminal.screen.images import PLACEHOLDER
from fugue_tui.terminal.screen.placeholders import Part, read_part

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import GhosttyTerminal, Pointer

LINK_LIMIT: Final = 2_083
"""Bytes of a link's target; a longer one is no link."""


class LinkReader:
    """The links of one terminal's viewport."""

    def __init__(self, binding: Binding, terminal: "GhosttyTerminal") -> None:
        self._ffi, self._lib, self._grid_ref = binding.ffi, binding.lib, binding.grid_ref
        self._terminal = terminal
        self._point = self._ffi.new("FuguePoint *", {"tag": self._lib.GHOSTTY_POINT_TAG_VIEWPORT})
        self._ref = self._ffi.new("GhosttyGridRef *", {"size": self._ffi.sizeof("GhosttyGridRef")})
        self._length = self._ffi.new("size_t *")

    def read(self, y: int, columns: Sequence[int]) -> dict[int, str]:
        """The targets in row `y`, by column; `columns` are those that carry a link, ascending.

        Asking for every cell would take longer than drawing it: neighbours that begin and end in one link are one link.
        """
        buffer = self._ffi.new("uint8_t[]", LINK_LIMIT)
        found: dict[int, str] = {}
        for first, count in spans(columns):
            target, last = self._target(first, y, buffer), self._target(first + count - 1, y, buffer)
            for x in range(first, first + count):
                found[x] = target if target == last else self._target(x, y, buffer)
        return {x: target for x, target in found.items() if target}

    def _target(self, x: int, y: int, buffer: "Pointer[int]") -> str:
        self._point.value.x, self._point.value.y = x, y
        if self._grid_ref(self._terminal, self._point[0], self._ref):
            return ""
        if self._lib.ghostty_grid_ref_hyperlink_uri(self._ref, buffer, LINK_LIMIT, self._length):
            return ""
        return self._ffi.buffer(buffer, self._length[0])[:].decode("utf-8", "replace")


HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0010eeee\U000e0000-\U000e0fff]"
)
"""Characters that must not reach the host's terminal: controls, bidi controls, tags, image placeholders."""
_HALF: Final = (1 << 48) - 1
"""All that matters of a cell lies in its lower 48 bits; the upper ones are free to carry into."""
_SAME: Final = re.compile(rb"(?s)(.{8})\1*")
_NO_LINKS: Final[Mapping[int, str]] = {}
_BACKGROUND: Final = 2
"""The bit of the content tag that a cell without a character but with a background has."""
_RGB_BACKGROUND: Final = 3


LINKS: Final = 1
"""A row has cells with links."""
STYLES: Final = 2
"""A row has cells with a style or a background."""
ODD_WIDTHS: Final = 4
"""A row has spaces two columns wide (so the engine prints what a line-drawing set lacks) or halves of characters."""
GAPS: Final = 8
"""A row has cells that were never written, after styled ones; the formatter writes them in the style before."""


class CellBits:
    """Where the parts of a cell are, as shifts and masks."""

    __slots__ = (
        "codepoint",
        "codepoint_shift",
        "content",
        "content_shift",
        "hyperlink",
        "style",
        "style_shift",
        "wide_shift",
    )

    def __init__(self, manifest: dict[str, Any]) -> None:
        bits = manifest["types"]["GhosttyCell"]["bits"]
        self.content_shift = bits["content"]["lsb"]
        self.content = (1 << bits["content"]["width"]) - 1
        point = bits["content"]["arms"]["CODEPOINT"]["bits"]["codepoint"]
        self.codepoint_shift = self.content_shift + point["lsb"]
        self.codepoint = (1 << point["width"]) - 1
        self.style_shift = bits["style_id"]["lsb"]
        self.style = (1 << bits["style_id"]["width"]) - 1
        self.wide_shift = bits["wide"]["lsb"]
        self.hyperlink = 1 << bits["hyperlink"]["lsb"]
        tag = bits["content_tag"]
        known = (tag["lsb"], tag["width"], bits["wide"]["width"], manifest["abi"]["endian"]) == (0, 2, 2, "little")
        if not known or self.wide_shift + 2 > 48:
            raise ImportError("this libghostty-vt lays out cells in an unknown way")


@cache
def cell_bits(binding: Binding) -> CellBits:
    """The layout of a cell in this library."""
    import json

    return CellBits(json.loads(binding.ffi.string(binding.lib.ghostty_type_json())))


class Masks:
    """The bits of a cell, repeated for a row of `count` cells that is read as one number."""

    def __init__(self, bits: CellBits, count: int) -> None:
        self.bits = bits
        self.count = count
        self.one = one = sum(1 << 64 * cell for cell in range(count))
        self.half = one * _HALF
        self.styles = one * (bits.style << bits.style_shift)
        self.looks = self.styles | one * _BACKGROUND
        self.filled = self.styles | one * (bits.content << bits.content_shift | 3)
        self.links = one * bits.hyperlink
        self.widths = one * (3 << bits.wide_shift)
        self.unformatted = self.links | self.widths
        self.codepoints = one * bits.codepoint
        self.fancy = self.looks | self.widths | one

    def any(self, number: int) -> int:
        """The lowest bit of every cell of `number` that is not zero in its lower half."""
        return (number + self.half) >> 48 & self.one

    def has_gaps(self, number: int) -> bool:
        """Whether cells without anything follow styled ones, with more to come."""
        filled = self.any(number & self.filled)
        starts = self.any(number & self.looks) << 64 & ~filled & self.one
        return bool(starts & ((1 << filled.bit_length()) - 1))

    def heads(self, number: int) -> int:
        """The lowest bit of every left half of a wide character."""
        wide = number >> self.bits.wide_shift
        return wide & ~(wide >> 1) & self.one

    def tails(self, number: int) -> int:
        """The lowest bit of every right half of a wide character."""
        wide = number >> self.bits.wide_shift
        return wide >> 1 & ~wide & self.one

    def spacers(self, number: int) -> int:
        """The lowest bit of the last column, if a wide character did not fit into it."""
        wide = number >> self.bits.wide_shift
        return wide >> 1 & wide & self.one

    def odd_heads(self, number: int) -> int:
        """Left halves of what is a space, or has no right half."""
        letters = self.any((number >> self.bits.codepoint_shift) & self.codepoints & ~(self.one * 0x7F))
        return self.heads(number) & ~(letters & self.tails(number) >> 64)

    def columns(self, lowest: int) -> list[int]:
        """The cells whose lowest bit is set."""
        return [x for x, is_set in enumerate(lowest.to_bytes(8 * self.count, "little")[::8]) if is_set]


class RowReader:
    """Reads rows of one snapshot."""

    __slots__ = ("_bits", "_masks", "_snapshot")

    def __init__(self, binding: Binding, snapshot: RenderState) -> None:
        self._bits = cell_bits(binding)
        self._masks = Masks(self._bits, 1)
        self._snapshot = snapshot

    def _for(self, count: int) -> Masks:
        if self._masks.count != count:
            self._masks = Masks(self._bits, count)
        return self._masks

    def features_of(self, number: int, count: int, *, gaps: bool) -> int:
        """What a row of `count` cells, read as one number, holds that the formatter gets wrong or leaves out.

        Gaps are looked for only if asked.
        """
        masks = self._for(count)
        found = GAPS if gaps and masks.has_gaps(number) else 0
        if number & masks.looks:
            found |= STYLES
        if number & masks.unformatted:
            if number & masks.links:
                found |= LINKS
            if number & masks.widths and masks.odd_heads(number):
                found |= ODD_WIDTHS
        return found

    def parts(self, y: int) -> list[tuple[int, Part]]:
        """The columns of row `y` with placeholders of images, and what each shows."""
        raw, found, before = self._snapshot.cells(y), list[tuple[int, Part]](), None
        masks = self._for(len(raw) // 8)
        codes = int.from_bytes(raw, "little") >> self._bits.codepoint_shift & masks.codepoints
        for x in masks.columns(masks.one & ~masks.any(codes ^ masks.one * ord(PLACEHOLDER))):
            cluster = self._snapshot.grapheme(y, x)
            if cluster[0] == PLACEHOLDER:
                is_next = bool(found) and found[-1][0] == x - 1
                before = read_part(cluster, self._snapshot.style(y, x), before if is_next else None)
                found.append((x, before))
        return found

    def linked(self, y: int) -> list[int]:
        """The columns of row `y` that carry a link."""
        raw = self._snapshot.cells(y)
        masks = self._for(len(raw) // 8)
        return masks.columns(masks.any(int.from_bytes(raw, "little") & masks.links))

    def row(self, y: int, scheme: DynamicColors, links: Mapping[int, str] = _NO_LINKS) -> Row:
        """Row `y` in the colours of `scheme`, with hidden characters taken out; `links` has the targets by column."""
        raw = self._snapshot.cells(y)
        masks, number = self._for(len(raw) // 8), int.from_bytes(raw, "little")
        runs = self._runs(y, number, masks, scheme, links)
        if scheme.keeps_blanks:
            _trim(runs)
        return Row(tuple(runs), self._snapshot.wraps(y))

    def _runs(self, y: int, number: int, masks: Masks, scheme: DynamicColors, links: Mapping[int, str]) -> list[Run]:
        columns = self._columns(y, number, masks)
        targets = list(dict.fromkeys(links.values()))
        looks = _look(number, masks)
        for x, target in links.items():
            looks |= targets.index(target) + 1 << 64 * x + 48
        styles: dict[int, Style] = {}
        runs: list[Run] = []
        for found in _SAME.finditer(looks.to_bytes(8 * masks.count, "little")):
            start, end = found.start() >> 3, found.end() >> 3
            key = int.from_bytes(found[1], "little")
            look, link = key & _HALF, key >> 48
            style = styles.get(look)
            if style is None:
                style = styles[look] = scheme.style(self._style(y, start, look))
            runs.append(Run("".join(columns[start:end]), style, end - start, targets[link - 1] if link else None))
        return runs

    def _columns(self, y: int, number: int, masks: Masks) -> Sequence[str]:
        """The text of each column; empty for the right half of a wide character."""
        codes = (number >> self._bits.codepoint_shift) & masks.codepoints
        if number & masks.fancy & ~masks.styles:
            codes &= ~(masks.any(number & masks.one * _BACKGROUND) * _HALF)
        text = codes.to_bytes(8 * masks.count, "little").decode("utf-32-le", "replace")[::2].replace("\0", " ")
        if not number & (masks.widths | masks.one):
            return text if text.isprintable() else HIDDEN.sub(" ", text)
        columns = list(text if text.isprintable() else HIDDEN.sub(" ", text))
        for x in masks.columns(number & ~(number >> 1) & masks.one):
            columns[x] = _cleaned(self._snapshot.grapheme(y, x))
        for x in masks.columns(masks.tails(number)):
            columns[x] = ""
        for x in masks.columns(masks.odd_heads(number)):
            columns[x] = _odd(columns, x)
        return columns

    def _style(self, y: int, x: int, look: int) -> Style:
        bits = self._bits
        style = self._snapshot.style(y, x) if look >> bits.style_shift & bits.style else PLAIN
        if not look & _BACKGROUND:
            return style
        content = look >> bits.content_shift & bits.content
        if look & 3 == _RGB_BACKGROUND:
            content = rgb(content & 0xFF, content >> 8 & 0xFF, content >> 16)
        return replace(style, bg=content)


def _look(number: int, masks: Masks) -> int:
    """The bits of each cell that decide how it looks, its character apart."""
    looks = number & masks.styles
    if backgrounds := masks.any(number & masks.one * _BACKGROUND):
        looks |= number & masks.filled & backgrounds * _HALF
    if number & masks.widths:
        looks &= ~(masks.spacers(number) * _HALF)
        halves = masks.tails(number)
        looks = looks & ~(halves * _HALF) | (looks << 64 & halves * _HALF)
    return looks


def _cleaned(cluster: str) -> str:
    return " " if HIDDEN.match(cluster) else cluster[0] + HIDDEN.sub("", cluster[1:])


def _odd(columns: list[str], x: int) -> str:
    """A wide space as two, half a character as one; a keycap or another wide cluster of ASCII stays."""
    is_half = x + 1 == len(columns) or columns[x + 1] != ""
    if is_half:
        return " "
    return columns[x] if columns[x].strip(" ")[:1] == columns[x][:1] else "  "


def _trim(runs: list[Run]) -> None:
    """Take default blanks off the end."""
    while runs and runs[-1].style == PLAIN and runs[-1].link is None:
        last = runs.pop()
        if kept := last.text.rstrip(" "):
            runs.append(Run(kept, PLAIN, last.cols - (len(last.text) - len(kept))))
            return
