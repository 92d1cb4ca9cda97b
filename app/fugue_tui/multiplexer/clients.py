"""The interface through which commands list and control the attached clients."""

from typing import Protocol

from msgspec import Struct

from fugue_tui.geometry import Size
from fugue_tui.ids import WindowId
from fugue_tui.workspace.model import NO_WINDOW


class AttachedTerminal(Struct, frozen=True):
    """One attached terminal."""

    id: int
    """Counts from 1; never reused."""
    size: Size
    """Its size in cells."""
    tty: str = ""
    """The path of its device: untrusted."""
    term: str = ""
    """Its TERM: untrusted."""
    pid: int | None = None
    """The client's process; None if unknown."""
    read_only: bool = False
    latest: bool = False
    """Whether it is the most recently used."""
    view: int = 0
    """The view that it shows; terminals with the same one mirror each other."""
    window: WindowId = NO_WINDOW
    """The window that it shows."""
    colours: int = 0
    """The number of colours it supports."""
    kitty_keyboard: bool = False
    """Whether it supports the kitty keyboard protocol."""
    synchronized_output: bool = False
    """Whether it supports synchronized output (mode 2026)."""
    cell_pixels: tuple[int, int] | None = None
    """Width and height of a cell in pixels; None if it does not report it."""


class Clients(Protocol):
    """The attached clients. Main thread only."""

    def attached(self) -> tuple[AttachedTerminal, ...]:
        """The attached terminals, oldest first."""
        ...

    def detach(self, client: int) -> None:
        """Detach one client. Raises NotFound, or Refused if no server would remain."""
        ...

    def switch(self, client: int, workspace: str) -> None:
        """Have one client attach to another workspace. Raises NotFound, or Refused if no server would remain."""
        ...

    def refresh(self, client: int) -> None:
        """Redraw one client. Raises NotFound."""
        ...

    def leave(self, status: int = 0) -> None:
        """End the workspace and every program in it."""
        ...


class NoClients:
    """No attached clients."""

    def attached(self) -> tuple[AttachedTerminal, ...]:
        """Empty."""
        return ()

    def detach(self, client: int) -> None:
        """Raises NotFound."""
        from fugue_tui.errors import NotFound

        raise NotFound(f"no client {client}; none is attached")

    def switch(self, client: int, workspace: str) -> None:
        """Raises NotFound."""
        self.detach(client)

    def refresh(self, client: int) -> None:
        """Raises NotFound."""
        self.detach(client)

    def leave(self, status: int = 0) -> None:
        """Does nothing."""
