"""A workspace whose windows are rearranged, and arranged again as they were."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from fugue_tui.geometry import Size
from fugue_tui.ids import WindowId
from fugue_tui.layout.history import History
from fugue_tui.layout.tree import Node
from fugue_tui.multiplexer.layout_history import LayoutHistory
from fugue_tui.multiplexer.terminals import Terminals
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Window, Workspace


class Rearranging(Terminals, ABC):
    """The present workspace, and the layouts that its windows had."""

    def __init__(self, workspace: Workspace, area: Size, clock: Callable[[], float]) -> None:
        super().__init__(workspace, area, clock)
        self._histories = LayoutHistory()

    @abstractmethod
    def assign(self, new: Workspace) -> None:
        """Make `new` the workspace."""

    def arrange(self, window: WindowId, layout: Node) -> None:
        """Give a window another arrangement of the same panes, and show it: a zoom ends."""
        self.assign(edit.zoom(edit.set_layout(self.workspace, window, layout), window, zoomed=False))

    def undo_layout(self, window: Window) -> None:
        """Take the last change of a window's layout back. Raises Refused if there is none."""
        history, layout = self._histories.undo(window)
        self.arrange(window.id, layout)
        self._histories.put(window.id, history)

    def redo_layout(self, window: Window) -> None:
        """Bring back what was undone last. Raises Refused if there is nothing."""
        history, layout = self._histories.redo(window)
        self.arrange(window.id, layout)
        self._histories.put(window.id, history)

    def join_steps(self, window: WindowId, history: History, before: Node) -> None:
        """Let undo take back in one step what happened since a window had that history and that layout."""
        self._histories.put(window, history.push(before))

    def history(self, window: WindowId) -> History:
        """The layouts that a window had, and those that were undone."""
        return self._histories.of(window)
