"""What the user has set for panes and windows by keys, and no workspace value holds: the marked pane."""

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.workspace.model import Workspace


class UserOptions:
    """The user's options of panes and windows. Main thread only."""

    def __init__(self, on_workspace: CallbackList[[Workspace, Workspace]]) -> None:
        self.on_change = CallbackList[[]]()
        """An option has changed, which titles or the status bar show."""
        self._marked: PaneId | None = None
        on_workspace.connect(self._changed)

    @property
    def marked(self) -> PaneId | None:
        """The pane that join-pane and swap-pane take by default; None if there is none."""
        return self._marked

    def mark(self, pane: PaneId | None) -> None:
        """Mark a pane instead of any other; None for none."""
        self._marked = pane
        self.on_change()

    def _changed(self, old: Workspace, new: Workspace) -> None:
        if self._marked not in new.panes:
            self._marked = None
