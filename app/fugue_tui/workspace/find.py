"""Lookups in a workspace. Each raises NotFound with a way out."""

from msgspec import Struct

from fugue_tui.errors import NotFound
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import Leaf, float_of, panes, tiled
from fugue_tui.workspace.model import Pane, Window, Workspace


class Session(Struct, frozen=True):
    """The windows of one session, in tab order."""

    name: str
    windows: tuple[WindowId, ...]
    active: bool
    """Whether the active window is one of them."""


def pane_of(workspace: Workspace, pane: PaneId) -> Pane:
    """The pane with this id."""
    found = workspace.panes.get(pane)
    if found is None:
        raise NotFound(f"no pane {pane}; list-panes shows what is open")
    return found


def window_of(workspace: Workspace, window: WindowId) -> Window:
    """The window with this id."""
    for found in workspace.windows:
        if found.id == window:
            return found
    raise NotFound(f"no window {window}; list-windows shows what is open")


def window_with(workspace: Workspace, pane: PaneId) -> Window:
    """The window of a pane."""
    pane_of(workspace, pane)
    for found in workspace.windows:
        if pane in panes(found.layout):
            return found
    raise NotFound(f"pane {pane} is in no window; list-panes shows what is open")


def active_window(workspace: Workspace) -> Window:
    """The active window."""
    return window_of(workspace, workspace.active)


def active_tile(window: Window) -> PaneId:
    """The pane of the tiles that had the focus last: the one that is zoomed in a zoomed window."""
    tiles = list(panes(tiled(window.layout)))
    return next((pane for pane in (window.active, *window.recent) if pane in tiles), tiles[0])


def is_zoomed(window: Window, pane: PaneId) -> bool:
    """Whether a pane fills its window, or would if it floated there with the focus."""
    found = float_of(window.layout, pane)
    return found.full if found is not None else window.zoomed and active_tile(window) == pane


def alone(window: Window, pane: PaneId) -> bool:
    """Whether a pane is the only tile of its window."""
    return tiled(window.layout) == Leaf(pane)


def sessions(workspace: Workspace) -> list[Session]:
    """Every session, in the order of their first tabs."""
    labels = dict.fromkeys(window.session for window in workspace.windows)
    return [session_of(workspace, label) for label in labels]


def session_of(workspace: Workspace, name: str) -> Session:
    """The session with this name."""
    windows = tuple(window.id for window in workspace.windows if window.session == name)
    if not windows:
        raise NotFound(f"no session {name!r}; list-sessions shows what is open")
    return Session(name, windows, workspace.active in windows)


def session_name_now(session: str, old: Workspace, new: Workspace) -> str:
    """The name of a session after a change of the workspace: another one if it was renamed, empty if it is gone."""
    if any(window.session == session for window in new.windows):
        return session
    before = {window.session for window in old.windows}
    windows = {window.id for window in old.windows if window.session == session}
    named = (each.session for each in new.windows if each.id in windows and each.session not in before)
    return next(named, "")
