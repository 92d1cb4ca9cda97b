"""Parses a workspace from unchecked JSON: damaged parts are omitted and reported, the rest satisfies `check`."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeVar, cast

from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import panes
from fugue_tui.sanitize import clean
from fugue_tui.workspace import json_checks, names
from fugue_tui.workspace.json_checks import Unreadable
from fugue_tui.workspace.model import NO_WINDOW, Pane, Window, Workspace
from fugue_tui.workspace.pane_reader import LARGEST_ID, read_id, read_pane, read_seen, read_size
from fugue_tui.workspace.save_model import SavedPane, SavedWorkspace
from fugue_tui.workspace.tree_reader import TreeReader

MOST_WINDOWS: Final = 1_024
MOST_PANES: Final = 8_192
MOST_FAULTS: Final = 100
"""Most faults that are reported one by one."""
SESSION: Final = "main"
"""The session of a window whose session is unreadable."""

_T = TypeVar("_T")


class SaveReader:
    """Parses one manifest; `faults` lists what was omitted."""

    def __init__(self, manifest: Mapping[str, object]) -> None:
        self.faults: list[str] = []
        self._given = manifest
        self._panes: dict[PaneId, Pane] = {}
        self._seen: dict[PaneId, SavedPane] = {}
        self._lost: set[int] = set()

    def saved(self) -> SavedWorkspace:
        """The readable part. Raises Unreadable if there is none."""
        head = self._or({}, lambda: json_checks.entries(self._given.get("head"), "the head"))
        for entry in self._list("panes", MOST_PANES):
            self._pane(entry)
        workspace = self._workspace(
            self._or("", lambda: json_checks.text(head.get("workspace"), "the workspace's name"))
        )
        return SavedWorkspace(
            workspace,
            area=self._or(Size(80, 24), lambda: read_size(self._given.get("area"))),
            seen=MappingProxyType({pane: seen for pane, seen in self._seen.items() if pane in workspace.panes}),
            saved_at=self._or(0.0, lambda: _moment(head.get("saved_at"))),
            ended=self._or(False, lambda: json_checks.flag(head.get("ended"), "whether it was left")),
            last_pane=self._last("last_pane", self._panes),
            last_window=self._last("last_window", [window.id for window in workspace.windows]),
        )

    def _workspace(self, name: str) -> Workspace:
        windows = self._windows()
        ids = [window.id for window in windows]
        active, recent = _focus(_ids(self._given.get("active"), self._given.get("recent")), ids)
        placed = {pane for window in windows for pane in panes(window.layout)}
        for lost in [pane for pane in self._panes if pane not in placed]:
            self._fault(f"pane {lost}: no window has a place for it; it is left out")
        kept = MappingProxyType({id: pane for id, pane in self._panes.items() if id in placed})
        return Workspace(
            clean(name),
            tuple(windows),
            WindowId(active) if windows else NO_WINDOW,
            kept,
            tuple(WindowId(window) for window in recent),
        )

    def _pane(self, value: object) -> None:
        """Add a pane if it is readable."""
        try:
            entry = json_checks.entries(value, "its record")
            pane = read_pane(entry)
            if pane.id in self._panes:
                raise Unreadable("another has its id")
        except Unreadable as reason:
            self._lost.add(_id(value))
            self._fault(f"{_name(value, PaneId, 'pane')}: {reason}; it is left out")
            return
        self._panes[pane.id] = pane
        self._see(pane.id, entry)

    def _see(self, pane: PaneId, entry: Mapping[str, object]) -> None:
        """Add the saved state of a pane; without it the pane is restored empty."""
        try:
            withheld = json_checks.words(entry.get("withheld", []), "what was withheld")
            if "seen" in entry or withheld:
                self._seen[pane] = read_seen(json_checks.entries(entry.get("seen", {}), "what was seen"), withheld)
        except Unreadable as reason:
            self._fault(f"pane {pane}: {reason}; its text is left out")

    def _windows(self) -> list[Window]:
        trees, found = TreeReader(self._panes, self._lost, self._fault), list[Window]()
        given = self._list("windows", MOST_WINDOWS)
        for value in given:
            try:
                window = self._window(json_checks.entries(value, "its record"), trees)
                if window.id in [other.id for other in found]:
                    raise Unreadable("another has its id")
                found.append(window)
            except Unreadable as reason:
                self._fault(f"{_name(value, WindowId, 'window')}: {reason}; it is left out")
        if given and not found:
            raise Unreadable(f"none of its windows is whole ({self.faults[0]})")
        return found

    def _window(self, entry: dict[str, object], trees: TreeReader) -> Window:
        window = WindowId(read_id(entry.get("id"), "its id"))
        where = f"window {window}"
        layout = trees.read(entry.get("layout"), where)
        if layout is None:
            raise Unreadable("nothing of its layout is left")
        wanted = _ids(entry.get("active"), entry.get("recent"))
        active, recent = _focus(wanted, list(panes(layout)))
        flags = (
            self._or(False, lambda key=key: json_checks.flag(entry.get(key, False), key)) for key in ("zoomed", "named")
        )
        zoomed, named = flags
        return Window(
            window,
            names.clean(self._or("", lambda: json_checks.text(entry.get("name"), f"{where}: its name"))),
            layout,
            PaneId(active),
            names.clean(self._or(SESSION, lambda: json_checks.text(entry.get("session"), f"{where}: its session")))
            or SESSION,
            zoomed=zoomed and active == wanted[0],
            named=named,
            recent=tuple(PaneId(pane) for pane in recent),
        )

    def _list(self, key: str, most: int) -> Sequence[object]:
        """A required list; excess items are omitted."""
        found = json_checks.items(self._given.get(key), f"the list of {key}", json_checks.LARGEST)
        if len(found) > most:
            self._fault(f"{len(found)} {key} were saved, the first {most} are read")
        return found[:most]

    def _last(self, key: str, used: Iterable[int]) -> int:
        """The highest id ever used."""
        given = self._or(0, lambda: json_checks.whole(self._given.get(key), key, 0, LARGEST_ID))
        return max(given, *used, 0)

    def _or(self, otherwise: _T, read: Callable[[], _T]) -> _T:
        """The result of `read`; the default, and a fault, if it is unreadable."""
        try:
            return read()
        except Unreadable as reason:
            self._fault(f"{reason}; {otherwise!s} is taken instead" if otherwise else f"{reason}; it is left out")
            return otherwise

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


def _moment(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise Unreadable("when it was saved is no time")
    return float(value)


def _name(value: object, kind: type[PaneId] | type[WindowId], word: str) -> str:
    """The name of a record in a fault."""
    return f"{word} {kind(_id(value))}" if 0 < _id(value) <= LARGEST_ID else f"a {word} without an id"


def _id(value: object) -> int:
    """A record's id; 0 if it has none."""
    id = cast(dict[object, object], value).get("id") if isinstance(value, dict) else None
    return id if type(id) is int else 0
