"""What is known of one command that a shell ran."""

from msgspec import Struct
from msgspec.structs import astuple

from fugue_tui.terminal.screen.pins import Pin


class CommandRecord(Struct, frozen=True, eq=False):
    """One command, as its shell's prompt marks reported it (OSC 133). Its strings are untrusted."""

    number: int
    """Counts the terminal's commands from 1; never used again."""
    line: str
    """What was typed, newlines and all."""
    cwd: str
    """Where it was started; empty if unknown."""
    started: float
    """On the monotonic clock, in seconds."""
    started_at: float
    """Seconds since the epoch."""
    trusted: bool = False
    """Whether the marks are those of a shell that Fugue set up; others may come from any program's output."""
    ended: float | None = None
    """On the monotonic clock; None while it runs."""
    ended_at: float | None = None
    exit_code: int | None = None
    """None while it runs, or if the shell did not report it."""
    unconfirmed: bool = False
    """Whether another program than the shell was in the foreground when its end was reported."""
    own: bool = False
    """Whether Fugue typed it for a purpose of its own, so that it is in no history."""
    start: Pin | None = None
    """Where its output starts; None once it is one of the older commands."""
    stop: Pin | None = None
    """Where its output stops; None too while it runs."""

    @property
    def running(self) -> bool:
        """Whether it has not finished."""
        return self.ended is None

    @property
    def confirmed_exit_code(self) -> int | None:
        """The exit code; None if another program could have reported it."""
        return None if self.unconfirmed else self.exit_code

    @property
    def seconds(self) -> float | None:
        """How long it ran; None while it runs."""
        return None if self.ended is None else self.ended - self.started

    def __eq__(self, other: object) -> bool:
        """Whether it is the same command in the same state; pins are not compared."""
        return isinstance(other, CommandRecord) and astuple(self)[:-2] == astuple(other)[:-2]

    def __hash__(self) -> int:
        return hash(astuple(self)[:-2])
