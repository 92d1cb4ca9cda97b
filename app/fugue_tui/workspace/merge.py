"""Merges the windows of one workspace into another, with new ids and unique session names."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout.tree import panes as panes_in
from fugue_tui.workspace.model import Workspace
from fugue_tui.workspace.names import MAX_NAME


class MergeResult(Struct, frozen=True):
    """The result of a merge."""

    workspace: Workspace
    """The first workspace with the other's windows appended; its active window is unchanged."""
    panes: Mapping[PaneId, PaneId]
    """The other's pane ids, mapped to their new ids."""
    windows: Mapping[WindowId, WindowId]
    """The same for windows."""


def merge(
    own: Workspace, other: Workspace, next_pane: Callable[[], PaneId], next_window: Callable[[], WindowId]
) -> MergeResult:
    """Append all windows of another workspace, with new ids; a session whose name exists gets a number."""
    panes = {pane: next_pane() for window in other.windows for pane in panes_in(window.layout)}
    windows = {window.id: next_window() for window in other.windows}
    labels = _labels(own, other)
    added = tuple(
        replace(
            window,
            id=windows[window.id],
            layout=layouts.relabel(window.layout, panes),
            active=panes[window.active],
            recent=tuple(panes[pane] for pane in window.recent),
            session=labels[window.session],
        )
        for window in other.windows
    )
    records = dict(own.panes) | {panes[id]: replace(pane, id=panes[id]) for id, pane in other.panes.items()}
    active = own.active if own.windows else windows.get(other.active, own.active)
    result = replace(own, windows=(*own.windows, *added), panes=MappingProxyType(records), active=active)
    return MergeResult(result, MappingProxyType(panes), MappingProxyType(windows))


def _labels(own: Workspace, other: Workspace) -> dict[str, str]:
    taken = {window.session for window in own.windows}
    labels: dict[str, str] = {}
    for label in dict.fromkeys(window.session for window in other.windows):
        number, new = 2, label
        while new in taken:
            new, number = f"{label[: MAX_NAME - 6]}-{number}", number + 1
        labels[label] = new
        taken.add(new)
    return labels
