"""A project's own layout file, `.fugue.toml`: where it is looked for, and what its workspace is called."""

import os
import re
import stat
from pathlib import Path
from typing import Final

from fugue_tui import sockets
from fugue_tui.errors import InvalidArgument, SocketError
from fugue_tui.layout.document import Document
from fugue_tui.sanitize import clean

FILE: Final = ".fugue.toml"
"""What the file is called."""


def find(start: Path) -> Path | None:
    """The file of the project around a directory: there or in a parent; None if there is none.

    The search ends before the person's home, at the border of the file system, and where others could have put a file.
    """
    try:
        start = Path(os.path.realpath(start))
        device = start.stat().st_dev
        for place in (start, *start.parents):
            if place != start and _ends_search(place, device):
                return None
            if os.path.lexists(place / FILE):
                return place / FILE
    except (OSError, ValueError):
        return None
    return None


def workspace_name(document: Document, file: Path) -> str:
    """What the workspace of a file is called: as it says, else like its directory. Raises InvalidArgument."""
    if document.name:
        try:
            return sockets.check_name(document.name)
        except SocketError as error:
            raise InvalidArgument(f"{clean(str(file))}: name: {error}") from None
    return slug(Path(os.path.realpath(file)).parent.name)


def slug(name: str) -> str:
    """A directory's name as a workspace's; the default one if nothing is left of it."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[: sockets.LONGEST_NAME].strip("._-")
    return plain or sockets.DEFAULT


def _ends_search(place: Path, device: int) -> bool:
    found = place.stat()
    shared = bool(found.st_mode & stat.S_IWOTH) or found.st_uid not in (os.geteuid(), 0)
    return shared or found.st_dev != device or place == Path(os.path.realpath(Path.home()))
