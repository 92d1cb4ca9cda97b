"""The multiplexer: the present workspace value, the terminals of its panes, and callbacks for changes.

Main thread only. Commands compute a new workspace and assign it; the multiplexer starts and ends programs so that every
pane has exactly one terminal, of the size that the layout gives it.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fugue_tui.config.model import McpSettings, SessionSettings
from fugue_tui.config.servers import ServerSettings
from fugue_tui.errors import FugueError, NotFound, Refused, SpawnFailed
from fugue_tui.geometry import Rect, Side, Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import Layout
from fugue_tui.layout.undo_history import History
from fugue_tui.multiplexer.access.approvals import Approvals
from fugue_tui.multiplexer.access.command_rules import checked
from fugue_tui.multiplexer.access.current_call import current_call
from fugue_tui.multiplexer.access.grants import Grants
from fugue_tui.multiplexer.access.sideband import SidebandAccess
from fugue_tui.multiplexer.agents.agents import Agents
from fugue_tui.multiplexer.agents.mailboxes import Mailboxes
from fugue_tui.multiplexer.agents.state import AgentStatus
from fugue_tui.multiplexer.agents.tasks import Tasks
from fugue_tui.multiplexer.agents.team_starts import TeamStarts
from fugue_tui.multiplexer.author import USER, Author
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.multiplexer.client_environment import ClientEnvironment
from fugue_tui.multiplexer.clients import Clients, NoClients
from fugue_tui.multiplexer.clipboard import Clipboard
from fugue_tui.multiplexer.events.derive import task_draft
from fugue_tui.multiplexer.events.log import EventLog
from fugue_tui.multiplexer.events.pane_events import (
    AgentChanged,
    ContextChanged,
    Ended,
    PaneEvent,
    PaneReports,
    Post,
    Started,
    TerminalWatcher,
)
from fugue_tui.multiplexer.id_allocator import IdAllocator
from fugue_tui.multiplexer.input.lease import Lease
from fugue_tui.multiplexer.input.pane_input import PaneInput
from fugue_tui.multiplexer.input.pane_queue import PaneQueue
from fugue_tui.multiplexer.kept_screens import ScreenStore
from fugue_tui.multiplexer.pane_contents import PaneContents
from fugue_tui.multiplexer.pane_limit import check_agents, check_descriptors
from fugue_tui.multiplexer.pane_pipes import PanePipes
from fugue_tui.multiplexer.recording.recordings import Recordings
from fugue_tui.multiplexer.restored_pane import (
    Rerun,
    RerunOffer,
    RestoredPane,
    nearest_directory,
    write_notice,
)
from fugue_tui.multiplexer.solved_layouts import SolvedLayouts
from fugue_tui.multiplexer.spawner import Spawner, program_of
from fugue_tui.multiplexer.tmux_environment import TmuxEnvironment
from fugue_tui.multiplexer.tmux_options import TmuxOptions
from fugue_tui.multiplexer.undo.closed_panes import ClosedPanes
from fugue_tui.multiplexer.undo.layout_history import LayoutHistory
from fugue_tui.multiplexer.undo.undo_log import UndoLog
from fugue_tui.multiplexer.user_options import UserOptions
from fugue_tui.multiplexer.views import View, Views
from fugue_tui.multiplexer.watch.bookmarks import Bookmarks
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.multiplexer.watch.watcher import WaitService
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import Event
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.pty.spawn import Exit, login_shell
from fugue_tui.terminal.shell_integration.saved_commands import TerminalHandover
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace import edit, find
from fugue_tui.workspace.auto_layout import adapted, refitted
from fugue_tui.workspace.model import OnExit, Pane, Window, Workspace

if TYPE_CHECKING:
    from fugue_tui.multiplexer.autosave.saver import Saver
    from fugue_tui.multiplexer.mcp_servers.connector import Connector, Handler
    from fugue_tui.multiplexer.mcp_servers.servers import McpServers
    from fugue_tui.store.store import Area

SHELL_SECONDS: Final = 2.0
"""A login shell that ran this long was left by the user, whatever its exit status."""
_COUNTING_SECONDS: Final = 1.0
"""For how long the user's keys in a pane are counted together."""


