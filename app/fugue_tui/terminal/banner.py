"""The line between what a pane showed in an earlier life and what comes now."""

from typing import Final

from fugue_tui.sanitize import clean
from fugue_tui.terminal.emulator.protocol import Emulator

_RULE: Final = "\u2500\u2500"
_LEAST: Final = 12
"""Columns below which there is room for the words alone."""


def write_end_line(emulator: Emulator, words: str) -> None:
    """Write a dim line of its own below what an emulator shows, cut to the width there is now, and go below it.

    Its length is that of the words, so a pane that gets wider or narrower keeps it whole."""
    fresh = b"\r\n" if emulator.caret[0] else b""
    emulator.feed(fresh + f"\x1b[0;2m{_line(clean(words), emulator.size.cols)}\x1b[0m\r\n".encode())


def _line(words: str, cols: int) -> str:
    if cols < _LEAST:
        return _cut(words, cols)
    return f"{_RULE} {_cut(words, cols - 2 * len(_RULE) - 2)} {_RULE}"


def _cut(text: str, cols: int) -> str:
    """The beginning of a text that fits, with an ellipsis if that is not all."""
    from wcwidth import wcwidth

    widths = [max(0, wcwidth(char)) for char in text]
    if sum(widths) <= cols:
        return text
    kept, used = 0, 1
    while used + widths[kept] <= cols:
        used += widths[kept]
        kept += 1
    return text[:kept] + "\u2026"
