"""The earlier layouts of windows, for undo and redo."""

from collections.abc import Mapping

from fugue_tui.errors import Refused
from fugue_tui.ids import WindowId
from fugue_tui.layout.floating import with_hidden
from fugue_tui.layout.tree import Layout, panes
from fugue_tui.layout.undo_history import History
from fugue_tui.workspace.model import Window, Workspace


class LayoutHistory:
    """The history of each open window's layout."""

    def __init__(self) -> None:
        self._histories: dict[WindowId, History] = {}

    def of(self, window: WindowId) -> History:
        """A window's history; empty if its layout never changed."""
        return self._histories.get(window, History())

    def all(self) -> Mapping[WindowId, History]:
        """The histories of all windows; the mapping does not change."""
        return dict(self._histories)

    def record(self, old: Workspace, new: Workspace) -> None:
        """Record the layouts that a change rearranged, and forget closed windows.

        Opening or closing a pane is no rearrangement: `UndoLog` reverts it, so it must not cost a step."""
        before = {window.id: window.layout for window in old.windows}
        self._histories = {
            window.id: self._after(window.id, before.get(window.id, window.layout), window.layout)
            for window in new.windows
        }

    def undo(self, window: Window) -> tuple[History, Layout]:
        """The previous layout, and the history after the undo. Raises Refused if there is none."""
        found = self.of(window.id).undo(window.layout)
        if found is None:
            raise Refused(f"window {window.id} has no earlier layout to go back to")
        return found

    def redo(self, window: Window) -> tuple[History, Layout]:
        """The layout that was undone last, and the history after the redo. Raises Refused if there is none."""
        found = self.of(window.id).redo(window.layout)
        if found is None:
            raise Refused(f"window {window.id} has no undone layout to bring back")
        return found

    def replace(self, window: WindowId, history: History) -> None:
        """Replace a window's history."""
        self._histories[window] = history

    def merge(self, window: WindowId, history: History, before: Layout) -> None:
        """Make all changes since a window had this history and this layout one step of undo."""
        self.replace(window, history.push(before))

    def _after(self, window: WindowId, old: Layout, new: Layout) -> History:
        history = self.of(window)
        if with_hidden(old, new) == new or set(panes(old)) != set(panes(new)):
            return history
        return history.push(old)
