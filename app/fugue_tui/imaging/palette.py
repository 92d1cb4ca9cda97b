"""The colours of palette indices and defaults in an image."""

from typing import Final, TypeAlias

from msgspec import Struct

from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, TRUECOLOUR, Style

Colour: TypeAlias = tuple[int, int, int]
"""Red, green, blue, each 0 to 255."""

_STEPS: Final = (0, 95, 135, 175, 215, 255)


class Theme(Struct, frozen=True):
    """A terminal's default colours."""

    foreground: Colour = (208, 208, 208)
    background: Colour = (16, 16, 16)
    ansi: tuple[Colour, ...] = (
        (0, 0, 0), (205, 49, 49), (13, 188, 121), (229, 229, 16),
        (61, 120, 214), (188, 63, 188), (17, 168, 205), (204, 204, 204),
        (102, 102, 102), (241, 76, 76), (35, 209, 139), (245, 245, 67),
        (97, 154, 246), (214, 112, 214), (41, 184, 219), (242, 242, 242),
    )  # fmt: skip
    """Colours 0 to 15."""

    def colour(self, value: int, default: Colour) -> Colour:
        """A style's colour: DEFAULT_COLOUR, a palette index, or 24 bits."""
        if value == DEFAULT_COLOUR:
            return default
        if value >= TRUECOLOUR:
            return value >> 16 & 255, value >> 8 & 255, value & 255
        return self.ansi[value] if value < 16 else _fixed(value)

    def pair(self, style: Style) -> tuple[Colour, Colour]:
        """A style's foreground and background, after reverse video, faint and hidden text."""
        fg, bg = self.colour(style.fg, self.foreground), self.colour(style.bg, self.background)
        if style.inverse:
            fg, bg = bg, fg
        if style.faint:
            fg = mixed(fg, bg, 0.5)
        return (bg if style.invisible else fg), bg


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """A mix of two colours; `share` of the first."""
    red, green, blue = (round(a * share + b * (1 - share)) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _fixed(index: int) -> Colour:
    """Colours 16 to 255 of xterm: a cube of six steps and 24 greys."""
    if index >= 232:
        grey = 8 + 10 * (index - 232)
        return grey, grey, grey
    red, rest = divmod(index - 16, 36)
    green, blue = divmod(rest, 6)
    return _STEPS[red], _STEPS[green], _STEPS[blue]
