"""Commands for whole layouts: create, show, rearrange, undo and redo."""

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.new_pane import too_narrow, wants_focus
from fugue_tui.control.core.own_position import birth_cursor
from fugue_tui.control.core.pane_names import numbered
from fugue_tui.control.core.placement import LEAST, crushed
from fugue_tui.control.layout_files.request import BuiltLayout, LayoutRequest, added, layout_request, replaced
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout import presets
from fugue_tui.layout.spec import describe, positions
from fugue_tui.layout.tree import Layout, panes, tiled, with_tiled
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.validation.annotations import UNLISTED
from fugue_tui.workspace import auto_layout, edit, find
from fugue_tui.workspace.model import Window


class PlacedPane(Struct, frozen=True):
    """A pane and its position in a window."""

    id: str
    """The pane's id, such as %3."""
    name: str
    """Its name; empty if it has none."""
    position: str
    """Its position: left, top-right, center, full, floating, stacked for a title of a stack, or hidden."""
    rect: Rect | None
    """Its rectangle in cells; null if it has no room."""


class OpenedPlace(PlacedPane, frozen=True, kw_only=True):
    """A pane of a layout that was opened, and its position in a window."""

    cursor: str | None
    """For wait-for-output or read-pane: the start of its program; null if the pane was there before."""


class LayoutApplied(Struct, frozen=True):
    """The result of create-layout."""

    success: bool
    """Always true: a layout that cannot be created whole is an error, and changes nothing."""
    session_id: str
    """The session's id, the same as its name."""
    session_name: str
    """The session's name."""
    window_id: str
    """The window's id, such as @2."""
    window_name: str
    """The window's name, as on its tab."""
    panes: tuple[OpenedPlace, ...]
    """The panes in the layout's order: left to right, top to bottom."""
    layout_applied: str
    """custom, or the preset's name."""
    moved: tuple[str, ...]
    """Panes of the window that did not fit the layout; they keep running in a window of their own."""
    moved_to: str | None
    """The id of that window; null if no pane was moved."""
    note: str = ""
    """Why it is not in the requested window, and which names were taken and got a number; empty for neither."""


class LayoutInfo(Struct, frozen=True):
    """The layout of a window."""

    window_id: str
    """The window's id, such as @2."""
    window_name: str
    """The window's name, as on its tab."""
    session_name: str
    """The session it belongs to."""
    area: Size
    """The size shared by its panes and their dividers, in cells."""
    zoomed: bool
    """Whether a pane is zoomed."""
    layout: Mapping[str, Any]
    """The layout tree, as create-layout accepts it, with the id and name of each pane."""
    panes: tuple[PlacedPane, ...]
    """Its panes and their positions, in reading order."""
    can_undo: bool
    """Whether undo-layout would change anything."""
    can_redo: bool
    """Whether redo-layout would change anything."""


Preset: TypeAlias = Literal[
    "single",
    "split_horizontal",
    "split_vertical",
    "grid_2x2",
    "main_left",
    "main_top",
    "main_right",
    "main_bottom",
    "even_horizontal",
    "even_vertical",
    "tiled",
    "stacked",
]
"""The presets, as a literal type so that schemas can list them."""

CYCLE: Final = ("even_horizontal", "even_vertical", "main_top", "main_left", "tiled")
"""The presets that `next` and `previous` go through."""


