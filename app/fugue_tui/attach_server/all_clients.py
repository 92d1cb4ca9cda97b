"""The clients of all views; the multiplexer's `Clients`. Main thread only."""

from collections.abc import Sequence
from itertools import count
from typing import Any, Protocol

from msgspec.structs import replace

from fugue_tui.attach_protocol import SWITCHED, Bye, Hello, Welcome
from fugue_tui.attach_server.client import AttachedClient, Link, prefixes
from fugue_tui.attach_server.handshake import terminal_title
from fugue_tui.attach_server.output.kitty_images import DELETE_ALL
from fugue_tui.attach_server.served_workspace import ServedWorkspace
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.errors import NotFound
from fugue_tui.geometry import CELL_PIXELS
from fugue_tui.multiplexer.client_environment import parse
from fugue_tui.multiplexer.clients import AttachedTerminal
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.multiplexer.views import View
from fugue_tui.sanitize import clean


class ViewClients(Protocol):
    """The clients of one view."""

    @property
    def view(self) -> View:
        """What they show."""
        ...

    @property
    def focused(self) -> bool:
        """Whether a client's terminal has the focus."""
        ...

    def all(self) -> Sequence[AttachedClient]:
        """The clients, oldest first."""
        ...

    def remove(self, client: AttachedClient) -> None:
        """A client has detached."""
        ...

    def repaint(self, client: AttachedClient) -> None:
        """What a client shows is unknown: repaint it."""
        ...


class AllClients:
    """Every attached client, oldest first."""

    def __init__(self, workspace: ServedWorkspace) -> None:
        self._workspace = workspace
        self.views: list[ViewClients] = []
        """The clients of each view."""
        self._numbers, self._uses = count(1), count(1)
        self.waiting = 0
        """How many agents wait for the user."""

    # Attach and detach

    def create(self, link: Link, hello: Hello, *, pid: int | None = None, local: bool = False) -> AttachedClient:
        """A client with a number, that is in no view yet. Raises InvalidArgument if its prefix is no key."""
        own = prefixes(hello, self._workspace.settings.keys.nested_prefix)
        client = AttachedClient(next(self._numbers), link, hello, pid=pid, local=local)
        client.prefixes = own
        client.last_used = 0 if client.read_only else next(self._uses)
        return client

    def record(self, kind: EventKind, client: AttachedClient) -> None:
        """Add an event to the log of the workspace."""
        facts: dict[str, Any] = {"client": client.id, "tty": clean(client.hello.tty), "read_only": client.read_only}
        self._workspace.mux.event_log.record(kind, **facts)
        attached = kind is EventKind.CLIENT_ATTACHED
        self.audit("attach" if attached else "detach", client.hello, client.pid, client=client.id)

    def audit(self, kind: str, hello: Hello, pid: int | None, *, refusal: str = "", client: int = 0) -> None:
        """Add an entry to the audit log, for a client that attached, or why it may not, or that detached."""
        self._workspace.dispatcher.audit.record_event(
            kind,
            Origin(Interface.KEY, pid=pid),
            clean(hello.tty),
            outcome="refused" if refusal else "done",
            reason=refusal,
            read_only=hello.read_only,
            client=client,
        )

    def finish(self, bye: Bye) -> None:
        """Detach every client at the end of the program; waits for their unsent output, for a bounded time."""
        for client in self.all():
            _delete_images(client)
            client.link.finish(bye)
        self.views.clear()

    def all(self) -> Sequence[AttachedClient]:
        """Every attached client, oldest first."""
        return tuple(sorted((each for view in self.views for each in view.all()), key=lambda client: client.id))

    # The client that was used last

    @property
    def latest(self) -> AttachedClient | None:
        """The client that was used last; a read-only one only if there is no other."""
        return max(self.all(), key=lambda client: client.last_used, default=None)

    def use(self, client: AttachedClient) -> bool:
        """The user acted there: it is the latest client. Whether it was not before."""
        if client is self.latest or client.read_only:
            return False
        client.last_used = next(self._uses)
        self.set_default_colours(client)
        return True

    def set_default_colours(self, client: AttachedClient) -> None:
        """The colours of a client's terminal are known: programs can query those of the latest."""
        if client is self.latest:
            for foreground, colour in client.capabilities.defaults.items():
                self._workspace.set_default_colour(foreground, colour)

    def set_graphics(self) -> None:
        """Programs may send images while a client shows them; their cells have its pixels."""
        shows = [client for client in self.all() if client.capabilities.images]
        latest = max(shows, key=lambda client: client.last_used, default=None)
        cell = latest.capabilities.cell if latest is not None else None
        self._workspace.set_graphics(shown=latest is not None, cell=cell or CELL_PIXELS)

    def set_environment(self, client: AttachedClient, data: bytes) -> None:
        """A client sent its variables for new panes."""
        if client in self.all():
            client.environment = parse(data, self._workspace.mux.client_environment.names)
            self.use_environment()

    def use_environment(self) -> None:
        """New panes get the variables of the latest client that can type."""
        latest = self.latest
        if latest is not None and not latest.read_only:
            self._workspace.mux.client_environment.use(latest.environment)

    # Commands

    def attached(self) -> tuple[AttachedTerminal, ...]:
        """The attached clients as commands report them, oldest first."""
        latest = self.latest
        found = [
            replace(client.info, latest=client is latest, view=clients.view.id, window=clients.view.window)
            for clients in self.views
            for client in clients.all()
        ]
        return tuple(sorted(found, key=lambda client: client.id))

    def detach(self, client: int) -> None:
        """Detach one client. Raises NotFound, or Refused for the program's own terminal."""
        self._part(client, Bye("detached"))

    def switch(self, client: int, workspace: str) -> None:
        """Have one client attach to another workspace. Raises NotFound, or Refused for the program's own terminal."""
        self._part(client, Bye(SWITCHED, workspace))

    def _part(self, client: int, bye: Bye) -> None:
        found, view = self._numbered(client)
        _delete_images(found)
        found.link.part(bye)
        view.remove(found)

    def refresh(self, client: int) -> None:
        """Repaint one client. Raises NotFound."""
        found, view = self._numbered(client)
        view.repaint(found)

    def _numbered(self, number: int) -> tuple[AttachedClient, ViewClients]:
        found = next(((each, view) for view in self.views for each in view.all() if each.id == number), None)
        if found is None:
            known = ", ".join(str(client.id) for client in self.all()) or "none"
            raise NotFound(f"no client {number}; attached: {known} (list-clients)")
        return found

    def leave(self, status: int = 0) -> None:
        """End the workspace."""
        self._workspace.leave(status)

    # What concerns all

    def rename(self, workspace: str) -> None:
        """The workspace has another name."""
        for client in self.all():
            client.link.rename(Welcome(workspace=workspace, title=terminal_title(workspace, self.waiting)))

    def set_waiting(self, workspace: str, count: int) -> None:
        """So many agents wait for the user: the terminals' titles say so."""
        self.waiting = count
        self.rename(workspace)

    @property
    def focused(self) -> bool:
        """Whether a client's terminal has the focus."""
        return any(view.focused for view in self.views)

    def send(self, data: bytes, *, to_read_only: bool = True) -> None:
        """Send what has no place on the screen, such as a bell, to every client that can accept it now."""
        for client in self.all():
            client.send(data, to_read_only=to_read_only)


def _delete_images(client: AttachedClient) -> None:
    """Free what the host of a client keeps for it, which is about to detach."""
    if client.capabilities.kitty_graphics:
        client.writer.write(DELETE_ALL)
