"""What a workspace is at one moment, as far as saving needs it: taken on the main thread at once, read on another."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.multiplexer.events.callbacks import CallbackList
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
"""Equal for two pictures if there is nothing to save between them."""


class LiveWorkspace(Protocol):
    """What pictures are taken of: the multiplexer."""

    terminals: dict[PaneId, Terminal]
    exits: dict[PaneId, Exit]
    restored_panes: dict[PaneId, RestoredPane]
    on_change: CallbackList[[Workspace, Workspace]]
    layouts: SolvedLayouts
    ids: IdAllocator

    @property
    def workspace(self) -> Workspace:
        """The present state."""
        ...

    @property
    def post(self) -> Post:
        """Runs a callback on the main thread soon."""
        ...


@dataclass(frozen=True, slots=True)
class PaneSnapshot:
    """One pane's terminal, and what was known of it at that moment."""

    terminal: Terminal
    changes: tuple[int, int]
    """The terminal's count of changes, and of moves of its view."""
    exit: Exit | None
    """How its program ended; None if it ran."""
    before: SavedPane | None
    """What was saved of it before, if it waits to run again."""


@dataclass(frozen=True, slots=True)
class WorkspaceSnapshot:
    """A workspace, and the terminals behind its panes."""

    workspace: Workspace
    panes: Mapping[PaneId, PaneSnapshot]
    area: Size
    last_ids: tuple[PaneId, WindowId]
    """The highest that were ever given."""

    @property
    def stamp(self) -> Stamp:
        """What tells this picture from another."""
        panes = ((pane, id(each.terminal), each.changes, each.exit, each.before) for pane, each in self.panes.items())
        return (self.workspace, *panes)


def take(alive: LiveWorkspace) -> WorkspaceSnapshot:
    """The picture of this moment. Main thread only."""
    panes = {pane: _pane(alive, pane) for pane in alive.terminals}
    return WorkspaceSnapshot(alive.workspace, panes, alive.layouts.area, alive.ids.last)


def only(picture: WorkspaceSnapshot, pane: PaneId) -> WorkspaceSnapshot:
    """The same of one pane, alone in its window."""
    workspace = picture.workspace
    for other in workspace.panes.keys() - {pane}:
        workspace = edit.remove_pane(workspace, other)
    return replace(picture, workspace=workspace, panes={pane: picture.panes[pane]})


def differs_in_structure(old: Workspace, new: Workspace) -> bool:
    """Whether panes or windows came, went, were named or arranged anew; moving the focus is none of it."""
    return old.name != new.name or old.panes != new.panes or _arrangement(old) != _arrangement(new)


def _arrangement(workspace: Workspace) -> list[Stamp]:
    return [(each.id, each.name, each.session, each.layout) for each in workspace.windows]


def _pane(alive: LiveWorkspace, pane: PaneId) -> PaneSnapshot:
    terminal, waiting = alive.terminals[pane], alive.restored_panes.get(pane)
    return PaneSnapshot(terminal, terminal.seen_as, alive.exits.get(pane), waiting.offer.seen if waiting else None)
