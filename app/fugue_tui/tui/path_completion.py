"""Completion of paths on a command line, quoted as a shell wants it."""

import os
import re
from collections.abc import Sequence
from itertools import islice
from threading import Thread
from typing import Final

MOST: Final = 5_000
"""Entries of a directory that are looked at."""
SECONDS: Final = 0.2
"""How long a directory is waited for: a file system that does not answer must not delay the workspace."""
_SPECIAL: Final = re.compile(r"[^\w@%+=:,./~-]")


def paths(typed: str, directory: str, *, directories: bool = False) -> Sequence[str]:
    """The paths that begin with what was typed, relative to a directory, or only the directories among them.

    They are quoted with backslashes; directories end with a slash. Hidden ones are there if their dot was typed. Names
    with control characters are left out, and so are all of a directory that cannot be read at once.
    """
    if typed == "~":
        return ("~/",)
    found: list[str] = []
    reader = Thread(target=lambda: found.extend(_read(typed, directory, directories=directories)), daemon=True)
    reader.start()
    reader.join(SECONDS)
    return () if reader.is_alive() else found


def _read(typed: str, directory: str, *, directories: bool) -> list[str]:
    parent, slash, start = typed.rpartition("/")
    try:
        with os.scandir(os.path.join(directory, os.path.expanduser(parent + slash))) as entries:
            near = [entry for entry in islice(entries, MOST) if _matches(entry.name, start)]
            names = [(entry.name, entry.is_dir()) for entry in near]
    except (OSError, ValueError):
        return []
    return sorted(
        quoted(f"{parent}{slash}{name}") + "/" * is_directory
        for name, is_directory in names
        if is_directory or not directories
    )


def _matches(name: str, start: str) -> bool:
    return name.startswith(start) and name.isprintable() and (start.startswith(".") or not name.startswith("."))


def quoted(path: str) -> str:
    """A path as one word of a command line, with a backslash before each special character."""
    return _SPECIAL.sub(r"\\\g<0>", path)
