"""Sanitizes untrusted text of programs, agents and files before it is shown to a user or a model.

The result has no control characters, no escape sequences and nothing that hides or reorders text: no bidirectional
controls, zero-width or tag characters (Unicode's Default_Ignorable_Code_Point and Bidi_Control, less the joiners and
selectors inside emoji), no lone surrogates. Private-use glyphs stay, because prompts use them.
"""

import json
import re
import unicodedata
from itertools import groupby
from typing import Final

TITLE_LIMIT: Final = 256
"""Most characters of a title or a name."""
PATH_LIMIT: Final = 4096
"""Most characters of a path: Linux's PATH_MAX."""
WORD_LIMIT: Final = 64
"""Most characters of what a program says of itself, such as its title."""
TEXT_LIMIT: Final = 262_144
"""Most characters of a text of several lines."""
MARKS_LIMIT: Final = 8
"""Most combining marks on one character; living languages need four."""

_SEQUENCE: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\r\n]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS: Final = tuple(char for char in map(chr, [*range(0x20), 0x7F]) if char not in "\t\n")
_SGR: Final = re.compile(r"(\x1b\[[0-9;:]*m)")
_WORD: Final = re.compile(r"[\w./~+@-]+", re.ASCII)
_BREAK: Final = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
_NONCHARACTERS: Final = "".join(chr(plane << 16 | end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff" + _NONCHARACTERS + "]"
)
_PICTURE: Final = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001f3fa\U0001f400-\U0001faff]"
)
_EMOJI: Final = f"{_PICTURE}[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]?"
_JOINED: Final = re.compile(f"({_EMOJI}(?:\u200d{_EMOJI})*|[0-9#*]\ufe0f\u20e3)|[\u200d\ufe0e\ufe0f]")


def clean(text: str, limit: int = TITLE_LIMIT) -> str:
    """One line of at most `limit` characters, for a title or a name; a truncated one ends in an ellipsis."""
    if not _is_plain(text):
        text = re.sub(r"[\n\t]+", " ", _scrub(text))
    return _cut(text.strip(), limit)


def clean_path(path: str) -> str:
    """A path on one line."""
    return clean(path, PATH_LIMIT)


def clean_text(text: str, limit: int = TEXT_LIMIT) -> str:
    """Text with its tabs and line breaks (written as newlines), of at most `limit` characters."""
    return _cut(_scrub(text), limit)


def clean_styled(text: str) -> str:
    """Text with its colours and attributes (SGR) and no other sequence, for the user's terminal."""
    return "".join(part if _SGR.fullmatch(part) else _scrub(part) for part in _SGR.split(text))


def visible(text: str) -> str:
    """The text itself if all of it is visible, else with its hidden characters escaped."""
    return text if clean_text(text, len(text) + 1) == text else ascii(text)


def quoted(name: str) -> str:
    """A name that others chose, for a sentence: itself if it is one plain word or path, else in quotes."""
    return name if _WORD.fullmatch(name) else json.dumps(clean(name), ensure_ascii=False)


def spelled(text: str) -> str:
    """The same for a model: the escape character of each sequence becomes U+241B."""
    return clean_styled(text).replace("\x1b", "\u241b")


def _scrub(text: str) -> str:
    if "\n" not in text or "\r" in text:
        return text if _is_plain(text) else _scrub_all(text)
    if text.isascii() and not any(control in text for control in _CONTROLS):  # three times as fast as bytes.translate
        return text
    # Nothing that is taken out goes over the end of a line, and most lines need nothing.
    parts = ((is_plain, "\n".join(lines)) for is_plain, lines in groupby(text.split("\n"), _is_plain))
    return "\n".join(part if is_plain else _scrub_all(part) for is_plain, part in parts)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _scrub_all(text: str) -> str:
    text = _BREAK.sub("\n", _HIDDEN.sub("", _SEQUENCE.sub("", text)))
    return text if text.isascii() else _fewer_marks(_only_emoji_joined(text))


def _only_emoji_joined(text: str) -> str:
    return _JOINED.sub(lambda found: found[1] or "", text)


def _fewer_marks(text: str) -> str:
    marks = "".join(sorted(char for char in set(text) if _is_mark(char)))
    return re.sub(f"([{marks}]{{{MARKS_LIMIT}}})[{marks}]+", r"\1", text) if marks else text


def _is_mark(char: str) -> bool:
    return char not in "\ufe0e\ufe0f" and unicodedata.category(char) in ("Mn", "Me")


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return _only_emoji_joined(text[: max(limit - 1, 0)]).rstrip() + "…" if limit > 0 else ""
