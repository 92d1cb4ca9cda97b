"""A requested layout, by a tree or by a preset's name, before any of its panes exists."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Origin
from fugue_tui.control.core.new_pane import new_pane
from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout import presets
from fugue_tui.layout.document_reader import checked
from fugue_tui.layout.spec import build, parse
from fugue_tui.layout.spec_types import LayersSpec, PaneSpec, leaves
from fugue_tui.layout.tree import MAX_PANES, Layout, Leaf, Node, floats, join, layered, panes, tiled, with_tiled
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.validation.field_types import shown
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import OnExit, Pane, Window, Workspace

CUSTOM: Final = "custom"
"""The name of a layout that is no preset."""


class LayoutRequest(Struct, frozen=True):
    """The specs of the panes in reading order, then of those that float; a function builds the layout from pane ids."""

    name: str
    """`custom`, or the preset's own name."""
    specs: tuple[PaneSpec, ...]
    arrange: Callable[[Sequence[PaneId]], Layout]
    floats: int = 0
    """How many of the panes float."""

    @property
    def focus(self) -> int | None:
        """The index of the spec with the focus; None if none has."""
        return next((index for index, spec in enumerate(self.specs) if spec.focus), None)


def layout_request(layout: object, preset: str, commands: Sequence[Mapping[str, Any] | str]) -> LayoutRequest:
    """The requested layout. Raises InvalidArgument with the path of the fault."""
    if layout is not None and preset:
        raise InvalidArgument("preset: give a layout or a preset, not both")
    if preset:
        return _preset(preset, commands)
    if layout is None:
        raise InvalidArgument(f"layout: is missing; give one, or a preset: {', '.join(presets.PRESETS)}")
    if commands:
        raise InvalidArgument("pane_commands: belong to a preset; in a layout each pane has its own command")
    spec = parse(layout)
    over = len(spec.floats) if isinstance(spec, LayersSpec) else 0
    return LayoutRequest(CUSTOM, _distinct(leaves(spec), "layout"), lambda order: build(spec, order), over)


def _distinct(specs: Iterable[PaneSpec], where: str) -> tuple[PaneSpec, ...]:
    """The specs as a tuple. Raises InvalidArgument for a duplicate name."""
    found = tuple(specs)
    names = [spec.name for spec in found if spec.name]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InvalidArgument(f"{where}: two panes are called {shown(twice)}; give each a name of its own")
    return found


def _preset(preset: str, commands: Sequence[Mapping[str, Any] | str]) -> LayoutRequest:
    name = presets.canonical(preset)
    given = [
        checked(PaneSpec, {"command": each} if isinstance(each, str) else each, f"pane_commands[{index}]")
        for index, each in enumerate(commands)
    ]
    most = presets.most(name)
    if most is not None and len(given) > most:
        raise InvalidArgument(
            f"pane_commands: {name} has {most} place{'s' * (most > 1)}, and {len(given)} are given; name fewer, or use "
            "tiled, which has a place for each"
        )
    count = max(len(given), presets.places(name) or 1)
    if count > MAX_PANES:
        raise InvalidArgument(f"pane_commands: a window holds at most {MAX_PANES} panes")
    if not given and presets.places(name) is None:
        raise InvalidArgument(
            f"pane_commands: {name} opens as many panes as are named; name some, or give {{}} for each"
        )
    specs = (*given, *(PaneSpec() for _ in range(count - len(given))))
    return LayoutRequest(name, _distinct(specs, "pane_commands"), lambda order: presets.apply(name, order))


class BuiltLayout(Struct, frozen=True):
    """A workspace with a requested layout, before the programs of its new panes were started."""

    workspace: Workspace
    window: WindowId
    """The window with the layout."""
    opened: tuple[Pane, ...]
    """The new panes."""
    moved: tuple[PaneId, ...] = ()
    """The panes that were moved out of the window."""
    moved_to: WindowId | None = None
    """The window that they were moved to; None if there are none."""


