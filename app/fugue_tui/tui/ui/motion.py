"""Motion: whether things move, and the flash of the frame of a pane that got the focus or another place."""

from collections.abc import Callable
from typing import Protocol

from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.config.model import Config
from fugue_tui.workspace.model import Workspace
from fugue_tui_widgets.pane_grid import PaneGrid


class MovingApp(Protocol):
    """What moves."""

    settings: Config
    clients: ClientRegistry
    grid: PaneGrid

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        ...


class Motion:
    """Decides whether things move: as the settings or a key say, and never over a slow link. Main thread only."""

    def __init__(self, app: MovingApp, changed: Callable[[], None]) -> None:
        """`changed` is called when a key has switched motion on or off."""
        self._app, self._changed = app, changed
        self._chosen: bool | None = None

    @property
    def wanted(self) -> bool:
        """Whether the user wants things to move."""
        return self._app.settings.ui.motion if self._chosen is None else self._chosen

    @property
    def allowed(self) -> bool:
        """Whether things move now: wanted, and every attached terminal keeps up."""
        clients = self._app.clients.all()
        return self.wanted and bool(clients) and not any(client.is_slow for client in clients)

    def toggle(self) -> None:
        """Switch motion on or off, until the configuration changes."""
        self._chosen = not self.wanted
        self._changed()
        self._app.alert("motion is on" if self._chosen else "motion is off: nothing blinks, slides or flashes")

    def reset(self) -> None:
        """The configuration decides again."""
        self._chosen = None

    def workspace_changed(self, old: Workspace, new: Workspace) -> None:
        """Flash the frame of the focused pane if it is another one, or elsewhere."""
        if self.allowed and _front(old) != _front(new):
            self._app.grid.flash()


def _front(workspace: Workspace) -> object:
    """What a flash shows a change of: the window in front, its layout, its focused pane and whether that is zoomed."""
    window = next((each for each in workspace.windows if each.id == workspace.active), None)
    return window and (window.id, window.layout, window.active, window.zoomed)
