"""SGR: the parameters of `CSI ... m` to a style. The way back is in `vt_text`.

Source: ECMA-48 8.3.117; xterm's ctlseqs for colours; kitty's "Colored and styled underlines" for 4:n and 58.

Writes rows as VT text: SGR, links and characters, each row from and to the default style.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, PLAIN, TRUECOLOUR, Row, Style, Underline, opens, rgb

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


_ON: Final[dict[int, tuple[str, bool | Underline]]] = {
    1: ("bold", True), 2: ("faint", True), 3: ("italic", True), 4: ("underline", Underline.SINGLE), 5: ("blink", True),
    6: ("blink", True), 7: ("inverse", True), 8: ("invisible", True), 9: ("strikethrough", True),
    21: ("underline", Underline.DOUBLE), 23: ("italic", False), 24: ("underline", Underline.NONE), 25: ("blink", False),
    27: ("inverse", False), 28: ("invisible", False), 29: ("strikethrough", False), 53: ("overline", True),
    55: ("overline", False),
}  # fmt: skip
_COLOURS: Final = {38: "fg", 48: "bg", 58: "underline_colour"}
_DEFAULTS: Final = {39: "fg", 49: "bg", 59: "underline_colour"}


@lru_cache(maxsize=4096)
def read(style: Style, parameters: str) -> Style:
    """The style after SGR with these parameters, as written: numbers between `;`, sub-parameters between `:`."""
    changes: dict[str, Any] = {}
    rest = iter(parameters.split(";"))
    for word in rest:
        _apply(word, rest, changes)
    return replace(PLAIN if changes.pop("reset", False) else style, **changes)


def _apply(word: str, rest: Iterator[str], changes: dict[str, Any]) -> None:
    """Note what one parameter changes, taking the parts of a colour from the rest."""
    parts = word.split(":")
    number = _number(parts[0])
    if number == 0:
        changes.clear()
        changes["reset"] = True
    elif number == 22:
        changes.update(bold=False, faint=False)
    elif number == 4 and len(parts) > 1:
        changes["underline"] = Underline(min(_number(parts[1]), Underline.DASHED))
    elif number in _ON:
        name, value = _ON[number]
        changes[name] = value
    elif number in _COLOURS:
        colour = _sub_colour(parts[1:]) if len(parts) > 1 else _colour(rest)
        changes.update({} if colour is None else {_COLOURS[number]: colour})
    elif number in _DEFAULTS:
        changes[_DEFAULTS[number]] = DEFAULT_COLOUR
    else:
        _basic(number, changes)


def _basic(number: int, changes: dict[str, Any]) -> None:
    """The sixteen colours of 30 to 37, 40 to 47, 90 to 97 and 100 to 107."""
    tens, unit = divmod(number, 10)
    if unit < 8 and tens in (3, 9):
        changes["fg"] = unit + (8 if tens == 9 else 0)
    elif unit < 8 and tens in (4, 10):
        changes["bg"] = unit + (8 if tens == 10 else 0)


def _colour(rest: Iterator[str]) -> int | None:
    """A colour written as `5;n` or `2;r;g;b`; None if it is neither or cut short."""
    kind = _number(next(rest, ""))
    count = {5: 1, 2: 3}.get(kind, 0)
    return _compose(kind, [_number(word) for word in islice(rest, count)])


def _sub_colour(parts: list[str]) -> int | None:
    """A colour written as `5:n`, `2:r:g:b` or `2:space:r:g:b`."""
    numbers = [_number(part) for part in parts]
    kind, values = numbers[0], numbers[1:]
    return _compose(kind, values[1:4] if kind == 2 and len(values) > 3 else values[:3])


def _compose(kind: int, values: list[int]) -> int | None:
    """A palette index or a 24-bit colour; None if a part is missing or out of range."""
    if any(value > 255 for value in values):
        return None
    if kind == 5 and values:
        return values[0]
    return rgb(*values) if kind == 2 and len(values) == 3 else None


def _number(word: str) -> int:
    """A parameter's value; 0 if it is empty, and a number of no meaning if it is too long."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 8 else 0 if not word else 9999
