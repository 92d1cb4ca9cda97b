"""Starts a workspace in the foreground or as a server: the first program first, slow imports after it."""

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fugue_tui import __version__, private_log
from fugue_tui.attach_protocol import OUTPUT, Bye, Hello, frame
from fugue_tui.attach_server.handshake import Handshake
from fugue_tui.attach_server.output.color_depth import Depth, depth_of
from fugue_tui.attach_server.output.startup_painter import StartupPainter
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.config.model import Config, SessionSettings
from fugue_tui.control.commands import windows
from fugue_tui.control.core.command import USER, Origin
from fugue_tui.errors import FugueError, SaveError, SocketError, TerminalError
from fugue_tui.geometry import Size
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.optional_imports import deferred, replaced, without
from fugue_tui.sanitize import clean, clean_text
from fugue_tui.store.paths import ran_before, state_dir
from fugue_tui.terminal.pty import orphans, process
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.tui.main_thread_queue import MainThreadQueue
from fugue_tui.workspace.model import OnExit, Workspace

if TYPE_CHECKING:
    from asyncio import TimerHandle

    from fugue_tui.control.dispatch.audit import Audit
    from fugue_tui.control.dispatch.thread_gateway import Caller
    from fugue_tui.multiplexer.access.grants import Grant
    from fugue_tui.multiplexer.agents.journal import Journal
    from fugue_tui.multiplexer.autosave.saver import Saver
    from fugue_tui.multiplexer.mcp_servers.connector import Connector, Handler
    from fugue_tui.store.name_lock import NameLock
    from fugue_tui.tui.ui.restore_prompt import RestorePrompt
    from fugue_tui.tui.workspace_server import WorkspaceServer
    from fugue_tui_mcp.listener import Listener
    from fugue_tui_mcp.socket_server import SocketServer

_SWITCH_SECONDS: Final = 0.0002
"""How long a busy thread may keep the interpreter from the I/O loop, which reads echoes."""
_REAP_SECONDS: Final = 1.0
"""From the end of a child until orphans are reaped."""
_NO_CLIENT: Final = Size(80, 24)
"""The size of a workspace before any client has attached."""


class ServerOptions(Struct, frozen=True):
    """What a workspace starts with."""

    workspace: str
    config: Config
    listener: "Listener | None" = None
    """Where clients, agents and the command line connect; None for a workspace without a socket."""
    lock: "NameLock | None" = None
    """The lock of the name of a workspace without a socket."""
    foreground: bool = True
    """Whether it is shown on stdin's terminal; otherwise it is a server."""
    first: tuple[socket.socket, Hello] | None = None
    """The client that a server starts with."""
    config_file: Path | None = None
    """The file that is watched for changes."""
    faults: Sequence[str] = ()
    """The errors in it, shown with the first screen."""
    command: tuple[str, ...] | str = ()
    """The program of the first pane; empty for a shell."""
    opening: Callable[[Multiplexer, Origin], object] | None = None
    """Opens the first panes instead of `command`."""
    engine: str = ""
    """The emulator instead of the configured one."""


def run(options: ServerOptions) -> int:
    """Run a workspace until it is left; the exit status. Raises FugueError if it cannot start."""
    logging.getLogger().addHandler(logging.NullHandler())
    server = _Server(options)
    try:
        server.open_panes()
        return server.show()
    except FugueError as error:
        server.bye = Bye("error", clean_text(str(error)), 1)
        raise
    except MemoryError as error:
        failure = TerminalError("there is not enough memory; ulimit -a has the limits")
        server.bye = Bye("error", str(failure), 1)
        raise failure from error
    except SystemExit as error:
        server.bye = Bye("ended", "", error.code if isinstance(error.code, int) else 1)
        raise
    finally:
        server.mux.close()
        server.mux.sideband.close()
        server.io_loop.stop()
        server.detach_clients()


def keep(mux: Multiplexer, settings: SessionSettings, inform: Callable[[str, str], None]) -> "Saver":
    """Create the saver of a workspace, which is not started yet; `inform` gets its messages with their topics."""
    from fugue_tui.multiplexer.autosave.saver import Saver
    from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
    from fugue_tui.store.store import Store

    mux.saver = saver = Saver(mux, SnapshotWriter(Store(state_dir()), settings, _resume), settings)
    saver.on_message.connect(inform)
    return saver


