"""Attaches clients to the workspace, and detaches them."""

import asyncio
import os
import signal
from functools import partial
from typing import Any, Final, Protocol

from fugue_tui.attach_protocol import Bye, Hello
from fugue_tui.attach_server import tty_reset
from fugue_tui.attach_server.all_clients import AllClients
from fugue_tui.attach_server.client import AttachedClient, DrawMode
from fugue_tui.attach_server.handshake import Handshake
from fugue_tui.attach_server.input_router import InputRouter
from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.attach_server.served_workspace import ServedWorkspace
from fugue_tui.attach_server.socket_link import SocketLink
from fugue_tui.attach_server.tty_link import TtyLink
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.errors import FugueError
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.sanitize import clean
from fugue_tui.terminal.input.keys import spell

MOST_TERMINALS: Final = 64
"""Terminals that may be attached at a time."""
_END_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


class ViewedWorkspace(ServedWorkspace, Protocol):
    """Gives clients views. Main thread only."""

    def view_for(self, hello: Hello) -> ClientRegistry:
        """The view of a client that attaches: one that others see too, or its own. Raises NotFound if it wants to see
        that of a client which is not attached."""
        ...


class AttachServer:
    """Attaches clients of the workspace's socket and the program's own terminal. Main thread only."""

    def __init__(self, workspace: ViewedWorkspace, terminal: HostTerminal | None, first: Handshake | None) -> None:
        """`first` is the client that a server starts with."""
        self.terminal = terminal
        """The terminal that the program was started in; None for a server."""
        self.clients = AllClients(workspace)
        self.bye = Bye()
        """Sent to every client at the end."""
        self._workspace = workspace
        self._first = first
        self._tty: TtyLink | None = None
        self._loop: asyncio.AbstractEventLoop
        self._old_handlers: dict[int, Any] = {}

    def start(self, view: ClientRegistry) -> None:
        """Handle signals, and take over the program's own terminal for the first view. Called in the loop, before there
        is a screen."""
        self._loop = asyncio.get_running_loop()
        for number in _END_SIGNALS:
            self._old_handlers[number] = signal.getsignal(number)
            self._loop.add_signal_handler(number, self._workspace.leave, 128 + number)
        if self.terminal is not None:
            self._attach_tty(self.terminal, view)

    def attach_first(self) -> None:
        """Attach the client that the server starts with: there is a screen now."""
        if self._first is not None:
            self.attach(self._first)

    def _attach_tty(self, terminal: HostTerminal, view: ClientRegistry) -> None:
        tty = self._tty = TtyLink(terminal, self._loop)
        tty.start()
        env, plain = os.environ.get, bool(os.environ.get("NO_COLOR"))
        remote = bool(env("SSH_CONNECTION") or env("SSH_TTY"))
        hello = Hello(
            *terminal.extent, term=env("TERM", ""), colorterm=env("COLORTERM", ""), no_color=plain, remote=remote
        )
        client = self.clients.create(tty, hello, local=True)
        view.attach(client)
        client.query()
        tty.on_input = partial(view.app.enter, InputRouter(view.app, view).feed, client)
        tty.on_size = partial(view.app.enter, view.resize, client)
        tty.awaits_reply = client.capabilities.awaits_reply
        tty.on_continue = partial(view.repaint, client)
        tty.on_end = partial(self._workspace.leave, 129)
        view.app.lay_out(client.size)

    def attach(self, handshake: Handshake) -> None:
        """Attach a client, or refuse it."""
        if refusal := self._refusal(handshake):
            self.clients.audit("attach", handshake.hello, next(iter(handshake.pids), None), refusal=refusal)
            handshake.refuse(refusal)
            return
        name, names = self._workspace.mux.workspace.name, self._workspace.mux.client_environment.names
        if not handshake.accept(name, self._workspace.settings.ui.mouse, self.clients.waiting, names):
            handshake.socket.close()
            return
        link = SocketLink(handshake.socket, self._loop, handshake.early)
        link.writer.send(handshake.unsent)
        try:
            client = self.clients.create(link, handshake.hello, pid=handshake.pids[0] if handshake.pids else None)
            view = self._workspace.view_for(handshake.hello)
        except FugueError as error:
            link.part(Bye("error", clean(str(error)), 2))
            return
        link.on_environment = partial(self.clients.set_environment, client)
        client.query()
        view.app.enter(self._show, client, link, view)
        self.clients.record(EventKind.CLIENT_ATTACHED, client)
        view.app.when_mounted(partial(self._begin, client, link, view))

    def _show(self, client: AttachedClient, link: SocketLink, view: ClientRegistry) -> None:
        """Have a client show a view, which handles its input."""
        view.attach(client)
        link.on_input = partial(view.app.enter, InputRouter(view.app, view).feed, client)
        link.on_size = partial(view.app.enter, view.resize, client)
        link.on_pause = partial(view.app.enter, view.suspend, client)
        link.on_end = partial(self._disconnected, client, view)
        link.on_drop = partial(view.remove, client)

    def move(self, client: AttachedClient, old: ClientRegistry, new: ClientRegistry) -> None:
        """Have a client show another view."""
        if isinstance(client.link, SocketLink):
            old.app.enter(old.release, client)
            new.app.enter(self._show, client, client.link, new)

    def _begin(self, client: AttachedClient, link: SocketLink, view: ClientRegistry) -> None:
        """Read what a client sends, as there is a screen."""
        link.start()
        view.update_focus(client)
        if client.hello.nested:
            self._inform_nested(client, view)
        view.app.client_attached(client)

    def _refusal(self, handshake: Handshake) -> str:
        """Why a client may not attach; empty if it may."""
        if any(terminal.pid in handshake.pids for terminal in self._workspace.mux.terminals.values()):
            return "this terminal is a pane of that very workspace, which would show itself in itself"
        if handshake.inside:  # It could answer the questions that are for the user.
            return (
                "this terminal was started by a program in a pane of a workspace, where an agent could answer what the "
                "user is asked; attach from a terminal outside, or start another workspace here: fugue-tui new NAME"
            )
        if len(self.clients.all()) >= MOST_TERMINALS:
            return f"{MOST_TERMINALS} terminals are attached already; fugue-tui detach --all sends them away"
        return ""

    def _disconnected(self, client: AttachedClient, view: ClientRegistry) -> None:
        """A client has closed its connection; one that was killed could not restore its terminal."""
        if client.draw_mode is not DrawMode.SUSPENDED:
            tty_reset.reset(client.hello)
        view.remove(client)

    def _inform_nested(self, client: AttachedClient, view: ClientRegistry) -> None:
        keys = self._workspace.settings.keys
        outer = clean(client.hello.nested, 20)
        own = " ".join(spell(press) for press in client.prefixes)
        way = f"{own} is a prefix here" if own else f"press {keys.prefix} twice, or set keys.nested_prefix"
        view.app.inform(f"inside {outer}: {way}")

    def close(self) -> None:
        """Stop reading clients; the program's own terminal is restored, the others are detached by `finish`."""
        if self._tty is not None:
            self._tty.stop()
        for number, handler in self._old_handlers.items():
            self._loop.remove_signal_handler(number)
            signal.signal(number, handler)
        self._old_handlers.clear()
        if self._tty is not None:
            self._tty.restore()
        for client in self.clients.all():
            if isinstance(client.link, SocketLink):
                client.link.stop()
                client.writer.stop()
        if self.terminal is not None:
            self.terminal.close()
