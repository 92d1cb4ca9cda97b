"""The git branch of a directory, read from its files: git itself takes milliseconds and runs what a repository says."""

import os
from pathlib import Path
from typing import Final

_DEEPEST: Final = 40
_LIMIT: Final = 1_024


def branch_of(directory: str) -> str:
    """The branch that is checked out there, or the first digits of the commit; empty if there is no repository.
    Reads files, never raises."""
    at = Path(directory)
    for each in (at, *at.parents)[:_DEEPEST]:
        found = each / ".git"
        if os.path.lexists(found):
            return _head(found)
    return ""


def _head(found: Path) -> str:
    try:
        if found.is_file():  # A worktree or a submodule names its directory.
            named = _text(found).removeprefix("gitdir:").strip()
            found = found.parent / named
        head = _text(found / "HEAD").strip()
    except (OSError, ValueError):
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else head[:8]


def _text(path: Path) -> str:
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    with os.fdopen(handle, "rb") as file:
        return file.read(_LIMIT).decode()
