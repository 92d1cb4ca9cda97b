"""Whether things are animated, and the outline that moves from where the focused pane was to where it is."""

from collections.abc import Callable
from typing import Protocol

from textual.geometry import Size

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.config.model import Config
from fugue_tui.geometry import Rect
from fugue_tui.ids import WindowId
from fugue_tui.tui.render.moving_outline import MovingOutline
from fugue_tui.workspace.model import Workspace
from fugue_tui_widgets.pane_grid import PaneGrid

_LEAST_CELLS = 4
"""By how many cells a side must move for an outline to show it: smaller steps of resizing are seen as they are."""


class AnimatedApp(Protocol):
    """What is animated."""

    settings: Config
    clients: ClientRegistry
    grid: PaneGrid

    @property
    def is_dragging(self) -> bool:
        """Whether the user moves panes or borders by the mouse."""
        ...

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        ...


class Animation:
    """Decides what is animated, as the settings or a key say, and animates the focus. Main thread only."""

    def __init__(self, app: AnimatedApp, outline: MovingOutline, changed: Callable[[], None]) -> None:
        """`changed` is called when a key has switched animation on or off."""
        self._app, self._outline, self._changed = app, outline, changed
        self._chosen: bool | None = None
        self._last: tuple[WindowId, Size, Rect] | None = None
        """The window that was in front, the size of its grid, and where its focused pane was."""

    @property
    def wanted(self) -> bool:
        """Whether the user wants animation at all."""
        return self._app.settings.ui.animation != "none" if self._chosen is None else self._chosen

    def at(self, client: AttachedClient) -> bool:
        """Whether a client's terminal shows animation: the user types there, and the link is quick; over SSH only if
        the user asked for it."""
        asked = self._chosen or self._app.settings.ui.animation == "full"
        return self.wanted and not client.read_only and not client.is_slow and (asked or not client.hello.remote)

    def toggle(self) -> None:
        """Switch animation on or off, until the configuration changes."""
        self._chosen = not self.wanted
        self._changed()
        self._app.alert("animation is on" if self._chosen else "animation is off: nothing blinks, slides or moves")

    def reset(self) -> None:
        """The configuration decides again."""
        self._chosen = None

    def workspace_changed(self, workspace: Workspace) -> None:
        """Move the outline if the focus, or the focused pane, is elsewhere in the same window of the same size."""
        last, self._last = self._last, self._place(workspace)
        if last is None or self._last is None or last[:2] != self._last[:2] or self._app.is_dragging:
            self._outline.end()
        elif _moves(last[2], self._last[2]) and any(map(self.at, self._app.clients.all())):
            self._outline.move(last[2], self._last[2])

    def _place(self, workspace: Workspace) -> tuple[WindowId, Size, Rect] | None:
        grid = self._app.grid
        frame = grid.model.focused_frame
        return (workspace.active, grid.size, frame) if frame is not None else None


def _moves(old: Rect, new: Rect) -> bool:
    """Whether a side of one rectangle is far enough from that of the other."""
    sides = ((old.x, new.x), (old.y, new.y), (old.right, new.right), (old.bottom, new.bottom))
    return max(abs(after - before) for before, after in sides) >= _LEAST_CELLS