def new_pane_of(mux: Multiplexer, origin: Origin, spec: PaneSpec, source: PaneId | None, cwd: str = "") -> Pane:
    """The pane of a spec; it starts in `cwd`, else the spec's directory, else that of `source`."""
    return new_pane(
        mux, origin,
        command=spec.command, cwd=cwd or spec.cwd, name=spec.name, env=spec.env,
        on_exit=OnExit(spec.on_exit) if spec.on_exit else None, tags=spec.tags, source=source,
    )  # fmt: skip


def added(mux: Multiplexer, origin: Origin, plan: LayoutRequest, session: str, name: str) -> BuiltLayout:
    """The layout in a new window of a session (empty: the caller's)."""
    label, owner, source = target.named(name), mux.workspace.name, None
    if mux.workspace.windows:
        owner = target.session(mux, session, origin)
        source = target.pane(mux, target.ACTIVE, origin)
    opened = tuple(new_pane_of(mux, origin, spec, source) for spec in plan.specs)
    layout = plan.arrange([pane.id for pane in opened])
    window = Window(mux.ids.next_window(), label, layout, opened[plan.focus or 0].id, owner, named=bool(label))
    return BuiltLayout(edit.add_window(mux.workspace, window, opened), window.id, opened)


def replaced(mux: Multiplexer, origin: Origin, plan: LayoutRequest, window: Window) -> BuiltLayout:
    """The layout in place of a window's own: its panes fill, in reading order, the specs that request nothing but a
    name; those left over move to a new window after it, or go on floating."""
    present = list(panes(tiled(window.layout)))
    over = [each.pane for each in floats(window.layout)]
    kept: dict[PaneId, str] = {}
    opened: list[Pane] = []
    order: list[PaneId] = []
    for index, spec in enumerate(plan.specs):
        there = present if index < len(plan.specs) - plan.floats else over
        if there and _is_blank(spec):
            kept[there[0]] = spec.name
            order.append(there.pop(0))
        else:
            opened.append(new_pane_of(mux, origin, spec, window.active))
            order.append(opened[-1].id)
    after = edit.add_panes(mux.workspace, window.id, opened, _joined(window.layout, opened))
    moved_to = mux.ids.next_window() if present else None
    if moved_to is not None:
        after = _moved_out(after, window, present, moved_to)
    wanted = plan.arrange(order)
    left = [each for each in floats(window.layout) if each.pane in over]
    arranged = layered(tiled(wanted), [*floats(wanted), *left])
    assert arranged is not None
    after = edit.zoom(edit.set_layout(after, window.id, arranged), window.id, zoomed=False)
    for pane, name in kept.items():
        after = edit.rename_pane(after, pane, target.named(name)) if name else after
    if plan.focus is not None:
        after = edit.activate_pane(after, order[plan.focus])
    return BuiltLayout(after, window.id, tuple(opened), tuple(present), moved_to)


def _joined(layout: Layout, opened: Sequence[Pane]) -> Layout:
    """A temporary layout of old and new panes, which is never shown."""
    leaves: list[Node] = [Leaf(pane.id) for pane in opened]
    return with_tiled(layout, join(Axis.HORIZONTAL, [tiled(layout), *leaves], [1] * (1 + len(leaves))))


def _moved_out(workspace: Workspace, window: Window, leaving: Sequence[PaneId], to: WindowId) -> Workspace:
    """Moves panes to a new window after theirs, with their layout; the focus follows its pane."""
    focused = window.active if workspace.active == window.id and window.active in leaving else None
    for count, pane in enumerate(leaving, 1):
        layout = layouts.restrict(window.layout, leaving[:count])
        if count == 1 or layout is None:
            workspace = edit.break_pane(workspace, pane, Window(to, "", Leaf(pane), pane, window.session))
        else:
            workspace = edit.move_pane(workspace, pane, to, layout)
    return workspace if focused is None else edit.focus_pane(workspace, focused)


def _is_blank(spec: PaneSpec) -> bool:
    return not (spec.command or spec.cwd or spec.env or spec.on_exit or spec.tags)
