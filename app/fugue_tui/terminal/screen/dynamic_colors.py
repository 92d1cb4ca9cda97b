"""The colours that a program redefined, and how they change what is drawn.

The host's own palette shows through as long as the program leaves it alone: a style that names colour 1, or the default
background, stays as it is. What the program redefined (OSC 4, 10, 11) or swapped (DECSCNM) is drawn so.
"""

from typing import Final

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, Style

_KNOWN_LIMIT: Final = 4_096


class DynamicColors(Struct, frozen=True, eq=False):
    """What differs from the host's colours."""

    fg: int = DEFAULT_COLOUR
    bg: int = DEFAULT_COLOUR
    palette: tuple[tuple[int, int], ...] = ()
    """Redefined palette indices, each with its colour."""
    reverse: bool = False
    """DECSCNM: the screen in reverse video."""
    _known: dict[Style, Style] = field(default_factory=dict[Style, Style])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DynamicColors) and astuple(self)[:-1] == astuple(other)[:-1]

    def __hash__(self) -> int:
        return hash(astuple(self)[:-1])

    @property
    def is_plain(self) -> bool:
        """Whether every style is drawn as it is. A caller that finds nothing redefined uses HOST itself."""
        return self is HOST

    @property
    def keeps_blanks(self) -> bool:
        """Whether a blank in the default style looks like a blank of the host."""
        return self.bg == DEFAULT_COLOUR and not self.reverse

    def style(self, style: Style) -> Style:
        """The style to draw."""
        if self.is_plain:
            return style
        drawn = self._known.get(style)
        if drawn is None:
            if len(self._known) > _KNOWN_LIMIT:
                self._known.clear()
            drawn = self._known[style] = self._draw(style)
        return drawn

    def _draw(self, style: Style) -> Style:
        colours = dict(self.palette)
        return replace(
            style,
            fg=self.fg if style.fg == DEFAULT_COLOUR else colours.get(style.fg, style.fg),
            bg=self.bg if style.bg == DEFAULT_COLOUR else colours.get(style.bg, style.bg),
            underline_colour=colours.get(style.underline_colour, style.underline_colour),
            inverse=style.inverse != self.reverse,
        )


HOST: Final = DynamicColors()
"""Nothing redefined."""
