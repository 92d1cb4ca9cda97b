"""Snapshots of a workspace for saving: taken on the main thread, read on another."""

from collections.abc import Mapping
from typing import Protocol, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.multiplexer.events.pane_events import Post
from fugue_tui.multiplexer.id_allocator import IdAllocator
from fugue_tui.multiplexer.restored_pane import RestoredPane
from fugue_tui.multiplexer.solved_layouts import SolvedLayouts
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Workspace
from fugue_tui.workspace.save_model import SavedPane

Stamp: TypeAlias = tuple[object, ...]
"""Equal for two snapshots if nothing that is saved differs."""


class LiveWorkspace(Protocol):
    """The workspace of which snapshots are taken: the multiplexer."""

    terminals: dict[PaneId, Terminal]
    exits: dict[PaneId, Exit]
    restored_panes: dict[PaneId, RestoredPane]
    on_change: CallbackList[[Workspace, Workspace]]
    layouts: SolvedLayouts
    ids: IdAllocator
    projects: dict[str, str]

    @property
    def workspace(self) -> Workspace:
        """The present state."""
        ...

    @property
    def post(self) -> Post:
        """Runs a callback on the main thread soon."""
        ...


class PaneSnapshot(Struct, frozen=True):
    """One pane's terminal and its state."""

    terminal: Terminal
    changes: tuple[int, int]
    """The terminal's count of changes and of scroll position changes."""
    exit: Exit | None
    """How its program exited; None if it is running."""
    before: SavedPane | None
    """What was saved of a restored pane that still waits; else None."""


class WorkspaceSnapshot(Struct, frozen=True):
    """A workspace and the terminals of its panes."""

    workspace: Workspace
    panes: Mapping[PaneId, PaneSnapshot]
    area: Size
    last_ids: tuple[PaneId, WindowId]
    """The highest ids ever used."""
    projects: Mapping[str, str] = field(default_factory=dict[str, str])
    """The directories of the project files that have MCP servers, by the path of the file."""

    @property
    def stamp(self) -> Stamp:
        """Identifies the saved state."""
        panes = ((pane, id(each.terminal), each.changes, each.exit, each.before) for pane, each in self.panes.items())
        return (self.workspace, self.projects, *panes)


def take(mux: LiveWorkspace) -> WorkspaceSnapshot:
    """A snapshot of the present state. Main thread only."""
    panes = {pane: _pane(mux, pane) for pane in mux.terminals}
    return WorkspaceSnapshot(mux.workspace, panes, mux.layouts.area, mux.ids.last, dict(mux.projects))


def only(snapshot: WorkspaceSnapshot, pane: PaneId) -> WorkspaceSnapshot:
    """The snapshot with only one pane."""
    workspace = snapshot.workspace
    for other in workspace.panes.keys() - {pane}:
        workspace = edit.remove_pane(workspace, other)
    return replace(snapshot, workspace=workspace, panes={pane: snapshot.panes[pane]})


def differs_in_structure(old: Workspace, new: Workspace) -> bool:
    """Whether panes or windows were opened, closed, renamed or rearranged; the focus does not count."""
    return old.name != new.name or old.panes != new.panes or _arrangement(old) != _arrangement(new)


def _arrangement(workspace: Workspace) -> list[Stamp]:
    return [(each.id, each.name, each.session, each.layout) for each in workspace.windows]


def _pane(mux: LiveWorkspace, pane: PaneId) -> PaneSnapshot:
    terminal, restored = mux.terminals[pane], mux.restored_panes.get(pane)
    return PaneSnapshot(terminal, terminal.save_version, mux.exits.get(pane), restored.offer.seen if restored else None)
