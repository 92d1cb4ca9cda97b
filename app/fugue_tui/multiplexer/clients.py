"""Who looks at a workspace: what commands may know of the terminals attached to it, and ask of them."""

from dataclasses import dataclass
from typing import Protocol

from fugue_tui.geometry import Size


@dataclass(frozen=True, slots=True)
class AttachedTerminal:
    """One attached terminal."""

    id: int
    """Counts from 1, and is never given twice."""
    size: Size
    """Its size in cells."""
    tty: str = ""
    """The name of its device: untrusted."""
    term: str = ""
    """Its TERM: untrusted."""
    pid: int | None = None
    """The client's process."""
    read_only: bool = False
    latest: bool = False
    """Whether it was used last."""
    colours: int = 0
    """How many colours it shows."""
    kitty_keyboard: bool = False
    """Whether it tells keys apart by the kitty keyboard protocol."""
    synchronized_output: bool = False
    """Whether it shows frames as a whole (mode 2026)."""
    cell_pixels: tuple[int, int] | None = None
    """Width and height of a cell in pixels; None if it does not tell."""


class Clients(Protocol):
    """The attached terminals. Main thread only."""

    def viewers(self) -> tuple[AttachedTerminal, ...]:
        """Who is attached, in the order of coming."""
        ...

    def detach(self, viewer: int) -> None:
        """Send one away; it gets its terminal back. Raises NotFound, or Refused where nothing would stay behind."""
        ...

    def refresh(self, viewer: int) -> None:
        """Paint one anew. Raises NotFound."""
        ...

    def leave(self, status: int = 0) -> None:
        """End the workspace and every program in it."""
        ...


class NoClients:
    """No audience: nothing is attached, and nothing can be left."""

    def viewers(self) -> tuple[AttachedTerminal, ...]:
        """Nobody."""
        return ()

    def detach(self, viewer: int) -> None:
        """There is nobody to send away."""
        from fugue_tui.errors import NotFound

        raise NotFound(f"no client {viewer}; none is attached")

    def refresh(self, viewer: int) -> None:
        """There is nobody to paint for."""
        self.detach(viewer)

    def leave(self, status: int = 0) -> None:
        """Nothing runs."""
