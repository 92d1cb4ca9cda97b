"""The file of the grants that hold in every workspace. Blocks on the disk: not on the main thread."""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct, ValidationError, convert, json

from fugue_tui.multiplexer.access.grants import Grant, Grantee, Scope
from fugue_tui.sanitize import clean
from fugue_tui.store.paths import state_dir
from fugue_tui.store.private_dir import PrivateDir, made, opened

NAME: Final = "grants.json"
LOCK: Final = "grants.lock"
_LONGEST: Final = 1 << 20


class SavedGrant(Struct, frozen=True):
    """One entry of the file."""

    executable: str
    effects: frozenset[str]
    words: str
    """The caller in words, when it was granted."""
    since: float


def load() -> tuple[Grant, ...]:
    """The saved grants, without entries that cannot be read. Raises SaveError if the file is unsafe to read."""
    with opened(str(state_dir())) as folder:
        saved = tuple(_read(folder)) if folder is not None else ()
    return tuple(
        Grant(0, Scope.ALWAYS, each.effects, Grantee("", each.executable, clean(each.words)), frozenset(), each.since)
        for each in saved
    )


def change(grant: Grant, granted: bool) -> None:
    """Add a grant to the file, or remove what it granted. Raises SaveError."""
    entry = SavedGrant(grant.grantee.executable, grant.effects, grant.grantee.words, grant.since)
    with made(str(state_dir())) as folder, folder.lock(LOCK):
        kept = [each for each in _read(folder) if (each.executable, each.effects) != (entry.executable, entry.effects)]
        folder.replace(NAME, json.encode([*kept, entry] if granted else kept))


def _read(folder: PrivateDir) -> Iterator[SavedGrant]:
    raw = folder.read(NAME, _LONGEST)
    try:
        entries: list[Any] = json.decode(raw, type=list[Any]) if raw else []
    except (ValueError, RecursionError):
        return
    for entry in entries:
        try:
            yield convert(entry, SavedGrant)
        except ValidationError:
            continue
