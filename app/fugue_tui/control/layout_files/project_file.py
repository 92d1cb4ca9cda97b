"""A project's layout file, `.fugue.toml`: how it is found, and its workspace's name."""

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
"""The file's name."""


def find(start: Path) -> Path | None:
    """The project file in a directory or its parents; None if there is none.

    The search ends before the user's home, at a mount point, and at directories that other users can write to.
    """
    try:
        start = Path(os.path.realpath(start))
        device = start.stat().st_dev
        for folder in (start, *start.parents):
            if folder != start and _ends_search(folder, device):
                return None
            if os.path.lexists(folder / FILE):
                return folder / FILE
    except (OSError, ValueError):
        return None
    return None


def workspace_name(document: Document, file: Path) -> str:
    """The workspace's name: from the document, else from the file's directory. Raises InvalidArgument."""
    if document.name:
        try:
            return sockets.check_name(document.name)
        except SocketError as error:
            raise InvalidArgument(f"{clean(str(file))}: name: {error}") from None
    return slug(Path(os.path.realpath(file)).parent.name)


def slug(name: str) -> str:
    """A directory's name as a workspace name; the default name if no valid character is left."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[: sockets.LONGEST_NAME].strip("._-")
    return plain or sockets.DEFAULT


def _ends_search(folder: Path, device: int) -> bool:
    found = folder.stat()
    shared = bool(found.st_mode & stat.S_IWOTH) or found.st_uid not in (os.geteuid(), 0)
    return shared or found.st_dev != device or folder == Path(os.path.realpath(Path.home()))
