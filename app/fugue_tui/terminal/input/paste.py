"""What a program is sent for pasted text: one bracketed paste, with nothing in it that a key press could not type."""

import re
from typing import Final

from fugue_tui.terminal.screen.cells import Modes

_START: Final = "\x1b[200~"
_END: Final = "\x1b[201~"
_MARKER: Final = re.compile(r"(?:\x1b\[|\x9b)20[01]~")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def encode(text: str, modes: Modes) -> bytes:
    """The bytes for pasted text: bracketed once if the program asked, else with line ends as Enter sends them.

    Paste markers and control characters but tab and newline are removed: a paste can neither end itself nor press keys.
    """
    text = cleaned(text)
    if modes.bracketed_paste:
        return f"{_START}{text}{_END}".encode("utf-8", "replace") if text else b""
    return text.replace("\n", "\r").encode("utf-8", "replace")


def cleaned(text: str) -> str:
    """A text with one kind of line end, and without paste markers and control characters; a marker hidden in another is
    harmless, for its ESC goes too."""
    text = _MARKER.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROL.sub("", text)
