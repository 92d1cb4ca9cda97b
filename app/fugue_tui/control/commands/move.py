"""Commands that move panes between windows, and windows between positions and sessions; their programs run on."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.new_pane import Direction, too_narrow, wants_focus
from fugue_tui.control.core.pane_names import numbered
from fugue_tui.control.core.results import PaneInfo, WindowInfo, pane_info, window_info
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.ids import PaneId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout.tree import Layout, Leaf, panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.workspace import edit, find, move
from fugue_tui.workspace.model import Window, Workspace

Share = Annotated[float, Meta(ge=0.1, le=0.9)]
Index = Annotated[int, Meta(ge=1, le=10_000)]


class MarkedPane(Struct, frozen=True):
    """The marked pane."""

    pane: str | None
    """Its id; null if none is marked."""


class BreakPane(Command[WindowInfo], name="break-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Move a pane to a new window of its own, behind its present one; its program runs on."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    name: str = ""
    """The window's name; omitted, the program in the pane."""
    focus: bool | None = None
    """Whether to select the new window; omitted, only if the user ran the command."""

    def run(self, mux: Multiplexer, origin: Origin) -> WindowInfo:
        """The new window. Raises Refused if the pane has its window to itself already."""
        pane, label = target.pane(mux, self.pane, origin), target.named(self.name)
        session = mux.window_of(pane).session
        window = Window(mux.ids.next_window(), label, Leaf(pane), pane, session, named=bool(label))
        after = edit.break_pane(mux.workspace, pane, window)
        mux.undo_log.move(_focused(after, pane, wants_focus(self.focus, origin)), (pane,))
        return window_info(mux, mux.window(window.id))


class JoinPane(Command[PaneInfo], name="join-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Move a pane beside another, in the same or another window or session; its program runs on."""

    pane: str = target.MARKED
    """The pane that moves: an id, a name, or marked for the one that the user has marked."""
    other: str = target.ACTIVE
    """The pane beside which it is put: an id, a name, a window's name or id for its active pane, or active."""
    direction: Direction = Direction.HORIZONTAL
    """Where: horizontal or right, left, vertical or down, up, or auto along the longer side."""
    size: Share = 0.5
    """The share of the other pane's room that it gets, 0.1 to 0.9."""
    focus: bool | None = None
    """Whether it gets the focus; omitted, only if the user ran the command."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The pane in its new position. Raises Refused if there is no room for it."""
        pane, other = target.pane(mux, self.pane, origin), _pane_or_window(mux, self.other, origin)
        if pane == other:
            raise InvalidArgument(f"other: {pane} cannot be put beside itself; name another pane")
        before = mux.window_of(other)
        after = self._joined(mux, pane, other, before)
        if too_narrow(mux, find.window_of(after, before.id), before):
            raise Refused(f"no room for {pane} beside {other}; name a larger pane, or use break-pane")
        after, _ = numbered(after, [pane])
        mux.undo_log.move(_focused(after, pane, wants_focus(self.focus, origin)), (pane,))
        if mux.user_options.marked == pane:
            mux.user_options.mark(None)
        return pane_info(mux, pane)

    def _joined(self, mux: Multiplexer, pane: PaneId, other: PaneId, window: Window) -> Workspace:
        rect = mux.layouts.of(replace(window, zoomed=False)).panes.get(other)
        side = self.direction.beside(rect)

        def split(layout: Layout) -> Layout:
            return layouts.split(layout, other, pane, side.axis, 1 - self.size, before=not side.forward)

        if pane not in panes(window.layout):
            after = edit.move_pane(mux.workspace, pane, window.id, split(window.layout))
        else:
            rest = layouts.close(window.layout, pane)
            assert rest is not None
            after = edit.set_layout(mux.workspace, window.id, split(rest))
        return edit.zoom(after, window.id, zoomed=False)


class MoveWindow(Command[WindowInfo], name="move-window", effect=Effect.LAYOUT, toolset=Toolset.SESSIONS):
    """Move a window to another position among the tabs, or to another session."""

    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""
    index: Index | None = None
    """The number of the tab that it becomes, from 1; omitted, or more than there are, the last."""
    session: str = ""
    """The session that gets it; omitted, its own."""

    def run(self, mux: Multiplexer, origin: Origin) -> WindowInfo:
        """The moved window."""
        window = target.window(mux, self.window, origin)
        session = target.session(mux, self.session, origin) if self.session else window.session
        last = len(mux.workspace.windows)
        after = move.move_window(mux.workspace, window.id, session, (self.index or last + 1) - 1)
        inside = tuple(panes(window.layout))
        after, _ = numbered(after, inside) if session != window.session else (after, "")
        mux.undo_log.move(after, inside)
        return window_info(mux, mux.window(window.id))


class SwapWindow(Command[WindowInfo], name="swap-window", effect=Effect.LAYOUT, toolset=Toolset.SESSIONS):
    """Swap the positions of two windows among the tabs."""

    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""
    other: str
    """The other window: an id, a name, next, previous, or :2 for the second tab."""

    def run(self, mux: Multiplexer, origin: Origin) -> WindowInfo:
        """The first window in its new position."""
        window, other = target.window(mux, self.window, origin), target.window(mux, self.other, origin)
        if window.id != other.id:
            inside = (*panes(window.layout), *panes(other.layout))
            after = move.swap_windows(mux.workspace, window.id, other.id)
            after, _ = numbered(after, inside) if window.session != other.session else (after, "")
            mux.undo_log.move(after, inside)
        return window_info(mux, mux.window(window.id))


class MarkPane(Command[MarkedPane], name="mark-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Mark a pane, which join-pane and swap-pane then take by default; marking it again unmarks it."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    clear: bool = False
    """Whether to unmark whatever pane is marked."""

    def run(self, mux: Multiplexer, origin: Origin) -> MarkedPane:
        """The pane that is marked now."""
        pane = None if self.clear else target.pane(mux, self.pane, origin)
        marked = None if pane == mux.user_options.marked else pane
        mux.user_options.mark(marked)
        return MarkedPane(None if marked is None else str(marked))


def _focused(workspace: Workspace, pane: PaneId, wanted: bool) -> Workspace:
    return edit.focus_pane(workspace, pane) if wanted else workspace


def _pane_or_window(mux: Multiplexer, word: str, origin: Origin) -> PaneId:
    """The pane that a target names, or the active one of the window that it names."""
    if word.startswith(("@", ":")):
        return target.window(mux, word, origin).active
    named = [window.active for window in mux.workspace.windows if window.named and window.name == word.strip()]
    known = any(pane.name == word.strip() for pane in mux.workspace.panes.values())
    if len(named) == 1 and not known:
        return named[0]
    if len(named) > 1 and not known:
        raise InvalidArgument(f"other: {clean(word)} names {len(named)} windows; use an id")
    return target.pane(mux, word, origin)
