"""The edits of a workspace: each takes one and gives another, and leaves every invariant of `check` standing.

Nothing here takes the focus unless it is asked to. All raise NotFound for things that are not there.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout.floating import changed
from fugue_tui.layout.tree import Float, Layers, Layout, Leaf, float_of, floats, panes, shown_panes, tiled
from fugue_tui.workspace.find import active_tile, alone, pane_of, session_of, window_of, window_with
from fugue_tui.workspace.model import NO_WINDOW, SCRATCH, Pane, Window, Workspace
from fugue_tui.workspace.names import clean


def add_window(
    workspace: Workspace, window: Window, new: Iterable[Pane], *, focus: bool = False, after: WindowId | None = None
) -> Workspace:
    """Add a window with its panes, after another one or at the end. The first window always gets the focus."""
    names = replace(window, name=clean(window.name), session=_session_name(window.session))
    index = _index(workspace, after) + 1 if after is not None else len(workspace.windows)
    windows = (*workspace.windows[:index], names, *workspace.windows[index:])
    first = not workspace.windows
    result = replace(
        workspace,
        windows=windows,
        panes=_with(workspace, new),
        active=window.id if first else workspace.active,
    )
    return select_window(result, window.id) if focus else result


def close_window(workspace: Workspace, window: WindowId) -> Workspace:
    """Close a window and its panes. If it was on the screen, the latest window of its session follows, else the next.

    A hidden scratch pane stays, in that window. The last window leaves an empty workspace behind.
    """
    closed = window_of(workspace, window)
    successor = workspace.active if workspace.active != window else _next_active(workspace, closed)
    kept = _hidden_scratch(workspace, closed) if successor != NO_WINDOW else []
    lost = {*panes(closed.layout)} - {each.pane for each in kept}
    return replace(
        workspace,
        windows=tuple(
            replace(other, layout=Layers(tiled(other.layout), (*floats(other.layout), *kept)))
            if kept and other.id == successor
            else other
            for other in workspace.windows
            if other.id != window
        ),
        panes=MappingProxyType({id: pane for id, pane in workspace.panes.items() if id not in lost}),
        active=successor,
        recent=tuple(other for other in workspace.recent if other not in (window, successor)),
    )


def add_panes(
    workspace: Workspace, window: WindowId, new: Iterable[Pane], layout: Layout, *, focus: PaneId | None = None
) -> Workspace:
    """Add panes to a window whose layout becomes `layout`; `focus` makes one of them active and shows the window."""
    added = list(new)
    _check_panes(layout, {*panes(window_of(workspace, window).layout), *(pane.id for pane in added)})
    result = replace(workspace, panes=_with(workspace, added))
    result = _change(result, replace(window_of(result, window), layout=layout))
    return result if focus is None else focus_pane(result, focus)


def remove_pane(workspace: Workspace, pane: PaneId) -> Workspace:
    """Remove a pane, and its window with the last one. The pane that last had the focus becomes active."""
    window = window_with(workspace, pane)
    rest = layouts.close(window.layout, pane)
    left = [each for each in floats(window.layout) if each.pane != pane]
    if alone(window, pane) and len(workspace.windows) > 1 and left == _hidden_scratch(workspace, window):
        rest = None
    if rest is None:
        return close_window(workspace, window.id)
    others = MappingProxyType({id: other for id, other in workspace.panes.items() if id != pane})
    return _change(replace(workspace, panes=others), _without(window, pane, rest))


def replace_pane(workspace: Workspace, pane: PaneId, new: Pane) -> Workspace:
    """Put a new pane in the place of another, which is removed."""
    window = window_with(workspace, pane)
    left = replace(workspace, panes=MappingProxyType({id: each for id, each in workspace.panes.items() if id != pane}))
    changed = replace(
        window,
        layout=layouts.replace(window.layout, pane, new.id),
        active=new.id if window.active == pane else window.active,
        recent=tuple(new.id if other == pane else other for other in window.recent),
    )
    return _change(replace(left, panes=_with(left, [new])), changed)


def update_pane(workspace: Workspace, pane: Pane) -> Workspace:
    """Replace a pane's record."""
    pane_of(workspace, pane.id)
    return replace(workspace, panes=_with(workspace, [pane], known=True))


