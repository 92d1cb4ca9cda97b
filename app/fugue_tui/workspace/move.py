"""Moves of panes between windows, and of windows between positions and sessions; no pane is opened or closed."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.edit import relabel
from fugue_tui.layout.tree import panes
from fugue_tui.workspace.find import window_of, window_with
from fugue_tui.workspace.model import Window, Workspace


def swap_panes(workspace: Workspace, a: PaneId, b: PaneId) -> Workspace:
    """Swap two panes of different windows: each gets the other's position, and its focus in that window."""
    both = {a: b, b: a}
    changed = {
        window.id: _relabelled(window, both) for window in (window_with(workspace, a), window_with(workspace, b))
    }
    return replace(workspace, windows=tuple(changed.get(window.id, window) for window in workspace.windows))


def move_window(workspace: Workspace, window: WindowId, session: str, index: int) -> Workspace:
    """Move a window to a position in a session, from 0; behind its last window if it has fewer."""
    moved = replace(window_of(workspace, window), session=session)
    rest = [other for other in workspace.windows if other.id != window]
    kin = [at for at, other in enumerate(rest) if other.session == session]
    at = kin[index] if index < len(kin) else kin[-1] + 1 if kin else len(rest)
    return replace(workspace, windows=(*rest[:at], moved, *rest[at:]))


def swap_windows(workspace: Workspace, a: WindowId, b: WindowId) -> Workspace:
    """Swap the positions of two windows, and their sessions."""
    first, second = window_of(workspace, a), window_of(workspace, b)
    swapped = {a: replace(second, session=first.session), b: replace(first, session=second.session)}
    return replace(workspace, windows=tuple(swapped.get(window.id, window) for window in workspace.windows))


def moved_back(present: Workspace, before: Workspace, after: Workspace) -> Workspace | None:
    """The present workspace with the moves between `before` and `after` reverted; None if their windows have got or
    lost panes since."""
    was, then, now = ({window.id: window for window in each.windows} for each in (before, after, present))
    touched = {id for id in was.keys() | then.keys() if _held(was.get(id)) != _held(then.get(id))}
    if any(_held(now.get(id)) != _held(then.get(id)) for id in touched):
        return None
    if present == after and present.panes.keys() == before.panes.keys():
        return before
    windows = [
        _restored(was[id], now.get(id), then.get(id), moved=id in touched) for id in was if id in touched or id in now
    ]
    windows += [window for window in present.windows if window.id not in was and window.id not in then]
    return _shown(replace(present, windows=tuple(windows)), before.active if present.active == after.active else None)


def _restored(was: Window, now: Window | None, then: Window | None, *, moved: bool) -> Window:
    """A window as it was before a move, with the name and session that it was given since."""
    if now is None:
        return was
    base = was if moved else now
    session = was.session if then is None or then.session == now.session else now.session
    return replace(base, name=now.name, named=now.named, session=session)


def _shown(workspace: Workspace, wanted: WindowId | None) -> Workspace:
    """The workspace with a window shown that it has: the wanted one, the present one or the latest."""
    ids = [window.id for window in workspace.windows]
    order = [wanted, workspace.active, *workspace.recent, *ids]
    active = next(window for window in order if window is not None and window in ids)
    recent = _known((workspace.active, *workspace.recent), ids, active)
    return replace(workspace, active=active, recent=recent)


def _known(used: Iterable[WindowId], ids: Sequence[WindowId], active: WindowId) -> tuple[WindowId, ...]:
    return tuple(window for window in dict.fromkeys(used) if window in ids and window != active)


def _held(window: Window | None) -> frozenset[PaneId]:
    return frozenset(panes(window.layout)) if window is not None else frozenset()


def _relabelled(window: Window, both: dict[PaneId, PaneId]) -> Window:
    recent = tuple(both.get(pane, pane) for pane in window.recent)
    active = both.get(window.active, window.active)
    return replace(window, layout=relabel(window.layout, both), active=active, recent=recent, zoomed=False)