class CreateLayout(
    Command[LayoutApplied], name="create-layout", effect=Effect.RUN, toolset=Toolset.DEFAULT, creates=True
):
    """Open several panes in a given layout in one call; all of them, or none if one cannot be started.

    Without a window, a new one is created. With one, its layout is replaced and no program ends: entries without a
    command keep the window's panes as they are, in reading order; panes left over move to a new window.

    Example, 65% left and two stacked on the right: {"direction": "horizontal", "splits": [{"ratio": 0.65, "pane":
    {"command": "vim", "name": "editor"}}, {"ratio": 0.35, "layout": {"direction": "vertical", "splits": [{"ratio": 0.5,
    "pane": {"command": "claude"}}, {"ratio": 0.5, "pane": {}}]}}]}
    """

    session: Annotated[str, UNLISTED] = ""
    """The session of a new window; omitted, the caller's."""
    window: str = ""
    """The window whose layout is replaced: an id, a name, or active; omitted, a new window."""
    layout: Mapping[str, Any] | None = None
    """{"pane": {"command", "cwd", "name", "env", "on_exit", "tags", "focus"}}, or {"direction": "horizontal" (side by
    side) or "vertical" (stacked), "splits": [...]}, each a "ratio" and a "pane" or nested "layout"; "floats":
    [{"pane"}]. 64 panes at most; names differ. Ratios are normalised."""
    preset: Preset | None = None
    """A layout by name instead; pane_commands gives its panes' commands."""
    pane_commands: Annotated[tuple[Mapping[str, Any] | str, ...], Meta(max_length=64)] = ()
    """The commands of a preset's panes, in reading order: a string or {"command", "cwd", "name", "env", "on_exit"}."""
    name: str = ""
    """The name of a new window."""
    focus: bool | None = None
    """Whether to select the window; omitted, only if the user ran the command."""

    @property
    def effects(self) -> frozenset[Effect]:
        """RUN if a pane has a program or variables of the caller's choice, else LAYOUT: shells that wait."""
        try:
            specs = layout_request(self.layout, self.preset or "", self.pane_commands).specs
        except InvalidArgument:
            return self.all_effects  # `run` raises it.
        return frozenset((Effect.RUN if any(spec.command or spec.env for spec in specs) else Effect.LAYOUT,))

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The programs of its panes. Raises InvalidArgument."""
        specs = layout_request(self.layout, self.preset or "", self.pane_commands).specs
        return tuple(StartedCommand(spec.command, env=spec.env or {}) for spec in specs if spec.command or spec.env)

    def run(self, mux: Multiplexer, origin: Origin) -> LayoutApplied:
        """The window with its panes; on any error nothing has changed and no program is left running."""
        plan = layout_request(self.layout, self.preset or "", self.pane_commands)
        result, note = self._built(mux, origin, plan)
        laid_out = panes(find.window_of(result.workspace, result.window).layout)
        unique, renamed = numbered(result.workspace, [pane for pane in laid_out if _is_named_now(mux, result, pane)])
        result = replace(result, workspace=unique)
        _check_room(mux, find.window_of(result.workspace, result.window))
        wanted = wants_focus(self.focus, origin)
        mux.open(result.opened, edit.select_window(result.workspace, result.window) if wanted else result.workspace)
        return _applied(mux, plan, result, "; ".join(filter(None, (note, renamed))))

    def _built(self, mux: Multiplexer, origin: Origin, plan: LayoutRequest) -> tuple[BuiltLayout, str]:
        """The layout, and why it is not in the requested window: an agent makes no pane too small that is there."""
        if not self.window:
            return added(mux, origin, plan, self.session, self.name), ""
        window = target.window(mux, self.window, origin)
        result = replaced(mux, origin, plan, window)
        new = {pane.id for pane in result.opened}
        small = [pane for pane in crushed(mux, find.window_of(result.workspace, window.id), window) if pane not in new]
        if not (small and new and origin.is_agent):
            return result, ""
        note = f"{small[0]} would get smaller than {LEAST.cols} x {LEAST.rows} cells, so it is in a window of its own"
        return added(mux, origin, plan, window.session, self.name), note


def _is_named_now(mux: Multiplexer, result: BuiltLayout, pane: PaneId) -> bool:
    """Whether a layout gives a pane its name."""
    before = mux.workspace.panes.get(pane)
    return before is None or before.name != result.workspace.panes[pane].name


def _check_room(mux: Multiplexer, window: Window) -> None:
    """Raise Refused if a pane of the new window would be hidden."""
    if tight := too_narrow(mux, window):
        count, room = len(list(panes(window.layout))), mux.layouts.bounds(window)
        raise Refused(
            f"no room for this layout: {len(tight)} of its {count} panes would be hidden or one column wide in "
            f"{room.cols} x {room.rows} cells; give them larger ratios, or ask for fewer"
        )


class GetLayout(Command[LayoutInfo], name="get-layout", effect=Effect.READ, toolset=Toolset.LAYOUT):
    """Show a window's layout: the tree with its ratios, and every pane's position in cells."""

    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""

    def run(self, mux: Multiplexer, origin: Origin) -> LayoutInfo:
        """The current layout."""
        return layout_info(mux, target.window(mux, self.window, origin))


class SelectLayout(Command[LayoutInfo], name="select-layout", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Rearrange a window's panes by a preset; nothing is opened or closed."""

    preset: str
    """single, split_horizontal, split_vertical, grid_2x2, main_left, main_top, main_right, main_bottom,
    even_horizontal, even_vertical, tiled or stacked; next and previous cycle through even_horizontal, even_vertical,
    main_top, main_left and tiled. auto adapts to the number of panes and to the shape of the terminal, and goes on to
    when they change, until the window is arranged otherwise."""
    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""
    main_share: Annotated[float, Meta(ge=0.1, le=0.9)] = presets.MAIN_SHARE
    """The share of the main pane, if the preset has one."""
    main: str = ""
    """The main pane: an id or a name; omitted, the largest."""

    def run(self, mux: Multiplexer, origin: Origin) -> LayoutInfo:
        """The new layout."""
        window = target.window(mux, self.window, origin)
        if self.preset == "auto":
            layout = auto_layout.wanted(window.layout, mux.layouts.bounds(window))
            after = edit.set_auto(edit.set_layout(mux.workspace, window.id, layout), window.id)
            mux.assign(edit.zoom(after, window.id, zoomed=False))
            return layout_info(mux, mux.window(window.id))
        if self.preset in ("next", "previous"):
            return _arranged(mux, window, _cycled(window.layout, self.main_share, 1 if self.preset == "next" else -1))
        if not self.main:
            return _arranged(mux, window, presets.rearrange(window.layout, self.preset, self.main_share))
        main, order = target.pane(mux, self.main, origin), list(panes(tiled(window.layout)))
        if main not in order:
            raise InvalidArgument(f"main: {main} is not in window {window.id}, or floats")
        arranged = presets.apply(self.preset, order, self.main_share, main)
        return _arranged(mux, window, with_tiled(window.layout, arranged))


