"""The commands that save: the whole workspace under a name, snapshots of panes, and what was saved so far.

All of them work on the saver's thread and answer when the disk has. The workspace saves itself besides, as
`[session] save` says; bringing things back is `restoring`'s.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from fugue_tui import sockets
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.errors import Cancelled, InvalidArgument, NotFound, Refused, SocketError
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.autosave.snapshot import WorkspaceSnapshot, only, take
from fugue_tui.sanitize import clean

if TYPE_CHECKING:
    from fugue_tui.multiplexer.autosave.saver import Saver
    from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
    from fugue_tui.store.store import Area, StoreEntry

T = TypeVar("T")


class SavedKind(StrEnum):
    """What kind of thing was saved."""

    AUTO = "auto"
    """A workspace by itself, while it ran."""
    SESSION = "session"
    """A workspace, because somebody asked."""
    SNAPSHOT = "snapshot"
    """The text and state of one pane or of all."""


AREAS: Final[dict[SavedKind, "Area"]] = {
    SavedKind.AUTO: "auto",
    SavedKind.SESSION: "named",
    SavedKind.SNAPSHOT: "snapshots",
}
"""Where each kind is kept."""


@dataclass(frozen=True, slots=True)
class SavedInfo:
    """Something that was saved."""

    kind: SavedKind
    """auto, session or snapshot."""
    name: str
    """What brings it back."""
    workspace: str
    """The workspace that it was saved of."""
    saved_at: str
    """When, in local time; empty if unknown."""
    windows: int
    """Its windows."""
    panes: int
    """Its panes."""
    bytes: int
    """What it takes on the disk, with the panes' texts, which others may share."""
    faults: tuple[str, ...]
    """What is missing or damaged, in words."""


@dataclass(frozen=True, slots=True)
class SavedList:
    """Everything that was saved."""

    saved: tuple[SavedInfo, ...]
    """The latest first, kind by kind."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """What was deleted."""

    kind: SavedKind
    """auto, session or snapshot."""
    name: str
    """What it was called."""


class SaveSession(Command[SavedInfo], name="save-session", effect=Effect.LAYOUT, toolset=Toolset.SAVING, creates=True):
    """Save the whole workspace under a name: windows, layouts, panes and their text. restore-session brings it back.

    The workspace saves itself while it runs; this keeps a state that later changes do not replace.
    """

    name: str = ""
    """The name: letters, digits and . _ -; omitted, the date and time."""
    overwrite: bool = False
    """Whether to replace what was saved under that name before."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SavedInfo]:
        """What was saved, once it is on the disk. Raises InvalidArgument; comes to Refused or SaveError."""
        return _save(mux, SavedKind.SESSION, self.name, take(mux), overwrite=self.overwrite)


class CreateSnapshot(
    Command[SavedInfo], name="create-snapshot", effect=Effect.LAYOUT, toolset=Toolset.SAVING, creates=True
):
    """Save the text and state of one pane, or of all, under a name: to bring back with restore-snapshot, or compare."""

    pane: str = ""
    """The pane: an id, a name, or active for your own; omitted, all."""
    name: str = ""
    """The name: letters, digits and . _ -; omitted, the date and time."""
    overwrite: bool = False
    """Whether to replace the snapshot that had that name before."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SavedInfo]:
        """What was saved, once it is on the disk. Raises NotFound or InvalidArgument; comes to Refused or SaveError."""
        picture = only(take(mux), target.pane(mux, self.pane, origin)) if self.pane else take(mux)
        return _save(mux, SavedKind.SNAPSHOT, self.name, picture, overwrite=self.overwrite)


class ListSaved(Command[SavedList], name="list-saved", effect=Effect.READ, toolset=Toolset.SAVING):
    """List what was saved: workspaces by themselves (auto), saved sessions and snapshots."""

    kind: SavedKind | None = None
    """Only auto, session or snapshot; omitted, all."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SavedList]:
        """What there is. Comes to SaveError."""
        kinds = tuple(AREAS) if self.kind is None else (self.kind,)

        def work(recorder: "SnapshotWriter", wanted: Callable[[], bool]) -> SavedList:
            return SavedList(tuple(_info(kind, each) for kind in kinds for each in recorder.store.names(AREAS[kind])))

        return later(saver(mux).ask(work))


class DeleteSaved(
    Command[Deleted], name="delete-saved", effect=Effect.DESTROY, toolset=Toolset.SAVING, repeatable=True
):
    """Delete something that was saved, with every copy of it."""

    name: str
    """Its name."""
    kind: SavedKind = SavedKind.SESSION
    """auto, session or snapshot."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Deleted]:
        """What was deleted. Raises InvalidArgument; comes to NotFound or SaveError."""
        name = checked(self.name)

        def work(recorder: "SnapshotWriter", wanted: Callable[[], bool]) -> Deleted:
            if not _taken(recorder, self.kind, name):
                raise NotFound(f"no {self.kind} is saved as {name}; list-saved shows what is")
            recorder.store.delete(AREAS[self.kind], name)
            return Deleted(self.kind, name)

        return later(saver(mux).ask(work))


def saver(mux: Multiplexer) -> "Saver":
    """What saves this workspace. Raises Refused where nothing does."""
    if mux.saver is None:
        raise Refused("nothing can be saved here: this workspace runs without a place to save to")
    return mux.saver


def checked(name: str) -> str:
    """A name that something can be saved under. Raises InvalidArgument."""
    try:
        return sockets.check_name(name)
    except SocketError as error:
        raise InvalidArgument(f"name: {str(error).replace('a workspace', 'what is saved')}") from None


def later(future: Future[T]) -> Deferred[T]:
    """What a future comes to, as a command's answer; giving that up cancels the future."""
    promise = Deferred[T](future.cancel)

    def over(done: Future[T]) -> None:
        if done.cancelled():
            promise.fail(Cancelled("nobody waits for the answer any more"))
        elif (error := done.exception()) is not None:
            promise.fail(error if isinstance(error, Exception) else RuntimeError(type(error).__name__))
        else:
            promise.settle(done.result())

    future.add_done_callback(over)
    return promise


def _save(
    mux: Multiplexer, kind: SavedKind, name: str, picture: WorkspaceSnapshot, *, overwrite: bool
) -> Deferred[SavedInfo]:
    given = checked(name) if name else ""

    def work(recorder: "SnapshotWriter", wanted: Callable[[], bool]) -> SavedInfo:
        label = given or _free(entry.name for entry in recorder.store.names(AREAS[kind]))
        if given and not overwrite and _taken(recorder, kind, given):
            raise Refused(f"there is a saved {kind} {given} already; overwrite=true replaces it")
        faults = recorder.record(picture, AREAS[kind], label, wanted=wanted)
        return _info(kind, _entry(recorder, kind, label), faults)

    return later(saver(mux).ask(work))


def _taken(recorder: "SnapshotWriter", kind: SavedKind, name: str) -> bool:
    return any(entry.name == name for entry in recorder.store.names(AREAS[kind]))


def _entry(recorder: "SnapshotWriter", kind: SavedKind, name: str) -> "StoreEntry":
    return next(entry for entry in recorder.store.names(AREAS[kind]) if entry.name == name)


def _info(kind: SavedKind, entry: "StoreEntry", faults: tuple[str, ...] = ()) -> SavedInfo:
    """What a listing says of something that was saved; its head is whatever the file said."""
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
    """The date and time, with a number behind it if that name is taken."""
    names, label, number = set(taken), stamp(), 2
    found = label
    while found in names:
        found, number = f"{label}-{number}", number + 1
    return found