class Multiplexer:
    """The present workspace and everything that runs in it."""

    def __init__(
        self,
        name: str,
        *,
        spawner: Spawner,
        post: Post,
        area: Size = Size(80, 24),
        socket: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workspace = Workspace(name)
        self._spawner, self._socket = spawner, socket
        self.clock: Final = clock
        """The monotonic clock."""
        self.post: Final = post
        """Runs a callback on the main thread soon; any thread."""
        self.on_change = CallbackList[[Workspace, Workspace]]()
        """The workspace changed: old, new."""
        self.on_event = CallbackList[[PaneId, PaneEvent]]()
        """Something happened to a pane besides output."""
        self.on_screen = CallbackList[[PaneId]]()
        """A pane has something to draw; called once until the terminal is refreshed."""
        self.on_empty = CallbackList[[]]()
        """The last pane was closed."""
        self.ids = IdAllocator()
        self.views = Views(area)
        """What the terminals show."""
        self.layouts = SolvedLayouts(area)
        self.layout_history = LayoutHistory()
        self.line_style: Callable[[], str] = lambda: "thin"
        """How dividers are drawn: `thin`, `thick`, `double` or `ascii`."""
        self.terminals: dict[PaneId, Terminal] = {}
        """The terminal of every pane; one whose program exited stays readable as long as its pane."""
        self.exits: dict[PaneId, Exit] = {}
        """How the programs ended of those panes whose program exited."""
        self.owners: dict[PaneId, str] = {}
        """Who opened those panes that the user did not open: `Origin.owner`."""
        self.restored_panes: dict[PaneId, RestoredPane] = {}
        """The panes that were restored without their programs."""
        self.pane_reports: dict[PaneId, PaneReports] = {}
        """What each pane's program reported besides text."""
        self.pipes = PanePipes(post)
        """What the output of panes is piped to."""
        self.contents = PaneContents(self)
        """What is shown in the panes that run no program."""
        self.on_overlay = CallbackList[[str]]()
        """The user is to see something over the panes, such as `agents`."""
        self.pane_queue = PaneQueue()
        """Jobs that need exclusive use of a pane."""
        self.waiting_input = PaneQueue()
        """Input that waits until the user leaves a pane."""
        self.lease = Lease(self, clock)
        """What the user has priority in."""
        self.allow_hidden: Callable[[PaneId, Author], bool] = lambda pane, author: False
        """Whether an agent may type where input is not shown, such as a password."""
        self.on_typed = CallbackList[[PaneId, Author, int]]()
        """An author has typed: how many keys, texts and pastes. The user's are counted for a second."""
        self._counting: set[PaneId] = set()
        self.injected_contexts: dict[PaneId, object] = {}
        """What inject-context set in shells; `control.commands.shell_context` knows the type, `inject` changes it."""
        self.wait_service = WaitService(post)
        """Waits for panes' output."""
        self.bookmarks = Bookmarks()
        """Callers' positions in panes' output."""
        self.screen_store = ScreenStore()
        """Screens stored by callers."""
        self.clipboard = Clipboard()
        self.client_environment = ClientEnvironment(socket)
        self.tmux_environment = TmuxEnvironment(self.on_change)
        self.tmux_options = TmuxOptions(self.on_change)
        """What programs that drive a tmux have set."""
        self.user_options = UserOptions(self.on_change)
        """What the user has set for panes and windows."""
        self.permissions = McpSettings()
        """What agents may do; may be replaced at any time, with `on_permissions` called afterwards."""
        self.on_permissions = CallbackList[[]]()
        self.grants = Grants()
        """What the user has granted to agents."""
        self.approvals = Approvals(self.grants, clock)
        """The requests of agents that wait for the user."""
        self.agents = Agents()
        """The agents in panes, and what they do."""
        self.agents.on_change.connect(self._agent_changed)
        self.mailboxes = Mailboxes()
        self.team_starts = TeamStarts()
        """Messages to agents."""
        self.tasks = Tasks()
        """What agents and the user have to do."""
        self.sideband = SidebandAccess(clock, self.agents.programs)
        """Which panes' output is parsed for commands."""
        self.closed_panes = ClosedPanes(self)
        """Panes that were closed a moment ago, whose programs live on."""
        self.recordings = Recordings(self)
        """What is recorded to files."""
        self.undo_log = UndoLog(self)
        """The panes that were opened and closed lately, for undo."""
        self.connect_mcp: Callable[[Handler], Connector] = _no_connector
        """Makes what connects to other MCP servers."""
        self._mcp_projects = dict[str, tuple[Mapping[str, ServerSettings], str]]()
        self.projects = dict[str, str]()
        """The directories of the project files that have MCP servers, by the path of the file."""
        self.on_mcp_servers = CallbackList[["McpServers"]]()
        """Other MCP servers are used for the first time."""
        self.clients: Clients = NoClients()
        """The attached terminals."""
        self.on_exit = OnExit.CLOSE
        """What happens to a user's new panes when their programs exit."""
        self.secrets = SessionSettings().secrets
        """Patterns for the names of variables whose values are never saved."""
        self.rerun: Rerun = SessionSettings().rerun
        """Which programs of restored panes run again without a key press."""
        self.before: tuple[Area, str] | None = None
        """Where the previous run of this workspace is saved, until it is restored; None if nowhere."""
        self.saver: Saver | None = None
        """Saves this workspace; None if nothing does."""
        self.move: Callable[[str], None] = lambda name: None
        """Renames the server's socket. Raises SocketError, and has changed nothing then."""
        self.event_log = EventLog(self)
        self.tasks.on_change.connect(lambda old, new: self.event_log.add(task_draft(self._workspace, old, new)))

    @cached_property
    def mcp_servers(self) -> "McpServers":
        """The other MCP servers of this workspace; the first access loads what they need, and starts none."""
        from fugue_tui.multiplexer.mcp_servers.servers import McpServers

        servers = McpServers(self.connect_mcp, self.post, self.clock, lambda: self._workspace.name)
        servers.secrets = lambda: self.secrets
        servers.directory_of = lambda pane: self.cwd(pane) if pane in self._workspace.panes else ""
        servers.configure(self.permissions.servers)
        for source, (project, base) in self._mcp_projects.items():
            servers.add_project(project, base, source)
        self.on_permissions.connect(lambda: servers.configure(self.permissions.servers))
        self.on_mcp_servers(servers)
        return servers

    def add_mcp_servers(self, servers: Mapping[str, ServerSettings], base: str, source: str) -> None:
        """Use the MCP servers of a project file, whose directory is `base`."""
        if servers:
            self._mcp_projects[source], self.projects[source] = (servers, base), base
            if self.uses_mcp_servers:
                self.mcp_servers.add_project(servers, base, source)

    @property
    def uses_mcp_servers(self) -> bool:
        """Whether `mcp_servers` was accessed."""
        return "mcp_servers" in self.__dict__

    # The workspace

    @property
    def workspace(self) -> Workspace:
        """The present state, as the current view sees it; `assign` replaces it."""
        return self.views.seen(self._workspace)

    @property
    def socket(self) -> str:
        """The path of the workspace's socket; empty if it has none."""
        return self._socket

    @property
    def front(self) -> Window | None:
        """The active window, that of the current view; None if there is none."""
        return find.active_window(self.workspace) if self._workspace.windows else None

    @property
    def focused(self) -> PaneId | None:
        """The pane that receives the user's keys; None if there is none."""
        front = self.front
        return front.active if front else None

    @property
    def last_pane(self) -> PaneId | None:
        """The previously focused pane of the active window; None if there is none."""
        front = self.front
        return front.recent[0] if front and front.recent else None

    def window(self, window_id: WindowId) -> Window:
        """A window by its id. Raises NotFound."""
        return find.window_of(self._workspace, window_id)

    def window_of(self, pane: PaneId) -> Window:
        """The window that contains a pane. Raises NotFound."""
        return find.window_with(self._workspace, pane)

    def assign(self, new: Workspace) -> None:
        """Replace the workspace: end the programs of closed panes, resize the others, call `on_change`.

        The active window is that of the current view. New panes need `open`. Raises Refused if the user has
        priority."""
        new = self._adapted(self.lease.admit(self.workspace, new))
        if new is not self.workspace:
            self._replace(self.views.assign(self._workspace, new))

    def _adapted(self, new: Workspace) -> Workspace:
        """A workspace with the layouts adapted that adapt to the number of panes."""
        return new if new is self.workspace else adapted(self.workspace, new, self.layouts.bounds)

    def _replace(self, new: Workspace) -> None:
        old, self._workspace = self._workspace, new
        self.ids.record(new)
        for closed in old.panes.keys() - new.panes.keys():
            self.closed_panes.drop(closed)
        for closed in {window.id for window in old.windows} - {window.id for window in new.windows}:
            self.layouts.forget(closed)
        self.layout_history.record(old, new)
        if self.views.several:
            self.layouts.keep(window.id for window in new.windows)
        self.fit()
        self.on_change(old, new)
        if not new.windows:
            self.on_empty()

    def open(self, opened: Sequence[Pane], after: Workspace) -> None:
        """Start the programs of new panes at the sizes that `after` gives them, then assign `after`.

        If one cannot be started, none is, nothing has changed, and SpawnFailed names it. Raises Refused if they are too
        many, an agent may not start them, or the user has priority."""
        if current_call.get().owner:
            check_agents(len(self.owners) + len(opened), self.permissions.security.max_panes)
        after = self._adapted(self.lease.admit(self.workspace, after))
        started: dict[PaneId, Terminal] = {}
        sizes = self.layouts.sizes(after)
        for number, pane in enumerate(opened, 1):
            try:
                started[pane.id] = self._spawn(pane, sizes[pane.id], after)
            except FugueError as error:
                for terminal in started.values():
                    terminal.close()
                if isinstance(error, Refused):
                    raise
                raise SpawnFailed(_spawn_error(number, len(opened), pane, error)) from error
        self.terminals |= started
        self.pane_reports |= {pane: PaneReports() for pane in started}
        self._note_owner(started)
        before = self.workspace
        self.assign(after)
        self.undo_log.opened(before, tuple(started))
        for pane in started:
            self.on_event(pane, Started())

    def close(self) -> None:
        """End every program; the workspace value stays, for saving."""
        self.recordings.close()
        if self.uses_mcp_servers:
            self.mcp_servers.close()
        self.closed_panes.end()
        self.client_environment.close()
        for terminal in self.terminals.values():
            terminal.close()
        self.terminals.clear()

    # Layouts

    def rect(self, pane: PaneId) -> Rect | None:
        """A pane's position in its window; None if it does not fit or another pane is zoomed."""
        return self.layouts.of(self.window_of(pane)).panes.get(pane)

    def neighbour(self, pane: PaneId, side: Side) -> PaneId | None:
        """The pane next to another on one side, regardless of zoom, and past the edge of the window; None if alone."""
        return self.layouts.neighbour(self.window_of(pane), pane, side)

    def resize(self, area: Size) -> None:
        """Change the area of the current view, which its window gets, and resize the visible terminals. Windows that no
        view shows keep their sizes, unless there is one view."""
        view = self.views.current
        view.area = area
        if view is self.views.latest:
            self.layouts.area = area
        self.layouts.resize(view.window, area, others=not self.views.several)
        histories, after = self.layout_history.all(), refitted(self.workspace, self.layouts.bounds)
        self.assign(after)
        for window, history in histories.items():
            self.layout_history.replace(window, history)
        self.fit()

    def add_view(self) -> View:
        """Another view, which shows what was used last."""
        self.layouts.keep(window.id for window in self._workspace.windows)
        return self.views.add()

    def use_view(self, view: View) -> None:
        """The user acts in a view: its window is the active one for commands from outside."""
        if view is self.views.latest:
            return
        self.views.latest, self.layouts.area = view, view.area
        if view.window in {window.id for window in self._workspace.windows}:
            self._replace(replace(self._workspace, active=view.window, recent=view.recent))

    def end_view(self, view: View) -> None:
        """The last terminal of a view has left, which was not used last."""
        self.views.remove(view)
        if not self.views.several:
            self.layouts.resize(self.views.latest.window, self.views.latest.area, others=True)
            self.fit()

    def fit(self) -> None:
        """Resize every terminal to its pane's size, or to that of the expanded one of its stack; hidden ones keep
        theirs."""
        for window in self._workspace.windows:
            for pane, size in self.layouts.of(window).sizes.items():
                terminal = self.terminals.get(pane)
                if terminal is not None and terminal.size != size:
                    terminal.resize(size)

    def arrange(self, window: WindowId, layout: Layout) -> None:
        """Replace the layout of a window's panes, and unzoom it."""
        self.assign(edit.zoom(edit.set_layout(self._workspace, window, layout), window, zoomed=False))

    def undo_layout(self, window: Window) -> None:
        """Revert the last change of a window's layout. Raises Refused if there is none."""
        self._step(window, *self.layout_history.undo(window))

    def redo_layout(self, window: Window) -> None:
        """Repeat the change that was undone last. Raises Refused if there is none."""
        self._step(window, *self.layout_history.redo(window))

    def _step(self, window: Window, history: History, layout: Layout) -> None:
        self.arrange(window.id, layout)
        self.layout_history.replace(window.id, history)

    # Panes

    def terminal(self, pane: PaneId) -> Terminal:
        """The terminal of a pane. Raises NotFound."""
        if pane not in self.terminals:
            raise NotFound(f"no pane {pane}; list-panes shows what is open")
        return self.terminals[pane]

    def window_name(self, window: Window) -> str:
        """The label of a window's tab: its name, or what runs in its active pane. Untrusted."""
        if window.named:
            return window.name
        terminal, pane = self.terminals.get(window.active), self._workspace.panes[window.active]
        return pane.name or pane.content or (terminal.foreground if terminal else "") or window.name or "shell"

    def cwd(self, pane: PaneId) -> str:
        """The present or initial working directory of a pane's program; empty for the workspace's own."""
        terminal = self.terminals.get(pane)
        return (terminal.cwd if terminal else "") or self._workspace.panes[pane].cwd

    def runs(self, pane: PaneId) -> bool:
        """Whether a pane's program is running. Raises NotFound."""
        terminal = self.terminal(pane)
        return terminal.exit is None and not terminal.waits

    def inject(self, pane: PaneId, context: object | None) -> None:
        """Keep what was set in a pane's shell; None once it is withdrawn."""
        if context is None:
            self.injected_contexts.pop(pane, None)
        else:
            self.injected_contexts[pane] = context
        if pane in self.terminals:
            self.on_event(pane, ContextChanged())

    def human_input(self, pane: PaneId) -> None:
        """Reserve a pane for the user, who is about to type, paste or click in it."""
        self.lease.typed(pane)
        if pane not in self._counting:
            self._counting.add(pane)
            call_later(_COUNTING_SECONDS, lambda: self.count_user_input(pane))

    def count_user_input(self, pane: PaneId) -> None:
        """Report the user's keys in a pane since they were last reported, as happens every second."""
        self._counting.discard(pane)
        terminal = self.terminals.get(pane)
        if terminal is not None and (new := self.pane_reports[pane].input.record_user(terminal.sent.count)):
            self.on_typed(pane, USER, new)

    def input(self, pane: PaneId, author: Author) -> PaneInput:
        """What types into a pane for an author. Raises NotFound."""
        self.terminal(pane)
        return PaneInput(self, pane, author)

    def respawn(self, pane: PaneId, argv: tuple[str, ...] | None = None) -> Terminal:
        """Run a pane's program again (or another, from now on), on a new terminal.

        A running program is ended; in a restored pane the new one runs below the old text. Raises NotFound, Refused or
        SpawnFailed, and has changed nothing then."""
        self.lease.check_end(pane)
        self.contents.check_program(pane)
        old, record = self.terminal(pane), self._workspace.panes[pane]
        record = record if argv is None else replace(record, argv=argv)
        if pane in self.restored_panes:
            self.start(pane, argv=argv)
            self.assign(edit.update_pane(self._workspace, record))
            return old
        new = self._spawn(record, old.size, self._workspace)
        self.agents.on_end_asked(pane)
        self.assign(edit.update_pane(self._workspace, record))
        old.close()
        self.grants.end_pane(pane)
        self.agents.end_partners(pane)
        self.sideband.end_program(pane)
        self.terminals[pane], self.pane_reports[pane] = new, PaneReports()
        self.exits.pop(pane, None)
        self.on_event(pane, Started())
        return new

    @property
    def shell(self) -> tuple[str, ...]:
        """What panes run that have no program of their own."""
        return self._spawner.shell or (login_shell(os.environ), "-l")

    def blank(self, size: Size) -> Emulator:
        """An empty emulator of the configured engine. Any thread."""
        return self._spawner.blank(size)

    # Restored panes

    def bring_back(self, after: Workspace, offers: Mapping[PaneId, RerunOffer]) -> None:
        """Assign `after`, whose new panes run nothing; `fill` brings their old text."""
        sizes = self.layouts.sizes(after)
        for pane, offer in offers.items():
            self.terminals[pane] = self._wait(pane, sizes[pane])
            self.pane_reports[pane], self.restored_panes[pane] = PaneReports(), RestoredPane(offer)
        self.assign(after)

    def put_back(self, record: Pane, offer: RerunOffer) -> None:
        """End a pane's program and give it another record; `fill` brings its old text. Raises NotFound."""
        pane, old = record.id, self.terminal(record.id)
        self.assign(edit.update_pane(self._workspace, record))
        old.close()
        self.grants.end_pane(pane)
        self.agents.end_partners(pane)
        self.sideband.end_program(pane)
        self.pane_reports[pane], self.restored_panes[pane] = PaneReports(), RestoredPane(offer)
        self.exits.pop(pane, None)
        self._show_without_program(pane, old.size)

    def fill(self, pane: PaneId, emulator: Emulator, commands: Sequence[CommandRecord] = ()) -> None:
        """Show a restored pane's old text, which `emulator` holds with its `commands`, and start its program if that
        was requested or needs no key press. The scroll position stays."""
        restored = self.restored_panes.get(pane)
        if restored is None or not restored.pending:
            emulator.close()
            return
        restored.pending, old = False, self.terminals[pane]
        if emulator.size != old.size:
            emulator.resize(old.size)
        old.close()
        handover = TerminalHandover(emulator, tuple(commands), restored.offer.seen.title)
        self._show_without_program(pane, old.size, handover)
        if restored.start_requested or restored.offer.starts:
            with suppress(FugueError):  # The pane shows the error, and Enter tries again.
                self._start_restored(pane, restored, shell=restored.shell_only)

    def start(self, pane: PaneId, *, shell: bool = False, argv: tuple[str, ...] | None = None) -> None:
        """Run what a restored pane offers, or only its own shell, or something else, below its old text.

        A pane whose text is pending starts once it arrives. Raises NotFound, Refused if the pane is not waiting, or
        SpawnFailed, which the pane shows too; it keeps waiting then."""
        terminal, restored = self.terminal(pane), self.restored_panes.get(pane)
        if restored is None:
            raise Refused(f"pane {pane} does not wait; respawn-pane runs its program again")
        if argv is not None:
            restored.offer = replace(restored.offer, argv=argv)
        if restored.pending:
            restored.start_requested, restored.shell_only = True, shell
            return
        terminal.scroll_to_bottom()
        self._start_restored(pane, restored, shell=shell)

    def _start_restored(self, pane: PaneId, restored: RestoredPane, *, shell: bool) -> None:
        record, terminal = self._workspace.panes[pane], self.terminals[pane]
        argv = record.argv if shell or restored.offer.argv is None else restored.offer.argv
        handover = terminal.release()
        try:
            started = replace(record, argv=argv, cwd=nearest_directory(record.cwd))
            self.terminals[pane] = self._spawn(started, terminal.size, self._workspace, handover)
        except FugueError as error:
            write_notice(handover.emulator, f"{error} · press Enter to try again")
            self._show_without_program(pane, terminal.size, handover)
            raise
        del self.restored_panes[pane]
        self.pane_reports[pane] = PaneReports()
        self.on_event(pane, Started())

    def _show_without_program(self, pane: PaneId, size: Size, handover: TerminalHandover | None = None) -> None:
        """Replace a pane's terminal by one without a program; the caller closes the old one."""
        self.terminals[pane] = self._wait(pane, size, handover)
        self.on_event(pane, Started())
        self.on_screen(pane)

    # Callbacks of the terminals' watchers

    def pane_changed(self, pane: PaneId, terminal: Terminal) -> None:
        """A pane's terminal has something to draw."""
        if self.terminals.get(pane) is terminal:
            self.on_screen(pane)

    def pane_event(self, pane: PaneId, terminal: Terminal, event: Event) -> None:
        """A pane's program reported something besides text."""
        if self.terminals.get(pane) is terminal:
            self.pane_reports[pane].record(event)
            self.on_event(pane, event)
        elif closed := self.closed_panes.find(pane, terminal):
            closed.reports.record(event)

    def pane_ended(self, pane: PaneId, terminal: Terminal, exit: Exit) -> None:
        """A pane's program exited: the pane closes if it closes on exit and the program succeeded, else it stays."""
        if closed := self.closed_panes.find(pane, terminal):
            closed.exit = exit
        if self.terminals.get(pane) is not terminal:
            return
        self.exits[pane] = exit
        self.on_event(pane, Ended(exit))
        if self._closes(pane, exit, terminal.ran_seconds):
            self.assign(edit.remove_pane(self._workspace, pane))

    def _agent_changed(self, pane: PaneId, before: AgentStatus | None, after: AgentStatus | None) -> None:
        if pane in self._workspace.panes:
            self.on_event(pane, AgentChanged(after, entered=_doing(before) != _doing(after)))

    def _closes(self, pane: PaneId, exit: Exit, seconds: float) -> bool:
        record, kept = self._workspace.panes[pane], pane in self.agents.kept_open
        self.agents.kept_open.discard(pane)
        if kept:
            return False
        if record.on_exit is not OnExit.CLOSE or exit.code is None:
            return record.on_exit is OnExit.ALWAYS
        # A shell exits with the status of the user's last command, which is no failure of the shell.
        left = not record.argv and seconds >= SHELL_SECONDS
        return exit.code == 0 or left

    def _spawn(
        self, pane: Pane, size: Size, workspace: Workspace, handover: TerminalHandover | None = None
    ) -> Terminal:
        if pane.content:
            return self._wait(pane.id, size, handover)
        check_descriptors()
        if current_call.get().owner:
            pane = checked(self.permissions.security, pane)
        env = {"FUGUE_WORKSPACE": self._workspace.name, "FUGUE_PANE": str(pane.id), "FUGUE_SOCKET": self._socket}
        values, unset = self.tmux_environment.of_new_pane(
            find.window_with(workspace, pane.id).session,
            current_call.get().owner or self.owners.get(pane.id, ""),
            *self.client_environment.of_new_pane(),
        )
        shim = self.tmux_options.of_new_pane(pane, self._socket, values.get("PATH", ""))
        env |= self.sideband.environment(pane.id) | shim
        program = program_of(pane, env, values, unset)
        return self._seen_by_views(self._spawner(program, size, self._watcher(pane.id), handover))

    def _wait(self, pane: PaneId, size: Size, handover: TerminalHandover | None = None) -> Terminal:
        return self._seen_by_views(self._spawner.wait(size, self._watcher(pane), handover))

    def _seen_by_views(self, terminal: Terminal) -> Terminal:
        terminal.reader = lambda: self.views.current
        return terminal

    def _watcher(self, pane: PaneId) -> TerminalWatcher:
        return TerminalWatcher(pane, self.post, call_later, self)

    def _note_owner(self, opened: Iterable[PaneId]) -> None:
        """Note who opened panes."""
        if owner := current_call.get().owner:
            self.owners |= dict.fromkeys(opened, owner)


def _doing(status: AgentStatus | None) -> object:
    return status and (status.reading.state, status.reading.kind)


def _spawn_error(number: int, count: int, pane: Pane, error: FugueError) -> str:
    if count == 1:
        return str(error)
    name = f" ({pane.name})" if pane.name else ""
    return f"pane {number} of {count}{name}: {error}; nothing was opened"


def _no_connector(handler: "Handler") -> "Connector":
    raise Refused("this workspace cannot connect to MCP servers")
