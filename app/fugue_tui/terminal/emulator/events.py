"""Events of a program besides text: pending replies, bells, titles, prompt marks.

Every string here came out of a pane and is untrusted; `fugue_tui.sanitize` makes it fit to show.
"""

from typing import TypeAlias

from msgspec import Struct

from fugue_tui.sideband.tag import ParseError, Tag
from fugue_tui.terminal.emulator.command_record import CommandRecord


class Reply(Struct, frozen=True):
    """Bytes to write back to the program, in the order of its queries."""

    data: bytes


class Bell(Struct, frozen=True):
    """BEL."""


class TitleChanged(Struct, frozen=True):
    """OSC 0 or 2."""

    title: str


class CwdChanged(Struct, frozen=True):
    """OSC 7: the shell's working directory, as a path (parsed from the file URL)."""

    cwd: str


class Notification(Struct, frozen=True):
    """OSC 9, or OSC 777;notify."""

    title: str
    body: str


class StatusReport(Struct, frozen=True):
    """OSC 7501: what a program, or a task of it, does now."""

    state: str
    """`idle`, `working`, `blocked`, `done`, `error`, or `clear`, which withdraws a record and those below it."""
    app: str = ""
    """The program's name; empty if it is not given."""
    record: str = ""
    """The task, such as `build/test`; empty for the program itself."""
    kind: str = ""
    """What a blocked one waits for: `permission`, `question` or `auth`; empty if it is not given."""
    progress: int | None = None
    """Per cent of the work that are done; None if that is unknown."""
    title: str = ""
    message: str = ""


class StatusQuery(Struct, frozen=True):
    """OSC 7501: the program asks whether the terminal understands status reports. It is answered, and no event."""


class ClipboardWrite(Struct, frozen=True):
    """OSC 52 with text to copy; an empty write and a read request never become events."""

    text: str


class PromptMark(Struct, frozen=True):
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
    cwd: str | None = None
    """With A or D: where a shell of Fugue's is; empty if its name has control characters, None if not reported."""


class CommandStarted(Struct, frozen=True):
    """A shell that marks its prompts has begun to run a command."""

    command: CommandRecord


class CommandFinished(Struct, frozen=True):
    """A command has finished."""

    command: CommandRecord


class EventsDropped(Struct, frozen=True):
    """The number of events that were dropped because they arrived too fast."""

    count: int


Event: TypeAlias = (
    Reply
    | Bell
    | TitleChanged
    | CwdChanged
    | Notification
    | StatusReport
    | ClipboardWrite
    | PromptMark
    | CommandStarted
    | CommandFinished
    | EventsDropped
    | Tag
    | ParseError
)
