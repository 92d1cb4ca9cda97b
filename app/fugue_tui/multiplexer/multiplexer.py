"""The multiplexer: one workspace value, the terminals behind its panes, and who wants to hear of changes.

Main thread only. Commands compute a new workspace and hand it over; the multiplexer starts and ends programs so that
there is a terminal for every pane and none besides, and keeps each as large as its place on the screen.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from fugue_tui.config.model import SessionSettings
from fugue_tui.errors import FugueError, Refused, SpawnFailed
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.clients import Clients, NoClients
from fugue_tui.multiplexer.delayed_keys import DelayedKeys
from fugue_tui.multiplexer.events.callbacks import CallbackList
from fugue_tui.multiplexer.events.log import EventLog
from fugue_tui.multiplexer.events.pane_events import Ended, PaneEvent, PaneReports, Post, Started, TerminalWatcher
from fugue_tui.multiplexer.rearranging import Rearranging
from fugue_tui.multiplexer.restored_pane import Rerun, RerunOffer, RestoredPane, nearest, tell
from fugue_tui.multiplexer.spawner import Spawner, program_of
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import Event
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.pty.spawn import Exit, login_shell
from fugue_tui.terminal.shell_integration.saved_commands import TerminalHandover
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import OnExit, Pane, Workspace

if TYPE_CHECKING:
    from fugue_tui.multiplexer.autosave.saver import Saver
    from fugue_tui.store.store import Area

SHELL_SECONDS: Final = 2.0
"""A login shell that ran this long ended because somebody left it, whatever its status."""


class Multiplexer(Rearranging):
    """Everything that is alive."""

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
        super().__init__(Workspace(name), area, clock)
        self.on_exit = OnExit.CLOSE
        """What becomes of a person's new panes when their programs end."""
        self.secrets = SessionSettings().secrets
        """Patterns for the names of variables whose values go into no file."""
        self.before: tuple[Area, str] | None = None
        """Where that is saved which this workspace was when it ran last, until it was brought back; None if nowhere."""
        self.rerun: Rerun = SessionSettings().rerun
        """What runs again by itself in panes that come back."""
        self.on_change = CallbackList[[Workspace, Workspace]]()
        """The workspace is another: old, new."""
        self.on_event = CallbackList[[PaneId, PaneEvent]]()
        """Something happened to a pane besides output."""
        self.on_screen = CallbackList[[PaneId]]()
        """A pane has something to draw; comes once, until the terminal was refreshed."""
        self.on_empty = CallbackList[[]]()
        """The last pane is gone."""
        self.clients: Clients = NoClients()
        """The terminals that show this."""
        self.move: Callable[[str], None] = _stay
        """Has it be found under another name. Raises SocketError if it cannot be; nothing has changed then."""
        self.saver: Saver | None = None
        """What saves this; None if nothing does."""
        self.post: Final = post
        """Runs something on the main thread soon; may be called from any thread."""
        self._spawner, self._post, self._socket = spawner, post, socket
        self.delayed_keys = DelayedKeys(post)
        """Keystrokes that are still owed to panes."""
        self.event_log = EventLog(self)
        """What happened, in order."""

    def assign(self, new: Workspace) -> None:
        """Make `new` the workspace: end the programs of panes that are gone, fit the others, tell everyone.

        Panes that are new must come by `open`."""
        old = self._hold(new)
        if new is old:
            return
        for gone in old.panes.keys() - new.panes.keys():
            self._drop(gone)
        self._histories.note(old, new)
        self.fit()
        self.on_change(old, new)
        if not new.windows:
            self.on_empty()

    def open(self, opened: Sequence[Pane], after: Workspace) -> None:
        """Start the programs of new panes at the sizes that `after` gives them, then make `after` the workspace. If one
        cannot be started, none is, nothing has changed, and SpawnFailed says which."""
        started: dict[PaneId, Terminal] = {}
        sizes = self._sizes_in(after)
        for number, pane in enumerate(opened, 1):
            try:
                started[pane.id] = self._spawn(pane, sizes[pane.id])
            except FugueError as error:
                for terminal in started.values():
                    terminal.close()
                raise SpawnFailed(_which(number, len(opened), pane, error)) from error
        self.terminals |= started
        self.pane_reports |= {pane: PaneReports(self._clock()) for pane in started}
        self.assign(after)
        for pane in started:
            self.on_event(pane, Started())

    def human_input(self, pane: PaneId) -> None:
        """A person is about to type, paste or click in a pane, which is theirs for the next seconds: the Enter that it
        may be owed comes first, so that what the person types is no part of another's line."""
        self.delayed_keys.keep(pane)
        super().human_input(pane)

    def bring_back(self, after: Workspace, offers: Mapping[PaneId, RerunOffer]) -> None:
        """Make `after` the workspace; its new panes run nothing, and their old text is still to come by `fill`."""
        sizes = self._sizes_in(after)
        for pane, offer in offers.items():
            self.terminals[pane] = self._spawner.wait(sizes[pane], self._listener(pane))
            self.pane_reports[pane], self.restored_panes[pane] = PaneReports(self._clock()), RestoredPane(offer)
        self.assign(after)

    def put_back(self, record: Pane, offer: RerunOffer) -> None:
        """Have a pane wait, with another record, for an old text to come; what runs in it is ended. Raises NotFound."""
        pane, old = record.id, self.terminal(record.id)
        self.assign(edit.update_pane(self.workspace, record))
        self.delayed_keys.drop(pane)
        old.close()
        self.pane_reports[pane], self.restored_panes[pane] = PaneReports(self._clock()), RestoredPane(offer)
        self.exits.pop(pane, None)
        self._await(pane, old.size)

    def fill(self, pane: PaneId, emulator: Emulator, commands: Sequence[CommandRecord] = ()) -> None:
        """Show a waiting pane's old text, which `emulator` holds, and know the commands that ran in it; what starts by
        itself starts now, and the view stays where it is scrolled to."""
        waiting = self.restored_panes.get(pane)
        if waiting is None or not waiting.pending:
            emulator.close()
            return
        waiting.pending, old = False, self.terminals[pane]
        if emulator.size != old.size:
            emulator.resize(old.size)
        old.close()
        self._await(pane, old.size, TerminalHandover(emulator, tuple(commands), waiting.offer.seen.title))
        if waiting.wanted or waiting.offer.starts:
            with suppress(FugueError):  # It is told in the pane, which waits on.
                self._begin(pane, waiting, shell=waiting.shell)

    @property
    def shell(self) -> tuple[str, ...]:
        """What panes run that were started as nothing else."""
        return self._spawner.shell or (login_shell(os.environ), "-l")

    def blank(self, size: Size) -> Emulator:
        """An emulator like those of new panes, to be filled for `fill`. Any thread."""
        return self._spawner.blank(size)

    def start(self, pane: PaneId, *, shell: bool = False, argv: tuple[str, ...] | None = None) -> None:
        """Run what a waiting pane offers, or only its own shell, or something else, under its old text.

        A pane whose text is still to come starts when it is there. Raises NotFound, Refused if it does not wait, or
        SpawnFailed, which is also told in the pane; it waits on then."""
        terminal, waiting = self.terminal(pane), self.restored_panes.get(pane)
        if waiting is None:
            raise Refused(f"pane {pane} does not wait; respawn-pane runs its program again")
        if argv is not None:
            waiting.offer = replace(waiting.offer, argv=argv)
        if waiting.pending:
            waiting.wanted, waiting.shell = True, shell
            return
        terminal.scroll_to_bottom()
        self._begin(pane, waiting, shell=shell)

    def _begin(self, pane: PaneId, waiting: RestoredPane, *, shell: bool) -> None:
        """Run what a pane with its old text offers, under that text."""
        record, terminal = self.workspace.panes[pane], self.terminals[pane]
        argv = record.argv if shell or waiting.offer.argv is None else waiting.offer.argv
        legacy = terminal.release()
        try:
            place = replace(record, argv=argv, cwd=nearest(record.cwd))
            self.terminals[pane] = self._spawn(place, terminal.size, legacy)
        except FugueError as error:
            tell(legacy.emulator, f"{error} · press Enter to try again")
            self._await(pane, terminal.size, legacy)
            raise
        del self.restored_panes[pane]
        self.pane_reports[pane] = PaneReports(self._clock())
        self.on_event(pane, Started())

    def respawn(self, pane: PaneId, argv: tuple[str, ...] | None = None) -> Terminal:
        """Run a pane's program again (or another, from now on), on a fresh terminal in its place.

        In a pane that waits it runs under the old text. One that still runs is ended. Raises NotFound or SpawnFailed;
        everything is then as it was."""
        old, record = self.terminal(pane), self.workspace.panes[pane]
        record = record if argv is None else replace(record, argv=argv)
        if pane in self.restored_panes:
            self.start(pane, argv=argv)
            self.assign(edit.update_pane(self.workspace, record))
            return old
        new = self._spawn(record, old.size)
        self.assign(edit.update_pane(self.workspace, record))
        self.delayed_keys.drop(pane)
        old.close()
        self.terminals[pane], self.pane_reports[pane] = new, PaneReports(self._clock())
        self.exits.pop(pane, None)
        self.on_event(pane, Started())
        return new

    def resize(self, area: Size) -> None:
        """Have another number of cells for panes; every terminal that is seen takes its new size."""
        self.area = area
        self.fit()

    def close(self) -> None:
        """End every program; the workspace is left as it is, for saving."""
        for terminal in self.terminals.values():
            terminal.close()
        self.terminals.clear()

    def pane_changed(self, pane: PaneId, terminal: Terminal) -> None:
        """The terminal of a pane has something to draw."""
        if self.terminals.get(pane) is terminal:
            self.on_screen(pane)

    def pane_said(self, pane: PaneId, terminal: Terminal, event: Event) -> None:
        """The program of a pane said something besides text."""
        if self.terminals.get(pane) is terminal:
            self.pane_reports[pane].note(event)
            self.on_event(pane, event)

    def pane_ended(self, pane: PaneId, terminal: Terminal, exit: Exit) -> None:
        """The program of a pane is over: the pane goes if it is one that closes and it ended well, else it stays."""
        if self.terminals.get(pane) is not terminal:
            return
        self.exits[pane] = exit
        self.on_event(pane, Ended(exit))
        if self._closes(pane, exit):
            self.assign(edit.remove_pane(self.workspace, pane))

    def _closes(self, pane: PaneId, exit: Exit) -> bool:
        record = self.workspace.panes[pane]
        if record.on_exit is not OnExit.CLOSE or exit.code is None:
            return False
        # A shell that a person leaves passes on the status of their last command, which says nothing of the shell.
        left = not record.argv and self._clock() - self.pane_reports[pane].started_at >= SHELL_SECONDS
        return exit.code == 0 or left

    def _spawn(self, pane: Pane, size: Size, legacy: TerminalHandover | None = None) -> Terminal:
        told = {"FUGUE_WORKSPACE": self.workspace.name, "FUGUE_PANE": str(pane.id), "FUGUE_SOCKET": self._socket}
        return self._spawner(program_of(pane, told), size, self._listener(pane.id), legacy)

    def _listener(self, pane: PaneId) -> TerminalWatcher:
        return TerminalWatcher(pane, self._post, self.wait_service.after, self)

    def _await(self, pane: PaneId, size: Size, legacy: TerminalHandover | None = None) -> None:
        """Have a terminal without a program in a pane's place; what was there is the caller's to end."""
        self.terminals[pane] = self._spawner.wait(size, self._listener(pane), legacy)
        self.on_event(pane, Started())
        self.on_screen(pane)

    def _drop(self, pane: PaneId) -> None:
        self.exits.pop(pane, None)
        self.pane_reports.pop(pane, None)
        self.restored_panes.pop(pane, None)
        self.delayed_keys.drop(pane)
        if terminal := self.terminals.pop(pane, None):
            self.bookmarks.drop(terminal)
            terminal.close()


def _which(number: int, count: int, pane: Pane, error: FugueError) -> str:
    if count == 1:
        return str(error)
    name = f" ({pane.name})" if pane.name else ""
    return f"pane {number} of {count}{name}: {error}; nothing was opened"


def _stay(name: str) -> None:
    """It is found by nobody."""
