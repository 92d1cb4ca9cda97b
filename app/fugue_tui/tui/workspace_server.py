"""What a workspace's server has once, whatever its views: clients, services, errors, the configuration; and the views.

Each view is an app of its own in the same loop. What is not of a view is shown in the one that was used last.
"""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Final

from textual.screen import Screen

from fugue_tui.attach_protocol import LATEST, Bye, Hello
from fugue_tui.attach_server.client import AttachedClient, clipboard_sequence, drawable
from fugue_tui.attach_server.handshake import Handshake
from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.attach_server.server import AttachServer
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.config.model import Config
from fugue_tui.control.commands.show_agents import AGENTS
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.keymap import Keymap
from fugue_tui.errors import FugueError, NotFound, TerminalError
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.mcp_servers.shown import TOOLS
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.multiplexer.views import View
from fugue_tui.sanitize import clean
from fugue_tui.tui.app import FugueApp
from fugue_tui.tui.commands import Commands
from fugue_tui.tui.config_reload import ConfigApplier
from fugue_tui.tui.error_reporter import ErrorReporter
from fugue_tui.tui.main_thread_queue import MainThreadQueue
from fugue_tui.tui.ui import view_model
from fugue_tui.tui.ui.agent_notifications import AgentNotifications
from fugue_tui.tui.ui.hooks import Hooks
from fugue_tui.tui.ui.pane_notifications import PaneNotifications
from fugue_tui.tui.ui.window_monitor import WindowMonitor
from fugue_tui.tui.view_styles import keep_no_removed_widgets
from fugue_tui.tui.worker_pool import WorkerPool
from fugue_tui.workspace.model import Workspace

if TYPE_CHECKING:
    from fugue_tui.multiplexer.mcp_servers.servers import McpServers

COLLECT_SECONDS: Final = 5.0
"""From the end of a view until its memory is freed."""


class AllStatusBars:
    """The status bars and titles of all views."""

    def __init__(self, server: "WorkspaceServer") -> None:
        self._server = server

    def request(self) -> None:
        """Titles or states may have changed: update."""
        for view in self._server.views:
            view.status_updates.request()

    def state_changed(self, pane: PaneId) -> None:
        """The state of a pane's agent has changed."""
        for view in self._server.views:
            view.status_updates.state_changed(pane)

    def words_changed(self, pane: PaneId) -> None:
        """What the agent in a pane says in its state has changed."""
        for view in self._server.views:
            view.status_updates.words_changed(pane)