class RotatePanes(Command[LayoutInfo], name="rotate-panes", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Rotate the panes of a window through its positions; the positions keep their sizes."""

    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""
    forward: bool = True
    """Whether each pane moves to the next position in reading order, or to the previous one. The focus of the user's
    own call stays at its position."""

    def run(self, mux: Multiplexer, origin: Origin) -> LayoutInfo:
        """The new layout."""
        window = target.window(mux, self.window, origin)
        rotated = layouts.rotate(window.layout, self.forward)
        there = dict(zip(panes(tiled(window.layout)), panes(tiled(rotated)), strict=True)).get(window.active)
        mux.arrange(window.id, rotated)
        if origin.is_user and there is not None:
            mux.assign(edit.activate_pane(mux.workspace, there))
        return layout_info(mux, mux.window(window.id))


class StackPanes(Command[LayoutInfo], name="stack-panes", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Put a pane and those that it shares a row or a column with into one place, or spread them again.

    The one that had the focus last is expanded, the others are their titles. select-layout stacked does that with all
    panes of a window.
    """

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    stacked: bool | None = None
    """Whether they are stacked; omitted, the other than now."""

    def run(self, mux: Multiplexer, origin: Origin) -> LayoutInfo:
        """The new layout. Raises Refused if the pane has its window to itself."""
        pane = target.pane(mux, self.pane, origin)
        window = mux.window_of(pane)
        return _arranged(mux, window, layouts.stack(window.layout, pane, stacked=self.stacked))


class EqualizePanes(
    Command[LayoutInfo], name="equalize-panes", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT, repeatable=True
):
    """Give all parts of every split in a window equal shares."""

    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""

    def run(self, mux: Multiplexer, origin: Origin) -> LayoutInfo:
        """The new layout."""
        window = target.window(mux, self.window, origin)
        return _arranged(mux, window, layouts.equalize(window.layout))


class UndoLayout(Command[LayoutInfo], name="undo-layout", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Undo the last change of a window's layout; panes opened or closed since stay so."""

    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""

    def run(self, mux: Multiplexer, origin: Origin) -> LayoutInfo:
        """The previous layout. Raises Refused if there is none."""
        window = target.window(mux, self.window, origin)
        mux.undo_layout(window)
        return layout_info(mux, mux.window(window.id))


class RedoLayout(Command[LayoutInfo], name="redo-layout", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Redo the last undone change of a window's layout."""

    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""

    def run(self, mux: Multiplexer, origin: Origin) -> LayoutInfo:
        """The restored layout. Raises Refused if nothing was undone."""
        window = target.window(mux, self.window, origin)
        mux.redo_layout(window)
        return layout_info(mux, mux.window(window.id))


def layout_info(mux: Multiplexer, window: Window) -> LayoutInfo:
    """A window's current layout."""
    history = mux.layout_history.of(window.id)
    return LayoutInfo(
        window_id=str(window.id),
        window_name=clean(mux.window_name(window)),
        session_name=clean(window.session),
        area=mux.layouts.area_of(window.id),
        zoomed=window.zoomed,
        layout=describe(window.layout, lambda pane: _pane_label(mux, pane)),
        panes=placed_panes(mux, window, panes(window.layout)),
        can_undo=history.undo(window.layout) is not None,
        can_redo=history.redo(window.layout) is not None,
    )


def _cycled(layout: Layout, main_share: float, step: int) -> Layout:
    """The next preset's arrangement that differs from this one; the first if this one matches no preset."""
    arranged = [presets.rearrange(layout, name, main_share) for name in CYCLE][::step]
    matching = [index for index, each in enumerate(arranged) if each == layout]
    start = matching[-1] + 1 if matching else 0
    candidates = arranged[start:] + arranged[:start]
    return next((each for each in candidates if each != layout), layout)


def _arranged(mux: Multiplexer, window: Window, layout: Layout) -> LayoutInfo:
    mux.arrange(window.id, layout)
    return layout_info(mux, mux.window(window.id))


def _pane_label(mux: Multiplexer, pane: PaneId) -> Mapping[str, Any]:
    name = clean(mux.workspace.panes[pane].name)
    return {"id": str(pane), "name": name} if name else {"id": str(pane)}


def placed_panes(mux: Multiplexer, window: Window, order: Iterable[PaneId]) -> tuple[PlacedPane, ...]:
    """Panes of a window and their positions in it, in this order."""
    solution = mux.layouts.of(window)
    words = positions(solution)
    return tuple(
        PlacedPane(
            str(pane), clean(mux.workspace.panes[pane].name), words.get(pane, "hidden"), solution.panes.get(pane)
        )
        for pane in order
    )


def opened_places(mux: Multiplexer, window: Window, opened: Collection[PaneId]) -> tuple[OpenedPlace, ...]:
    """The panes of a window in reading order; those that were just opened have a cursor."""
    order = list(panes(window.layout))
    return tuple(
        OpenedPlace(**asdict(place), cursor=birth_cursor(mux, pane) if pane in opened else None)
        for pane, place in zip(order, placed_panes(mux, window, order), strict=True)
    )


def _applied(mux: Multiplexer, plan: LayoutRequest, result: BuiltLayout, note: str) -> LayoutApplied:
    window = mux.window(result.window)
    return LayoutApplied(
        success=True,
        session_id=clean(window.session),
        session_name=clean(window.session),
        window_id=str(window.id),
        window_name=clean(mux.window_name(window)),
        panes=opened_places(mux, window, {pane.id for pane in result.opened}),
        layout_applied=plan.name,
        moved=tuple(map(str, result.moved)),
        moved_to=str(result.moved_to) if result.moved_to is not None else None,
        note=note,
    )
