"""The clients that show one view: the size of its screen, and how each of them is drawn on.

Clients that show the whole screen in all colours and keep up are mirrors: they get the same bytes. The others get
frames of their own. Main thread only.
"""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

from fugue_tui.attach_protocol import Extent
from fugue_tui.attach_server.all_clients import AllClients
from fugue_tui.attach_server.capabilities import SIXEL_QUERY, Change
from fugue_tui.attach_server.client import AttachedClient, DrawMode, drawable, prefixes
from fugue_tui.attach_server.input.input_parser import Focused
from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.attach_server.served_app import ServedApp
from fugue_tui.geometry import Size
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.multiplexer.views import View

LAG_SECONDS: Final = 0.1
"""How long a mirror may have unsent output before the others no longer wait for it."""
LAG_BYTES: Final = 1 << 18
"""How many unsent bytes it may have."""
CAUGHT_UP_SECONDS: Final = 2.0
"""How long it must have kept up to become a mirror again."""


class ClientRegistry:
    """The clients of one view, oldest first."""

    def __init__(self, app: ServedApp, everyone: AllClients) -> None:
        self.app = app
        """What they show."""
        self._everyone = everyone
        self._all: list[AttachedClient] = []
        self._mirrors: list[AttachedClient] = []
        self.screen = Size(80, 24)
        """The size that the screen has, or is about to have."""
        self.synchronized = False
        """Whether every mirror supports synchronized output (mode 2026)."""
        self._focused = True
        self._batch: bytearray | None = None
        self.watched = True
        """Whether any client shows the screen; True before the first has attached."""
        self._wanted: Size | None = None

    @property
    def view(self) -> View:
        """What they show."""
        return self.app.view

    @property
    def last_used(self) -> int:
        """When any of them was used last, as a rank; 0 for clients that only look on."""
        return max((client.last_used for client in self._all), default=0)

    # Attach and detach

    def attach(self, client: AttachedClient) -> None:
        """Add a client, which `AllClients` has made."""
        client.writer.on_drain = partial(self.app.enter, self.app.resume_painting)
        client.writer.on_overflow = partial(self.repaint, client)
        self._all.append(client)
        self._follow_host(client)
        self.regroup()

    def remove(self, client: AttachedClient) -> None:
        """A client has detached."""
        if client not in self._all:
            return
        self._everyone.record(EventKind.CLIENT_DETACHED, client)
        self._all.remove(client)
        if client.escape_timer is not None:
            client.escape_timer.cancel()
        self._everyone.use_environment()
        if client.capabilities.images:
            self._everyone.set_graphics()
        self.app.enter(self._removed, client)

    def _removed(self, client: AttachedClient) -> None:
        if self.latest is not None:
            self._follow_host(self.latest)
        self.regroup()
        self.app.client_detached(client)
        self.update_focus(client)

    def release(self, client: AttachedClient) -> None:
        """A client is about to show another view."""
        self._all.remove(client)
        client.invalidate()
        client.draw_mode = DrawMode.WAITING
        self.regroup()
        self.app.client_detached(client)

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
        changed = self._everyone.use(client)
        if not client.read_only:
            self.app.used()
        if changed:
            self.app.wants_size()  # Of the views that show one window, the one that was used last says how large it is.
        if changed or again:
            self._follow_host(client)
            self._everyone.use_environment()
            self.regroup(resized=again)
            if client.capabilities.images:
                self._everyone.set_graphics()

    def update_focus(self, client: AttachedClient) -> None:
        """The focus of a client's terminal has changed: the app has the focus while any client has it that can type."""
        typing = [each for each in self._all if not each.read_only]
        focused = any(each.focused for each in typing)
        if typing and focused != self._focused:
            self._focused = focused
            self.app.handle(client, Focused(focused))

    @property
    def latest(self) -> AttachedClient | None:
        """The client that was used last; a read-only one only if there is no other."""
        return max(self._all, key=lambda client: client.last_used, default=None)

    def all(self) -> Sequence[AttachedClient]:
        """Every attached client, oldest first."""
        return tuple(self._all)

    @property
    def focused(self) -> bool:
        """Whether a client's terminal has the focus."""
        return self._focused and bool(self._all)

    # The size of the screen, and draw modes

    def reconfigure(self) -> None:
        """The configuration has changed: sizes and prefixes may change."""
        for client in self._all:
            client.prefixes = prefixes(client.hello, self.app.settings.keys.nested_prefix)
        self.regroup()

    def receive(self, client: AttachedClient, reply: str) -> None:
        """A client's terminal replied to a query."""
        match client.capabilities.receive(reply):
            case Change.DEPTH:
                self._follow_host(client)
                self.repaint(client)
            case Change.SYNCHRONIZED_OUTPUT:
                self._synchronize()
            case Change.DEFAULT_COLOURS:
                self._everyone.set_default_colours(client)
                self._follow_host(client)
            case Change.COLOUR_SCHEME:
                client.query_colours()
            case Change.SIXEL:
                client.writer.write(SIXEL_QUERY)
                self._images_changed()
            case Change.IMAGES:
                self._images_changed()
            case None:
                return

    def regroup(self, *, resized: bool = False) -> None:
        """Choose the size of the screen and each client's draw mode; a client that was `resized` may be so again."""
        active = [client for client in self._all if client.draw_mode is not DrawMode.SUSPENDED]
        before, self._wanted = self._wanted, self.wanted
        if before != self._wanted:
            self.app.wants_size()
        wanted = self.app.wanted_size() or self.screen
        if bool(active) != self.watched:
            self.watched = bool(active)
            if self.watched:
                self.app.resume_rendering(overdue=wanted == self.screen)
            else:
                self.app.pause_rendering()
        if wanted != self.screen:
            self.screen = wanted
            self.app.lay_out(wanted, at_once=not resized)
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

    @property
    def wanted(self) -> Size | None:
        """The size that these clients want; None if none of them shows the screen."""
        active = [client for client in self._all if client.draw_mode is not DrawMode.SUSPENDED]
        counted = [client for client in active if not client.read_only] or active
        if not counted:
            return None
        if self.app.settings.session.size == "smallest":
            return Size(min(client.size.cols for client in counted), min(client.size.rows for client in counted))
        return max(counted, key=lambda client: client.last_used).size

    def _choose_draw_mode(self, client: AttachedClient) -> None:
        """Choose a client's draw mode; while the screen is laid out, those that are not mirrors wait."""
        if client.draw_mode is DrawMode.MIRROR:
            return
        mirrors, shown = self._can_mirror(client), self.app.shown_size
        if shown is not None and shown != self.screen and not mirrors:
            client.draw_mode = DrawMode.WAITING
        elif mirrors:
            client.draw_mode = DrawMode.MIRROR
            if shown == self.screen:  # Otherwise all of the screen is about to be painted, for this very size.
                self.app.paint_mirror(client)
            self._mirrors.append(client)
            self.app.mirror_added()
        elif shown is None:
            client.draw_mode = DrawMode.WAITING
        elif client.draw_mode is not DrawMode.OWN:
            client.draw_mode = DrawMode.OWN
            self.app.paint_own(client)

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
        self.app.synchronize(self.synchronized)

    def _follow_host(self, client: AttachedClient) -> None:
        """The view has the colours of the terminal that it was used in last."""
        if client is self.latest:
            self.app.follow_host(client)

    def _images_changed(self) -> None:
        """A client shows other images than before."""
        self._everyone.set_graphics()
        self.app.enter(self.app.images_changed)

    # Output

    @property
    def mirrors(self) -> Sequence[AttachedClient]:
        """The clients that get the same bytes."""
        return tuple(self._mirrors)

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
        """Send what has no place on the screen to each of these clients that can accept it now."""
        for client in self._all:
            client.send(data, to_read_only=to_read_only)

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
        self.app.enter(self.regroup)
