"""The attached clients: the size of the screen, and how each of them is drawn on.

Clients that show the whole screen in all colours and keep up are mirrors: they get the same bytes. The others get
frames of their own. Main thread only.
"""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any, Final

from msgspec.structs import replace

from fugue_tui.attach_protocol import Bye, Extent, Hello, Welcome
from fugue_tui.attach_server.capabilities import SIXEL_QUERY, Change
from fugue_tui.attach_server.client import AttachedClient, DrawMode, Link, drawable, prefixes
from fugue_tui.attach_server.handshake import terminal_title
from fugue_tui.attach_server.input.input_parser import Focused
from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.attach_server.output.kitty_images import DELETE_ALL
from fugue_tui.attach_server.served_app import ServedApp
from fugue_tui.control.core.command import Door, Origin
from fugue_tui.errors import NotFound
from fugue_tui.geometry import CELL_PIXELS, Size
from fugue_tui.multiplexer.client_environment import parse
from fugue_tui.multiplexer.clients import AttachedTerminal
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.sanitize import clean

LAG_SECONDS: Final = 0.1
"""How long a mirror may have unsent output before the others no longer wait for it."""
LAG_BYTES: Final = 1 << 18
"""How many unsent bytes it may have."""
CAUGHT_UP_SECONDS: Final = 2.0
"""How long it must have kept up to become a mirror again."""


