"""What the app does for the terminals attached to it: lets them in, lays out for them, and draws on them."""

import asyncio
import logging
import os
import signal
from collections.abc import Collection
from functools import partial
from typing import Any, Final

from fugue_tui.attach_protocol import Bye, Hello
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.errors import FugueError
from fugue_tui.geometry import Size
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.sanitize import clean
from fugue_tui.terminal.input.keys import spell
from fugue_tui.tui.app_context import AppContext, ScreenDriver
from fugue_tui.tui.attach.input_router import InputRouter
from fugue_tui.tui.clients.client import AttachedClient
from fugue_tui.tui.clients.handshake import Handshake
from fugue_tui.tui.clients.registry import ClientRegistry
from fugue_tui.tui.clients.socket_link import SocketLink
from fugue_tui.tui.clients.tty_link import TtyLink
from fugue_tui.tui.render.client_renderer import ClientRenderer
from fugue_tui.tui.render.client_scrollback import ClientScrollback
from fugue_tui.tui.render.scheduler import RenderScheduler
from fugue_tui_mcp.peer_credentials import ancestors, peer_of

logger = logging.getLogger(__name__)

_ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)


class ClientManager:
    """Everything about attached terminals. Main thread only; there is one for each app that has any."""

    def __init__(self, app: AppContext, driver: ScreenDriver, size: Size) -> None:
        self._app = app
        self._driver = driver
        self._loop = asyncio.get_running_loop()
        self.viewers = ClientRegistry(self, self._loop, size)
        self.router = InputRouter(self.viewers, app, driver, self._loop)
        self._tty: TtyLink | None = None
        self._first: Handshake | None = None
        self._frames: RenderScheduler | None = None
        self._renderer: ClientRenderer | None = None
        self._before: dict[int, Any] = {}

    # Who comes and goes

    def open(self, host: HostTerminal | None, first: Handshake | None) -> None:
        """Take over the program's own terminal, if it has one; the first client of a server is let in by `begin`."""
        self._handle_signals()
        if host is not None:
            self._attach_tty(host)
        self._first = first

    def _attach_tty(self, host: HostTerminal) -> None:
        tty = self._tty = TtyLink(host, self._loop)
        tty.start()
        size, env = host.extent, os.environ
        hello = Hello(*size, term=env.get("TERM", ""), colorterm=env.get("COLORTERM", ""))
        viewer = self.viewers.attach(tty, hello, local=True)
        tty.on_input = partial(self.router.fed, viewer)
        tty.on_size = partial(self.viewers.resized, viewer)
        tty.owes = viewer.abilities.owes
        tty.on_back = partial(self.viewers.anew, viewer)
        tty.on_end = partial(self._app.leave, 129)
        self._driver.lay_out(viewer.size)

    def admit(self, arrival: Handshake) -> None:
        """Let a client in, or tell it why not."""
        pids = arrival.pids or _processes(arrival)
        if any(terminal.pid in pids for terminal in self._app.mux.terminals.values()):
            arrival.turn_away("this terminal is a pane of that very workspace, which would show itself in itself")
            return
        if not arrival.let_in(self._app.mux.workspace.name, self._app.settings.ui.mouse):
            arrival.connected.close()
            return
        remote = SocketLink(arrival.connected, self._loop, arrival.early)
        remote.writer.send(arrival.unsent)
        try:
            viewer = self.viewers.attach(remote, arrival.hello, pid=pids[0] if pids else None)
        except FugueError as error:
            remote.part(Bye("error", clean(str(error)), 2))
            return
        remote.on_input = partial(self.router.fed, viewer)
        remote.on_size = partial(self.viewers.resized, viewer)
        remote.on_pause = partial(self.viewers.away, viewer)
        remote.on_end = partial(self.gone, viewer)
        remote.start()
        self._note(EventKind.CLIENT_ATTACHED, viewer)
        self.router.refocus(viewer)
        if viewer.read_only and self.router.reading is not None:
            self.router.reading.tell(viewer)
            self.router.looked_on(viewer)
        if viewer.hello.nested:
            self._inform_nested(viewer)
        self._app.client_attached(viewer)

    def gone(self, viewer: AttachedClient) -> None:
        """A terminal has left."""
        if viewer in self.viewers.all():
            self._note(EventKind.CLIENT_DETACHED, viewer)
        self.viewers.gone(viewer)
        self._app.client_detached(viewer)
        self.router.drop(viewer)

    def _note(self, kind: EventKind, viewer: AttachedClient) -> None:
        told: dict[str, Any] = {"client": viewer.id, "tty": clean(viewer.hello.tty), "read_only": viewer.read_only}
        self._app.mux.event_log.record(kind, **told)

    def _inform_nested(self, viewer: AttachedClient) -> None:
        keys = self._app.settings.keys
        outer = clean(viewer.hello.nested, 20)
        own = " ".join(spell(press) for press in viewer.prefixes)
        way = f"{own} is a prefix here" if own else f"press {keys.prefix} twice, or set keys.nested_prefix"
        self._app.inform(f"inside {outer}: {way}")

    # The end

    def _handle_signals(self) -> None:
        for number in _ENDINGS:
            self._before[number] = signal.getsignal(number)
            self._loop.add_signal_handler(number, self._app.leave, 128 + number)

    def close(self) -> None:
        """Stop reading clients; the program's own terminal is restored, the others are notified by `part_all`."""
        for number, handler in self._before.items():
            self._loop.remove_signal_handler(number)
            signal.signal(number, handler)
        self._before.clear()
        if self._tty is not None:
            self._tty.give_back()
        for viewer in self.viewers.all():
            if isinstance(viewer.link, SocketLink):
                viewer.link.stop()
                viewer.writer.stop()

    def stop_input(self) -> None:
        """Read no more."""
        if self._tty is not None:
            self._tty.stop()

    # Drawing

    def begin(self, frames: RenderScheduler) -> None:
        """There is a screen now."""
        self._frames = frames
        reading = self.router.reading = ClientScrollback(self._app, self.router.looked_on)
        self._renderer = self.router.pictures = ClientRenderer(self._app, self.viewers, frames, reading)
        if self._first is not None:
            self.admit(self._first)
        self.viewers.regroup()

    def changed(self, rows: Collection[int] | None = None) -> None:
        """The screen is another: these rows, or all of it, and the cursor."""
        if self._renderer is not None:
            self._renderer.changed(rows)

    def displayed(self) -> None:
        """Textual wrote to the mirrors."""
        self.viewers.laid_out()
        self.changed()

    @property
    def shown_size(self) -> Size | None:
        """The size that the screen is laid out for."""
        return self._app.shown_size if self._frames is not None else None

    @property
    def size_policy(self) -> str:
        """Whose size the screen has."""
        return self._app.settings.session.size

    @property
    def nested_prefix(self) -> str:
        """The further prefix for terminals in another multiplexer."""
        return self._app.settings.keys.nested_prefix

    def attended(self, anyone: bool, *, fits: bool) -> None:
        """The first client has attached, or the last has detached."""
        if anyone:
            self._app.resume_rendering(overdue=fits)
            self.changed()
        else:
            self._app.pause_rendering()

    def fit(self, size: Size, *, at_once: bool) -> None:
        """Lay the screen out for another size."""
        self._driver.lay_out(size, at_once=at_once)

    def join(self, viewer: AttachedClient) -> None:
        """Bring a terminal to what the mirrors show."""
        if self._frames is not None and self._renderer is not None:
            self._frames.catch_up()
            self._renderer.whole(viewer)

    def joined(self) -> None:
        """There is another mirror."""
        if self._frames is not None:
            self._frames.joined()

    def draw(self, viewer: AttachedClient) -> None:
        """Give a terminal a picture of its own."""
        if self._frames is not None and self._renderer is not None:
            self._frames.catch_up()
            self._renderer.draw(viewer)

    def synchronize(self, known: bool) -> None:
        """Whether what is written may use synchronized output."""
        self._app.synchronize(known)

    def host_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """The default colours of the terminal that was used last."""
        self._app.host_colour(foreground, colour)

    def writer_drained(self) -> None:
        """A terminal that could not take more has taken everything."""
        if self._frames is not None and self._renderer is not None:
            self._frames.schedule()
            self._renderer.schedule()

    def leave(self, status: int = 0) -> None:
        """End the program."""
        self._app.leave(status)


def _processes(arrival: Handshake) -> tuple[int, ...]:
    """The client's process and its ancestors, as the kernel tells."""
    try:
        return ancestors(peer_of(arrival.connected).pid)
    except OSError:
        return ()
