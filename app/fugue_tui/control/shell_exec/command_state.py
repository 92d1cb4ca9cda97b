"""The stages and the end of a command that is typed into a shell."""

import time
from collections.abc import Callable
from enum import IntEnum
from typing import Final

from msgspec import Struct

from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.pty.spawn import Exit

PROMPT: Final = 10.0
"""Seconds to wait for a shell's prompt."""
ECHO: Final = 1.0
"""Seconds to wait for the echo of typed text."""
QUIET: Final = 0.25
"""Seconds of silence after which a shell without marks may be back at its prompt."""
GRACE: Final = 2.0
"""Seconds that an interrupted command has to end before the next in the queue starts in any case."""


class CommandStage(IntEnum):
    """The stage of a typed command."""

    QUEUED = 0
    WAITING = 1
    """Waits for the prompt."""
    CLEARED = 2
    """Ctrl+C was sent at a prompt with text, and the next prompt is pending."""
    TYPED = 3
    """Enter is pending."""
    ENTERED = 4
    RUNNING = 5
    OVER = 6


class CommandEnd(Struct, frozen=True):
    """How a command ended."""

    record: CommandRecord | None
    """None if the shell returned to its prompt without running anything."""
    exit_code: int | None
    """None if it was not reported."""
    exit: Exit | None = None
    """The exit of the pane's program, if the command ended it."""
    lost: bool = False
    """Whether its shell exited or abandoned it without a mark."""
    unmarked: bool = False
    """Whether the shell stopped marking its prompts."""


class EndChecks:
    """Checks for a command's end, each due at a time."""

    def __init__(self) -> None:
        self._due: dict[Callable[[], CommandEnd | None], float] = {}

    @property
    def seconds(self) -> float | None:
        """Seconds until the next is due, negative if it is overdue; None if there is none."""
        return min(self._due.values()) - time.monotonic() if self._due else None

    def add(self, check: Callable[[], CommandEnd | None], seconds: float) -> None:
        """Check after so many seconds, in which the same check is not due."""
        self._due[check] = time.monotonic() + seconds

    def run(self) -> CommandEnd | None:
        """The end, if a check that is due finds it."""
        for check in [check for check, due in self._due.items() if due <= time.monotonic()]:
            del self._due[check]
            if end := check():
                return end
        return None

    def clear(self) -> None:
        """Drop all checks."""
        self._due.clear()