def _resume(argv: tuple[str, ...], pid: int, cwd: str) -> tuple[str, ...]:
    from fugue_tui.control.restore.agent_resume import resume_argv  # takes 10 ms, here on the saver's thread

    return resume_argv(argv, pid, cwd)


class _Server:
    """The parts of a workspace that starts. Main thread only."""

    def __init__(self, options: ServerOptions) -> None:
        """Start the I/O loop, and create an empty workspace."""
        config, listener = options.config, options.listener
        self._options = options
        self._faults = list(options.faults)
        self._host = HostTerminal(config.ui.mouse, f"fugue-tui {options.workspace}") if options.foreground else None
        self._first = Handshake(*options.first) if options.first is not None else None
        self._main_queue = MainThreadQueue()
        self._app: WorkspaceServer | None = None
        self._prompt: RestorePrompt | None = None
        self._offers_restore = False
        self.bye = Bye("error", "a bug in fugue-tui; its log has the details", 1)
        """Sent to the first client if the app cannot start."""
        # OpenSSL, which nothing here uses: asyncio and hashlib do without its 4 MiB. A later import of it works.
        self._imports = ExitStack()
        self._imports.enter_context(without("ssl"))
        self._imports.enter_context(without("_hashlib"))
        orphans.adopt()
        self.io_loop = IOLoop()
        self.io_loop.start()
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._launcher = Launcher(self.io_loop)
        self._launcher.configure(config.terminal, options.engine)
        rows = self._size.rows - int(config.ui.status and self._size.rows > 1)
        self.mux = Multiplexer(
            options.workspace,
            spawner=self._launcher,
            post=self._main_queue.post,
            area=Size(self._size.cols, max(rows, 1)),
            socket=str(listener.path) if listener is not None else "",
        )
        self.mux.on_exit = OnExit(config.terminal.on_exit)
        self.mux.secrets, self.mux.rerun = config.session.secrets, config.session.rerun
        self.mux.permissions, self.mux.sideband.settings = config.mcp, config.claude.communication
        self.mux.client_environment.names = config.session.update_environment
        self.mux.move = self._rename
        self.mux.agents.set_rules(config.agents.monitor)
        self.mux.tmux_options.configure(self.mux.socket if config.agents.tmux_shim else "")

    @property
    def _size(self) -> Size:
        """The initial size."""
        if self._host is not None:
            return self._host.size
        hello = self._first.hello if self._first is not None else None
        return _NO_CLIENT if hello is None else Size(max(hello.cols, 1), max(hello.rows, 1))

    def open_panes(self) -> None:
        """Open the first panes: the saved ones if they are always restored, else new ones."""
        options = self._options
        wanted = options.command or options.opening is not None
        prompt = self._prompt = self._restore_prompt()
        if prompt is not None and not prompt.ended and options.config.session.restore == "always" and not wanted:
            prompt.restore_at_start()
            return
        (options.opening or windows.CreateWindow(command=options.command).run)(self.mux, USER)
        self._offers_restore = not wanted and prompt is not None and not prompt.ended

    def _restore_prompt(self) -> "RestorePrompt | None":
        """The prompt to restore this workspace; None if nothing is saved."""
        if self._options.config.session.restore == "never" or not ran_before(self._options.workspace):
            return None
        from fugue_tui.tui.ui.restore_prompt import found

        try:
            return found(self.mux)
        except FugueError as error:
            self._faults.append(f"the last workspace cannot be restored: {clean_text(str(error))}")
            return None

    def show(self) -> int:
        """Run the app; the exit status."""
        painter = self._startup_painter()
        if painter is not None and len(self.mux.terminals) == 1:  # One of several panes has another position.
            self._main_queue.on_early = painter.wake
            painter.start()
        server: SocketServer | None = None
        status: int | None = None
        try:
            app = self._app = self._create_server(painter)
            app.config_applier.watch(self._options.config_file, self._faults)
            keep(app.mux, app.settings.session, app.inform)
            if self._options.listener is not None:
                server = _socket_server(app, self._options.listener)
            app.mux.connect_mcp = _mcp_connector
            _keep_grants(app)
            _follow_agents(app)
            self._offer_restore(app)
            status = app.run(self._size, mouse=self._options.config.ui.mouse)
            if app.failure is not None:
                raise app.failure
            return status
        finally:
            # Every pane is still open here, and every attached terminal still shows the last of them.
            if painter is not None:
                painter.stop()
            with ExitStack() as stack:  # Whatever fails, the workspace is saved.
                if self._app is not None:
                    stack.callback(_close_audit, self._app.dispatcher.audit)
                if server is not None:
                    stack.callback(server.stop, returns=status != 0)
                if self.mux.saver is not None:
                    stack.callback(self.mux.saver.finish, ended=status == 0)
                if self._app is not None:
                    stack.callback(self._app.dispatcher.leave)

    def _startup_painter(self) -> StartupPainter | None:
        """Paints the first pane until the app is loaded; None without a client that shows all colours."""
        terminal, cols = next(iter(self.mux.terminals.values())), self._size.cols
        if self._host is not None:
            os.write(self._host.output_fd, self._host.enter())
            if depth_of(os.environ.get("TERM", ""), os.environ.get("COLORTERM", "")) is not Depth.TRUE:
                return None
            return StartupPainter(self._host.output_fd, terminal, cols, bytes)
        first = self._first
        config = self._options.config
        names = config.session.update_environment
        if first is None or not first.accept(self._options.workspace, config.ui.mouse, environment=names):
            return None
        first.socket.setblocking(False)
        if depth_of(first.hello.term, first.hello.colorterm) is not Depth.TRUE:
            return None
        return StartupPainter(first.socket.fileno(), terminal, cols, lambda data: frame(OUTPUT, data))

    def _create_server(self, painter: StartupPainter | None) -> "WorkspaceServer":
        import_module("fugue_tui.control.command_table")  # declares every command
        import_module("hashlib")
        from fugue_tui.control.dispatch.dispatcher import Dispatcher

        with little_of_textual():
            from fugue_tui.tui.workspace_server import WorkspaceServer

        self._imports.close()

        def stop_painter() -> None:
            if painter is not None:
                painter.stop()
                if self._first is not None:
                    self._first.unsent = painter.unsent

        if self._first is not None:
            self._first.pids = _peer_processes(self._first.socket)
        audit = self._audit()
        self.mux.on_typed.connect(audit.typed)
        app = WorkspaceServer(
            self.mux,
            Dispatcher(self.mux, audit),
            self._options.config,
            self._main_queue,
            self._host,
            first=self._first,
            stop_painter=stop_painter,
            launcher=self._launcher,
        )
        app.on_shown = _reap_orphans
        return app

    def _audit(self) -> "Audit":
        """The audit log, which reports once when it cannot be written."""
        from fugue_tui.control.dispatch.audit import Audit, gap
        from fugue_tui.control.dispatch.audit_entry import AREA
        from fugue_tui.store.append_log import AppendLog

        def inform(fault: str) -> None:
            if self._app is not None:
                self._app.inform(f"the audit log cannot be written: {fault}")

        log = AppendLog(
            state_dir(),
            AREA,
            self.mux.workspace.name,
            gap=gap,
            on_fault=lambda fault: self._main_queue.post(lambda: inform(fault)),
        )
        audit = Audit(log, lambda: self.mux.secrets)
        audit.required = self._options.config.mcp.audit_required
        audit.record_event("start", None, f"fugue-tui {__version__}", pid=os.getpid())
        return audit

    def _rename(self, name: str) -> None:
        """Rename the socket of the workspace and its logs. Raises SocketError."""
        if name != self.mux.workspace.name:
            _must_not_be_saved(name)
        if self._options.listener is not None:
            self._options.listener.rename(name)
            private_log.move(self._options.listener.log)
        elif self._options.lock is not None:
            self._options.lock.rename(name)
        if self._app is not None:
            self._app.dispatcher.audit.move(name)

    def _offer_restore(self, app: "WorkspaceServer") -> None:
        """Restore the saved workspace, offer it or keep it under another name."""
        prompt = self._prompt
        if prompt is None:
            return
        prompt.attach(app)
        if self._offers_restore:
            app.latest.when_mounted(prompt.ask)
        elif prompt.ended or app.mux.before is not None:
            prompt.defer()

    def detach_clients(self) -> None:
        """Detach every client and restore the terminal, after the programs have exited and the socket is free."""
        app, host = self._app, self._host
        if app is not None and app.clients.all():
            app.clients.finish(app.attach_server.bye if app.views[0].isolates_errors else self.bye)
        elif self._first is not None:
            self._first.end(self.bye)
        if host is not None and host.entered:
            os.write(host.output_fd, host.leave())
            host.restore()


