"""Where the panes of agents open: beside others as long as all stay usable, else in windows of the agent's own."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.core.command import Origin
from fugue_tui.control.core.new_pane import BACKGROUND, Direction, Placement, as_laid_out
from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Rect, Side, Size
from fugue_tui.ids import PaneId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout.tree import Leaf, panes, tiled
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.workspace import edit, find
from fugue_tui.workspace.model import Pane, Window, Workspace

LEAST: Final = Size(40, 8)
"""The size below which no pane gets by what an agent opens."""
RUN_TAG: Final = "run-command"
"""The tag of panes that the next run of the agent that opened them may take the place of."""
LONGEST_LABEL: Final = 24
"""Characters of a command that name its window."""


class Place(Struct, frozen=True):
    """A workspace with a pane that is about to open."""

    workspace: Workspace
    placed: Placement
    note: str = ""
    """Why it is not where it was requested; empty if it is."""


class Split(Struct, frozen=True):
    """A requested split."""

    source: PaneId
    direction: Direction
    kept: float = 0.5
    """The share that the source keeps."""
    focus: bool = False


def for_agent(mux: Multiplexer, origin: Origin, pane: Pane, wanted: Split) -> Place:
    """The pane beside another as requested, or equally or the other way if a pane would get too small; if that is so
    too, in a window that the agent has opened, or a new one."""
    if after := _beside(mux, pane, wanted):
        zoomed = find.window_with(after, pane.id).zoomed
        return Place(after, Placement.SPLIT, "the window is zoomed, so it is not visible" if zoomed else "")
    rect = _unzoomed(mux, mux.window_of(wanted.source)).get(wanted.source)
    size = f"has {rect.cols} x {rect.rows} cells" if rect else "has no room itself"
    why = f"{wanted.source} {size}, too few for two panes of {LEAST.cols} x {LEAST.rows}"
    for own in _own_panes(mux, origin, mux.window_of(wanted.source).session):
        if after := _beside(mux, pane, Split(own, Direction.AUTO, focus=wanted.focus)):
            return Place(after, Placement.SPLIT, f"{why}, so it is beside {own}")
    after = in_window(mux, pane, mux.window_of(wanted.source).session, focus=wanted.focus)
    return Place(after, Placement.WINDOW, f"{why}, so it has a window of its own")


def in_window(mux: Multiplexer, pane: Pane, session: str, *, focus: bool) -> Workspace:
    """The workspace with a pane in a window of its own, which is called as the pane or its command."""
    line = pane.argv[2] if len(pane.argv) == 3 and pane.argv[1] == "-c" else "".join(pane.argv[:1])
    label = pane.name or pane.content or clean(line, LONGEST_LABEL)
    window = Window(mux.ids.next_window(), label, Leaf(pane.id), pane.id, session, named=bool(label))
    return edit.add_window(mux.workspace, window, [pane], focus=focus)


def mark_run(mux: Multiplexer, pane: PaneId) -> None:
    """Let the next run of its caller take the place of a pane whose command has ended, or that is not waited for."""
    if record := mux.workspace.panes.get(pane):
        mux.assign(edit.update_pane(mux.workspace, replace(record, tags=record.tags | {RUN_TAG})))


def earlier_runs(mux: Multiplexer, origin: Origin) -> list[PaneId]:
    """The panes of an agent's runs that have ended and are not looked at by the user, the newest first."""
    return [
        pane
        for pane in sorted(mux.exits, reverse=True)
        if RUN_TAG in mux.workspace.panes[pane].tags
        and origin.owner
        and mux.owners.get(pane) == origin.owner
        and pane != mux.focused
    ]


def in_place_of_earlier(
    mux: Multiplexer, old: Sequence[PaneId], pane: Pane, source: PaneId, wanted: Placement
) -> Place | None:
    """The pane in the place of an earlier run's, if one is where the pane is to open; None if none is."""
    session = BACKGROUND if wanted is Placement.HIDDEN else mux.window_of(source).session
    for each in old:
        window = mux.window_of(each)
        alone = window.layout == Leaf(each)
        if window.session == session and (alone or wanted is Placement.SPLIT):
            placed = Placement.WINDOW if alone and wanted is Placement.SPLIT else wanted
            after = edit.replace_pane(mux.workspace, each, pane)
            return Place(after, placed, f"it took the place of {each}, whose command had ended")
    return None


def crushed(mux: Multiplexer, after: Window, before: Window | None = None) -> list[PaneId]:
    """The panes that are too small in the window `after`, and were larger, or not there, in the window `before`."""
    was, now = _unzoomed(mux, before) if before else {}, _unzoomed(mux, after)
    return [
        pane
        for pane in panes(tiled(after.layout))
        if _is_too_small(rect := now.get(pane)) and _is_smaller(rect, was.get(pane))
    ]


def _beside(mux: Multiplexer, pane: Pane, wanted: Split) -> Workspace | None:
    """The workspace with a pane beside another, whose zoom stays; None if a pane would get too small."""
    window = mux.window_of(wanted.source)
    for side, kept in _ways(wanted, _unzoomed(mux, window).get(wanted.source)):
        with suppress(InvalidArgument):  # Too deep or too many; a window is left.
            layout = layouts.split(window.layout, wanted.source, pane.id, side.axis, kept, before=not side.forward)
            focus = pane.id if wanted.focus else None
            after = edit.add_panes(mux.workspace, window.id, [pane], layout, focus=focus)
            if not crushed(mux, find.window_of(after, window.id), window):
                return after
    return None


def _ways(wanted: Split, rect: Rect | None) -> Iterator[tuple[Side, float]]:
    side = wanted.direction.beside(rect)
    yield side, wanted.kept
    yield side, 0.5
    yield (Side.DOWN if side in (Side.LEFT, Side.RIGHT) else Side.RIGHT), 0.5


def _own_panes(mux: Multiplexer, origin: Origin, session: str) -> list[PaneId]:
    """The panes of a session in windows that have only panes which the caller opened, the largest first."""
    own = [
        mux.layouts.of(replace(window, zoomed=False)).tiles
        for window in mux.workspace.windows
        if window.session == session and all(mux.owners.get(pane) == origin.owner for pane in panes(window.layout))
    ]
    rects = {pane: rect for each in own for pane, rect in each.items()}
    return sorted(rects, key=lambda pane: -rects[pane].cols * rects[pane].rows)


def _unzoomed(mux: Multiplexer, window: Window) -> dict[PaneId, Rect]:
    """Where the panes of a window are without zoom, those of a stack as if each was expanded."""
    solution = mux.layouts.of(as_laid_out(mux, window))
    return solution.panes | {pane: solution.panes[shown] for pane, (_, shown) in solution.collapsed.items()}


def _is_too_small(rect: Rect | None) -> bool:
    return rect is None or rect.cols < LEAST.cols or rect.rows < LEAST.rows


def _is_smaller(rect: Rect | None, before: Rect | None) -> bool:
    return before is None or rect is None or rect.cols < before.cols or rect.rows < before.rows
