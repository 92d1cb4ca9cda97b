"""The commands on clients: the terminals that show the workspace."""

from dataclasses import dataclass

from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.geometry import Size
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.clients import AttachedTerminal
from fugue_tui.sanitize import clean


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """A terminal that shows the workspace."""

    id: int
    """Its number; never used again."""
    tty: str
    """Its device, as it says; empty if it does not."""
    term: str
    """Its TERM, as it says."""
    size: Size
    """Its size in cells."""
    pid: int | None
    """The process of its client; null for the terminal that the workspace itself runs in."""
    read_only: bool
    """Whether it only looks on."""
    latest: bool
    """Whether it was used last."""
    colours: int
    """How many colours it shows: 16777216, 256, 16 or 0."""
    kitty_keyboard: bool
    """Whether it tells all keys apart, by the kitty keyboard protocol."""
    synchronized_output: bool
    """Whether it shows each frame as a whole."""
    cell_pixels: tuple[int, int] | None
    """Width and height of a cell in pixels; null if it does not tell."""


@dataclass(frozen=True, slots=True)
class ClientList:
    """The terminals that show the workspace."""

    clients: tuple[ClientInfo, ...]
    """The clients, in the order of coming."""


@dataclass(frozen=True, slots=True)
class Detached:
    """Who was sent away."""

    clients: tuple[int, ...]
    """The numbers of the clients that are detached now."""


class ListClients(Command[ClientList], name="list-clients", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """List the terminals that are attached to the workspace."""

    def run(self, mux: Multiplexer, origin: Origin) -> ClientList:
        """The clients; none if nobody looks."""
        return ClientList(tuple(map(client_info, mux.clients.viewers())))


class DetachClient(
    Command[Detached], name="detach-client", effect=Effect.LAYOUT, toolset=Toolset.SESSIONS, repeatable=True
):
    """Send a terminal away: it gets itself back, and the workspace and its programs go on."""

    client: int = 0
    """Its number; omitted, the one that was used last."""
    all: bool = False
    """Whether to send all away."""

    def run(self, mux: Multiplexer, origin: Origin) -> Detached:
        """Who is gone. Raises NotFound, or Refused for the terminal that the workspace itself runs in."""
        if self.all and self.client:
            raise InvalidArgument("client: all leaves nobody to name; say one or the other")
        there = mux.clients.viewers()
        gone = tuple(viewer.id for viewer in there) if self.all else (_meant(self.client, there),)
        for number in gone:
            mux.clients.detach(number)
        return Detached(gone)


class RefreshClient(Command[ClientInfo], name="refresh-client", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """Paint a terminal anew, if something else wrote on it."""

    client: int = 0
    """Its number; omitted, the one that was used last."""

    def run(self, mux: Multiplexer, origin: Origin) -> ClientInfo:
        """The client, painted anew. Raises NotFound."""
        there = mux.clients.viewers()
        number = _meant(self.client, there)
        mux.clients.refresh(number)
        return next(client_info(viewer) for viewer in there if viewer.id == number)


def client_info(viewer: AttachedTerminal) -> ClientInfo:
    """A client as every door tells of it."""
    return ClientInfo(
        id=viewer.id,
        tty=clean(viewer.tty),
        term=clean(viewer.term, 64),
        size=viewer.size,
        pid=viewer.pid,
        read_only=viewer.read_only,
        latest=viewer.latest,
        colours=viewer.colours,
        kitty_keyboard=viewer.kitty_keyboard,
        synchronized_output=viewer.synchronized_output,
        cell_pixels=viewer.cell_pixels,
    )


def _meant(number: int, there: tuple[AttachedTerminal, ...]) -> int:
    """The client that is meant. Raises NotFound."""
    found = next((each.id for each in there if (each.id == number if number else each.latest)), None)
    if found is None:
        known = ", ".join(str(each.id) for each in there)
        raise NotFound(
            f"no client {number or ''}".rstrip() + (f"; attached: {known}" if known else "; none is attached")
        )
    return found