@contextmanager
def little_of_textual() -> Generator[None]:
    """Within this context Textual does not load what it uses only for downloads, suggestions after a mistake in a style
    sheet, or the names of types: together 1 MiB."""
    with (
        replaced("difflib", get_close_matches=deferred("difflib", "get_close_matches")),
        replaced("platformdirs", user_downloads_path=deferred("platformdirs", "user_downloads_path")),
        replaced("mimetypes"),
    ):
        from textual._types import IgnoreReturnCallbackType

        with replaced("textual.types", IgnoreReturnCallbackType=IgnoreReturnCallbackType):
            yield


def _close_audit(audit: "Audit") -> None:
    audit.record_event("end", None, "", pid=os.getpid())
    audit.close()


def _peer_processes(connected: socket.socket) -> tuple[int, ...]:
    """A client's process and its ancestors, nearest first; empty if unknown."""
    from fugue_tui_mcp.peer_credentials import peer_of

    try:
        return process.ancestors(peer_of(connected).pid)
    except OSError:
        return ()


def _socket_server(app: "WorkspaceServer", listener: "Listener") -> "SocketServer":
    """The server for clients, agents and the command line, which starts when the screen is shown."""
    from fugue_tui.control.dispatch.thread_gateway import ThreadGateway
    from fugue_tui_mcp.socket_server import SocketServer

    def attach(connected: socket.socket, hello: Hello, caller: "Caller", early: bytes) -> None:
        handshake = Handshake(connected, hello, caller.pids, caller.inside, early)
        app.main_queue.post(lambda: app.attach_server.attach(handshake))

    gateway, agents = ThreadGateway(app.dispatcher, app.main_queue.post), app.settings.mcp.enabled
    server = SocketServer(listener, gateway, attach=attach, agents=agents, settings=lambda: app.mux.permissions)
    shown = app.on_shown

    app.mux.on_permissions.connect(server.apply_settings)

    def on_shown() -> None:
        shown()
        server.start()

    app.on_shown = on_shown
    return server


