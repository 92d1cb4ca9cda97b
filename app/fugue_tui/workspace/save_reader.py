"""Parses a workspace from unchecked JSON: damaged parts are omitted and reported, the rest satisfies `check`."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple, cast

from msgspec import Meta
from msgspec.structs import replace

from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import Float, layered, panes, shown_panes
from fugue_tui.sanitize import clean
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import ListOf, Unchecked
from fugue_tui.workspace.field_types import LARGEST_ID, Line, Lines, Name, Projects, SavedSize, SavedWindowId
from fugue_tui.workspace.model import NO_WINDOW, Pane, Window, Workspace
from fugue_tui.workspace.save_model import SavedPane, SavedWorkspace
from fugue_tui.workspace.tree_reader import TreeReader

MOST_WINDOWS: Final = 1_024
MOST_PANES: Final = 8_192
MOST_FAULTS: Final = 100
"""Most faults that are reported one by one."""
SESSION: Final = "main"
"""The session of a window whose session is invalid."""

_Any = Annotated[Any, Unchecked()]
_Items = Annotated[tuple[Any, ...], ListOf(Unchecked())]
_LastId = Annotated[int, Meta(ge=0, le=LARGEST_ID)]


class _Head(NamedTuple):
    workspace: Line = ""
    saved_at: Annotated[float, Meta(ge=0)] = 0.0
    ended: bool = False


class _Manifest(NamedTuple):
    windows: _Items
    panes: _Items
    head: Annotated[_Head, Record(_Head, closed=False)] = _Head()
    area: SavedSize = Size(80, 24)
    last_pane: _LastId = 0
    last_window: _LastId = 0
    active: _Any = None
    recent: _Any = None
    projects: Projects = MappingProxyType({})


class _Window(NamedTuple):
    id: SavedWindowId
    layout: _Any
    floats: _Items = ()
    auto: bool = False
    name: Name = ""
    session: Name = SESSION
    zoomed: bool = False
    named: bool = False
    active: _Any = None
    recent: _Any = None


class _Seen(NamedTuple):
    seen: Annotated[SavedPane | None, Record(SavedPane, closed=False)] = None
    withheld: Lines = ()


class SaveReader:
    """Parses one manifest; `faults` lists what was omitted."""

    def __init__(self, manifest: Mapping[str, object]) -> None:
        self.faults: list[str] = []
        self._given = manifest
        self._panes: dict[PaneId, Pane] = {}
        self._seen: dict[PaneId, SavedPane] = {}
        self._lost: set[int] = set()

    def saved(self) -> SavedWorkspace:
        """The valid part. Raises InvalidArgument if there is none."""
        found: _Manifest = Record(_Manifest, closed=False).salvage(self._given, "", self._omit)
        for entry in self._first(found.panes, MOST_PANES, "panes"):
            self._pane(entry)
        workspace = self._workspace(found)
        return SavedWorkspace(
            workspace,
            area=found.area,
            seen=MappingProxyType({pane: seen for pane, seen in self._seen.items() if pane in workspace.panes}),
            saved_at=found.head.saved_at,
            ended=found.head.ended,
            last_pane=max(found.last_pane, *self._panes, 0),
            last_window=max(found.last_window, *(window.id for window in workspace.windows), 0),
            projects=found.projects,
        )

    def _workspace(self, found: _Manifest) -> Workspace:
        windows = self._windows(found.windows)
        ids = [window.id for window in windows]
        active, recent = _focus(_ids(found.active, found.recent), ids)
        placed = {pane for window in windows for pane in panes(window.layout)}
        for lost in [pane for pane in self._panes if pane not in placed]:
            self._fault(f"pane {lost}: no window has a place for it; it is left out")
        kept = MappingProxyType({id: pane for id, pane in self._panes.items() if id in placed})
        return Workspace(
            clean(found.head.workspace),
            tuple(windows),
            WindowId(active) if windows else NO_WINDOW,
            kept,
            tuple(WindowId(window) for window in recent),
        )

    def _pane(self, value: object) -> None:
        """Add a pane if it is valid."""
        try:
            pane: Pane = Record(Pane, closed=False).check(value, "")
            if pane.id in self._panes:
                raise InvalidArgument("another has its id")
        except InvalidArgument as reason:
            self._lost.add(_id(value))
            self._fault(f"{_name(value, PaneId, 'pane')}: {reason}; it is left out")
            return
        self._panes[pane.id] = pane
        self._see(pane.id, value)

    def _see(self, pane: PaneId, value: object) -> None:
        """Add the saved state of a pane; without it the pane is restored empty."""
        try:
            found: _Seen = Record(_Seen, closed=False).check(value, "")
        except InvalidArgument as reason:
            self._fault(f"pane {pane}: {reason}; its text is left out")
            return
        if found.seen or found.withheld:
            self._seen[pane] = replace(found.seen or SavedPane(), withheld=found.withheld)

    def _windows(self, given: Sequence[object]) -> list[Window]:
        trees, found = TreeReader(self._panes, self._lost, self._fault), list[Window]()
        for value in self._first(given, MOST_WINDOWS, "windows"):
            try:
                window = self._window(value, trees)
                if window.id in [other.id for other in found]:
                    raise InvalidArgument("another has its id")
                found.append(window)
            except InvalidArgument as reason:
                self._fault(f"{_name(value, WindowId, 'window')}: {reason}; it is left out")
        if given and not found:
            raise InvalidArgument(f"none of its windows is whole ({self.faults[0]})")
        return found

    def _window(self, value: object, trees: TreeReader) -> Window:
        where = _name(value, WindowId, "window")
        found: _Window = Record(_Window, closed=False).salvage(value, "", lambda fault: self._omit(f"{where}: {fault}"))
        layout = layered(trees.read(found.layout, where), self._floats(found.floats, trees, where))
        if layout is None:
            raise InvalidArgument("nothing of its layout is left")
        wanted = _ids(found.active, found.recent)
        active, _ = _focus(wanted, shown_panes(layout))
        _, recent = _focus((active, *wanted), list(panes(layout)))
        return Window(
            found.id,
            found.name,
            layout,
            PaneId(active),
            found.session or SESSION,
            zoomed=found.zoomed and active == wanted[0],
            named=found.named,
            recent=tuple(PaneId(pane) for pane in recent),
            auto=found.auto,
        )

    def _floats(self, given: Sequence[object], trees: TreeReader, where: str) -> list[Float]:
        """The floating panes of a window; one whose place is damaged has the default one."""
        found = list[Float]()
        for value in given:
            try:
                each: Float = Record(Float, closed=False).salvage(
                    value, "", lambda fault: self._omit(f"{where}: a floating pane: {fault}")
                )
            except InvalidArgument as reason:
                self._omit(f"{where}: a floating pane: {reason}")
                continue
            if trees.leaf(int(each.pane), where):
                found.append(each)
        return found

    def _first(self, found: Sequence[object], most: int, what: str) -> Sequence[object]:
        """The items that are read."""
        if len(found) > most:
            self._fault(f"{len(found)} {what} were saved, the first {most} are read")
        return found[:most]

    def _omit(self, fault: str) -> None:
        self._fault(f"{fault}; it is left out")

    def _fault(self, fault: str) -> None:
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(clean(fault))
        elif len(self.faults) == MOST_FAULTS:
            self.faults.append("there are more faults than these")


def _focus(wanted: Sequence[int], there: Collection[int]) -> tuple[int, list[int]]:
    """The active id and the previously active ones, among those that exist."""
    order = [id for id in dict.fromkeys(wanted) if id in there]
    active = order[0] if order else next(iter(there), 0)
    return active, [id for id in order if id != active]


def _ids(active: object, recent: object) -> list[int]:
    """Ids, the active one first; invalid ones become 0."""
    later = cast(Sequence[object], recent) if isinstance(recent, list | tuple) else ()
    return [id if type(id) is int else 0 for id in (active, *later[:MOST_PANES])]


def _name(value: object, kind: type[PaneId] | type[WindowId], word: str) -> str:
    """The name of a record in a fault."""
    return f"{word} {kind(_id(value))}" if 0 < _id(value) <= LARGEST_ID else f"a {word} without an id"


def _id(value: object) -> int:
    """A record's id; 0 if it has none."""
    id = cast(dict[object, object], value).get("id") if isinstance(value, dict) else None
    return id if type(id) is int else 0
