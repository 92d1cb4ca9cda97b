"""What layouts windows had before, so that changes can be taken back."""

from fugue_tui.errors import Refused
from fugue_tui.ids import WindowId
from fugue_tui.layout.history import History
from fugue_tui.layout.tree import Node, panes
from fugue_tui.workspace.model import Window, Workspace


class LayoutHistory:
    """The history of each open window's layout."""

    def __init__(self) -> None:
        self._histories: dict[WindowId, History] = {}

    def of(self, window: WindowId) -> History:
        """A window's history; empty if its layout never changed."""
        return self._histories.get(window, History())

    def note(self, old: Workspace, new: Workspace) -> None:
        """Remember the layouts that a change rearranged, and forget the windows that it closed.

        A pane's coming or going is no rearrangement: it cannot be taken back here, so it must not cost a step."""
        before = {window.id: window.layout for window in old.windows}
        self._histories = {
            window.id: self._after(window.id, before.get(window.id, window.layout), window.layout)
            for window in new.windows
        }

    def undo(self, window: Window) -> tuple[History, Node]:
        """The layout before this one, and the history once it is in force. Raises Refused if there is none."""
        found = self.of(window.id).undo(window.layout)
        if found is None:
            raise Refused(f"window {window.id} has no earlier layout to go back to")
        return found

    def redo(self, window: Window) -> tuple[History, Node]:
        """The layout that was undone last, and the history once it is in force. Raises Refused if there is none."""
        found = self.of(window.id).redo(window.layout)
        if found is None:
            raise Refused(f"window {window.id} has no undone layout to bring back")
        return found

    def put(self, window: WindowId, history: History) -> None:
        """Have this be a window's history from now on."""
        self._histories[window] = history

    def _after(self, window: WindowId, old: Node, new: Node) -> History:
        history = self.of(window)
        if old == new or set(panes(old)) != set(panes(new)):
            return history
        return history.push(old)
