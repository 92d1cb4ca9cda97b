"""How many colours a terminal shows, by its TERM and COLORTERM."""

from enum import IntEnum
from typing import Final


class Depth(IntEnum):
    """Colour depths, in order."""

    NONE = 0
    """Bold and the like, but no colours."""
    STANDARD = 1
    """The sixteen of the terminal's own scheme."""
    EIGHT_BIT = 2
    """256 colours."""
    TRUE = 3
    """Every colour."""

    @property
    def colours(self) -> int:
        """The number of colours."""
        return (0, 16, 256, 1 << 24)[self]


_TRUE_COLOUR: Final = ("alacritty", "contour", "foot", "ghostty", "iterm2", "kitty", "rio", "wezterm")
"""Terminals that show all colours in every version; over SSH, only TERM is known."""


def depth_of(term: str, colorterm: str) -> Depth:
    """The depth that TERM and COLORTERM indicate."""
    term = term.lower()
    if colorterm.lower() in ("truecolor", "24bit") or term.endswith("direct"):
        return Depth.TRUE
    if term in ("", "dumb", "unknown") or term.startswith("vt"):
        return Depth.NONE
    if any(name in term for name in _TRUE_COLOUR):
        return Depth.TRUE
    return Depth.EIGHT_BIT if term.endswith("256color") else Depth.STANDARD
