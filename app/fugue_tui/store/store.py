"""The store: saved workspaces and snapshots by name, and the texts of their panes by content.

    store = Store(state_dir())
    with store.saving() as saving:              # one save; several may go on at once, in any programs
        digest = saving.keep(text)              # thread-safe; a text that is there already costs a reading
        saving.put("auto", "main", manifest)    # all or nothing; the two before it are kept
    found = store.get("auto", "main")           # .manifest, and .faults in words
    store.text(digest, limit)                   # bytes
    store.names("auto")                         # list[Entry], the latest first
    store.delete("named", "before-lunch")
    store.tidy()                                # after a save, now and then

A manifest is JSON with a `version` (int), a `head` (what a listing shows, any small JSON object) and `texts` (every
digest that it refers to: these are never tidied away). Whatever goes wrong is a SaveError. Nothing here is for the main
thread: it waits for disks and locks.
"""

import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from fugue_tui import sockets
from fugue_tui.errors import SaveError, SocketError
from fugue_tui.store import blobs, manifest_file, rotating_copies
from fugue_tui.store.manifest_file import DIGEST, Manifest, NewerVersion
from fugue_tui.store.paths import state_dir as state_dir
from fugue_tui.store.private_dir import Busy, Damaged, PrivateDir, made, opened
from fugue_tui.store.rotating_copies import COPIES, RotatingCopies

Area: TypeAlias = Literal["auto", "named", "snapshots"]
AREAS: Final[tuple[Area, ...]] = ("auto", "named", "snapshots")

_TEXTS: Final = "texts"
_numbers = count(1)


class StoredWorkspace(Struct, frozen=True):
    """A saved workspace."""

    manifest: dict[str, Any]
    generation: int
    """Increases with every save in an area."""
    faults: tuple[str, ...] = ()
    """Messages for damaged copies that were skipped."""


class StoreEntry(Struct, frozen=True):
    """One entry of a listing."""

    name: str
    head: Mapping[str, Any]
    """The manifest's head: untrusted."""
    generation: int
    """The higher, the later; -1 if no copy is readable."""
    size: int
    """Bytes on disk, texts included; shared texts count for each entry."""
    fault: str = ""
    """Why it cannot be read; empty if it can."""


class Store:
    """All saves under one directory, which is created by the first save."""

    def __init__(self, root: str | Path) -> None:
        self.root: Final = os.path.abspath(root)

    @contextmanager
    def saving(self) -> Generator["PendingSave", None, None]:
        """Start a save; until it ends no text is deleted by `tidy`."""
        with ExitStack() as held:
            root = held.enter_context(made(self.root))
            held.enter_context(root.lock(rotating_copies.LOCK, shared=True))
            yield PendingSave(root, held.enter_context(root.made(_TEXTS)))

    def get(self, area: Area, name: str) -> StoredWorkspace:
        """The newest good copy; a damaged one is set aside and reported in `faults`. Raises SaveError."""
        with opened(self.root, area) as folder:
            if folder is None:
                raise _nothing(area, name)
            place = RotatingCopies(folder, _checked(name))
            with suppress(Damaged):
                if found := place.read():
                    return StoredWorkspace(found.manifest(), found.generation)
            return _older(folder, place, area, name)

    def text(self, digest: str, limit: int = blobs.LARGEST) -> bytes:
        """A text. Raises SaveError if it is missing, damaged, or larger than the limit."""
        if not DIGEST.fullmatch(digest):
            raise SaveError(f"{digest[:48]!a} names no text")
        with opened(self.root, _TEXTS) as folder:
            file = folder.read(digest, blobs.LARGEST_FILE) if folder else None
        if file is None:
            raise SaveError(f"{self.root}/{_TEXTS}/{digest}: the text is gone; the pane comes back without it")
        return blobs.unpack(digest, file, f"{self.root}/{_TEXTS}/{digest}", limit)

    def names(self, area: Area) -> list[StoreEntry]:
        """The entries of an area, the latest first. Changes nothing and waits for no lock."""
        with opened(self.root, area) as folder, opened(self.root, _TEXTS) as held:
            found = (
                [_entry(RotatingCopies(folder, name), name, held) for name in rotating_copies.names(folder)]
                if folder
                else []
            )
        return sorted(found, key=lambda entry: (-entry.generation, entry.name))

    def rename(self, area: Area, name: str, to: str) -> None:
        """Rename an entry with its copies, in place of one of that name; nothing if there is none. Raises SaveError."""
        with opened(self.root, area) as folder:
            if folder is not None:
                with folder.lock(rotating_copies.LOCK):
                    RotatingCopies(folder, _checked(name)).rename(_checked(to))

    def delete(self, area: Area, name: str) -> None:
        """Delete an entry with all its copies. Raises SaveError if there is none."""
        with opened(self.root, area) as folder:
            if folder is None:
                raise _nothing(area, name)
            with folder.lock(rotating_copies.LOCK):
                if not RotatingCopies(folder, _checked(name)).delete():
                    raise _nothing(area, name)
        with suppress(SaveError):
            self.tidy()

    def tidy(self) -> int:
        """Delete unreferenced texts and leftovers of interrupted saves; the number of deleted files.

        Does nothing while a save is running, nor while a newer fugue-tui's save exists, whose references are unknown.
        """
        with opened(self.root) as root:
            if root is None:
                return 0
            with suppress(Busy, NewerVersion), root.lock(rotating_copies.LOCK, seconds=0), root.child(_TEXTS) as folder:
                return _sweep(folder, _used(root)) if folder else 0
        return 0


