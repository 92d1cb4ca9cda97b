"""How far a command is that is typed into a shell, and how it ended."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.pty.spawn import Exit

PROMPT: Final = 10.0
"""Seconds that a shell has until it waits for a command."""
ECHO: Final = 1.0
"""Seconds that a shell has to show what was typed."""
QUIET: Final = 0.25
"""Seconds without output after which a shell without marks may be back at its prompt without having said so."""
GRACE: Final = 2.0
"""Seconds that a command has to end after it was interrupted; the next in line goes on then in any case."""


class CommandStage(IntEnum):
    """How far it is."""

    QUEUED = 0
    WAITING = 1
    """For the prompt."""
    CLEARED = 2
    """Ctrl+C was pressed at a prompt that was not empty, and another is to come."""
    TYPED = 3
    """But Enter was not pressed."""
    ENTERED = 4
    RUNNING = 5
    OVER = 6


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a command ended."""

    record: CommandRecord | None
    """None if the shell came back to its prompt without having run anything."""
    exit_code: int | None
    """None if nobody told."""
    exit: Exit | None = None
    """How the pane's program ended, if the command ended that."""
    lost: bool = False
    """Whether the shell that ran it is gone, or gave it up, without a word."""
    unmarked: bool = False
    """Whether the shell waits at a prompt that it did not mark, though it marked those before."""
