"""Commands for floating panes, popups and the scratch pane."""

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from fugue_tui.control.core import floats, target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.core.new_pane import Line, new_pane, too_narrow, wants_focus
from fugue_tui.control.core.pane_names import unused
from fugue_tui.control.core.pane_updates import PaneClosed, PaneUpdates
from fugue_tui.control.core.results import OpenedPane, PaneInfo, opened_pane, pane_info
from fugue_tui.errors import NotFound, Refused
from fugue_tui.geometry import Axis, Side
from fugue_tui.ids import PaneId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout import floating
from fugue_tui.layout.spec_types import SHARE, Extent
from fugue_tui.layout.tree import Float, panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import Ended, Started
from fugue_tui.workspace import edit, find
from fugue_tui.workspace.model import SCRATCH, OnExit, Window, Workspace

POPUP: Final = 0.8
"""The share of the window's width and height that a popup has."""


class FloatPane(Command[PaneInfo], name="float-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Let a pane float over the tiles of its window, change the place of one that floats, or put it back among them.

    What does not fit is clamped while the window is small. split-pane with place floating, and display-popup, open new
    ones.
    """

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    floating: bool | None = None
    """Whether it floats; omitted, the other than now, unless its place is given."""
    cols: Extent | None = None
    """Its width with its frame: cells, such as 80, or a share of the window, such as 50% or 0.5."""
    rows: Extent | None = None
    """Its height, likewise."""
    x: Extent | None = None
    """How far from the left: cells, or a share of the window's width; omitted, in the middle."""
    y: Extent | None = None
    """How far from the top, likewise."""
    side: Side | None = None
    """left, right, up or down: move it that way by some cells."""
    cells: Annotated[int, Meta(ge=0, le=1000)] = 1
    """How many; only with side."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The pane in its new place. Raises Refused if it is its window's only tile, or has no room among the tiles."""
        pane = target.pane(mux, self.pane, origin)
        now = floats.of(mux, pane)
        if now is None or self._is_placed:
            if self.floating is False and now is None:
                return pane_info(mux, pane)
            mux.assign(self._floated(mux, pane, now))
        elif not self.floating:
            embed(mux, pane)
        return pane_info(mux, pane)

    @property
    def _is_placed(self) -> bool:
        return any(each is not None for each in (self.cols, self.rows, self.x, self.y, self.side))

    def _floated(self, mux: Multiplexer, pane: PaneId, now: Float | None) -> Workspace:
        window = mux.window_of(pane)
        bounds = mux.layouts.bounds(window)
        given = {"cols": self.cols, "rows": self.rows, "x": self.x, "y": self.y}
        old = now or Float(pane)
        new = replace(old, full=False, **{name: value for name, value in given.items() if value is not None})
        if self.side is not None:
            new = floating.moved_towards(new, bounds, self.side, self.cells)
        if now is not None:
            return floats.with_place(mux, pane, new)
        rest = layouts.close(window.layout, pane)
        if rest is None or find.alone(window, pane):
            raise Refused(f"{pane} is the only tile of window {window.id}; split it first, or open a popup over it")
        return edit.set_layout(mux.workspace, window.id, floating.added(rest, new, bounds))


class EmbedPane(Command[PaneInfo], name="embed-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT, repeatable=True):
    """Put a floating pane back among the tiles of its window, beside the one that had the focus last."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The pane in its new place. Raises Refused if it has no room there."""
        pane = target.pane(mux, self.pane, origin)
        if floats.of(mux, pane) is not None:
            embed(mux, pane)
        return pane_info(mux, pane)


class FloatingPanes(Struct, frozen=True):
    """The floating panes of a window."""

    window: str
    """The window's id, such as @1."""
    panes: tuple[str, ...]
    """The ids of its floating panes."""
    shown: bool
    """Whether any of them is shown now."""


class ToggleFloats(Command[FloatingPanes], name="toggle-floats", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Hide all floating panes of a window, or show them again; their programs run on.

    Without one, the user gets a new one with a shell.
    """

    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""
    shown: bool | None = None
    """Whether they are shown; omitted, the other than now."""

    def run(self, mux: Multiplexer, origin: Origin) -> FloatingPanes:
        """The floating panes now."""
        window = target.window(mux, self.window, origin)
        over = floats.in_window(mux, window.id)
        shown = not any(not each.hidden for each in over) if self.shown is None else self.shown
        if over:
            layout = floating.shown(window.layout, hidden=not shown)
            after = edit.set_layout(mux.workspace, window.id, layout)
            if shown and wants_focus(None, origin):
                latest = floating.ordered(over, (window.active, *window.recent))[-1]
                after = edit.focus_pane(after, latest.pane)
            mux.assign(after)
        elif shown and origin.is_user:
            DisplayPopup(cols=SHARE, rows=SHARE).opened(mux, origin, window, OnExit.CLOSE)
        over = floats.in_window(mux, window.id)
        ids = tuple(str(each.pane) for each in over)
        return FloatingPanes(str(window.id), ids, any(not each.hidden for each in over))


class PopupEnded(OpenedPane, frozen=True, kw_only=True):
    """A popup, and how its program ended if that was waited for."""

    exit_code: int | None = None
    """The exit status of its program; null if it was not waited for, or ended by a signal."""

    @property
    def exit_status(self) -> int:
        """That of its program, if it was waited for; 1 if it has none."""
        if self.exit_code is not None:
            return self.exit_code & 0xFF
        return int(self.exit is not None)

    @property
    def aside(self) -> str:
        """How it ended, if not with an exit status."""
        return self.exit or "" if self.exit_code is None else ""


class DisplayPopup(
    Command[PopupEnded],
    name="display-popup",
    effect=Effect.RUN,
    given=("command", "env"),
    otherwise=Effect.LAYOUT,
    toolset=Toolset.LAYOUT,
    creates=True,
):
    """Run a program, or a shell, in a pane that floats over the window.

    Once a program of the user's has ended, the popup stays until Escape closes it; with -E (close-on-exit) it closes
    with its program, as a shell's, an agent's and one that is waited for do. It gets the focus, except from an agent
    and while the user types elsewhere.
    """

    command: Line = ""
    """A line for the user's shell, or a list of program and arguments; omitted, a login shell."""
    wait: bool = False
    """Whether to wait until the program ends: the exit status of the command line is the program's then."""
    cols: Extent = POPUP
    """Its width with its frame: cells, such as 80, or a share of the window, such as 50% or 0.5."""
    rows: Extent = POPUP
    """Its height, likewise."""
    x: Extent | None = None
    """How far from the left: cells, or a share of the window's width; omitted, in the middle."""
    y: Extent | None = None
    """How far from the top, likewise."""
    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""
    cwd: str = ""
    """The working directory; omitted, that of the window's active pane."""
    name: str = ""
    """A name for the pane, usable instead of its id."""
    env: Mapping[str, str] | None = None
    """Environment variables to set."""
    focus: bool | None = None
    """Whether it gets the focus; omitted, unless an agent opens it."""
    close_on_exit: bool = False
    """Whether it closes with its program, as with tmux's -E."""
    on_exit: OnExit | None = None
    """always: it closes with its program. close: only if that exited with 0. keep: it stays until a key closes it."""

    def run(self, mux: Multiplexer, origin: Origin) -> PopupEnded | Deferred[PopupEnded]:
        """The popup; nothing changes if its program cannot be started."""
        window = target.window(mux, self.window, origin)
        opened = self.opened(mux, origin, window, self._ending(origin))
        if not self.wait:
            return opened
        return run_task(_ended(mux, opened, PaneUpdates(mux, PaneId(opened.id[1:]))))

    def _ending(self, origin: Origin) -> OnExit:
        """What happens to it when its program ends: what a short command printed is to be read."""
        if self.on_exit is not None:
            return self.on_exit
        closes = self.close_on_exit or self.wait or not self.command or origin.is_agent
        return OnExit.ALWAYS if closes else OnExit.KEEP

    def opened(self, mux: Multiplexer, origin: Origin, window: Window, on_exit: OnExit) -> PopupEnded:
        """Open the popup over a window."""
        source = origin.pane if origin.pane in list(panes(window.layout)) else window.active
        pane = new_pane(
            mux, origin,
            command=self.command, cwd=self.cwd, name=unused(mux, self.name, window.session), env=self.env,
            on_exit=on_exit, source=source,
        )  # fmt: skip
        place = Float(pane.id, self.cols, self.rows, self.x, self.y)
        focus = not origin.is_agent if self.focus is None else self.focus
        wanted = floats.opened(mux, origin, window, pane, place, focus=focus)
        mux.open([pane], wanted.workspace)
        return PopupEnded(**asdict(opened_pane(mux, pane.id, wanted.placed, wanted.note)))


class ScratchPane(Command[PaneInfo], name="scratch-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Show a shell over the window in front, or hide it: the same one in all windows, which runs on while it is hidden.

    The first time it is opened.
    """

    shown: bool | None = None
    """Whether it is shown; omitted, the other than now."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The scratch pane. Raises SpawnFailed if it cannot be opened."""
        window = mux.front
        if window is None:
            raise NotFound("no window is open; create-window opens one")
        pane = next((each.id for each in mux.workspace.panes.values() if SCRATCH in each.tags), None)
        if pane is None:
            return self._opened(mux, origin, window)
        place = floats.of(mux, pane)
        here = mux.window_of(pane).id == window.id and not (place is not None and place.hidden)
        shown = not here if self.shown is None else self.shown
        if here and not shown and place is not None:
            mux.assign(floats.with_place(mux, pane, replace(place, hidden=True)))
        elif shown:
            mux.assign(edit.focus_pane(_brought(mux, pane, place, window), pane))
        return pane_info(mux, pane)

    def _opened(self, mux: Multiplexer, origin: Origin, window: Window) -> PaneInfo:
        name = unused(mux, SCRATCH, window.session)
        pane = new_pane(mux, origin, name=name, on_exit=OnExit.ALWAYS, tags=(SCRATCH,), source=window.active)
        place = floats.opened(mux, origin, window, pane, Float(pane.id, POPUP, POPUP), focus=wants_focus(None, origin))
        mux.open([pane], place.workspace)
        return pane_info(mux, pane.id)


def embed(mux: Multiplexer, pane: PaneId) -> None:
    """Put a floating pane beside the tile of its window that had the focus last. Raises Refused without room."""
    window = mux.window_of(pane)
    beside = find.active_tile(window)
    rect = mux.layouts.of(replace(window, zoomed=False)).panes.get(beside)
    rest = layouts.close(window.layout, pane)
    assert rest is not None
    axis = Axis.HORIZONTAL if rect is None or rect.cols >= 2 * rect.rows else Axis.VERTICAL
    after = edit.set_layout(mux.workspace, window.id, layouts.split(rest, beside, pane, axis))
    after = edit.zoom(after, window.id, zoomed=False)
    if too_narrow(mux, find.window_of(after, window.id), window):
        raise Refused(f"no room for {pane} beside {beside}; close or float another pane")
    mux.assign(after)


def _brought(mux: Multiplexer, pane: PaneId, place: Float | None, window: Window) -> Workspace:
    """The workspace with the scratch pane floating, and shown, over a window; as a tile it stays where it is."""
    if place is None:
        return mux.workspace
    new = replace(place, hidden=False)
    if mux.window_of(pane).id == window.id:
        return floats.with_place(mux, pane, new)
    return edit.move_pane(
        mux.workspace, pane, window.id, floating.added(window.layout, new, mux.layouts.bounds(window))
    )


async def _ended(mux: Multiplexer, opened: PopupEnded, updates: PaneUpdates) -> PopupEnded:
    """A popup, once its program has ended."""
    with updates:
        while True:
            match await updates.next():
                case Ended(exit):
                    return replace(opened, exit=exit.words, exit_code=exit.code)
                case Started() | PaneClosed():
                    return replace(opened, exit="closed", exit_code=None)
                case _:
                    pass
