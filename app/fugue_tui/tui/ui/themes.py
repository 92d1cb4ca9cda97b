"""The colours of frames, dialogs and the status bar. Pure.

`auto`, `dark` and `light` take the host's own colours as they are and mix the others with black or white until they are
legible on them, as WCAG 2 measures contrast. With 16 colours, whose scheme nobody knows, text keeps the host's own
colours but where it stands out, black on white or the reverse. A host that does not report its background gets
colours that are visible on black and on white.
"""

from functools import lru_cache
from typing import Final

from msgspec import Struct
from rich.color import Color, ColorSystem
from textual.theme import Theme

from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.imaging.palette import Colour, mixed

TEXT: Final = 4.5
"""The least contrast of text, by WCAG 2 (AA)."""
BLACK: Final = (0, 0, 0)
WHITE: Final = (255, 255, 255)
_DARK: Final = {
    "primary": (97, 175, 239), "secondary": (86, 194, 214), "accent": (198, 146, 233), "warning": (235, 183, 84),
    "error": (255, 123, 114), "success": (126, 200, 120),
}  # fmt: skip
_LIGHT: Final = {
    "primary": (28, 94, 190), "secondary": (0, 112, 122), "accent": (122, 62, 177), "warning": (150, 84, 0),
    "error": (190, 32, 54), "success": (26, 116, 48),
}  # fmt: skip
_NO_COLOUR: Final = ("ansi_default", "ansi_default", "bold underline reverse")
"""What stands out without colour; lists of Textual leave reverse video out."""
_STEP: Final = 0.04
_NEAR: Final = 14
"""How far the nearest of 256 colours may be from a background that is meant, in one channel."""


class HostColours(Struct, frozen=True):
    """What is known of the colours of a host terminal."""

    background: Colour | None = None
    foreground: Colour | None = None
    depth: Depth = Depth.TRUE
    no_colour: bool = False
    """Whether its user wants none, by NO_COLOR."""


@lru_cache(maxsize=8)
def theme_of(setting: str, host: HostColours) -> Theme | None:
    """The theme that a setting means on a host; None for one of Textual's own."""
    if setting in ("ansi-dark", "ansi-light"):
        return _ansi(dark=setting == "ansi-dark")
    if setting not in ("auto", "dark", "light"):
        return None
    if host.no_colour or host.depth is Depth.NONE:
        return _plain("plain", {}, _NO_COLOUR)
    background = _background(setting, host)
    if background is None:
        accents = {"primary": "ansi_magenta", "warning": "ansi_red", "error": "ansi_red"}
        return _plain("neutral", accents, ("ansi_black", "ansi_cyan", "not bold"))
    if host.depth is Depth.STANDARD:
        return _ansi(dark=is_dark(background))
    return _derived(background, host.foreground if background == host.background else None, host.depth)


def _background(setting: str, host: HostColours) -> Colour | None:
    """The background that a theme is for; None if it is not known."""
    if setting == "auto" or (host.background is not None and is_dark(host.background) == (setting == "dark")):
        return host.background
    return BLACK if setting == "dark" else WHITE