class WorkspaceServer:
    """The views of a workspace and what they have in common. Main thread only."""

    def __init__(
        self,
        mux: Multiplexer,
        dispatcher: Dispatcher,
        config: Config,
        main_queue: MainThreadQueue,
        host: HostTerminal | None,
        *,
        first: Handshake | None = None,
        stop_painter: Callable[[], None] = lambda: None,
        launcher: Launcher | None = None,
    ) -> None:
        """`host` is the terminal that the program was started in, or None for a server; `first` is the client that a
        server starts with. `stop_painter` is called before the first view draws."""
        keep_no_removed_widgets()
        self.mux = mux
        self.dispatcher = dispatcher
        self.settings = config
        self.main_queue = main_queue
        self.attach_server = AttachServer(self, host, first)
        self.clients = self.attach_server.clients
        self.errors = ErrorReporter(self.warn)
        self.status_updates = AllStatusBars(self)
        self.commands = Commands(
            dispatcher,
            post=main_queue.post,
            alert=self.alert,
            warn=self.warn,
            report=self.errors.report,
            open_dialog=lambda dialog, then: self.push_screen(dialog, then),
        )
        self.config_applier = ConfigApplier(self, config, launcher)
        self.agent_notifications = AgentNotifications(self)
        self.pane_notifications = PaneNotifications(
            self, lambda: self.latest.alerts, ring=lambda: self.clients.send(b"\a"), copy=self._copy_to_clipboard
        )
        self.window_monitor = WindowMonitor(self)
        self.on_shown: Callable[[], None] = lambda: None
        """Called once, when the workspace is on the screen."""
        self.failure: FugueError | None = None
        """Why the services could not start, which ends the program."""
        self.stop_painter: Final = stop_painter
        self.status = 0
        """The exit status of the program."""
        self._context = copy_context()
        self._started = self._serves = self._shown = self._leaving = False
        self._mouse = True
        self._fitted: tuple[object, ...] = ()
        """The view that was used last, and each with its window, as of the last change."""
        self._collecting: asyncio.TimerHandle | None = None
        self._tasks = set[asyncio.Task[None]]()
        self.views = list[FugueApp]()
        """An app for each view, oldest first."""
        self._add(mux.views.latest)

    @property
    def latest(self) -> FugueApp:
        """The view that was used last."""
        return self._app_of(self.mux.views.latest)

    @property
    def current(self) -> FugueApp:
        """The view that is handled now, or else the one that was used last."""
        return self._app_of(self.mux.views.current)

    def _app_of(self, view: View) -> FugueApp:
        return next((app for app in self.views if app.view is view), self.views[0])

    # Start and end

    def run(self, size: Size, *, mouse: bool) -> int:
        """Show the workspace until it is left; the exit status. `size` is that of the first view's screen."""
        return asyncio.run(self._run(size, mouse=mouse))

    async def _run(self, size: Size, *, mouse: bool) -> int:
        first, self._mouse = self.views[0], mouse
        with open(os.devnull, "w") as null, redirect_stdout(null), redirect_stderr(null):
            try:
                self._show(first, size)
                while self._tasks:
                    await asyncio.wait(self._tasks)
            finally:
                self.attach_server.close()
        return self.status or first.return_code or 0

    def _show(self, app: FugueApp, size: Size) -> None:
        """Run the app of a view, on a screen of a size at first."""
        app.print_to(sys.stdout)
        task = asyncio.get_running_loop().create_task(self._run_view(app, size), context=self._context.copy())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run_view(self, app: FugueApp, size: Size) -> None:
        await app.run_async(mouse=self._mouse, size=(size.cols, size.rows))
        if not self._leaving:
            for client in app.clients.all():
                client.link.part(Bye("error", "a bug in fugue-tui; its log has the details", 1))
                app.clients.remove(client)

    def driver_started(self, app: FugueApp) -> None:
        """A view has a driver, and no screen yet: the first handles signals and the program's own terminal."""
        if not self._started:
            self._started = True
            self.attach_server.start(app.clients)

    def start(self, app: FugueApp) -> None:
        """The first view has a screen: attach clients, and begin all services."""
        if self._serves:
            return
        self._serves = True
        self.stop_painter()
        self.config_applier.report_faults()
        self._context.copy().run(self._start, app.is_headless)
        if not app.is_headless:
            self.attach_server.attach_first()
            self.mux.clients = self.clients

    def _start(self, headless: bool) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self.errors.on_loop_error)
        loop.set_default_executor(WorkerPool())
        self.main_queue.attach()
        mux = self.mux
        mux.layouts.title_rows = lambda window: int(view_model.shows_titles(mux, window, self.settings.ui))
        mux.line_style = lambda: self.settings.ui.dividers
        mux.on_change.connect(self._changed)
        mux.on_event.connect(self.pane_notifications.handle)
        self.agent_notifications.start()
        self.window_monitor.start()
        Hooks(self).start()
        mux.on_empty.connect(self.leave)
        mux.undo_log.on_report.connect(lambda text, keys: self.current.enter(self._report_undo, text, keys))
        mux.on_overlay.connect(self._show_overlay)
        mux.on_mcp_servers.connect(self._answer_mcp_servers)
        mux.lease.on_change.connect(self.status_updates.request)
        mux.user_options.on_change.connect(self.status_updates.request)
        mux.pipes.on_change.connect(self.status_updates.request)
        mux.pipes.on_message.connect(lambda words: self.alert(clean(words)))
        mux.recordings.on_change.connect(self.status_updates.request)
        mux.recordings.on_fault.connect(lambda source, why: self.inform(f"the recording of {source} has ended: {why}"))
        mux.tmux_options.on_colour.connect(lambda pane: self.status_updates.request())
        mux.lease.on_focus_kept.connect(self.pane_notifications.focus_kept)

    def _answer_mcp_servers(self, servers: "McpServers") -> None:
        """A configured MCP server is used for the first time: ask the user what the servers ask."""
        from fugue_tui.tui.ui.mcp_questions import McpQuestions

        McpQuestions(self).start(servers)

    def shown(self) -> None:
        """The first view is on the screen: save from now on, and watch the configuration."""
        if self._shown:
            return
        self._shown = True
        try:
            self._context.copy().run(self._begin)
        except Exception as error:  # noqa: BLE001 - without its services it would listen and never answer
            self.errors.report("the start", error)
            self.failure = TerminalError(f"{self.mux.workspace.name} cannot start: {error}; ulimit -a has the limits")
            self.leave(1)
            self.attach_server.bye = Bye("error", clean(str(self.failure)), 1)

    def _begin(self) -> None:
        gc.collect()
        gc.freeze()  # Makes later collections shorter: what is loaded by now stays.
        gc.enable()
        if self.mux.saver is not None:
            self.mux.saver.start()
        self.on_shown()
        self.config_applier.begin()

    def leave(self, status: int = 0, message: str = "") -> None:
        """End the program with an exit status; clients are sent the message."""
        self.attach_server.bye = Bye("ended", clean(message), status)
        self.status, self._leaving = status, True
        for app in self.views:
            app.enter(app.exit, status)

    # Views

    def view_for(self, hello: Hello) -> ClientRegistry:
        """The view of a client that attaches: one that others see too, or its own. Raises NotFound if it wants to see
        that of a client which is not attached."""
        if hello.mirror and hello.mirror != LATEST:
            return self._of_client(hello.mirror).clients
        if hello.mirror or hello.read_only or self.settings.session.views == "mirrored":
            return self.latest.clients
        unused = next((app for app in self.views if not app.clients.all()), None)
        if unused is not None:
            return unused.clients
        latest, app = self.latest, self._add(self.mux.add_view())
        app.adopt_look(latest)
        self._show(app, drawable(hello.cols, hello.rows))
        return app.clients

    def preview(self, client: AttachedClient, view: ClientRegistry) -> None:
        """Paint on a client what its view will show, if that has no screen yet: it begins with what was used last."""
        latest = self.latest
        if view.app.shown_size is None and view is not latest.clients:
            latest.enter(latest.preview, client)

    def _add(self, view: View) -> FugueApp:
        app = FugueApp(self, view)
        self.views.append(app)
        self.clients.views.append(app.clients)
        return app

    def _of_client(self, number: str) -> FugueApp:
        found = next((app for app in self.views for each in app.clients.all() if str(each.id) == number), None)
        if found is None:
            raise NotFound(f"no client {clean(number, 20)} is attached; list-clients shows the numbers")
        return found

    def client_left(self, app: FugueApp) -> None:
        """A client of a view has left; the view ends with the last that can type, unless it is the only one."""
        left = app.clients.all()
        if self._leaving or self.views == [app] or app not in self.views or any(not each.read_only for each in left):
            return
        self.views.remove(app)
        if app.is_latest:
            self.mux.use_view(max(self.views, key=lambda each: each.clients.last_used).view)
        for client in left:
            self.attach_server.move(client, app.clients, self.latest.clients)
        self.clients.views.remove(app.clients)
        app.end()
        self.mux.end_view(app.view)
        self._fit(self.views)
        if self._collecting is None:
            self._collecting = asyncio.get_running_loop().call_later(COLLECT_SECONDS, self._collect)

    def _collect(self) -> None:
        """Free the memory of views that have ended, which are cyclic."""
        self._collecting = None
        gc.collect()

    def use(self, app: FugueApp) -> None:
        """The user acts in a view that was not used last."""
        self.mux.use_view(app.view)

    def wanted_size(self, app: FugueApp) -> Size | None:
        """The size for a view's screen, on which all agree that show the same window; None if no client shows it."""
        sizes = {each.clients.last_used: size for each in self._showing(app) if (size := each.clients.wanted)}
        if not sizes:
            return None
        if self.settings.session.size == "smallest":
            if max(sizes):
                sizes.pop(0, None)  # Who only looks on has no say.
            return Size(min(size.cols for size in sizes.values()), min(size.rows for size in sizes.values()))
        return sizes[max(sizes)]

    def fit_others(self, app: FugueApp) -> None:
        """The clients of a view want another size: fit the other views that show the same window."""
        self._fit([each for each in self._showing(app) if each is not app])

    def _showing(self, app: FugueApp) -> list[FugueApp]:
        """The views that show the same window as another, and that one."""
        return [each for each in self.views if each is app or each.view.window == app.view.window]

    def _fit(self, apps: Iterable[FugueApp]) -> None:
        for app in tuple(apps):
            app.enter(app.fit)

    def rebuild(self) -> None:
        """Update the widgets of all views from the workspace."""
        for app in self.views:
            app.enter(app.rebuild)

    def apply_config(self, config: Config, keys: Keymap) -> None:
        """Apply another configuration to all views."""
        self.settings = config
        for app in self.views:
            app.enter(app.apply_config, config, keys)

    def set_default_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """A default colour of the latest client's terminal, which programs in panes can query."""
        self.config_applier.set_default_colour(foreground, colour)

    def set_graphics(self, *, shown: bool, cell: tuple[int, int]) -> None:
        """Whether a client shows images, and the size of its cells in pixels, which programs in panes can query."""
        self.config_applier.set_graphics(shown=shown, cell=cell)

    def is_seen(self, pane: PaneId) -> bool:
        """Whether the user looks at a pane: it has the focus, in a view whose terminal has it."""
        window = self.mux.window_of(pane)
        return window.active == pane and any(app.clients.focused and app.view.window == window.id for app in self.views)

    def _changed(self, old: Workspace, new: Workspace) -> None:
        self.pane_notifications.bell_windows.difference_update(self.mux.views.shown)
        shown = (self.mux.views.latest, *((each, each.window) for each in self.mux.views.all))
        if shown != self._fitted:
            self._fitted = shown
            if len(self.views) > 1:
                self._fit(self.views)
        if old.name != new.name:
            self.clients.rename(new.name)

    # What is shown in the view that was used last

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        self.current.enter(self.current.alert, text)

    def warn(self, text: str) -> None:
        """Show in the status bar for a while what went wrong."""
        self.current.enter(self.current.warn, text)

    def inform(self, text: str, topic: str = "") -> None:
        """Show a message in the status bar for a while, after earlier ones of other topics and once a client shows the
        screen."""
        self.latest.enter(self.latest.inform, text, topic)

    def in_view(self, call: Callable[[], None]) -> None:
        """Call something that makes widgets, in the view that was used last."""
        self.latest.enter(call)

    @property
    def shows_panes(self) -> bool:
        """Whether no dialog covers the panes of the view that was used last."""
        return self.latest.settled

    def push_screen(self, screen: Screen[Any], callback: Callable[[Any], None] | None = None) -> None:
        """Open a dialog; `callback` gets its result."""
        self.latest.enter(self.latest.push_screen, screen, callback)

    def _show_overlay(self, what: str) -> None:
        if what == AGENTS:
            self.current.enter(self.current.actions.agents.open)
        elif what == TOOLS:
            self.current.enter(self.current.actions.tools.open)

    def _report_undo(self, text: str, reverting: str) -> None:
        self.current.actions.report_undo(text, reverting)

    def _copy_to_clipboard(self, text: str) -> None:
        """Set the clipboard of every client that is not read-only."""
        self.mux.clipboard.text = text
        self.clients.send(clipboard_sequence(text), to_read_only=False)