class PendingSave:
    """A save in progress; any thread."""

    def __init__(self, root: PrivateDir, held: PrivateDir) -> None:
        self._root, self._texts = root, held

    def keep(self, data: bytes) -> str:
        """Store a text; its digest. An intact existing one is not written again."""
        if len(data) > blobs.LARGEST:
            raise SaveError(f"a text has {len(data)} bytes, {blobs.LARGEST} fit; lower terminal.scrollback")
        digest = blobs.digest_of(data)
        if not self._whole(digest):
            temporary = f".{digest}.{os.getpid()}.{next(_numbers)}.new"
            self._texts.fill(temporary, *blobs.pack(digest, data))
            self._texts.settle(temporary, digest)
        return digest

    def has(self, digest: str) -> bool:
        """Whether a text exists, so that it need not be stored again; it stays until this save ends."""
        return bool(DIGEST.fullmatch(digest)) and self._texts.size(digest) > 0

    def put(self, area: Area, name: str, manifest: Mapping[str, Any]) -> None:
        """Save a manifest under a name, atomically; raises SaveError if nothing was saved. The two copies before it
        are kept."""
        missing = [digest for digest in manifest.get("texts", ()) if not self.has(digest)]
        if missing:
            raise SaveError(f"{self._texts.path}: {len(missing)} texts are gone ({missing[0]}); save again")
        self._texts.sync()
        with self._root.made(area) as folder, folder.lock(rotating_copies.LOCK):
            place = RotatingCopies(folder, _checked(name))
            there, _ = place.set_damaged_aside()
            data = manifest_file.pack(manifest, _last(folder) + 1)
            _must_not_be_newer(there, manifest)
            place.put(data)

    def _whole(self, digest: str) -> bool:
        try:
            file = self._texts.read(digest, blobs.LARGEST_FILE)
            if file is not None:
                blobs.unpack(digest, file, digest)
        except Damaged:
            return False
        return file is not None


def _older(folder: PrivateDir, place: RotatingCopies, area: Area, name: str) -> StoredWorkspace:
    """The newest good copy if the newest one is damaged; nothing is set aside if the lock or the disk does not allow
    it."""
    with ExitStack() as held:
        try:
            held.enter_context(folder.lock(rotating_copies.LOCK))
            found, faults = place.set_damaged_aside()
        except (Busy, NewerVersion):
            raise
        except SaveError:
            found, damaged = place.best()
            faults = [str(fault) for _, fault in damaged]
    if found is not None:
        return StoredWorkspace(found.manifest(), found.generation, tuple(faults))
    if faults:
        raise SaveError(f"no copy of {name!r} can be read: {'; '.join(faults)}")
    raise _nothing(area, name)


def _entry(place: RotatingCopies, name: str, held: PrivateDir | None) -> StoreEntry:
    try:
        found, damaged = place.best()
    except SaveError as error:
        return StoreEntry(name, {}, -1, 0, str(error))
    if found is None:
        return StoreEntry(name, {}, -1, 0, str(damaged[0][1]) if damaged else f"{place.path}: is gone")
    size = place.size + sum(held.size(digest) for digest in set(found.texts)) if held else place.size
    return StoreEntry(name, found.head, found.generation, size)


def _used(root: PrivateDir) -> set[str]:
    """The digests of all good copies. Raises SaveError or NewerVersion if they cannot be read."""
    used: set[str] = set()
    for area in AREAS:
        with root.child(area) as folder:
            for found in _records(folder) if folder else ():
                used.update(found.texts)
    return used


def _records(folder: PrivateDir) -> Iterator[Manifest]:
    """All good copies in a folder."""
    for name in rotating_copies.names(folder):
        for copy in COPIES:
            with suppress(Damaged):
                if found := RotatingCopies(folder, name).read(copy):
                    yield found


def _last(folder: PrivateDir) -> int:
    """The highest generation in a folder; unreadable copies are skipped."""
    with suppress(NewerVersion):
        return max((found.generation for found in _records(folder)), default=0)
    return 0


def _sweep(folder: PrivateDir, used: set[str]) -> int:
    gone = [name for name in folder.names() if name not in used]
    for name in gone:
        folder.remove(name)
    return len(gone)


def _must_not_be_newer(there: Manifest | None, manifest: Mapping[str, Any]) -> None:
    if there is not None and there.version > manifest["version"]:
        reason = f"a newer fugue-tui saved it (version {there.version}); upgrade, or delete it"
        raise NewerVersion(f"{there.path}: {reason}")


def _checked(name: str) -> str:
    try:
        return sockets.check_name(name)
    except SocketError as error:
        raise SaveError(str(error).replace("a workspace", "what is saved")) from None


def _nothing(area: Area, name: str) -> SaveError:
    return SaveError(f"nothing is saved as {name[: sockets.LONGEST_NAME]!a} ({area}); list-saved shows what is")
