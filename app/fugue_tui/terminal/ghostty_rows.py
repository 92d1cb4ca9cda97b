"""Decodes the engine's render state: 64-bit cells into runs of text in one style.

The bits of a cell are not part of the library's promise; they come from the manifest that it carries, so that a new
layout is read and not guessed.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, Final

from fugue_tui.terminal.frame import PLAIN, Row, Run, Style, rgb
from fugue_tui.terminal.ghostty_binding import Binding
from fugue_tui.terminal.ghostty_snapshot import Snapshot
from fugue_tui.terminal.scheme import Scheme

HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0010eeee\U000e0000-\U000e0fff]"
)
"""Characters that must not reach the host's terminal: controls, bidi controls, tags, image placeholders."""
_WIDE_TAIL: Final = 2
_GRAPHEME: Final = 1
_PALETTE_BACKGROUND: Final = 2
_RGB_BACKGROUND: Final = 3


class CellBits:
    """Where the parts of a cell are, as shifts and masks."""

    __slots__ = (
        *("codepoint", "codepoint_shift", "content", "content_shift", "hyperlink"),
        *("style", "style_shift", "tag", "wide_shift", "looks", "backgrounds"),
    )

    def __init__(self, manifest: dict[str, Any]) -> None:
        bits = manifest["types"]["GhosttyCell"]["bits"]
        if bits["content_tag"]["lsb"] != 0 or manifest["abi"]["endian"] != "little":
            raise ImportError("this libghostty-vt lays out cells in an unknown way")
        self.tag = (1 << bits["content_tag"]["width"]) - 1
        self.content_shift = bits["content"]["lsb"]
        self.content = (1 << bits["content"]["width"]) - 1
        point = bits["content"]["arms"]["CODEPOINT"]["bits"]["codepoint"]
        self.codepoint_shift = self.content_shift + point["lsb"]
        self.codepoint = (1 << point["width"]) - 1
        self.style_shift = bits["style_id"]["lsb"]
        self.style = (1 << bits["style_id"]["width"]) - 1
        self.wide_shift = bits["wide"]["lsb"]
        self.hyperlink = 1 << bits["hyperlink"]["lsb"]
        self.looks = self.style << self.style_shift
        self.backgrounds = self.looks | self.content << self.content_shift | self.tag


@cache
def cell_bits(binding: Binding) -> CellBits:
    """The layout of a cell in this library."""
    import json

    return CellBits(json.loads(binding.ffi.string(binding.lib.ghostty_type_json())))


class RowReader:
    """Reads rows of one snapshot."""

    __slots__ = ("_bits", "_snapshot")

    def __init__(self, binding: Binding, snapshot: Snapshot) -> None:
        self._bits = cell_bits(binding)
        self._snapshot = snapshot

    def row(self, y: int, scheme: Scheme, links: Mapping[int, str]) -> Row:
        """Row `y` in the colours of `scheme`, with hidden characters taken out; `links` has the targets by column."""
        runs = self._runs(y, scheme, links)
        if scheme.keeps_blanks:
            _trim(runs)
        return Row(tuple(runs), self._snapshot.wraps(y))

    def has_background(self, y: int) -> bool:
        """Whether a row has blank cells with a background of their own."""
        raw = self._snapshot.cells(y)
        return bool(int.from_bytes(raw, "little") & _repeated(self._bits.tag & ~1, len(raw) // 8))

    def linked(self, y: int) -> list[int]:
        """The columns of row `y` that carry a link."""
        return [
            x for x, cell in enumerate(memoryview(self._snapshot.cells(y)).cast("Q")) if cell & self._bits.hyperlink
        ]

    def _runs(self, y: int, scheme: Scheme, links: Mapping[int, str]) -> list[Run]:
        bits = self._bits
        runs: list[Run] = []
        text: list[str] = []
        style, start = PLAIN, 0
        previous: tuple[int, str | None] | None = None
        cells = memoryview(self._snapshot.cells(y)).cast("Q")
        for x, cell in enumerate(cells):
            if (cell >> bits.wide_shift) & 3 == _WIDE_TAIL:
                continue
            tag = cell & bits.tag
            look = (cell & (bits.looks if tag < _PALETTE_BACKGROUND else bits.backgrounds), links.get(x))
            if look != previous:
                if previous is not None:
                    runs.append(Run("".join(text), style, x - start, previous[1]))
                text, start, previous = [], x, look
                style = scheme.style(self._style(y, x, cell, tag))
            text.append(self._text(y, x, cell, tag))
        runs.append(Run("".join(text), style, len(cells) - start, previous and previous[1]))
        return runs

    def _text(self, y: int, x: int, cell: int, tag: int) -> str:
        bits = self._bits
        if tag == _GRAPHEME:
            return _cleaned(self._snapshot.grapheme(y, x))
        code = (cell >> bits.codepoint_shift) & bits.codepoint if tag == 0 else 0
        if 0x20 <= code < 0x7F:
            return chr(code)
        if code == 0 or HIDDEN.match(char := chr(code)):
            return "  " if (cell >> bits.wide_shift) & 3 == 1 else " "
        return char

    def _style(self, y: int, x: int, cell: int, tag: int) -> Style:
        bits = self._bits
        style = self._snapshot.style(y, x) if (cell >> bits.style_shift) & bits.style else PLAIN
        if tag < _PALETTE_BACKGROUND:
            return style
        content = (cell >> bits.content_shift) & bits.content
        if tag == _RGB_BACKGROUND:
            content = rgb(content & 0xFF, content >> 8 & 0xFF, content >> 16)
        return replace(style, bg=content)


@lru_cache(maxsize=16)
def _repeated(mask: int, cells: int) -> int:
    return mask * (((1 << 64 * cells) - 1) // ((1 << 64) - 1))


def _cleaned(cluster: str) -> str:
    if not HIDDEN.search(cluster):
        return cluster
    head = " " if HIDDEN.match(cluster) else cluster[0]
    return head + HIDDEN.sub("", cluster[1:])


def _trim(runs: list[Run]) -> None:
    """Take default blanks off the end."""
    if runs and runs[-1].style == PLAIN and runs[-1].link is None:
        last = runs.pop()
        if kept := last.text.rstrip(" "):
            runs.append(Run(kept, PLAIN, last.cols - (len(last.text) - len(kept))))
