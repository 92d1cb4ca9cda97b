"""Views: which window each attached terminal shows. Terminals that mirror each other share one.

Everything reads the workspace as the view sees it whose key or timer is handled; commands from outside, agents and
saves read it as the view sees it that was used last.
"""

from collections.abc import Collection, Iterable
from contextvars import ContextVar
from typing import Final

from msgspec.structs import replace

from fugue_tui.geometry import Size
from fugue_tui.ids import WindowId
from fugue_tui.workspace.model import NO_WINDOW, Window, Workspace


class View:
    """What the terminals of one view show."""

    def __init__(self, number: int, area: Size) -> None:
        self.id = number
        self.window = NO_WINDOW
        """The window that it shows."""
        self.recent: tuple[WindowId, ...] = ()
        """The others by latest use in this view, the latest first."""
        self.area = area
        """The cells that it has for panes."""
        self.seen: tuple[Workspace, Workspace] | None = None
        """The workspace, and the same as this view sees it."""
        self.ended = False
        """Whether its terminals have left."""


current_view: Final[ContextVar[View | None]] = ContextVar("current_view", default=None)
"""The view whose keys, timers and drawing are handled now; None outside of all. Tasks and timers inherit it."""


class Views:
    """Every view; there is always one. Main thread only."""

    def __init__(self, area: Size) -> None:
        self.all = [View(1, area)]
        """Oldest first."""
        self.latest = self.all[0]
        """The view that was used last: `Workspace.active` is its window."""
        self._made = 1

    @property
    def current(self) -> View:
        """The view that is handled now, or else the one that was used last."""
        view = current_view.get()
        return self.latest if view is None or view.ended else view

    @property
    def several(self) -> bool:
        """Whether there is more than one."""
        return len(self.all) > 1

    @property
    def shown(self) -> Collection[WindowId]:
        """The windows that views show."""
        return {view.window for view in self.all}

    def add(self) -> View:
        """Another view, which shows what was used last."""
        self._made += 1
        view = View(self._made, self.latest.area)
        view.window, view.recent = self.latest.window, self.latest.recent
        self.all.append(view)
        return view

    def remove(self, view: View) -> None:
        """End a view that was not used last."""
        self.all.remove(view)
        view.ended = True

    def seen(self, workspace: Workspace) -> Workspace:
        """The workspace with the window of the current view as the active one."""
        if len(self.all) == 1:
            return workspace
        view = self.current
        if view is self.latest or view.window == NO_WINDOW:
            return workspace
        if view.seen is None or view.seen[0] is not workspace:
            view.seen = workspace, replace(workspace, active=view.window, recent=view.recent)
        return view.seen[1]

    def assign(self, old: Workspace, new: Workspace) -> Workspace:
        """The new workspace, which the current view has changed: as the view that was used last sees it. Views whose
        windows are gone, or were moved to other sessions, show the latest of their session."""
        current = self.current
        for view in self.all:
            if view is current:
                view.window, view.recent = new.active, new.recent
            else:
                view.window, view.recent = _followed(view, old, new)
        latest = self.latest
        return new if latest is current else replace(new, active=latest.window, recent=latest.recent)


def _followed(view: View, old: Workspace, new: Workspace) -> tuple[WindowId, tuple[WindowId, ...]]:
    """The window that a view shows after a change by another, and those it showed before."""
    known = {window.id: window for window in new.windows}
    shown, before = known.get(view.window), next((each for each in old.windows if each.id == view.window), None)
    if before is None:
        window = new.active
    elif shown is None or (shown.session != before.session and any(_of(new.windows, before.session))):
        window = _successor(view, before, old, new)
    else:
        window = view.window
    order = dict.fromkeys((view.window, *view.recent))
    return window, tuple(each for each in order if each in known and each != window)


def _successor(view: View, gone: Window, old: Workspace, new: Workspace) -> WindowId:
    """The latest window of the session of one that is gone, or the nearest; without one of any other session."""
    order = [window.id for window in old.windows]
    at = order.index(gone.id)
    left = {window.id for window in new.windows} - {gone.id}
    near = [window for window in (*order[at + 1 :], *reversed(order[:at])) if window in left]
    kin = {window.id for window in _of(new.windows, gone.session)}
    near = [window for window in near if window in kin] or near or [new.active]
    return next((window for window in view.recent if window in near), near[0])


def _of(windows: Iterable[Window], session: str) -> list[Window]:
    return [window for window in windows if window.session == session]
