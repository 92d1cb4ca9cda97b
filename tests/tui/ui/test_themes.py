"""Colours that are legible: WCAG's contrast of every pair that is drawn, on the backgrounds of common terminals."""

from typing import Final

import pytest
from textual.color import Color as TextualColor

from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.imaging.palette import Colour
from fugue_tui.tui.ui.themes import BLACK, TEXT, WHITE, HostColours, contrast, is_dark, legible, nearest, theme_of

LINES: Final = 3.0
"""The least contrast of what is no text (WCAG 2.2, 1.4.11)."""
XTERM: Final = (
    "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
)
SOLARIZED: Final = (
    "073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3"
)
HOSTS: Final = {
    "black": ("000000", "e5e5e5", XTERM),
    "white": ("ffffff", "000000", XTERM),
    "solarized dark": ("002b36", "839496", SOLARIZED),
    "solarized light": ("fdf6e3", "657b83", SOLARIZED),
    "grey": ("777777", "ffffff", XTERM),
    "gruvbox": ("282828", "ebdbb2", XTERM),
}
NAMES: Final = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
TEXTS: Final = (
    *(("foreground", ""), ("text-muted", ""), ("primary", ""), ("warning", ""), ("error", ""), ("success", "")),
    *(("frame", ""), ("foreground", "panel"), ("text-muted", "panel"), ("warning", "panel"), ("success", "panel")),
    *(("block-cursor-foreground", "block-cursor-background"), ("alert-foreground", "alert-background")),
    *(("notice-foreground", "notice-background"), ("secondary", ""), ("accent", ""), ("text-error", "")),
)
"""Pairs of text and background that are drawn; no background is the host's own."""


def rgb(text: str) -> Colour:
    return int(text[:2], 16), int(text[2:4], 16), int(text[4:], 16)


def host(name: str, depth: Depth) -> HostColours:
    background, foreground, _ = HOSTS[name]
    return HostColours(rgb(background), rgb(foreground), depth)


class Drawn:
    """The colours of a theme as a host shows them."""

    def __init__(self, setting: str, name: str, depth: Depth, known: bool = True) -> None:
        theme = theme_of(setting, host(name, depth) if known else HostColours(depth=depth))
        assert theme is not None
        self._variables = {**theme.to_color_system().generate(), **theme.variables}
        self._host, self._depth = HOSTS[name], depth

    def colour(self, variable: str, *, text: bool) -> Colour:
        """A variable's colour; the host's own text or background for its default."""
        value = self._variables[variable] if variable else "transparent"
        if value.startswith("ansi_") and value != "ansi_default":
            at = NAMES.index(value.removeprefix("ansi_").removeprefix("bright_")) + 8 * ("bright" in value)
            return rgb(self._host[2].split()[at])
        if value in ("ansi_default", "transparent"):
            return rgb(self._host[1] if text else self._host[0])
        return nearest(TextualColor.parse(value).rgb, self._depth)

    def contrast(self, text: str, behind: str) -> float:
        return contrast(self.colour(text, text=True), self.colour(behind, text=False))


def test_contrast_is_that_of_the_guidelines() -> None:
    assert round(contrast(BLACK, WHITE), 2) == 21
    assert contrast((119, 119, 119), WHITE) > 4.47
    assert contrast((119, 119, 119), WHITE) < 4.49
    assert is_dark((0, 43, 54))
    assert not is_dark((253, 246, 227))


@pytest.mark.parametrize("depth", [Depth.TRUE, Depth.EIGHT_BIT])
@pytest.mark.parametrize("name", HOSTS)
def test_all_text_is_legible_on_the_background_that_the_host_tells(name: str, depth: Depth) -> None:
    drawn = Drawn("auto", name, depth)
    assert {pair: ratio for pair in TEXTS if (ratio := drawn.contrast(*pair)) < TEXT} == {}


@pytest.mark.parametrize("name", ["black", "white", "solarized dark", "solarized light"])
@pytest.mark.parametrize("known", [True, False])
def test_with_sixteen_colours_text_is_as_legible_as_the_hosts_own_and_frames_are_seen(name: str, known: bool) -> None:
    drawn = Drawn("auto", name, Depth.STANDARD, known)
    own = min(contrast(rgb(HOSTS[name][0]), rgb(HOSTS[name][1])), TEXT)
    texts = [pair for pair in TEXTS if pair[0] in ("foreground", "text-muted", "text-error", "frame")]
    assert all(drawn.contrast(*pair) >= own for pair in texts)
    chosen = drawn.contrast("block-cursor-foreground", "block-cursor-background")
    assert chosen >= (TEXT if known else LINES)
    frames = ("primary", "warning", "error", "success", "secondary", "scrollbar")
    assert {each: ratio for each in frames if (ratio := drawn.contrast(each, "")) < LINES} == {}


@pytest.mark.parametrize("setting", ["dark", "light"])
def test_dark_and_light_do_without_an_answer_of_the_host(setting: str) -> None:
    drawn = Drawn(setting, "black" if setting == "dark" else "white", Depth.TRUE, known=False)
    assert all(drawn.contrast(*pair) >= TEXT for pair in TEXTS)


def test_without_colour_everything_is_the_hosts_own_or_reversed() -> None:
    for unseen in (HostColours((0, 0, 0), depth=Depth.NONE), HostColours((0, 0, 0), no_colour=True)):
        theme = theme_of("auto", unseen)
        assert theme is not None
        assert {theme.primary, theme.warning, theme.error, theme.success} == {"ansi_default"}
        assert theme.variables["block-cursor-text-style"] == "bold underline reverse"


def test_themes_of_textual_are_taken_as_they_are() -> None:
    assert theme_of("nord", HostColours((0, 0, 0))) is None


def test_a_colour_that_is_legible_is_left_alone() -> None:
    assert legible((255, 255, 0), (BLACK,), TEXT) == (255, 255, 0)
    assert contrast(legible((0, 0, 139), (BLACK,), TEXT), BLACK) >= TEXT
