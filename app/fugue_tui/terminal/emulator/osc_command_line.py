"""Decodes a command line inside an escape sequence: percent-encoded, quoted for a shell, or escaped."""

import re
from typing import Final
from urllib.parse import unquote

LONGEST: Final = 4_096
"""Characters kept of a command line."""

_ESCAPED: Final = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|.)", re.DOTALL)
_LETTERS: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"
}  # fmt: skip
_QUOTED: Final = re.compile(r"\$'((?:[^'\\]|\\.)*)'|'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)", re.DOTALL)


def percent(text: str) -> str:
    """A percent-encoded line (kitty's `cmdline_url`)."""
    return unquote(text, errors="replace")[:LONGEST]


def quoted(text: str) -> str:
    """A line that was quoted to be one word, as `printf %q` and zsh's `(q)` do (kitty's `cmdline`)."""
    return _QUOTED.sub(_unquoted, text)[:LONGEST]


def escaped(text: str) -> str:
    """A line with `\\x3b` for a semicolon and so on (VS Code's OSC 633;E)."""
    return _ESCAPED.sub(_character, text)[:LONGEST]


def _unquoted(found: re.Match[str]) -> str:
    ansi, single, double, plain = found.groups()
    if ansi is not None:
        return _ESCAPED.sub(_character, ansi)
    if double is not None:
        return re.sub(r"\\([$`\"\\])", r"\1", double)
    return single if single is not None else plain


def _character(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 else "\ufffd"
    return chr(int(code, 8)) if code.isdecimal() and code.isascii() else _LETTERS.get(code, code)
