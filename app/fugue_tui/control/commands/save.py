"""Commands that save the workspace and snapshots of panes, and list or delete saves.

All of them run on the saver's thread and answer once the data is on disk. Automatic saves follow `[session] save`;
restoring is in `restore`.
"""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from fugue_tui import sockets
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.errors import InvalidArgument, NotFound, Refused, SocketError
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.autosave.snapshot import WorkspaceSnapshot, only, take
from fugue_tui.sanitize import clean

if TYPE_CHECKING:
    from fugue_tui.multiplexer.autosave.saver import Saver
    from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
    from fugue_tui.store.store import Area, Store, StoreEntry

T = TypeVar("T")


class SavedKind(StrEnum):
    """The kind of a save."""

    AUTO = "auto"
    """A workspace, saved automatically."""
    SESSION = "session"
    """A workspace, saved by command."""
    SNAPSHOT = "snapshot"
    """The text and state of one pane or all."""


AREAS: Final[dict[SavedKind, "Area"]] = {
    SavedKind.AUTO: "auto",
    SavedKind.SESSION: "named",
    SavedKind.SNAPSHOT: "snapshots",
}
"""The storage area of each kind."""


class SavedInfo(Struct, frozen=True):
    """One save."""

    kind: SavedKind
    """auto, session or snapshot."""
    name: str
    """The name to restore it by."""
    workspace: str
    """The workspace it was saved from."""
    saved_at: str
    """The local time; empty if unknown."""
    windows: int
    """Its windows."""
    panes: int
    """Its panes."""
    bytes: int
    """Its size on disk, including text shared with other saves."""
    faults: tuple[str, ...]
    """What is missing or damaged."""


class SavedList(Struct, frozen=True):
    """All saves."""

    saved: tuple[SavedInfo, ...]
    """By kind, the latest first."""


class Deleted(Struct, frozen=True):
    """What was deleted."""

    kind: SavedKind
    """auto, session or snapshot."""
    name: str
    """Its name."""


class SaveSession(
    Command[SavedInfo],
    name="save-session",
    effect=Effect.ADMIN,
    given=("overwrite",),
    otherwise=Effect.LAYOUT,
    toolset=Toolset.SAVING,
    creates=True,
):
    """Save the whole workspace under a name: windows, layouts, panes and their text. restore-session restores it.

    The workspace also saves itself automatically; a named save is not replaced by later changes.
    """

    name: str = ""
    """The name: letters, digits and . _ -; omitted, the date and time."""
    overwrite: bool = False
    """Whether to replace an earlier save of that name."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SavedInfo]:
        """The save, once on disk. Raises InvalidArgument; fails with Refused or SaveError."""
        return _save(mux, SavedKind.SESSION, self.name, take(mux), overwrite=self.overwrite)


class CreateSnapshot(
    Command[SavedInfo],
    name="create-snapshot",
    effect=Effect.ADMIN,
    given=("overwrite",),
    otherwise=Effect.LAYOUT,
    toolset=Toolset.SAVING,
    creates=True,
):
    """Save the text and state of one pane, or of all, under a name, for restore-snapshot."""

    pane: str = ""
    """The pane: an id, a name, or active for your own; omitted, all."""
    name: str = ""
    """The name: letters, digits and . _ -; omitted, the date and time."""
    overwrite: bool = False
    """Whether to replace an earlier snapshot of that name."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SavedInfo]:
        """The save, once on disk. Raises NotFound or InvalidArgument; fails with Refused or SaveError."""
        snapshot = only(take(mux), target.pane(mux, self.pane, origin)) if self.pane else take(mux)
        return _save(mux, SavedKind.SNAPSHOT, self.name, snapshot, overwrite=self.overwrite)