def _mcp_connector(handler: "Handler") -> "Connector":
    """What connects to other MCP servers; loaded once one of them is used."""
    from fugue_tui_mcp.client.pool import ConnectionPool
    from fugue_tui_mcp.socket_server import quiet

    return ConnectionPool(handler, quiet)


def _follow_agents(app: "WorkspaceServer") -> None:
    """Find the agents in panes, detect their states, and run the tags that they print; no agent does anything in the
    first second, unless a command wants messages or tasks before."""
    from fugue_tui.control.agents.agent_monitor import AgentMonitor

    shown, name = app.on_shown, app.mux.workspace.name
    timer: TimerHandle | None = None
    AgentMonitor(app.mux, app.inform)

    def start() -> None:
        from fugue_tui.control.agents.agent_finder import AgentFinder
        from fugue_tui.control.core.deferred import spawn
        from fugue_tui.control.monitor.monitor import Monitor
        from fugue_tui.control.monitor.team_log import TeamLog
        from fugue_tui.control.sideband.tag_runner import TagRunner

        finder = AgentFinder(app.mux)
        TagRunner(app.dispatcher)
        Monitor(app.dispatcher, app.agent_notifications.notify).start()
        TeamLog(app.mux, app.dispatcher.audit).start()
        finder.start()
        spawn(_load_journals(app, name))

    def start_now() -> None:
        nonlocal timer
        if timer is not None:
            timer.cancel()
            timer = None
            start()

    def on_shown() -> None:
        nonlocal timer
        shown()
        timer = call_later(1.0, start_now)

    app.mux.mailboxes.loaded.hold(start_now)
    app.mux.tasks.loaded.hold(start_now)
    app.on_shown = on_shown


