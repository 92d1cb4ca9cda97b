"""Maps workspace names to projects, so that a second project of the same name gets another one.

Kept in a private directory under the state directory: for each name the layout file that it was first opened from. A
name whose file was deleted is free again.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fugue_tui import sockets
from fugue_tui.store.private_dir import PrivateDir, made, opened
from fugue_tui.store.store import state_dir

FOLDER: Final = "projects"
"""The directory of the names, in the state directory."""
MOST: Final = 99
"""Most projects with one name."""
_LONGEST: Final = 1 << 13


def name_for(wanted: str, file: Path) -> str:
    """The name of a file's workspace: the registered one, else the preferred one, numbered if another project has
    it. Raises SaveError if the registry cannot be read."""
    names = list(_numbered(wanted))
    with opened(str(state_dir()), FOLDER) as folder:
        owners = {name: _owner(folder, name) for name in names} if folder else {}
    own = os.path.realpath(file)
    mine = [name for name in names if owners.get(name) == own]
    return next(iter(mine or [name for name in names if not _is_held(owners.get(name, ""))]), wanted)


def owner_of(name: str) -> str:
    """The layout file that a name belongs to; empty if the name is free. Raises SaveError."""
    with opened(str(state_dir()), FOLDER) as folder:
        return _owner(folder, name) if folder else ""


def claim(name: str, file: Path) -> None:
    """Register a name for a file's workspace. Raises SaveError."""
    with made(str(state_dir()), FOLDER) as folder:
        folder.replace(name, os.fsencode(os.path.realpath(file)))


def _numbered(wanted: str) -> Iterator[str]:
    yield wanted
    for number in range(2, MOST + 1):
        yield f"{wanted[: sockets.LONGEST_NAME - 3]}-{number}"


def _owner(folder: PrivateDir, name: str) -> str:
    found = folder.read(name, _LONGEST)
    return os.fsdecode(found) if found else ""


def _is_held(owner: str) -> bool:
    return bool(owner) and os.path.lexists(owner)