class ListSaved(Command[SavedList], name="list-saved", effect=Effect.READ, toolset=Toolset.SAVING):
    """List the saves: automatic ones (auto), saved sessions and snapshots."""

    kind: SavedKind | None = None
    """Only auto, session or snapshot; omitted, all."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SavedList]:
        """The saves. Fails with SaveError."""
        kinds = tuple(AREAS) if self.kind is None else (self.kind,)

        def work(recorder: "SnapshotWriter", wanted: Callable[[], bool]) -> SavedList:
            return saved(recorder.store, kinds)

        return ask(mux, work)


def saved(store: "Store", kinds: tuple[SavedKind, ...] = tuple(AREAS)) -> SavedList:
    """The saves in a store. Any thread; reads files. Raises SaveError."""
    return SavedList(tuple(_info(kind, each) for kind in kinds for each in store.names(AREAS[kind])))


class DeleteSaved(
    Command[Deleted], name="delete-saved", effect=Effect.DESTROY, toolset=Toolset.SAVING, repeatable=True
):
    """Delete a save and every copy of it."""

    name: str
    """Its name."""
    kind: SavedKind = SavedKind.SESSION
    """auto, session or snapshot."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Deleted]:
        """The deleted save. Raises InvalidArgument; fails with NotFound or SaveError."""
        name = checked(self.name)

        def work(recorder: "SnapshotWriter", wanted: Callable[[], bool]) -> Deleted:
            if not _exists(recorder, self.kind, name):
                raise NotFound(f"no {self.kind} is saved as {name}; list-saved shows what is")
            recorder.store.delete(AREAS[self.kind], name)
            return Deleted(self.kind, name)

        return ask(mux, work)


def saver(mux: Multiplexer) -> "Saver":
    """The saver of this workspace. Raises Refused if it has none."""
    if mux.saver is None:
        raise Refused("nothing can be saved here: this workspace runs without a store")
    return mux.saver


def checked(name: str) -> str:
    """A valid name for a save. Raises InvalidArgument."""
    try:
        return sockets.check_name(name)
    except SocketError as error:
        raise InvalidArgument(f"name: {str(error).replace('a workspace', 'what is saved')}") from None


def ask(mux: Multiplexer, work: "Callable[[SnapshotWriter, Callable[[], bool]], T]") -> Deferred[T]:
    """The result of a job on the saver's thread; cancelling it cancels the job. Raises Refused without a saver."""
    job = saver(mux).ask(work)

    async def result() -> T:
        return await asyncio.wrap_future(job)

    return run_task(result())


def _save(
    mux: Multiplexer, kind: SavedKind, name: str, snapshot: WorkspaceSnapshot, *, overwrite: bool
) -> Deferred[SavedInfo]:
    given = checked(name) if name else ""

    def work(recorder: "SnapshotWriter", wanted: Callable[[], bool]) -> SavedInfo:
        label = given or _free(entry.name for entry in recorder.store.names(AREAS[kind]))
        if given and not overwrite and _exists(recorder, kind, given):
            raise Refused(f"there is a saved {kind} {given} already; overwrite=true replaces it")
        faults = recorder.record(snapshot, AREAS[kind], label, wanted=wanted)
        return _info(kind, _entry(recorder, kind, label), faults)

    return ask(mux, work)


def _exists(recorder: "SnapshotWriter", kind: SavedKind, name: str) -> bool:
    return any(entry.name == name for entry in recorder.store.names(AREAS[kind]))


def _entry(recorder: "SnapshotWriter", kind: SavedKind, name: str) -> "StoreEntry":
    return next(entry for entry in recorder.store.names(AREAS[kind]) if entry.name == name)


def _info(kind: SavedKind, entry: "StoreEntry", faults: tuple[str, ...] = ()) -> SavedInfo:
    """A save as list-saved reports it; its head is read from the file and untrusted."""
    workspace, saved_at = entry.head.get("workspace"), entry.head.get("saved_at")
    return SavedInfo(
        kind=kind,
        name=clean(entry.name),
        workspace=clean(workspace) if isinstance(workspace, str) else "",
        saved_at=_local(saved_at) if isinstance(saved_at, int | float) else "",
        windows=_count(entry.head.get("windows")),
        panes=_count(entry.head.get("panes")),
        bytes=entry.size,
        faults=(*((clean(entry.fault),) if entry.fault else ()), *faults),
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _local(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds).isoformat(" ", "seconds")
    except (OverflowError, ValueError, OSError):
        return ""


def stamp() -> str:
    """The date and time as a name."""
    return datetime.now().strftime("%Y-%m-%d-%H%M%S")


def _free(taken: Iterable[str]) -> str:
    """The date and time, with a numeric suffix if that name is taken."""
    names, label, number = set(taken), stamp(), 2
    found = label
    while found in names:
        found, number = f"{label}-{number}", number + 1
    return found
