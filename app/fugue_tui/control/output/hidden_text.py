"""Marks text that a program hides from the user, as a model would read it like any other.

Hidden is what is concealed (SGR 8), or has the colour of its background: a model reads it, a user does not.
"""

import re
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from fugue_tui.imaging.palette import Theme
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, TRUECOLOUR, Row
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal

NEWEST: Final = 200
"""Rows in which text that was printed is looked for."""
_SEQUENCE: Final = re.compile(r"\x1b\[([0-9;:]*)m|\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)")
_ALIKE: Final = 8
"""The most by which red, green and blue of colours that look the same differ."""


class _Look(NamedTuple):
    """What decides whether text can be seen; colours as in a `Style`."""

    fg: int = DEFAULT_COLOUR
    bg: int = DEFAULT_COLOUR
    concealed: bool = False


def text_between(emulator: Emulator, start: Point, stop: Point, *, joined: bool = True) -> str:
    """The text between two places, with hidden text marked. The caller holds the lock."""
    styled = emulator.between(start, stop, joined=joined, ansi=True)
    if "\x1b" not in styled:
        return styled
    marked = with_marks(styled, theme_of(emulator))
    return emulator.between(start, stop, joined=joined) if marked is None else marked


def hidden_lines(screen: LockedScreen, first: int, stop: int) -> dict[str, str]:
    """The lines of some rows that hold hidden text, with marks, by what they are without. The caller holds the lock."""
    emulator, start, end = screen.emulator, Point(max(first, 0)), Point(stop)
    styled = emulator.between(start, end, ansi=True)
    marked = with_marks(styled, theme_of(emulator)) if "\x1b" in styled else None
    if marked is None:
        return {}
    plain = emulator.between(start, end).split("\n")
    return {line.rstrip(): new for line, new in zip(plain, marked.split("\n"), strict=False) if line.rstrip() != new}


def printed_text(terminal: Terminal, text: str) -> str:
    """Printed text, with hidden text marked in the lines that are among the newest rows. Takes the terminal's lock."""
    with terminal.locked() as screen:
        end = screen.end.line
        hidden = {} if screen.closed else hidden_lines(screen, end - NEWEST, end)
    return "\n".join(hidden.get(line.rstrip(), line) for line in text.split("\n")) if hidden else text


def row_text(row: Row, theme: Theme) -> str:
    """The text of a row, with hidden text marked."""
    parts = list[str]()
    for look, runs in groupby(row.runs, key=lambda run: _Look(run.style.fg, run.style.bg, run.style.invisible)):
        text = "".join(run.text for run in runs)
        hidden = _is_hidden(look, theme) and any(map(str.isalnum, text))
        parts.append(_marked(text) if hidden else text)
    return "".join(parts).rstrip()


def theme_of(emulator: Emulator) -> Theme:
    """A terminal's default colours. The caller holds the lock."""
    fg, bg = (((each >> 16) & 255, (each >> 8) & 255, each & 255) for each in emulator.colours)
    return Theme(foreground=fg, background=bg)


def unstyled(styled: str, theme: Theme) -> str:
    """VT text without its styles, with hidden text marked."""
    marked = with_marks(styled, theme)
    return _SEQUENCE.sub("", styled) if marked is None else marked


def with_marks(styled: str, theme: Theme) -> str | None:
    """VT text without its styles and blanks at the ends of lines, with hidden text marked; None if none is hidden."""
    parts, look, at, found = list[str](), _Look(), 0, False
    for sequence in _SEQUENCE.finditer(styled):
        text, at = styled[at : sequence.start()], sequence.end()
        hidden = _is_hidden(look, theme) and any(map(str.isalnum, text))
        found |= hidden
        parts.append(_marked(text) if hidden else text)
        if sequence[1] is not None:
            look = _after(look, sequence[1])
    if not found:
        return None
    parts.append(styled[at:])
    return "\n".join(line.rstrip() for line in "".join(parts).split("\n")).rstrip("\n")


def _marked(text: str) -> str:
    """Every line of a hidden text with its mark."""
    return "\n".join(f"[hidden: {line.strip()}]" if line.strip() else line for line in text.split("\n"))


@lru_cache(maxsize=1_024)
def _is_hidden(look: _Look, theme: Theme) -> bool:
    if look.concealed:
        return True
    fg, bg = theme.colour(look.fg, theme.foreground), theme.colour(look.bg, theme.background)
    return all(abs(one - other) <= _ALIKE for one, other in zip(fg, bg, strict=True))


@lru_cache(maxsize=4_096)
def _after(look: _Look, parameters: str) -> _Look:
    """The look after a sequence; reverse video changes no look, as it hides nothing."""
    codes = [int(code.partition(":")[0] or 0) for code in parameters.split(";")]
    while codes:
        code = codes.pop(0)
        match code:
            case 0:
                look = _Look()
            case 8 | 28:
                look = look._replace(concealed=code == 8)
            case 38 | 48 | 58:
                colour = _extended(codes)
                look = look._replace(**({38: {"fg": colour}, 48: {"bg": colour}}.get(code, {})))
            case 39:
                look = look._replace(fg=DEFAULT_COLOUR)
            case 49:
                look = look._replace(bg=DEFAULT_COLOUR)
            case _ if 30 <= code < 38 or 90 <= code < 98:
                look = look._replace(fg=code % 30 if code < 90 else code - 82)
            case _ if 40 <= code < 48 or 100 <= code < 108:
                look = look._replace(bg=code % 40 if code < 100 else code - 92)
            case _:
                pass
    return look


def _extended(codes: list[int]) -> int:
    """Take the colour behind 38, 48 or 58."""
    kind = codes.pop(0) if codes else 0
    if kind == 5 and codes:
        return codes.pop(0)
    if kind == 2 and len(codes) >= 3:
        red, green, blue = codes.pop(0), codes.pop(0), codes.pop(0)
        return TRUECOLOUR | red << 16 | green << 8 | blue
    return DEFAULT_COLOUR
