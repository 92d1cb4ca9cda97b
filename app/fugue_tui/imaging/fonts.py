"""Finds the font of a character: the shipped one, or else a font of the machine."""

import os
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, cast
from unicodedata import category

from PIL import ImageFont
from PIL.ImageFont import FreeTypeFont

_SHIPPED: Final = Path(__file__).parent / "fonts"
_FACES: Final = {False: "DejaVuSansMono.ttf", True: "DejaVuSansMono-Bold.ttf"}
_FALLBACKS: Final = (
    "NotoSansMonoCJK", "NotoSansCJK", "SourceHanMono", "WenQuanYi", "DroidSansFallback", "Hiragino", "PingFang",
    "AppleSDGothic", "NotoSansSymbols", "NotoSansMath", "DejaVuSans.ttf", "Symbola", "unifont", "Apple Symbols",
    "FreeMono",
)  # fmt: skip
"""Prefixes of file names, the best first."""
_EMOJI: Final = ("NotoColorEmoji", "Apple Color Emoji", "Twemoji")
_EMOJI_SIZES: Final = (109, 160, 136, 128)
"""Bitmap fonts have one size; these are the usual ones."""
_PLACES: Final = (
    "/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts", "/System/Library/Fonts",
    "/Library/Fonts", "~/Library/Fonts",
)  # fmt: skip
_DEEPEST: Final = 5
_MOST_FILES: Final = 20_000
_MISSING: Final = "\U0010fffd"
"""A character that no font has; its glyph is that of any missing character."""


@cache
def face(size: int, *, bold: bool) -> FreeTypeFont:
    """The shipped font."""
    return ImageFont.truetype(_SHIPPED / _FACES[bold], size)


@lru_cache(maxsize=4096)
def font_for(text: str, size: int, *, bold: bool) -> FreeTypeFont | None:
    """A font with all characters of a cluster; None if this machine has none."""
    for font in (face(size, bold=bold), *_fallbacks(size)):
        if all(_has(font, char) for char in text if char.isprintable() and char not in "\ufe0e\ufe0f\u200d"):
            return font
    return None


@lru_cache(maxsize=1024)
def emoji_for(text: str, cols: int) -> FreeTypeFont | None:
    """A colour font for a cluster of `cols` columns; None if there is none, or the cluster is plain text."""
    font = _emoji()
    wanted = "\ufe0f" in text or ord(text[0]) >= 0x1F000 or (cols == 2 and category(text[0]) == "So")
    return font if font is not None and wanted and _has(font, text[0]) else None


@cache
def _fallbacks(size: int) -> tuple[FreeTypeFont, ...]:
    return tuple(font for file in _found(_FALLBACKS) if (font := _opened(file, size)) is not None)


@cache
def _emoji() -> FreeTypeFont | None:
    for file in _found(_EMOJI):
        for size in _EMOJI_SIZES:
            if (font := _opened(file, size)) is not None:
                return font
    return None


def _opened(file: Path, size: int) -> FreeTypeFont | None:
    try:
        return ImageFont.truetype(file, size)
    except (OSError, ValueError):
        return None


@cache
def _found(wanted: tuple[str, ...]) -> tuple[Path, ...]:
    """One file for each prefix that is installed, in that order."""
    best: dict[str, Path] = {}
    for file in _files():
        for start in wanted:
            if start not in best and file.name.startswith(start):
                best[start] = file
    return tuple(best[start] for start in wanted if start in best)


@cache
def _files() -> tuple[Path, ...]:
    files: list[Path] = []
    for place in _PLACES:
        for file in _walk(Path(place).expanduser()):
            files.append(file)
            if len(files) >= _MOST_FILES:
                return tuple(files)
    return tuple(sorted(files, key=lambda file: ("Regular" not in file.name, len(file.name), file.name)))


def _walk(place: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(place):
        if len(Path(folder).relative_to(place).parts) >= _DEEPEST:
            folders.clear()
        yield from (Path(folder, name) for name in names if name.endswith((".ttf", ".otf", ".ttc")))


@lru_cache(maxsize=65_536)
def _has(font: FreeTypeFont, char: str) -> bool:
    """Whether a font has a character: its glyph differs from that of a missing one."""
    drawn, unknown = cast("Any", font.getmask(char)), cast("Any", font.getmask(_MISSING))
    return bool(drawn.size != unknown.size or bytes(drawn) != bytes(unknown))
