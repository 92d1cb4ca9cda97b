"""What attached terminals may ask of the app that they show."""

from typing import Protocol

from fugue_tui.geometry import Size
from fugue_tui.tui.clients.client import Viewer


class Room(Protocol):
    """The app, as the terminals see it."""

    @property
    def shown_size(self) -> Size | None:
        """The size that the screen is laid out for; None before there is a screen."""
        ...

    @property
    def size_policy(self) -> str:
        """Whose size the screen has: `latest` or `smallest`."""
        ...

    @property
    def nested_prefix(self) -> str:
        """The further prefix for terminals in another multiplexer; empty for none."""
        ...

    def gone(self, viewer: Viewer) -> None:
        """A terminal was sent away."""
        ...

    def attended(self, anyone: bool, *, fits: bool) -> None:
        """Somebody looks now, or nobody; `fits` says whether the screen keeps its size."""
        ...

    def fit(self, size: Size, *, at_once: bool) -> None:
        """Lay the screen out for another size: at once, or in a storm of sizes only for the last."""
        ...

    def join(self, viewer: Viewer) -> None:
        """Bring a terminal to what the mirrors show."""
        ...

    def joined(self) -> None:
        """It is one of the mirrors now."""
        ...

    def draw(self, viewer: Viewer) -> None:
        """Give a terminal a picture of its own."""
        ...

    def synchronize(self, known: bool) -> None:
        """Whether what is written may use synchronized output."""
        ...

    def host_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """The default colours of the terminal that was used last."""
        ...

    def room_again(self) -> None:
        """A terminal that could not take more has taken everything."""
        ...

    def leave(self, status: int = 0) -> None:
        """End the program."""
        ...
