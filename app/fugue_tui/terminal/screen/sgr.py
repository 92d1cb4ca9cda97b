"""Writes rows as VT text: SGR, links and characters, each row from and to the default style.

Source: ECMA-48 8.3.117; xterm's ctlseqs for colours; kitty's "Colored and styled underlines" for 4:n and 58.
"""

from functools import lru_cache
from typing import Final

from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, PLAIN, TRUECOLOUR, Row, Style, opens

PARAMETERS: Final = 16
"""Parameters that every terminal accepts in one sequence."""


def write_row(row: Row, *, every_link: bool = False) -> bytes:
    """The row's text with its styles, and its links: those that may be opened, or every one that can be written."""
    parts: list[str] = []
    style = PLAIN
    for run in row.runs:
        if run.style != style:
            style = run.style
            parts.append(sgr(style))
        link = run.link if opens(run.link) or (every_link and run.link and run.link.isprintable()) else None
        parts.append(f"\x1b]8;;{link}\x1b\\{run.text}\x1b]8;;\x1b\\" if link else run.text)
    if style != PLAIN:
        parts.append("\x1b[0m")
    return "".join(parts).encode("utf-8", "replace")


@lru_cache(maxsize=4_096)
def sgr(style: Style) -> str:
    """The sequences that set a style, whatever was set before; none has more parameters than terminals take."""
    groups = (
        ["0", *(code for code, is_set in _attributes(style) if is_set), *_sgr_colour(style.fg, 30, 90, "38")],
        _sgr_colour(style.bg, 40, 100, "48"),
        [] if style.underline_colour == DEFAULT_COLOUR else _extended(style.underline_colour, "58"),
    )
    codes = [code for group in groups for code in group]
    if len(codes) < PARAMETERS:
        return f"\x1b[{';'.join(codes)}m"
    return "".join(f"\x1b[{';'.join(group)}m" for group in groups if group)


def _attributes(style: Style) -> tuple[tuple[str, bool], ...]:
    return (
        ("1", style.bold),
        ("2", style.faint),
        ("3", style.italic),
        ("4" if style.underline == 1 else f"4:{style.underline.value}", bool(style.underline)),
        ("5", style.blink),
        ("7", style.inverse),
        ("8", style.invisible),
        ("9", style.strikethrough),
        ("53", style.overline),
    )


def _sgr_colour(colour: int, low: int, high: int, extended: str) -> list[str]:
    if colour == DEFAULT_COLOUR:
        return []
    if colour < 8:
        return [str(low + colour)]
    if colour < 16:
        return [str(high + colour - 8)]
    return _extended(colour, extended)


def _extended(colour: int, code: str) -> list[str]:
    if colour < TRUECOLOUR:
        return [code, "5", str(colour)]
    return [code, "2", str(colour >> 16 & 0xFF), str(colour >> 8 & 0xFF), str(colour & 0xFF)]
