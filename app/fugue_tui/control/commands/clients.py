"""Commands for clients: the attached terminals."""

import asyncio

from msgspec import Struct

from fugue_tui import sockets
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.geometry import Size
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.clients import AttachedTerminal
from fugue_tui.sanitize import clean
from fugue_tui.store import server_records
from fugue_tui.store.paths import ran_before


class ClientInfo(Struct, frozen=True):
    """An attached terminal."""

    id: int
    """Its number; never reused."""
    tty: str
    """Its tty device, as it reports; empty if unknown."""
    term: str
    """Its TERM, as it reports."""
    size: Size
    """Its size in cells."""
    session: str
    """The session that it shows."""
    window: str | None
    """The window that it shows; null if there is none."""
    view: int
    """The number of its view: terminals with the same one mirror each other."""
    pid: int | None
    """Its client process; null for the terminal that the workspace runs in."""
    read_only: bool
    """Whether its input is ignored."""
    latest: bool
    """Whether it was active last."""
    colours: int
    """How many colours it supports: 16777216, 256, 16 or 0."""
    kitty_keyboard: bool
    """Whether it supports the kitty keyboard protocol."""
    synchronized_output: bool
    """Whether it supports synchronized output (mode 2026)."""
    cell_pixels: tuple[int, int] | None
    """Width and height of a cell in pixels; null if unknown."""


class ClientList(Struct, frozen=True):
    """The attached terminals."""

    clients: tuple[ClientInfo, ...]
    """The clients, in the order in which they attached."""


class Detached(Struct, frozen=True):
    """The clients that were detached."""

    clients: tuple[int, ...]
    """Their numbers."""


class ListClients(Command[ClientList], name="list-clients", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """List the terminals that are attached to the workspace."""

    def run(self, mux: Multiplexer, origin: Origin) -> ClientList:
        """The clients; empty if none is attached."""
        return ClientList(tuple(client_info(mux, client) for client in mux.clients.attached()))


class DetachClient(
    Command[Detached], name="detach-client", effect=Effect.ADMIN, toolset=Toolset.SESSIONS, repeatable=True
):
    """Detach a client from the workspace; the workspace and its programs go on."""

    client: int = 0
    """Its number; omitted, the client that was active last."""
    all: bool = False
    """Whether to detach all clients."""

    def run(self, mux: Multiplexer, origin: Origin) -> Detached:
        """The detached clients. Raises NotFound, or Refused for the terminal that the workspace runs in."""
        if self.all and self.client:
            raise InvalidArgument("client: give a number or all, not both")
        attached = mux.clients.attached()
        detached = tuple(client.id for client in attached) if self.all else (_find_client(self.client, attached),)
        for number in detached:
            mux.clients.detach(number)
        return Detached(detached)


class RefreshClient(Command[ClientInfo], name="refresh-client", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """Redraw a client's terminal, if something else wrote to it."""

    client: int = 0
    """Its number; omitted, the client that was active last."""

    def run(self, mux: Multiplexer, origin: Origin) -> ClientInfo:
        """The client, after a redraw. Raises NotFound."""
        attached = mux.clients.attached()
        number = _find_client(self.client, attached)
        mux.clients.refresh(number)
        return next(client_info(mux, client) for client in attached if client.id == number)


class SwitchedClient(Struct, frozen=True):
    """A client that shows another workspace now."""

    client: int
    """Its number in this workspace."""
    workspace: str
    """The other workspace."""


class SwitchWorkspace(Command[SwitchedClient], name="switch-workspace", effect=Effect.ADMIN, toolset=Toolset.SESSIONS):
    """Have a terminal show another workspace, which runs or is saved; this one and its programs go on."""

    name: str
    """The name of the other workspace, as fugue-tui ls lists it."""
    client: int = 0
    """The client's number; omitted, the client that was active last."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SwitchedClient]:
        """The client that was switched. Raises NotFound, or Refused for the terminal that the workspace runs in."""
        sockets.check_name(self.name)
        if self.name == mux.workspace.name:
            raise InvalidArgument(f"name: {self.name} is this one; select-session changes the session")
        return run_task(self._switch(mux, _find_client(self.client, mux.clients.attached())))

    async def _switch(self, mux: Multiplexer, client: int) -> SwitchedClient:
        if not await asyncio.to_thread(_is_there, self.name):
            raise NotFound(
                f"no workspace {self.name} runs or is saved; fugue-tui ls lists them, and "
                f"fugue-tui new {self.name} --detached starts it"
            )
        mux.clients.switch(client, self.name)
        return SwitchedClient(client, self.name)


def _is_there(workspace: str) -> bool:
    """Whether a workspace runs, or is restored when it is started."""
    return server_records.holder(workspace) is not None or ran_before(workspace)


def client_info(mux: Multiplexer, client: AttachedTerminal) -> ClientInfo:
    """A client as commands report it."""
    window = next((each for each in mux.workspace.windows if each.id == client.window), None)
    return ClientInfo(
        id=client.id,
        tty=clean(client.tty),
        term=clean(client.term, 64),
        size=client.size,
        session=clean(window.session) if window is not None else "",
        window=str(window.id) if window is not None else None,
        view=client.view,
        pid=client.pid,
        read_only=client.read_only,
        latest=client.latest,
        colours=client.colours,
        kitty_keyboard=client.kitty_keyboard,
        synchronized_output=client.synchronized_output,
        cell_pixels=client.cell_pixels,
    )


def _find_client(number: int, attached: tuple[AttachedTerminal, ...]) -> int:
    """The client of this number, or the one that was active last for 0. Raises NotFound."""
    found = next((each.id for each in attached if (each.id == number if number else each.latest)), None)
    if found is None:
        known = ", ".join(str(each.id) for each in attached)
        raise NotFound(
            f"no client {number or ''}".rstrip() + (f"; attached: {known}" if known else "; none is attached")
        )
    return found