def focus_pane(workspace: Workspace, pane: PaneId) -> Workspace:
    """Focus a pane, and show its window."""
    window = window_with(workspace, pane)
    return select_window(activate_pane(workspace, pane), window.id)


def activate_pane(workspace: Workspace, pane: PaneId) -> Workspace:
    """Make a pane its window's active one, whether the window is shown or not; ends the zoom of another tile, and shows
    a floating pane."""
    window = window_with(workspace, pane)
    if window.active == pane:
        return workspace
    recent = (window.active, *(other for other in window.recent if other not in (pane, window.active)))
    found, layout = float_of(window.layout, pane), window.layout
    if found is not None and found.hidden:
        layout = changed(layout, replace(found, hidden=False))
    zoomed = window.zoomed and (found is not None or pane == active_tile(window))
    return _change(workspace, replace(window, layout=layout, active=pane, recent=recent, zoomed=zoomed))


def select_window(workspace: Workspace, window: WindowId) -> Workspace:
    """Show a window."""
    window_of(workspace, window)
    if workspace.active == window:
        return workspace
    recent = (workspace.active, *(other for other in workspace.recent if other not in (window, workspace.active)))
    return replace(workspace, active=window, recent=recent)


def activate_window(workspace: Workspace, window: WindowId) -> Workspace:
    """Make a window the one that its session shows next, if that is not the session that is shown."""
    if window_of(workspace, window).session == window_of(workspace, workspace.active).session:
        return workspace
    return replace(workspace, recent=(window, *(other for other in workspace.recent if other != window)))


def select_session(workspace: Workspace, session: str) -> Workspace:
    """Show the window of a session that was last active, or its first."""
    windows = session_of(workspace, session).windows
    seen = (workspace.active, *workspace.recent)
    return select_window(workspace, next((window for window in seen if window in windows), windows[0]))


def rename_pane(workspace: Workspace, pane: PaneId, name: str) -> Workspace:
    """Rename a pane; an empty name removes its name."""
    return update_pane(workspace, replace(pane_of(workspace, pane), name=name))


def rename_window(workspace: Workspace, window: WindowId, name: str) -> Workspace:
    """Rename a window; with an empty name it follows its active pane's program again."""
    found, name = window_of(workspace, window), clean(name)
    return _change(workspace, replace(found, name=name or found.name, named=bool(name)))


def rename_session(workspace: Workspace, session: str, name: str) -> Workspace:
    """Rename a session; raises Refused if another one has the name, and InvalidArgument if the name has no printable
    text."""
    session_of(workspace, session)
    name = _session_name(name)
    if name != session and any(window.session == name for window in workspace.windows):
        raise Refused(f"there is a session {name!r} already; choose another name")
    renamed = (replace(other, session=name) if other.session == session else other for other in workspace.windows)
    return replace(workspace, windows=tuple(renamed))


def close_session(workspace: Workspace, session: str) -> Workspace:
    """Close every window of a session."""
    for window in session_of(workspace, session).windows:
        workspace = close_window(workspace, window)
    return workspace


def zoom(workspace: Workspace, window: WindowId, zoomed: bool) -> Workspace:
    """Zoom a window's active pane, or unzoom it. The layout is unchanged."""
    return _change(workspace, replace(window_of(workspace, window), zoomed=zoomed))


def set_layout(workspace: Workspace, window: WindowId, layout: Layout) -> Workspace:
    """Replace a window's layout; raises AssertionError if its panes are not those of the window.

    The focus leaves a floating pane that the layout hides."""
    found = window_of(workspace, window)
    _check_panes(layout, set(panes(found.layout)))
    return _change(workspace, _with_focus_shown(replace(found, layout=layout)))


def set_auto(workspace: Workspace, window: WindowId) -> Workspace:
    """Have a window's layout adapt from now on."""
    return _change(workspace, replace(window_of(workspace, window), auto=True))


def move_pane(workspace: Workspace, pane: PaneId, window: WindowId, layout: Layout) -> Workspace:
    """Move a pane to another window, whose layout becomes `layout`."""
    target = window_of(workspace, window)
    _check_panes(layout, {*panes(target.layout), pane})
    record = pane_of(workspace, pane)
    return add_panes(_evicted(workspace, pane, window), window, [record], layout)


