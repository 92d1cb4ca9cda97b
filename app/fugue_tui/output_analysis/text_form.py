"""Classifies a text that was copied: a URL, paths, JSON, a command line, source code, or other text. Pure."""

import json
import re
from enum import StrEnum
from typing import Final

LONGEST: Final = 200_000
"""Characters of a text that is examined; a longer one counts as text."""
PROMPT: Final = re.compile(r"^[$❯] (?=[^\s\d])")
"""The sign before a command in a shell session that was copied; `$ 5` is an amount."""
_URL: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://|mailto:)\S+", re.IGNORECASE)
_PATH: Final = re.compile(r"(?:~|\.{1,2})?/(?:[^\s|&;<>`\"'$()]|\\ )*")
_SPACED_PATH: Final = re.compile(r"(?:~|\.{1,2})?/(?:(?! -)[^|&;<>`\"$\\\t])+(?:/|\.\w{1,8})")
_PROGRAMS: Final = (
    "apt|awk|bash|brew|cargo|cat|cd|chmod|chown|cp|curl|docker|dpkg|du|echo|export|find|gcc|git|go|grep|head|java|kill"
    "|kubectl|less|ln|ls|make|mkdir|mv|nano|node|npm|npx|pip3?|pnpm|python3?|rm|rsync|ruby|scp|sed|sh|source|ssh|sudo"
    "|systemctl|tail|tar|touch|uv|vim?|wget|yarn|zsh"
)
_COMMAND: Final = re.compile(rf"(?:\w+=\S*\s+)*(?:(?:{_PROGRAMS})(?:\s+\S.*)?|\./\S+\s+\S.*|/\S+\s+-{{1,2}}\w.*)")
_CODE: Final = re.compile(
    r"^\s*(?:def |class |import |from \w\S* import |func |fn |pub |use \w|const |let |var |return\b|#include|package \w"
    r"|@\w|(?:if|for|while|switch)\b.*[:{]$|\}|</?\w|//|/\*)|[;{]\s*$|\):\s*$|=>"
)


class TextForm(StrEnum):
    """What a text looks like."""

    URL = "url"
    """One URL or several, one a line."""
    PATH = "path"
    """One path or several, one a line."""
    JSON = "json"
    """A JSON object or array."""
    COMMAND = "command"
    """A command line, with or without the sign of a prompt."""
    CODE = "code"
    """Several lines of source code."""
    TEXT = "text"
    """Anything else."""


def form_of(text: str) -> TextForm:
    """What a text looks like; a guess, but JSON is JSON."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines or len(text) > LONGEST:
        return TextForm.TEXT
    if text.strip()[0] in "{[" and _is_json(text):
        return TextForm.JSON
    if all(map(_URL.fullmatch, lines)):
        return TextForm.URL
    if all(map(_is_path, lines)):
        return TextForm.PATH
    if PROMPT.match(lines[0]) or (len(lines) == 1 and _COMMAND.fullmatch(lines[0])):
        return TextForm.COMMAND
    marked = sum(1 for line in text.strip().splitlines() if _CODE.search(line))
    return TextForm.CODE if len(lines) > 1 and marked * 3 >= len(lines) else TextForm.TEXT


def _is_path(line: str) -> bool:
    """Whether a line is one path, which may hold blanks if it ends in a suffix or a slash."""
    return bool(_PATH.fullmatch(line) or _SPACED_PATH.fullmatch(line)) and not line.startswith("//")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