def is_dark(background: Colour) -> bool:
    """Whether white is more legible on a background than black."""
    return contrast(WHITE, background) >= contrast(BLACK, background)


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (c / 255 for c in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def legible(colour: Colour, backgrounds: tuple[Colour, ...], least: float, depth: Depth = Depth.TRUE) -> Colour:
    """The colour, or the first mix of it with black or white that a host of this depth shows with so much contrast on
    every one of the backgrounds, which are alike, as it shows them."""
    end = WHITE if is_dark(backgrounds[0]) else BLACK
    for step in range(round(1 / _STEP) + 1):
        mix = mixed(end, colour, min(step * _STEP, 1.0))
        if all(contrast(nearest(mix, depth), each) >= least for each in backgrounds):
            return mix
    return end


def nearest(colour: Colour, depth: Depth) -> Colour:
    """What a host of this depth shows for a colour."""
    if depth is not Depth.EIGHT_BIT:
        return colour
    shown = Color.from_rgb(*colour).downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
    return shown.red, shown.green, shown.blue


def _derived(background: Colour, foreground: Colour | None, depth: Depth) -> Theme:
    """A theme of colours that are legible on a background."""
    dark = is_dark(background)
    own = foreground or (WHITE if dark else BLACK)
    bar = mixed(own, background, 0.12)
    shown = nearest(bar, depth)
    if max(abs(a - b) for a, b in zip(bar, shown, strict=True)) > _NEAR:
        bar = shown = background
    both = (background, shown)
    colours = {name: legible(colour, both, TEXT, depth) for name, colour in (_DARK if dark else _LIGHT).items()}
    text = legible(own, both, TEXT, depth)
    muted = legible(mixed(text, background, 0.65), both, TEXT, depth)
    line = legible(mixed(text, background, 0.4), (background,), TEXT, depth)  # Titles have it, too.
    primary, chip = colours["primary"], _hex(BLACK if dark else WHITE)
    variables = {
        **_cursors(chip, _hex(primary), "bold"),
        **_alerts(chip, _hex(colours["warning"]), chip, _hex(colours["secondary"]), "bold"),
        **_scrollbars(_hex(line), _hex(primary)),
        "panel": _hex(bar) if bar != background else "transparent",
        "text": _hex(text),
        "text-muted": _hex(muted),
        "text-disabled": _hex(muted),
        "frame": _hex(line),
        "focus-style": "bold",
        "border-blurred": _hex(line),
    }
    name = f"auto-{_hex(background)[1:]}-{_hex(text)[1:]}-{depth.name.lower().replace('_', '')}"
    accents = {name: _hex(colour) for name, colour in colours.items()}
    return _theme(name, dark, accents, _hex(text), variables)


def _ansi(*, dark: bool) -> Theme:
    """A theme of the 16 colours: they mark frames and states, and are no colours of text but for what is bright."""
    accents = (
        {"primary": "ansi_cyan", "warning": "ansi_yellow", "error": "ansi_bright_red", "success": "ansi_green"}
        if dark
        else {"primary": "ansi_blue", "warning": "ansi_magenta", "error": "ansi_red", "success": "ansi_default"}
    )
    chip = ("ansi_black", "ansi_white", "not bold") if dark else ("ansi_white", "ansi_black", "not bold")
    return _plain("ansi-dark" if dark else "ansi-light", accents, chip, dark=dark)


def _plain(name: str, accents: dict[str, str], chip: tuple[str, str, str], *, dark: bool = True) -> Theme:
    """A theme whose text has the host's own colours; `chip` has the colours and the style of what stands out."""
    own, line = "ansi_default", accents.get("primary", "ansi_default")
    texts = ("text-muted", "foreground-muted", "text-error", "text-warning", "frame", "border-blurred")
    variables = {
        **_cursors(*chip),
        **_alerts(*chip[:2], *chip),
        **_scrollbars(own, line),
        **dict.fromkeys(texts, own),
        "panel": "transparent",
        "focus-style": "none" if accents else "bold",
    }
    names = ("primary", "secondary", "accent", "warning", "error", "success")
    return _theme(name, dark, {each: accents.get(each, own) for each in names}, own, variables)


def _theme(name: str, dark: bool, accents: dict[str, str], text: str, variables: dict[str, str]) -> Theme:
    own = "ansi_default"
    inline = {"ansi-background": own, "ansi-foreground": own}  # Textual leaves these two to the theme.
    return Theme(
        name=name,
        primary=accents["primary"],
        secondary=accents["secondary"],
        accent=accents["accent"],
        warning=accents["warning"],
        error=accents["error"],
        success=accents["success"],
        foreground=text,
        background=own,
        surface=own,
        panel=own,
        boost=own,
        dark=dark,
        ansi=True,
        variables=variables | inline,
    )


def _cursors(foreground: str, background: str, style: str) -> dict[str, str]:
    """The chosen row of a list, the workspace's name, the cursor of a line of text."""
    found = {
        f"block-cursor{state}-{what}": value
        for state in ("", "-blurred")
        for what, value in (("foreground", foreground), ("background", background), ("text-style", style))
    }
    own = "ansi_default"
    cursor = {"input-cursor-background": own, "input-cursor-foreground": own, "input-cursor-text-style": "reverse"}
    selection = {"input-selection-background": background, "input-selection-foreground": foreground}
    return found | cursor | selection | {"block-hover-background": own}


def _alerts(alert: str, behind_alert: str, notice: str, behind_notice: str, style: str) -> dict[str, str]:
    """What went wrong, and other messages."""
    return {
        "alert-foreground": alert,
        "alert-background": behind_alert,
        "alert-style": style,
        "notice-foreground": notice,
        "notice-background": behind_notice,
    }


def _scrollbars(line: str, active: str) -> dict[str, str]:
    bars = {f"scrollbar{state}": active if state else line for state in ("", "-hover", "-active")}
    tracks = {f"scrollbar-background{state}": "ansi_default" for state in ("", "-hover", "-active")}
    return bars | tracks | {"scrollbar-corner-color": "ansi_default"}


def defaults(variables: dict[str, str]) -> dict[str, str]:
    """The variables of this program that a theme of Textual's does not have, by those that it has."""
    chip = (variables["background"], variables["warning"], variables["background"], variables["primary"], "bold")
    return _alerts(*chip) | {"frame": variables.get("foreground-muted", variables["foreground"]), "focus-style": "bold"}


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
