"""A workspace whose panes have terminals: what runs in each, where, since when, and whose it is for the moment."""

from collections.abc import Callable
from typing import Final

from fugue_tui.errors import NotFound
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.pane_events import PaneReports
from fugue_tui.multiplexer.kept_screens import ScreenStore
from fugue_tui.multiplexer.pane_queue import PaneQueue
from fugue_tui.multiplexer.placed import Placed
from fugue_tui.multiplexer.restored_pane import RestoredPane
from fugue_tui.multiplexer.watch.bookmarks import Bookmarks
from fugue_tui.multiplexer.watch.watcher import WaitService
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import Window, Workspace

LEASE_SECONDS: Final = 2.0
"""How long a pane belongs to the person who typed in it."""


class Terminals(Placed):
    """The present workspace, and the terminals behind its panes."""

    def __init__(self, workspace: Workspace, area: Size, clock: Callable[[], float]) -> None:
        super().__init__(workspace, area)
        self._clock = clock
        self.terminals: dict[PaneId, Terminal] = {}
        """The terminal of every pane; an ended one stays readable as long as its pane."""
        self.exits: dict[PaneId, Exit] = {}
        """How the programs of those panes ended whose program is over."""
        self.restored_panes: dict[PaneId, RestoredPane] = {}
        """What the panes wait for that came back without their programs."""
        self.pane_reports: dict[PaneId, PaneReports] = {}
        """What each pane's program said besides text."""
        self.pane_queue = PaneQueue()
        """Who types into which pane, and who waits for that."""
        self.lent: dict[PaneId, object] = {}
        """What shells were given for a while, as `control.injecting` knows it."""
        self.wait_service = WaitService()
        """What is waited for in panes' output."""
        self.bookmarks = Bookmarks()
        """The places in panes' text that callers hold on to."""
        self.screen_store = ScreenStore()
        """The screens that callers kept."""

    def fit(self) -> None:
        """Give every terminal that has a place the size of that place; hidden ones keep theirs."""
        for window in self.workspace.windows:
            for pane, rect in self.frame(window).panes.items():
                terminal = self.terminals.get(pane)
                if terminal is not None and terminal.size != rect.size:
                    terminal.resize(rect.size)

    def terminal(self, pane: PaneId) -> Terminal:
        """The terminal of a pane. Raises NotFound."""
        if pane not in self.terminals:
            raise NotFound(f"no pane {pane}; list-panes shows what is open")
        return self.terminals[pane]

    def window_name(self, window: Window) -> str:
        """What a window's tab says: its name, or what runs in its focused pane. Untrusted."""
        if window.named:
            return window.name
        terminal, pane = self.terminals.get(window.active), self.workspace.panes[window.active]
        return pane.name or (terminal.foreground if terminal else "") or window.name or "shell"

    def cwd(self, pane: PaneId) -> str:
        """The directory in which a pane's program works, or was started; empty if that is the workspace's own."""
        terminal = self.terminals.get(pane)
        return (terminal.cwd if terminal else "") or self.workspace.panes[pane].cwd

    def human_input(self, pane: PaneId) -> None:
        """A person typed, pasted or clicked in a pane, which is theirs for the next seconds."""
        if pane in self.pane_reports:
            self.pane_reports[pane].typed_at = self._clock()

    def lease(self, pane: PaneId) -> int | None:
        """Milliseconds for which a pane still belongs to the person who typed in it; None if anyone may type."""
        typed_at = self.pane_reports[pane].typed_at if pane in self.pane_reports else None
        left = 0.0 if typed_at is None else typed_at + LEASE_SECONDS - self._clock()
        return max(1, round(left * 1000)) if left > 0 else None

    def runs(self, pane: PaneId) -> bool:
        """Whether a pane's program runs now. Raises NotFound."""
        return self.terminal(pane).exit is None and pane not in self.restored_panes