class ClientRegistry:
    """Every attached client, oldest first; the multiplexer's `Clients`."""

    def __init__(self, app: ServedApp) -> None:
        self._app = app
        self._all: list[AttachedClient] = []
        self._mirrors: list[AttachedClient] = []
        self._numbers, self._uses = count(1), count(1)
        self.screen = Size(80, 24)
        """The size that the screen has, or is about to have."""
        self.synchronized = False
        """Whether every mirror supports synchronized output (mode 2026)."""
        self._focused = True
        self.waiting = 0
        """How many agents wait for the user."""
        self._batch: bytearray | None = None
        self.watched = True
        """Whether any client shows the screen; True before the first has attached."""

    # Attach and detach

    def attach(self, link: Link, hello: Hello, *, pid: int | None = None, local: bool = False) -> AttachedClient:
        """Add a client. Raises InvalidArgument if its prefix is no key."""
        own = prefixes(hello, self._app.settings.keys.nested_prefix)
        client = AttachedClient(next(self._numbers), link, hello, pid=pid, local=local)
        client.prefixes = own
        client.last_used = 0 if client.read_only else next(self._uses)
        client.writer.on_drain = self._app.resume_painting
        client.writer.on_overflow = partial(self.repaint, client)
        self._all.append(client)
        client.query()
        self.regroup()
        return client

    def remove(self, client: AttachedClient) -> None:
        """A client has detached."""
        if client not in self._all:
            return
        self.record(EventKind.CLIENT_DETACHED, client)
        self._all.remove(client)
        if client.escape_timer is not None:
            client.escape_timer.cancel()
        self._use_environment()
        self.regroup()
        self._app.client_detached(client)
        if client.capabilities.images:
            self._set_graphics()
        self.update_focus(client)

    def record(self, kind: EventKind, client: AttachedClient) -> None:
        """Add an event to the log of the workspace."""
        facts: dict[str, Any] = {"client": client.id, "tty": clean(client.hello.tty), "read_only": client.read_only}
        self._app.mux.event_log.record(kind, **facts)
        attached = kind is EventKind.CLIENT_ATTACHED
        self.audit("attach" if attached else "detach", client.hello, client.pid, client=client.id)

    def audit(self, kind: str, hello: Hello, pid: int | None, *, refusal: str = "", client: int = 0) -> None:
        """Add an entry to the audit log, for a client that attached, or why it may not, or that detached."""
        self._app.dispatcher.audit.record_event(
            kind,
            Origin(Door.KEY, pid=pid),
            clean(hello.tty),
            outcome="refused" if refusal else "done",
            reason=refusal,
            read_only=hello.read_only,
            client=client,
        )

    def suspend(self, client: AttachedClient) -> None:
        """A client was stopped: it is not drawn on until it reports its size again."""
        client.draw_mode = DrawMode.SUSPENDED
        self.regroup()

    def resize(self, client: AttachedClient, extent: Extent) -> None:
        """A client has another size; one that reports the same size again shows something else and is repainted."""
        again = client.draw_mode is DrawMode.SUSPENDED or drawable(extent.cols, extent.rows) == client.size
        client.resize(extent)
        if again:
            client.draw_mode = DrawMode.WAITING
            client.query()
        self.use(client, again=True)

    def use(self, client: AttachedClient, *, again: bool = False) -> None:
        """The user acted there: it is the latest client."""
        changed = client is not self.latest and not client.read_only
        if changed:
            client.last_used = next(self._uses)
            self._set_default_colours(client)
        if changed or again:
            self._use_environment()
            self.regroup(resized=again)
            if client.capabilities.images:
                self._set_graphics()

    def update_focus(self, client: AttachedClient) -> None:
        """The focus of a client's terminal has changed: the app has the focus while any client has it that can type."""
        typing = [each for each in self._all if not each.read_only]
        focused = any(each.focused for each in typing)
        if typing and focused != self._focused:
            self._focused = focused
            self._app.handle(client, Focused(focused))

    def set_environment(self, client: AttachedClient, data: bytes) -> None:
        """A client sent its variables for new panes."""
        if client in self._all:
            client.environment = parse(data, self._app.mux.client_environment.names)
            self._use_environment()

    def _use_environment(self) -> None:
        """New panes get the variables of the latest client that can type."""
        latest = self.latest
        if latest is not None and not latest.read_only:
            self._app.mux.client_environment.use(latest.environment)

    @property
    def latest(self) -> AttachedClient | None:
        """The client that was used last; a read-only one only if there is no other."""
        return max(self._all, key=lambda client: client.last_used, default=None)

    def all(self) -> Sequence[AttachedClient]:
        """Every attached client, oldest first."""
        return tuple(self._all)

    # Commands

    def attached(self) -> tuple[AttachedTerminal, ...]:
        """The attached clients as commands report them, oldest first."""
        latest = self.latest
        return tuple(replace(client.info, latest=client is latest) for client in self._all)

    def detach(self, client: int) -> None:
        """Detach one client. Raises NotFound, or Refused for the program's own terminal."""
        found = self._numbered(client)
        _delete_images(found)
        found.link.part(Bye("detached"))
        self.remove(found)

    def refresh(self, client: int) -> None:
        """Repaint one client. Raises NotFound."""
        self.repaint(self._numbered(client))

    def _numbered(self, number: int) -> AttachedClient:
        found = next((client for client in self._all if client.id == number), None)
        if found is None:
            known = ", ".join(str(client.id) for client in self._all) or "none"
            raise NotFound(f"no client {number}; attached: {known} (list-clients)")
        return found

    def leave(self, status: int = 0) -> None:
        """End the workspace."""
        self._app.leave(status)

    def rename(self, workspace: str) -> None:
        """The workspace has another name."""
        for client in self._all:
            client.link.rename(Welcome(workspace=workspace, title=terminal_title(workspace, self.waiting)))

    def set_waiting(self, workspace: str, count: int) -> None:
        """So many agents wait for the user: the terminals' titles say so."""
        self.waiting = count
        self.rename(workspace)

    @property
    def focused(self) -> bool:
        """Whether a client's terminal has the focus."""
        return self._focused and bool(self._all)

    def finish(self, bye: Bye) -> None:
        """Detach every client at the end of the program; waits for their unsent output, for a bounded time."""
        for client in self._all:
            _delete_images(client)
            client.link.finish(bye)
        self._all.clear()

    # The size of the screen, and draw modes

    def reconfigure(self) -> None:
        """The configuration has changed: sizes and prefixes may change."""
        for client in self._all:
            client.prefixes = prefixes(client.hello, self._app.settings.keys.nested_prefix)
        self.regroup()

    def receive(self, client: AttachedClient, reply: str) -> None:
        """A client's terminal replied to a query."""
        match client.capabilities.receive(reply):
            case Change.DEPTH:
                self.repaint(client)
            case Change.SYNCHRONIZED_OUTPUT:
                self._synchronize()
            case Change.DEFAULT_COLOURS:
                self._set_default_colours(client)
            case Change.SIXEL:
                client.writer.write(SIXEL_QUERY)
                self._set_graphics()
            case Change.IMAGES:
                self._set_graphics()
            case None:
                return

    def regroup(self, *, resized: bool = False) -> None:
        """Choose the size of the screen and each client's draw mode; a client that was `resized` may be so again."""
        active = [client for client in self._all if client.draw_mode is not DrawMode.SUSPENDED]
        wanted = self._wanted_size(active) or self.screen
        if bool(active) != self.watched:
            self.watched = bool(active)
            if self.watched:
                self._app.resume_rendering(overdue=wanted == self.screen)
            else:
                self._app.pause_rendering()
        if wanted != self.screen:
            self.screen = wanted
            self._app.lay_out(wanted, at_once=not resized)
            for client in active:
                if client.draw_mode is DrawMode.MIRROR and client.size != wanted:
                    client.draw_mode = DrawMode.WAITING  # It has cells that are no longer the screen's.
        for client in active:
            if client.draw_mode is DrawMode.MIRROR and not self._can_mirror(client):
                client.draw_mode = DrawMode.WAITING
        self._mirrors = [client for client in self._all if client.draw_mode is DrawMode.MIRROR]
        for client in active:
            self._choose_draw_mode(client)
        self._synchronize()

    def _wanted_size(self, active: list[AttachedClient]) -> Size | None:
        counted = [client for client in active if not client.read_only] or active
        if not counted:
            return None
        if self._app.settings.session.size == "smallest":
            return Size(min(client.size.cols for client in counted), min(client.size.rows for client in counted))
        return max(counted, key=lambda client: client.last_used).size

    def _choose_draw_mode(self, client: AttachedClient) -> None:
        """Choose a client's draw mode; while the screen is laid out, those that are not mirrors wait."""
        if client.draw_mode is DrawMode.MIRROR:
            return
        mirrors, shown = self._can_mirror(client), self._app.shown_size
        if shown is not None and shown != self.screen and not mirrors:
            client.draw_mode = DrawMode.WAITING
        elif mirrors:
            client.draw_mode = DrawMode.MIRROR
            if shown == self.screen:  # Otherwise all of the screen is about to be painted, for this very size.
                self._app.paint_mirror(client)
            self._mirrors.append(client)
            self._app.mirror_added()
        elif shown is None:
            client.draw_mode = DrawMode.WAITING
        elif client.draw_mode is not DrawMode.OWN:
            client.draw_mode = DrawMode.OWN
            self._app.paint_own(client)

    def _can_mirror(self, client: AttachedClient) -> bool:
        true_colour = client.capabilities.depth is Depth.TRUE
        return client.size == self.screen and true_colour and not client.lagging and not client.scrolled_back

    def laid_out(self) -> None:
        """The screen was painted: clients that waited for its size are drawn on."""
        if any(client.draw_mode is DrawMode.WAITING for client in self._all):
            self.regroup()

    def _synchronize(self) -> None:
        supported = all(client.capabilities.synchronized for client in self._mirrors)
        self.synchronized = bool(self._mirrors) and supported
        self._app.synchronize(self.synchronized)

    def _set_default_colours(self, client: AttachedClient) -> None:
        if client is self.latest:
            for foreground, colour in client.capabilities.defaults.items():
                self._app.set_default_colour(foreground, colour)

    def _set_graphics(self) -> None:
        """Programs may send images while a client shows them; their cells have its pixels."""
        shows = [client for client in self._all if client.capabilities.images]
        latest = max(shows, key=lambda client: client.last_used, default=None)
        cell = latest.capabilities.cell if latest is not None else None
        self._app.set_graphics(shown=latest is not None, cell=cell or CELL_PIXELS)
        self._app.images_changed()

    # Output

    @property
    def has_mirrors(self) -> bool:
        """Whether any client is a mirror."""
        return bool(self._mirrors)

    @property
    def busy(self) -> bool:
        """Whether there are clients, and none of them could accept another frame."""
        writers = [client.writer for client in self._all if client.draw_mode is not DrawMode.SUSPENDED]
        return bool(writers) and all(writer.busy for writer in writers)

    @contextmanager
    def batch(self) -> Generator[None]:
        """Send what is written to the mirrors meanwhile at once."""
        if self._batch is not None:
            yield
            return
        self._batch = bytearray()
        try:
            yield
        finally:
            data, self._batch = self._batch, None
            self.write(data)

    def write(self, data: bytes | bytearray) -> None:
        """Send bytes to every mirror."""
        if self._batch is not None:
            self._batch += data
            return
        for client in self._mirrors:
            client.writer.write(data)
        if len(self._all) > 1:
            self._drop_lagging()

    def send(self, data: bytes, *, to_read_only: bool = True) -> None:
        """Send what has no place on the screen, such as a bell, to every client that can accept it now."""
        for client in self._all:
            accepts = client.draw_mode is not DrawMode.SUSPENDED and not client.writer.busy
            if accepts and (to_read_only or not client.read_only):
                client.writer.write(data)

    def _drop_lagging(self) -> None:
        """Mirrors that are too slow stop being mirrors, if there are others that are not."""
        lagging = [client for client in self._mirrors if self._lags(client)]
        if lagging and not self.busy:
            for client in lagging:
                client.lagging = True
                client.writer.cut()
            asyncio.get_running_loop().call_soon(self.regroup)

    def _lags(self, client: AttachedClient) -> bool:
        writer = client.writer
        if not writer.busy or client.lagging:
            return False
        return writer.backlog > LAG_BYTES or asyncio.get_running_loop().time() - writer.busy_since > LAG_SECONDS

    def caught_up(self, client: AttachedClient) -> bool:
        """Whether a client that lagged has kept up for a while; it is then a mirror again, if it can be one."""
        writer = client.writer
        if not client.lagging or writer.busy:
            return False
        if asyncio.get_running_loop().time() - writer.idle_since < CAUGHT_UP_SECONDS:
            return False
        client.lagging = False
        self.regroup()
        return True

    def repaint(self, client: AttachedClient) -> None:
        """What a client shows is unknown, or it can show more: repaint it."""
        client.invalidate()
        if client.draw_mode is not DrawMode.SUSPENDED:
            client.draw_mode = DrawMode.WAITING
        self.regroup()


def _delete_images(client: AttachedClient) -> None:
    """Free what the host of a client keeps for it, which is about to detach."""
    if client.capabilities.kitty_graphics:
        client.writer.write(DELETE_ALL)
