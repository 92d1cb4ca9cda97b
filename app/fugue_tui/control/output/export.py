"""Rows of cells as compact JSON and HTML. Pure."""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from fugue_tui.imaging.palette import Colour, Theme
from fugue_tui.sanitize import clean_text
from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, PLAIN, TRUECOLOUR, Row, Run, Style, Underline, opens

_FLAGS: Final = ("bold", "faint", "italic", "blink", "inverse", "invisible", "strikethrough", "overline")
_LONGEST_RUN: Final = 1 << 16


def json_cells(rows: Iterable[Row], cols: int) -> str:
    """Rows as JSON: `{"cols", "styles": [style...], "rows": [[run...]...], "wrapped": [row...]}`.

    A run is `[text, style]`, or `[text, style, columns]` where that is not the text's length; a style is an index. A
    colour is a palette index or `#rrggbb`; absent keys mean the default. `wrapped` has the rows that wrap."""
    styles: dict[Style, int] = {PLAIN: 0}
    found = list(rows)
    written = [[_run(run, styles) for run in row.runs] for row in found]
    wrapped = [y for y, row in enumerate(found) if row.wrapped]
    whole = {"cols": cols, "styles": [_style(style) for style in styles], "rows": written, "wrapped": wrapped}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def html(rows: Sequence[Row], theme: Theme) -> str:
    """Rows as one `pre` element with styled spans; links with an allowed scheme stay links."""
    lines = ["".join(_span(run, theme) for run in row.runs) for row in rows]
    style = f"color:{_hex(theme.foreground)};background:{_hex(theme.background)}"
    return f'<pre style="{style}">' + "\n".join(lines) + "</pre>"


def _run(run: Run, styles: dict[Style, int]) -> list[str | int]:
    text = clean_text(run.text, _LONGEST_RUN)
    index = styles.setdefault(run.style, len(styles))
    return [text, index] if len(text) == run.cols else [text, index, run.cols]


def _style(style: Style) -> dict[str, Any]:
    found: dict[str, Any] = {flag: True for flag in _FLAGS if getattr(style, flag)}
    for name in ("fg", "bg", "underline_colour"):
        if (colour := getattr(style, name)) != DEFAULT_COLOUR:
            found[name] = f"#{colour - TRUECOLOUR:06x}" if colour >= TRUECOLOUR else colour
    if style.underline:
        found["underline"] = style.underline.name.lower()
    return found


def _span(run: Run, theme: Theme) -> str:
    from html import escape  # its table of entities takes 300 KiB

    text = escape(clean_text(run.text, _LONGEST_RUN), quote=False)
    if opens(run.link):
        text = f'<a href="{escape(run.link)}">{text}</a>'
    css = _css(run.style, theme)
    return f'<span style="{css}">{text}</span>' if css else text


@lru_cache(maxsize=512)
def _css(style: Style, theme: Theme) -> str:
    fg, bg = theme.pair(style)
    parts = [
        *([f"color:{_hex(fg)}"] if fg != theme.foreground else []),
        *([f"background:{_hex(bg)}"] if bg != theme.background else []),
        *(["font-weight:bold"] if style.bold else []),
        *(["font-style:italic"] if style.italic else []),
    ]
    lines = {"underline": style.underline, "line-through": style.strikethrough, "overline": style.overline}
    if drawn := [line for line, is_drawn in lines.items() if is_drawn]:
        parts.append(f"text-decoration:{' '.join(drawn)}{_shape(style.underline)}")
    return ";".join(parts)


def _shape(underline: Underline) -> str:
    words = {Underline.DOUBLE: " double", Underline.CURLY: " wavy", Underline.DOTTED: " dotted"}
    return words.get(underline, " dashed" if underline is Underline.DASHED else "")


def _hex(colour: Colour) -> str:
    return f"#{colour[0]:02x}{colour[1]:02x}{colour[2]:02x}"
