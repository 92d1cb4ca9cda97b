"""Opens a layout document: all windows with their panes, or nothing."""

import os
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Origin
from fugue_tui.control.core.new_pane import Line
from fugue_tui.control.core.pane_names import numbered
from fugue_tui.control.layout_files.request import new_pane_of
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import WindowId
from fugue_tui.layout.document import Document, WindowSpec
from fugue_tui.layout.spec import build
from fugue_tui.layout.spec_types import FloatSpec, LayersSpec, PaneSpec, Spec, SplitSpec, leaves
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.validation.field_types import shown
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import SCRATCH, Pane, Window


class LoadTarget(Struct, frozen=True):
    """The directory and session of a document that is opened."""

    base: str = ""
    """The directory that its paths are relative to; empty for the caller's."""
    session: str = ""
    """The session of every window, new or existing; empty for the document's, else the caller's."""


def opened(
    mux: Multiplexer, origin: Origin, document: Document, place: LoadTarget, *, focus: bool
) -> tuple[tuple[WindowId, ...], str]:
    """Open a document's windows; with `focus` select the one that the document focuses, else the first. Also returns
    which names were taken and got a number.

    Raises InvalidArgument or SpawnFailed; then nothing has changed, and no program is left running."""
    document = _with_one_scratch(mux, document)
    after, windows, panes = mux.workspace, list[WindowId](), list[Pane]()
    for index, spec in enumerate(document.windows):
        window, new = _window(mux, origin, spec, place, f"windows[{index}]")
        after = edit.add_window(after, window, new)
        windows.append(window.id)
        panes += new
    if focus or not mux.workspace.windows:
        front = next((index for index, window in enumerate(document.windows) if window.focus), 0)
        after = edit.select_window(after, windows[front])
    after, renamed = numbered(after, [pane.id for pane in panes])
    mux.open(panes, after)
    return tuple(windows), renamed


def with_commands(document: Document, commands: Mapping[str, Line]) -> Document:
    """The document with other commands in the named panes. Raises InvalidArgument for an unknown name."""
    names = {pane.name for pane in document.panes if pane.name}
    if missing := next((name for name in commands if name not in names), None):
        there = ", ".join(sorted(names)) or "none"
        raise InvalidArgument(f"commands: no pane is called {shown(missing)}; there are {there}")
    return replace(document, windows=tuple(_with_commands(window, commands) for window in document.windows))


def _with_commands(window: WindowSpec, commands: Mapping[str, Line]) -> WindowSpec:
    def changed(spec: Spec) -> Spec:
        if isinstance(spec, SplitSpec):
            return replace(spec, children=tuple(map(changed, spec.children)))
        return replace(spec, command=commands.get(spec.name, spec.command))

    layout = window.layout
    if not isinstance(layout, LayersSpec):
        return replace(window, layout=changed(layout))
    over = tuple(replace(each, pane=changed(each.pane)) for each in layout.floats)
    return replace(window, layout=LayersSpec(changed(layout.tiled), over))


def _with_one_scratch(mux: Multiplexer, document: Document) -> Document:
    """The document without scratch panes if the workspace has one, which has no use for more."""
    there = any(SCRATCH in pane.tags for pane in mux.workspace.panes.values())
    windows = list[WindowSpec]()
    for window in document.windows:
        layout = window.layout
        if isinstance(layout, LayersSpec):
            kept = list[FloatSpec]()
            for each in layout.floats:
                if not (is_scratch := SCRATCH in each.pane.tags) or not there:
                    kept.append(each)
                there = there or is_scratch
            layout = LayersSpec(layout.tiled, tuple(kept)) if kept else layout.tiled
        windows.append(replace(window, layout=layout))
    return replace(document, windows=tuple(windows))


def _window(
    mux: Multiplexer, origin: Origin, spec: WindowSpec, place: LoadTarget, path: str
) -> tuple[Window, tuple[Pane, ...]]:
    """A window that is about to open, and its panes."""
    try:
        label, session = target.named(spec.name), _session(mux, origin, spec, place)
    except InvalidArgument as error:
        raise InvalidArgument(f"{path}: {error}") from None
    specs = list(leaves(spec.layout))
    panes = tuple(_pane(mux, origin, each, place, f"{path}: pane {number}") for number, each in enumerate(specs, 1))
    active = next((pane for pane, each in zip(panes, specs, strict=True) if each.focus), panes[0])
    layout = build(spec.layout, [pane.id for pane in panes])
    return Window(mux.ids.next_window(), label, layout, active.id, session, spec.zoom, named=bool(label)), panes


def _pane(mux: Multiplexer, origin: Origin, spec: PaneSpec, place: LoadTarget, path: str) -> Pane:
    running = bool(mux.workspace.windows)
    source = target.pane(mux, target.ACTIVE, origin) if running and not place.base else None
    cwd = os.path.join(place.base, os.path.expanduser(spec.cwd)) if place.base else spec.cwd
    try:
        return new_pane_of(mux, origin, spec, source, cwd)
    except InvalidArgument as error:
        raise InvalidArgument(f"{path}: {error}") from None


def _session(mux: Multiplexer, origin: Origin, spec: WindowSpec, place: LoadTarget) -> str:
    if session := target.named(place.session or spec.session):
        return session
    return target.session(mux, "", origin) if mux.workspace.windows else mux.workspace.name