def _must_not_be_saved(name: str) -> None:
    """Raise SocketError if a workspace of a name does not run and waits to be restored."""
    from fugue_tui.store.server_records import holder

    if ran_before(name) and holder(name) is None:
        way_out = f"fugue-tui {name} restores it, and delete-saved {name} --kind auto deletes it"
        raise SocketError(f"a workspace is saved as {name}; {way_out}")


async def _load_journals(app: "WorkspaceServer", name: str) -> None:
    """Take over the messages and tasks that the previous run has kept under the name with which the workspace has
    started, and deliver the messages that wait."""
    import time
    from functools import partial

    from fugue_tui.control.agents.messenger import Messenger
    from fugue_tui.control.core.deferred import spawn
    from fugue_tui.multiplexer.agents.journal import Journal

    mux = app.mux
    mail = Journal(state_dir(), name, mux.mailboxes.records)
    tasks = Journal(state_dir(), name, mux.tasks.records, area="tasks", what="tasks")
    mux.mailboxes.journal = await _loaded(app, mail, partial(mux.mailboxes.load, now=time.time()))
    mux.tasks.journal = await _loaded(app, tasks, mux.tasks.load, reported=mux.mailboxes.journal is None)
    teams = Journal(state_dir(), name, mux.team_starts.records, area="teams", what="teams")
    mux.team_starts.journal = await _loaded(app, teams, mux.team_starts.load, reported=mux.mailboxes.journal is None)
    for journal in (mux.mailboxes.journal, mux.tasks.journal, mux.team_starts.journal):
        if journal is not None:
            mux.on_change.connect(partial(_move, journal))
            if mux.workspace.name != name:
                spawn(journal.move(mux.workspace.name))
    for kept in (mux.mailboxes, mux.tasks):
        kept.loaded.release()
    Messenger(mux).start()
    for team in await mux.team_starts.report_interrupted():
        app.inform(
            f"the workspace ended while the team {clean(team)} was being started: team-status shows who is there, "
            "stop-team ends them, start-team starts it again",
            f"team {team}",
        )


async def _loaded(
    app: "WorkspaceServer",
    journal: "Journal",
    load: Callable[[Iterator[Mapping[str, Any]]], None],
    *,
    reported: bool = False,
) -> "Journal | None":
    """A journal whose records were loaded; None if it cannot be read, of which the user is warned unless `reported`."""
    try:
        load(iter(await journal.load()))
    except SaveError as error:
        if not reported:
            app.inform(f"messages and tasks of agents are not kept over a restart: {error}")
        return None
    return journal


def _move(journal: "Journal", old: Workspace, new: Workspace) -> None:
    from fugue_tui.control.core.deferred import spawn

    if old.name != new.name:
        spawn(journal.move(new.name))


def _keep_grants(app: "WorkspaceServer") -> None:
    """Load the grants that hold in every workspace, and save what changes of them."""
    import asyncio

    from fugue_tui.control.core.deferred import spawn
    from fugue_tui.multiplexer.access import grant_file

    grants, shown = app.mux.grants, app.on_shown

    async def load() -> None:
        try:
            grants.load(await asyncio.to_thread(grant_file.load))
        except FugueError as error:
            app.inform(f"what was granted for ever is not known: {error}")

    async def change(grant: "Grant", granted: bool) -> None:
        try:
            await asyncio.to_thread(grant_file.change, grant, granted)
        except FugueError as error:
            app.inform(f"the grant is not saved: {error}")

    def on_shown() -> None:
        shown()
        spawn(load())
        grants.on_always = lambda grant, granted: spawn(change(grant, granted)) and None

    app.on_shown = on_shown


def _reap_orphans() -> None:
    """Reap processes that left their panes, as they end. Once the main loop runs."""
    from asyncio import get_running_loop

    loop, pending = get_running_loop(), False

    def reap() -> None:
        nonlocal pending
        pending = False
        loop.run_in_executor(None, orphans.reap)

    def ended() -> None:
        nonlocal pending
        if not pending:
            pending = bool(loop.call_later(_REAP_SECONDS, reap))

    loop.add_signal_handler(signal.SIGCHLD, ended)
    ended()
