"""What a program says besides text: replies owed to it, bells, titles, marks.

Every string here came out of a pane and is untrusted; `fugue_tui.text` makes it fit to show.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Reply:
    """Bytes to write back to the program, in the order in which it asked."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Bell:
    """BEL."""


@dataclass(frozen=True, slots=True)
class TitleChanged:
    """OSC 0 or 2."""

    title: str


@dataclass(frozen=True, slots=True)
class CwdChanged:
    """OSC 7: the shell's working directory, as a path (the file URL is taken apart)."""

    cwd: str


@dataclass(frozen=True, slots=True)
class Notification:
    """OSC 9, or OSC 777;notify."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class ClipboardWrite:
    """OSC 52 with text to copy; an empty write and a read request never become events."""

    text: str


@dataclass(frozen=True, slots=True)
class PromptMark:
    """OSC 133: A prompt starts, B input starts, C output starts, D the command ended."""

    kind: str
    exit_code: int | None = None


Event: TypeAlias = Reply | Bell | TitleChanged | CwdChanged | Notification | ClipboardWrite | PromptMark
