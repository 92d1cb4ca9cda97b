"""Commands for panes: list, split, close, focus, resize, zoom, swap, rename and respawn."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from fugue_tui.control.core import floats, placement, target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.confirmation import check_not_last, closing, ending, pane_words
from fugue_tui.control.core.new_pane import (
    BACKGROUND,
    Direction,
    Line,
    Placement,
    argv_of,
    new_pane,
    too_narrow,
    wants_focus,
)
from fugue_tui.control.core.pane_names import numbered, unused
from fugue_tui.control.core.placement import Place
from fugue_tui.control.core.results import (
    Closed,
    OpenedPane,
    PaneInfo,
    PaneList,
    closed,
    opened_pane,
    pane_info,
    window_info,
)
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.geometry import Axis, Rect, Side
from fugue_tui.ids import PaneId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout import floating
from fugue_tui.layout.move import border
from fugue_tui.layout.tree import Float, Layout, Leaf, panes, path_to
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.validation.annotations import UNLISTED
from fugue_tui.workspace import edit, find, move
from fugue_tui.workspace.model import OnExit, Pane, Window, Workspace

Ratio = Annotated[float, Meta(ge=0.1, le=0.9)]
Cells = Annotated[int, Meta(ge=1, le=10_000)]


class ListPanes(Command[PaneList], name="list-panes", effect=Effect.READ, toolset=Toolset.DEFAULT):
    """List the workspace's panes and windows: ids, names, programs, directories, positions, focus."""

    window: str = ""
    """Only the panes of this window: an id, a name, or active; omitted, those of all windows."""
    session: str = ""
    """Only the panes of this session's windows."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneList:
        """The panes, window by window, in reading order."""
        windows = mux.workspace.windows
        if self.window:
            windows = (target.window(mux, self.window, origin),)
        if self.session:
            name = target.session(mux, self.session, origin)
            windows = tuple(window for window in windows if window.session == name)
        you = str(origin.pane) if origin.pane in mux.workspace.panes else None
        return PaneList(
            panes=tuple(pane_info(mux, pane) for window in windows for pane in panes(window.layout)),
            you=you,
            workspace=clean(mux.workspace.name),
            focus=str(mux.focused) if mux.focused is not None else None,
            area=mux.layouts.area,
            windows=tuple(window_info(mux, window) for window in windows),
        )


class SplitPane(
    Command[OpenedPane],
    name="split-pane",
    effect=Effect.RUN,
    given=("command", "env"),
    otherwise=Effect.LAYOUT,
    toolset=Toolset.DEFAULT,
    creates=True,
):
    """Open a pane, beside another or in a new window, and run a program in it.

    A window holds at most 64 panes; a split without room for another pane is refused. To open several panes at once,
    use create-layout.
    """

    pane: str = target.ACTIVE
    """The pane to split: an id, a name, or active for your own."""
    place: Placement = Placement.SPLIT
    """split beside it, window for a new one, hidden for one in session background, floating over it."""
    direction: Direction | None = None
    """horizontal or right: to the right. vertical or down: below. auto: along the longer side; for agents if omitted.
    What an agent opens makes no pane smaller than 40 x 8: see placed."""
    size: Ratio | None = None
    """The share that the new pane gets, 0.1 to 0.9; omitted, half."""
    ratio: Annotated[Ratio | None, UNLISTED] = None
    """The share that the old pane keeps, instead of size."""
    command: Line = ""
    """A line for the user's shell, or a list of program and arguments; omitted, a login shell."""
    cwd: str = ""
    """The working directory; omitted, that of the pane that is split."""
    name: str = ""
    """A name for the new pane, usable instead of its id."""
    env: Mapping[str, str] | None = None
    """Environment variables to set."""
    window: Annotated[str, UNLISTED] = ""
    """The window whose active pane is split, instead of pane."""
    session: Annotated[str, UNLISTED] = ""
    """The session of the window that gets the pane; omitted, that of the pane that is split."""
    focus: bool | None = None
    """Whether to focus the new pane; omitted, only if the user ran the command."""
    on_exit: OnExit | None = None
    """close: it closes if its program exits with 0. keep: it stays. Omitted, keep for agents, else close."""

    def run(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        """The new pane; nothing changes if its program cannot be started."""
        return self.open(mux, origin)

    def open(self, mux: Multiplexer, origin: Origin, content: str = "") -> OpenedPane:
        """The new pane, which shows `content` instead of running a program unless that is empty."""
        if self.size is not None and self.ratio is not None:
            raise InvalidArgument("ratio: give size alone, the share that the new pane gets")
        source = self._source(mux, origin)
        session = self._session(mux, origin, source)
        pane = new_pane(
            mux, origin,
            command=self.command, cwd=self.cwd, name=unused(mux, self.name, session), env=self.env,
            on_exit=self.on_exit, source=source,
        )  # fmt: skip
        pane = replace(pane, content=content)
        place = self._place(mux, origin, source, pane, session)
        mux.open([pane], place.workspace)
        return opened_pane(mux, pane.id, place.placed, place.note)

    def _place(self, mux: Multiplexer, origin: Origin, source: PaneId | None, pane: Pane, session: str) -> Place:
        focus = wants_focus(self.focus, origin)
        if self.place is Placement.FLOATING or (source and not origin.is_agent and floats.of(mux, source)):
            window = mux.window_of(source) if source else None
            if window is not None and self.place in (Placement.FLOATING, Placement.SPLIT):
                return floats.opened(mux, origin, window, pane, Float(pane.id), focus=focus)
        if self.place is not Placement.SPLIT:
            return Place(placement.in_window(mux, pane, session, focus=focus), self.place)
        if source is None:
            window = Window(mux.ids.next_window(), "", Leaf(pane.id), pane.id, session)
            return Place(edit.add_window(mux.workspace, window, [pane]), Placement.WINDOW)
        if origin.is_agent:
            split = placement.Split(source, self.direction or Direction.AUTO, self._kept, focus)
            return placement.for_agent(mux, origin, pane, split)
        after = self._beside(mux, source, pane, focus=focus)
        _check_room(mux, source, after)
        return Place(after, Placement.SPLIT)

    def _session(self, mux: Multiplexer, origin: Origin, source: PaneId | None) -> str:
        """The session that gets the pane."""
        if self.place is Placement.HIDDEN:
            return BACKGROUND
        if source is None:
            return mux.workspace.name
        if self.session and self.place is Placement.WINDOW:
            return target.session(mux, self.session, origin)
        return mux.window_of(source).session

    @property
    def _kept(self) -> float:
        """The share that the old pane keeps."""
        return 1 - (self.size or 0.5) if self.ratio is None else self.ratio

    def _beside(self, mux: Multiplexer, source: PaneId, pane: Pane, *, focus: bool) -> Workspace:
        """The workspace with the new pane beside its source, unzoomed so that it is visible."""
        window = mux.window_of(source)
        rect = mux.layouts.of(replace(window, zoomed=False)).panes.get(source)
        side = (self.direction or Direction.HORIZONTAL).beside(rect)
        layout = layouts.split(window.layout, source, pane.id, side.axis, self._kept, before=not side.forward)
        after = edit.add_panes(mux.workspace, window.id, [pane], layout, focus=pane.id if focus else None)
        return edit.zoom(after, window.id, zoomed=False)

    def _source(self, mux: Multiplexer, origin: Origin) -> PaneId | None:
        """The pane to split; None if no window is open."""
        if not mux.workspace.windows:
            return None
        if self.pane not in ("", target.ACTIVE):
            return target.pane(mux, self.pane, origin)
        if self.window:
            return target.window(mux, self.window, origin).active
        if self.session:
            return target.window_in(mux.workspace, target.session(mux, self.session, origin)).active
        return target.pane(mux, target.ACTIVE, origin)


def _check_room(mux: Multiplexer, source: PaneId, after: Workspace) -> None:
    """Raise Refused if a split would hide a pane."""
    window = mux.window_of(source)
    if not too_narrow(mux, find.window_of(after, window.id), window):
        return
    rect = mux.layouts.of(replace(window, zoomed=False)).panes.get(source)
    size = f"{rect.cols} x {rect.rows} cells" if rect else "no room itself"
    raise Refused(f"no room for another pane: {source} has {size}; split a larger one, or use another window")


class CreatePane(
    Command[OpenedPane],
    name="create-pane",
    effect=Effect.RUN,
    given=("command", "env"),
    otherwise=Effect.LAYOUT,
    toolset=Toolset.LAYOUT,
    creates=True,
):
    """Open a pane beside another and run a program in it, as split-pane does."""

    session: str = ""
    """The session whose window gets the pane; omitted, the session of the source pane."""
    window: str = ""
    """The window that gets the pane: an id or a name; its active pane is split."""
    direction: Direction | None = None
    """horizontal or right: to the right. vertical or down: below. auto: along the longer side; for agents if omitted.
    What an agent opens makes no pane smaller than 40 x 8: see placed."""
    ratio: Ratio = 0.5
    """The share of the source pane that the new pane gets, 0.1 to 0.9."""
    source_pane: str = target.ACTIVE
    """The pane to split: an id, a name, or active for your own."""
    command: Line = ""
    """The command: one line for the user's shell, or a list of program and arguments; omitted, a login shell."""
    cwd: str = ""
    """The working directory; omitted, the source pane's."""
    name: str = ""
    """A name for the new pane, which can be used instead of its id."""
    env: Mapping[str, str] | None = None
    """Environment variables to set."""
    focus: bool | None = None
    """Whether to focus the new pane; omitted, only if the user ran the command."""
    on_exit: OnExit | None = None
    """close: the pane closes if its program exits with 0. keep: it stays. Omitted, keep for agents, else close."""

    def run(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        """The new pane; nothing changes if its program cannot be started."""
        return SplitPane(
            pane=self.source_pane,
            direction=self.direction,
            size=self.ratio,
            command=self.command,
            cwd=self.cwd,
            name=self.name,
            env=self.env,
            window=self.window,
            session=self.session,
            focus=self.focus,
            on_exit=self.on_exit,
        ).run(mux, origin)


class ClosePane(Command[Closed], name="close-pane", effect=Effect.DESTROY, toolset=Toolset.DEFAULT):
    """Close a pane and end its program and every process started from it, after 30 seconds in which undo brings it
    back.

    Closing a window's last pane closes the window; closing the last pane of all ends the workspace at once,
    for which agents use kill-server.
    """

    pane: str = target.ACTIVE
    """The pane to close; agents must give its exact id."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.pane_to_close(mux, self.pane, origin),)

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if the pane's program runs."""
        pane = target.pane(mux, self.pane, origin)
        return closing(mux, [pane], f"Close {pane_words(mux, pane)}?", replace(self, pane=str(pane)))

    def run(self, mux: Multiplexer, origin: Origin) -> Closed:
        """The closed pane."""
        pane = target.pane_to_close(mux, self.pane, origin)
        check_not_last(mux, origin, (pane,))
        mux.undo_log.close(edit.remove_pane(mux.workspace, pane))
        return closed(mux, (pane,))


class FocusPane(Command[PaneInfo], name="focus-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT, repeatable=True):
    """Focus a pane: the user's keys go to it, and its window is selected.

    Reading and typing need no focus. A zoomed window is unzoomed if another of its panes gets the focus. While the user
    types, agents get no focus: the pane's tab is marked instead, and `focused` is false.
    """

    pane: str
    """The pane: an id, a name, left, right, up, down, next, previous or last."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The focused pane."""
        pane = target.pane(mux, self.pane, origin)
        mux.assign(edit.focus_pane(mux.workspace, pane))
        return pane_info(mux, pane)


class ResizePane(Command[PaneInfo], name="resize-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Resize a pane against its neighbours: by a part of its split (delta), to a share of it, to a size in cells, or by
    moving its border.
    """

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    delta: Annotated[float, Meta(ge=-0.5, le=0.5)] | None = None
    """How much to grow (above 0) or shrink (below 0): 0.1 is ten percent of the split."""
    share: Annotated[float, Meta(ge=0.05, le=0.95)] | None = None
    """The share of the split to set instead; its siblings keep their proportions."""
    direction: Axis | None = None
    """horizontal to change the width, vertical the height; omitted, the axis of its nearest split."""
    side: Side | None = None
    """left, right, up or down: move the pane's border that way by some cells. It is the right or lower border, or the
    opposite one if the pane touches the window's edge."""
    cells: Annotated[int, Meta(ge=-1000, le=1000)] = 1
    """How many cells to move the border; only with side."""
    cols: Cells | None = None
    """The width to set instead, in cells, as far as the neighbours leave room."""
    rows: Cells | None = None
    """The height to set instead; cols and rows may be given together."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The pane at its new size."""
        if sum(way is not None for way in (self.delta, self.share, self.side, self.cols or self.rows)) != 1:
            raise InvalidArgument("delta: give exactly one of delta, share, side, and cols or rows")
        pane = target.pane(mux, self.pane, origin)
        window = mux.window_of(pane)
        if (place := floats.of(mux, pane)) is not None:
            mux.assign(floats.with_place(mux, pane, self._resized_float(place, mux.layouts.bounds(window))))
        else:
            mux.arrange(window.id, self._resized(mux, window, pane))
        return pane_info(mux, pane)

    def _resized_float(self, place: Float, bounds: Rect) -> Float:
        """A floating pane of another size; its right and lower borders move. Shares are those of the window."""
        seen = floating.outer(place, bounds)
        if self.side is not None:
            forward = Side.RIGHT if self.side.axis is Axis.HORIZONTAL else Side.DOWN
            return floating.resized(place, bounds, forward, self.cells if self.side.forward else -self.cells)
        across = self.direction is not Axis.VERTICAL
        whole, length = (bounds.cols, seen.cols) if across else (bounds.rows, seen.rows)
        if (share := self.share if self.delta is None else length / max(whole, 1) + self.delta) is not None:
            return floating.resized(place, bounds, Side.RIGHT if across else Side.DOWN, round(share * whole) - length)
        wide = floating.resized(place, bounds, Side.RIGHT, self.cols + 2 - seen.cols) if self.cols else place
        return floating.resized(wide, bounds, Side.DOWN, self.rows + 2 - seen.rows) if self.rows else wide

    def _resized(self, mux: Multiplexer, window: Window, pane: PaneId) -> Layout:
        if self.delta is not None:
            return layouts.resize(window.layout, pane, self.direction, self.delta)
        if self.share is not None:
            return layouts.set_share(window.layout, pane, self.share, self.direction)
        if self.side is None:
            wide = self._sized(mux, window, window.layout, pane, Side.RIGHT, self.cols)
            return self._sized(mux, window, wide, pane, Side.DOWN, self.rows)
        path, index = border(window.layout, pane, self.side)
        cells = self.cells if self.side.forward else -self.cells
        return layouts.move_divider(window.layout, path, index, cells, mux.layouts.bounds(window))

    def _sized(
        self, mux: Multiplexer, window: Window, layout: Layout, pane: PaneId, side: Side, length: int | None
    ) -> Layout:
        """The layout in which a pane has that length along the axis of a side; the same if none is given."""
        rect = mux.layouts.of(replace(window, zoomed=False)).panes.get(pane)
        if length is None or rect is None or length == rect.length(side.axis):
            return layout
        path, index = border(layout, pane, side)
        grows = (path_to(layout, pane) or ())[len(path)] == index
        cells = (length - rect.length(side.axis)) * (1 if grows else -1)
        return layouts.move_divider(layout, path, index, cells, mux.layouts.bounds(window))


class ZoomPane(Command[PaneInfo], name="zoom-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Zoom a pane to fill its window, or unzoom it."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    zoomed: bool | None = None
    """Whether to zoom; omitted, toggle."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The pane at its new size; it becomes its window's active pane."""
        pane = target.pane(mux, self.pane, origin)
        window = mux.window_of(pane)
        if (place := floats.of(mux, pane)) is not None:
            full = not place.full if self.zoomed is None else self.zoomed
            after = floats.with_place(mux, pane, replace(place, full=full, hidden=False))
            mux.assign(edit.activate_pane(after, pane))
            return pane_info(mux, pane)
        already = window.zoomed and find.active_tile(window) == pane
        zoomed = not already if self.zoomed is None else self.zoomed
        mux.assign(edit.zoom(edit.activate_pane(mux.workspace, pane), window.id, zoomed=zoomed))
        return pane_info(mux, pane)


class SwapPane(Command[PaneInfo], name="swap-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Swap two panes; each gets the other's position and size.

    In one window the focus stays with its pane; between windows each pane gets the other's focus. In a direction, a
    floating pane is moved by a few cells instead.
    """

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    other: str = target.MARKED
    """The other pane: an id, a name, its direction (left, right, up, down), or marked for the one that is marked."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The first pane in its new position."""
        pane = target.pane(mux, self.pane, origin)
        place = floats.of(mux, pane)
        if place is not None and self.other in tuple(Side):
            side, bounds = Side(self.other), mux.layouts.bounds(mux.window_of(pane))
            mux.assign(floats.with_place(mux, pane, floating.moved_towards(place, bounds, side)))
            return pane_info(mux, pane)
        other = target.pane(mux, self.other, origin, source=pane)
        window = mux.window_of(pane)
        if other not in panes(window.layout):
            after, _ = numbered(move.swap_panes(mux.workspace, pane, other), (pane, other))
            mux.undo_log.move(after, (pane, other))
        else:
            mux.arrange(window.id, layouts.swap(window.layout, pane, other))
        return pane_info(mux, pane)


class RenamePane(Command[PaneInfo], name="rename-pane", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT, repeatable=True):
    """Rename a pane; the name, which no other pane of its session may have, can be used instead of its id."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    name: str
    """The new name; empty removes it."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The renamed pane."""
        pane = target.pane(mux, self.pane, origin)
        name = unused(mux, self.name, mux.window_of(pane).session, besides=(pane,))
        mux.assign(edit.rename_pane(mux.workspace, pane, name))
        return pane_info(mux, pane)


class RespawnPane(
    Command[OpenedPane], name="respawn-pane", effect=Effect.DESTROY, also=Effect.RUN, toolset=Toolset.RUNNING
):
    """Run a pane's program again, in the same pane; one that still runs is ended."""

    pane: str = target.ACTIVE
    """The pane; agents must give its exact id."""
    command: Line = ""
    """The command: one line for the user's shell, or program and arguments; omitted, the same again."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.pane_to_close(mux, self.pane, origin),)

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if the pane's program runs."""
        pane = target.pane(mux, self.pane, origin)
        then = "something else" if self.command else "it again"
        question = f"End what runs in {pane_words(mux, pane)}, and run {then}?"
        return ending(mux, [pane], question, replace(self, pane=str(pane)))

    def run(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        """The pane with its new program; the old one still runs if the new one cannot be started."""
        pane = target.pane_to_close(mux, self.pane, origin)
        mux.respawn(pane, argv_of(self.command) or None)
        return opened_pane(mux, pane)
