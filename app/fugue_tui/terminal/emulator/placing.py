"""What both engines share in knowing places: whose lock pins take, and who hears of marks."""

from collections.abc import Callable
from contextlib import nullcontext

from fugue_tui.terminal.emulator.events import PromptMark
from fugue_tui.terminal.emulator.pending_events import Inbox
from fugue_tui.terminal.screen.pins import Guard


class Placing:
    """A part of an engine; see `Emulator` for what its methods promise."""

    _inbox: Inbox
    _guard: Guard = nullcontext()

    def attend(self, lock: Guard, heard: Callable[[PromptMark], None]) -> None:
        """Have pins take a lock, and marks told where they are."""
        self._guard, self._inbox.on_mark = lock, heard
