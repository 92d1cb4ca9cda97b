"""In place of a channel, for a terminal whose program was not started yet: no descriptors, no thread, no process."""

from typing import NoReturn

from fugue_tui.errors import TerminalGone
from fugue_tui.geometry import Size


class Idle:
    """A channel to nobody."""

    flooding = -1
    turn = 0

    def start(self) -> None:
        """There is nothing to read."""

    def write(self, data: bytes) -> int:
        """Nobody reads. Raises TerminalGone."""
        _refuse()

    def reply(self, data: bytes) -> bool:
        """Nobody asked."""
        return False

    def pause(self, *, paused: bool) -> None:
        """There is nothing to read."""

    def resize(self, size: Size) -> None:
        """Nobody needs to know."""

    def foreground_group(self) -> int:
        """No process group."""
        return 0

    def edits_lines(self) -> bool:
        """Nobody edits anything."""
        return False

    def interrupt(self, number: int) -> None:
        """There is nobody to interrupt. Raises TerminalGone."""
        _refuse()

    def close(self) -> None:
        """Nothing is held."""

    def ready(self, fd: int, events: int) -> None:
        """No descriptor is watched."""

    def writable(self) -> None:
        """No descriptor is watched."""

    def hang_up(self, grace: float) -> None:
        """No program runs."""

    def fail(self) -> None:
        """Nothing is held."""


def _refuse() -> NoReturn:
    raise TerminalGone("the program of this pane was not started yet; Enter in the pane or respawn-pane starts it")