def break_pane(workspace: Workspace, pane: PaneId, window: Window) -> Workspace:
    """Move a pane to a new window after its own; `window` gives the new one's id, name and session."""
    old, record = window_with(workspace, pane), pane_of(workspace, pane)
    if old.layout == Leaf(pane):
        raise Refused(f"pane {pane} has window {old.id} to itself already")
    alone = replace(window, layout=Leaf(pane), active=pane, recent=(), zoomed=False)
    return add_window(remove_pane(workspace, pane), alone, [record], after=old.id)


def _hidden_scratch(workspace: Workspace, window: Window) -> list[Float]:
    """The scratch pane of a window, if it is hidden there."""
    return [each for each in floats(window.layout) if each.hidden and SCRATCH in workspace.panes[each.pane].tags]


def _session_name(name: str) -> str:
    """A sanitized session name; never empty."""
    cleaned = clean(name)
    if not cleaned:
        raise InvalidArgument("name: a session needs a name that can be shown")
    return cleaned


def _evicted(workspace: Workspace, pane: PaneId, target: WindowId) -> Workspace:
    """The workspace without the pane; shows the target if the pane's active window closes."""
    source = window_with(workspace, pane)
    if source.id == target:
        raise Refused(f"pane {pane} is in window {target} already")
    if source.layout == Leaf(pane) and workspace.active == source.id:
        workspace = select_window(workspace, target)
    return remove_pane(workspace, pane)


def _without(window: Window, pane: PaneId, rest: Layout) -> Window:
    """The window without a pane."""
    recent = tuple(other for other in window.recent if other != pane)
    left = replace(window, layout=rest, recent=recent, zoomed=window.zoomed and active_tile(window) != pane)
    if window.active != pane:
        return left
    shown = shown_panes(rest)
    near = (*recent, _beside(window.layout, pane), *shown)
    successor = next(other for other in near if other in shown)
    return replace(left, active=successor, recent=tuple(other for other in recent if other != successor))


def _with_focus_shown(window: Window) -> Window:
    """The window with the focus in a pane that is not hidden."""
    shown = shown_panes(window.layout)
    if window.active in shown:
        return window
    active = next(pane for pane in (*window.recent, *shown) if pane in shown)
    recent = (window.active, *(pane for pane in window.recent if pane != active))
    return replace(window, active=active, recent=recent)


def _beside(layout: Layout, pane: PaneId) -> PaneId:
    """The next pane in reading order, or the previous one for the last."""
    order = list(panes(layout))
    index = order.index(pane)
    return order[index + 1] if index + 1 < len(order) else order[index - 1]


def _next_active(workspace: Workspace, closed: Window) -> WindowId:
    """The window that becomes active after another was closed; NO_WINDOW if there is none."""
    order = [window.id for window in workspace.windows]
    index = order.index(closed.id)
    after = [*order[index + 1 :], *reversed(order[:index])]
    kin = [window.id for window in workspace.windows if window.session == closed.session]
    near = [window for window in after if window in kin] or after
    return next((window for window in workspace.recent if window in near), near[0] if near else NO_WINDOW)


def _index(workspace: Workspace, window: WindowId) -> int:
    return workspace.windows.index(window_of(workspace, window))


def _change(workspace: Workspace, window: Window) -> Workspace:
    """The workspace with one window replaced."""
    windows = tuple(window if other.id == window.id else other for other in workspace.windows)
    return replace(workspace, windows=windows)


def _with(workspace: Workspace, new: Iterable[Pane], known: bool = False) -> Mapping[PaneId, Pane]:
    """The panes' records with some added or replaced, with sanitized names."""
    records = dict(workspace.panes)
    for pane in new:
        if not known and pane.id in records:
            raise AssertionError(f"pane {pane.id} is there already")
        records[pane.id] = replace(pane, name=clean(pane.name))
    return MappingProxyType(records)


def _check_panes(layout: Layout, wanted: set[PaneId]) -> None:
    held = list(panes(layout))
    if len(held) != len(wanted) or set(held) != wanted:
        raise AssertionError(f"the layout holds {held}, the window {sorted(wanted)}")
