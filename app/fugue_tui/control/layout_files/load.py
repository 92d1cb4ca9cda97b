"""Opens what a layout document says: every window with its panes, or nothing at all."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Origin
from fugue_tui.control.core.new_pane import Line
from fugue_tui.control.layout_files.request import newcomer_of
from fugue_tui.control.schema.field_types import shown
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import WindowId
from fugue_tui.layout.document import Document, WindowSpec
from fugue_tui.layout.spec import build
from fugue_tui.layout.spec_types import PaneSpec, Spec, SplitSpec, leaves
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Pane, Window


@dataclass(frozen=True, slots=True)
class LoadTarget:
    """Where a document is opened."""

    base: str = ""
    """The directory that its paths start from; empty for where the caller works."""
    session: str = ""
    """The session of every window, new or old; empty for what the document says, else the caller's."""


def opened(
    mux: Multiplexer, origin: Origin, document: Document, place: LoadTarget, *, focus: bool
) -> tuple[WindowId, ...]:
    """Open a document's windows, and bring the one to the front that wants it (else the first) if `focus` says so.

    Raises InvalidArgument or SpawnFailed; nothing has changed then, and no program was left running."""
    after, windows, panes = mux.workspace, list[WindowId](), list[Pane]()
    for index, wanted in enumerate(document.windows):
        window, new = _window(mux, origin, wanted, place, f"windows[{index}]")
        after = edit.add_window(after, window, new)
        windows.append(window.id)
        panes += new
    if focus or not mux.workspace.windows:
        front = next((index for index, window in enumerate(document.windows) if window.focus), 0)
        after = edit.select_window(after, windows[front])
    mux.open(panes, after)
    return tuple(windows)


def with_commands(document: Document, commands: Mapping[str, Line]) -> Document:
    """The document with other commands in the panes of these names. Raises InvalidArgument for a name it has not."""
    names = {pane.name for pane in document.panes if pane.name}
    if strange := next((name for name in commands if name not in names), None):
        there = ", ".join(sorted(names)) or "none"
        raise InvalidArgument(f"commands: no pane is called {shown(strange)}; there are {there}")
    return replace(document, windows=tuple(_recommanded(window, commands) for window in document.windows))


def _recommanded(window: WindowSpec, commands: Mapping[str, Line]) -> WindowSpec:
    def changed(spec: Spec) -> Spec:
        if isinstance(spec, SplitSpec):
            return replace(spec, children=tuple(map(changed, spec.children)))
        return replace(spec, command=commands.get(spec.name, spec.command))

    return replace(window, layout=changed(window.layout))


def _window(
    mux: Multiplexer, origin: Origin, wanted: WindowSpec, place: LoadTarget, path: str
) -> tuple[Window, tuple[Pane, ...]]:
    """A window that is about to open, and its panes."""
    try:
        label, session = target.named(wanted.name), _session(mux, origin, wanted, place)
    except InvalidArgument as error:
        raise InvalidArgument(f"{path}: {error}") from None
    places = list(leaves(wanted.layout))
    panes = tuple(_pane(mux, origin, each, place, f"{path}: pane {number}") for number, each in enumerate(places, 1))
    active = next((pane for pane, each in zip(panes, places, strict=True) if each.focus), panes[0])
    layout = build(wanted.layout, [pane.id for pane in panes])
    return Window(mux.ids.next_window(), label, layout, active.id, session, wanted.zoom, named=bool(label)), panes


def _pane(mux: Multiplexer, origin: Origin, wanted: PaneSpec, place: LoadTarget, path: str) -> Pane:
    running = bool(mux.workspace.windows)
    source = target.pane(mux, target.ACTIVE, origin) if running and not place.base else None
    cwd = os.path.join(place.base, os.path.expanduser(wanted.cwd)) if place.base else wanted.cwd
    try:
        return newcomer_of(mux, origin, wanted, source, cwd)
    except InvalidArgument as error:
        raise InvalidArgument(f"{path}: {error}") from None


def _session(mux: Multiplexer, origin: Origin, wanted: WindowSpec, place: LoadTarget) -> str:
    if said := target.named(place.session or wanted.session):
        return said
    return target.session(mux, "", origin) if mux.workspace.windows else mux.workspace.name
