"""Expands tmux's formats, such as `#{pane_id}` and `#{?pane_active,*,}`. Pure.

Variables, one-letter aliases, conditionals, comparisons, `&&` and `||`, lengths (`=20:`), `b:`, `d:`, `l:` and `q:`;
other modifiers give nothing. Styles (`#[...]`) stay as they are. Source: tmux(1), FORMATS.
"""

import os
import re
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Final, TypeAlias

Variables: TypeAlias = Callable[[str], str]
"""The value of a variable; empty for one that is unknown."""

ALIASES: Final = MappingProxyType(
    {
        "D": "pane_id",
        "F": "window_flags",
        "H": "host",
        "I": "window_index",
        "P": "pane_index",
        "S": "session_name",
        "T": "pane_title",
        "W": "window_name",
        "h": "host_short",
    }
)
LONGEST: Final = 65_536
"""Characters of a result."""
_DEEPEST: Final = 16
_LENGTH: Final = re.compile(r"=(-?\d{1,6}):")
_UNQUOTED: Final = re.compile(r"([^\w@%+=:,./-])", re.ASCII)


def expand(text: str, variables: Variables, depth: int = 0) -> str:
    """The text with its formats replaced; what is not closed stays as it is."""
    found: list[str] = []
    at = size = 0
    while at < len(text) and size <= LONGEST:
        piece, at = _piece(text, at, variables, depth)
        found.append(piece)
        size += len(piece)
    return "".join(found)[:LONGEST]


def is_true(text: str) -> bool:
    """Whether a condition holds: neither empty nor 0."""
    return text not in ("", "0")


def _piece(text: str, at: int, variables: Variables, depth: int) -> tuple[str, int]:
    """What one character or format becomes, and where the rest begins."""
    if text[at] != "#" or at + 1 == len(text):
        following = text.find("#", at + 1)
        end = len(text) if following < 0 else following
        return text[at:end], end
    follows = text[at + 1]
    if follows == "{":
        end = _end(text, at + 2)
        if end < 0 or depth >= _DEEPEST:
            return text[at:], len(text)
        return _value(text[at + 2 : end], variables, depth + 1), end + 1
    if follows in "#,}":
        return follows, at + 2
    if follows in ALIASES:
        return variables(ALIASES[follows]), at + 2
    return "#", at + 1


def _outside(text: str, at: int = 0) -> Iterator[tuple[int, str]]:
    """The characters from `at` on that are in no inner format and are not escaped, with their positions."""
    depth = 0
    while at < len(text):
        if text.startswith("#{", at):
            depth, at = depth + 1, at + 2
        elif text[at] == "#" and text[at + 1 : at + 2] in ("}", ",", "#"):
            at += 2
        else:
            if not depth:
                yield at, text[at]
            depth -= bool(depth) and text[at] == "}"
            at += 1


def _end(text: str, at: int) -> int:
    """Where the brace that is open at `at` closes; -1 if it does not."""
    return next((position for position, char in _outside(text, at) if char == "}"), -1)


def _parts(text: str) -> list[str]:
    """A text cut at its commas, but for those in inner formats."""
    cuts = [position for position, char in _outside(text) if char == ","]
    return [text[start:end] for start, end in zip([0, *(cut + 1 for cut in cuts)], [*cuts, None], strict=True)]


def _value(inside: str, variables: Variables, depth: int) -> str:
    """What stands between the braces of a format."""
    if inside.startswith("?"):
        return _chosen(_parts(inside[1:]), variables, depth)
    for sign, compare in _COMPARISONS.items():
        if inside.startswith(f"{sign}:"):
            sides = [expand(part, variables, depth) for part in _parts(inside[len(sign) + 1 :])]
            return str(int(len(sides) == 2 and compare(*sides)))
    if length := _LENGTH.match(inside):
        text, count = _named(inside[length.end() :], variables, depth), int(length[1])
        return text[:count] if count >= 0 else text[count:]
    modifier, colon, rest = inside.partition(":")
    if colon and modifier in _CHANGES:
        return _CHANGES[modifier](rest if modifier == "l" else _named(rest, variables, depth))
    return "" if colon and not inside.startswith("@") else _named(inside, variables, depth)


def _chosen(parts: list[str], variables: Variables, depth: int) -> str:
    """The branch of a conditional; tmux allows further conditions between the branches."""
    for condition, then in zip(parts[::2], parts[1::2], strict=False):
        if is_true(_named(condition, variables, depth)):
            return expand(then, variables, depth)
    return expand(parts[-1], variables, depth) if len(parts) % 2 else ""


def _named(text: str, variables: Variables, depth: int) -> str:
    """A variable by its name, or the inner formats expanded."""
    return expand(text, variables, depth) if "#" in text else variables(text)


_COMPARISONS: Final[dict[str, Callable[[str, str], bool]]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "||": lambda a, b: is_true(a) or is_true(b),
    "&&": lambda a, b: is_true(a) and is_true(b),
}
_CHANGES: Final[dict[str, Callable[[str], str]]] = {
    "b": os.path.basename,
    "d": os.path.dirname,
    "l": lambda text: text,
    "q": lambda text: _UNQUOTED.sub(r"\\\1", text),
}
