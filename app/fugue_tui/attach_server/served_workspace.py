"""The interface of the workspace that clients are attached to, whatever their views are."""

from typing import Protocol

from fugue_tui.config.model import Config
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.multiplexer import Multiplexer


class ServedWorkspace(Protocol):
    """What all views have in common. Main thread only."""

    mux: Multiplexer
    settings: Config
    dispatcher: Dispatcher

    def set_default_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """A default colour of the latest client's terminal."""
        ...

    def set_graphics(self, *, shown: bool, cell: tuple[int, int]) -> None:
        """Whether a client shows images, and the size of its cells in pixels."""
        ...

    def leave(self, status: int = 0) -> None:
        """End the program with an exit status."""
        ...
