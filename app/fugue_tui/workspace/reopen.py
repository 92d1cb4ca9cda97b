"""Brings closed panes back to where they were: their windows, positions, zoom and focus."""

from collections.abc import Collection, Iterable
from types import MappingProxyType
from typing import TypeVar

from msgspec.structs import replace

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.edit import append, restrict
from fugue_tui.layout.tree import panes
from fugue_tui.layout.undo_history import with_present_panes
from fugue_tui.workspace.model import Window, Workspace

Id = TypeVar("Id", PaneId, WindowId)


def reopen(present: Workspace, before: Workspace, after: Workspace, back: Collection[PaneId]) -> Workspace:
    """The present workspace with panes that a change from `before` to `after` has closed.

    Zoom and focus come back unless they were moved since. Raises InvalidArgument if a window has too many panes."""
    if present == after and before.panes.keys() <= present.panes.keys() | set(back):
        return before
    windows = list(present.windows)
    for index, old in enumerate(before.windows):
        returning = [pane for pane in panes(old.layout) if pane in back]
        at = next((at for at, window in enumerate(windows) if window.id == old.id), None)
        if not returning:
            continue
        if at is None:
            windows.insert(_position(windows, before.windows[:index]), _reopened(old, returning))
        else:
            left = next((window for window in after.windows if window.id == old.id), old)
            windows[at] = _refilled(windows[at], old, left, returning)
    records = MappingProxyType(dict(present.panes) | {pane: before.panes[pane] for pane in back})
    result = replace(present, windows=tuple(windows), panes=records)
    ids = {window.id for window in windows}
    if present.active != after.active or before.active not in ids:
        return result
    recent = _others(before.active, (*before.recent, present.active, *present.recent), ids)
    return replace(result, active=before.active, recent=recent)


def _position(windows: list[Window], preceding: Iterable[Window]) -> int:
    """The index behind the last of the windows that stood before."""
    ids = {window.id for window in preceding}
    return max((at for at, window in enumerate(windows, 1) if window.id in ids), default=0)


def _reopened(old: Window, returning: list[PaneId]) -> Window:
    """A closed window with the panes that return."""
    layout = restrict(old.layout, returning)
    assert layout is not None
    active = old.active if old.active in returning else returning[0]
    recent = _others(active, old.recent, returning)
    return replace(old, layout=layout, active=active, recent=recent, zoomed=old.zoomed and active == old.active)


def _refilled(now: Window, old: Window, left: Window, returning: list[PaneId]) -> Window:
    """An open window with the panes that return, in their old positions unless it was rearranged since."""
    layout = now.layout
    for pane in returning:
        layout = append(layout, pane)
    if with_present_panes(left.layout, now.layout) == now.layout:
        layout = with_present_panes(old.layout, layout)
    there = set(panes(layout))
    if (now.active, now.zoomed) != (left.active, left.zoomed) or old.active not in there:
        return replace(now, layout=layout)
    recent = _others(old.active, (*old.recent, now.active, *now.recent), there)
    return replace(now, layout=layout, active=old.active, zoomed=old.zoomed, recent=recent)


def _others(active: Id, used: Iterable[Id], there: Collection[Id]) -> tuple[Id, ...]:
    """What was used lately and is there, each once, without the active one."""
    return tuple(each for each in dict.fromkeys(used) if each in there and each != active)
