"""Events of a program besides text: pending replies, bells, titles, prompt marks.

Every string here came out of a pane and is untrusted; `fugue_tui.sanitize` makes it fit to show.
"""

from dataclasses import dataclass
from typing import TypeAlias

from fugue_tui.terminal.emulator.command_record import CommandRecord


@dataclass(frozen=True, slots=True)
class Reply:
    """Bytes to write back to the program, in the order of its queries."""

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
    """OSC 7: the shell's working directory, as a path (parsed from the file URL)."""

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
    """OSC 133 or 633: A prompt starts, B input starts, C output starts, D the command ended, E the line as typed."""

    kind: str
    exit_code: int | None = None
    """With D, and with A for a shell that may have skipped D; None if the shell did not report it."""
    line: str | None = None
    """The command line, with C or E; with D a rejected one; None if the shell did not report it."""
    nonce: str = ""
    """What a shell that Fugue set up adds to show that the mark is its own."""
    aid: str = ""
    """The shell that sent it; empty if unknown."""
    continues: bool = False
    """With A: the prompt of a further line of the same command."""
    eol: str = ""
    """With D: what the shell printed before it, and blanks up to the edge, to show that a line had no end."""


@dataclass(frozen=True, slots=True)
class CommandStarted:
    """A shell that marks its prompts has begun to run a command."""

    command: CommandRecord


@dataclass(frozen=True, slots=True)
class CommandFinished:
    """A command has finished."""

    command: CommandRecord


@dataclass(frozen=True, slots=True)
class EventsDropped:
    """The number of events that were dropped because they arrived too fast."""

    count: int


Event: TypeAlias = (
    Reply
    | Bell
    | TitleChanged
    | CwdChanged
    | Notification
    | ClipboardWrite
    | PromptMark
    | CommandStarted
    | CommandFinished
    | EventsDropped
)
