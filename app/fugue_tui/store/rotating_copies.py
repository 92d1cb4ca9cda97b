"""The copies of one saved item: `NAME.json`, the previous good ones (`.1`, `.2`), damaged ones set aside (`.bad.N`).

Every change requires the folder's lock.
"""

import re
from typing import Final

from fugue_tui.errors import SaveError
from fugue_tui.store.manifest_file import LARGEST, Manifest, unpack
from fugue_tui.store.private_dir import Damaged, PrivateDir

LOCK: Final = ".lock"
COPIES: Final = ("", ".1", ".2")
"""Suffixes, newest first."""
MOST_BAD: Final = 5
"""Most damaged files kept for one item; the oldest is deleted first."""

_FILE: Final = re.compile(r"(.+)\.json(?:\.[12])?")


class RotatingCopies:
    """The files of one saved item in a folder."""

    def __init__(self, folder: PrivateDir, name: str) -> None:
        self._folder, self._base = folder, f"{name}.json"
        self.path = f"{folder.path}/{self._base}"

    @property
    def size(self) -> int:
        """Bytes of the newest copy."""
        return self._folder.size(self._base)

    def read(self, copy: str = "") -> Manifest | None:
        """A copy; None if it does not exist. Raises Damaged or NewerVersion."""
        name = self._base + copy
        data = self._folder.read(name, LARGEST)
        return None if data is None else unpack(data, f"{self._folder.path}/{name}")

    def best(self) -> tuple[Manifest | None, list[tuple[str, Damaged]]]:
        """The newest good copy, and the damaged ones newer than it. Raises NewerVersion."""
        damaged: list[tuple[str, Damaged]] = []
        for copy in COPIES:
            try:
                if found := self.read(copy):
                    found.manifest()
                    return found, damaged
            except Damaged as fault:
                damaged.append((copy, fault))
        return None, damaged

    def set_damaged_aside(self) -> tuple[Manifest | None, list[str]]:
        """Set the damaged copies aside; the newest good copy, and a message for each damaged one."""
        found, damaged = self.best()
        return found, [self._set_aside(copy, fault) for copy, fault in damaged]

    def put(self, data: bytes) -> None:
        """Write a new copy and rotate the former ones; at any time one good copy exists."""
        temporary = f".{self._base}.new"
        self._folder.fill(temporary, data)
        try:
            self._rotate()
        except SaveError:
            self._folder.discard(temporary)
            raise
        self._folder.settle(temporary, self._base)
        self._folder.sync()

    def rename(self, to: str) -> None:
        """Rename its copies to those of another item, the newest first."""
        there = set(self._folder.names())
        for copy in COPIES:
            if self._base + copy in there:
                self._folder.rename(self._base + copy, f"{to}.json{copy}")
        self._folder.sync()

    def delete(self) -> bool:
        """Delete all its files, the newest last; False if there was none."""
        files = [*self._bad().values(), *(self._base + copy for copy in reversed(COPIES))]
        there = set(self._folder.names())
        gone = [name for name in (f".{self._base}.new", *files) if name in there]
        for name in gone:
            self._folder.remove(name)
        self._folder.sync()
        return bool(gone)

    def _rotate(self) -> None:
        newest, first, second = (self._base + copy for copy in COPIES)
        there = set(self._folder.names())
        if newest not in there or self._folder.same(newest, first):
            return
        if first in there:
            self._folder.rename(first, second)
        self._folder.copy(newest, first)

    def _set_aside(self, copy: str, fault: Damaged) -> str:
        bad = self._bad()
        for number in sorted(bad)[: max(0, len(bad) - MOST_BAD + 1)]:
            self._folder.remove(bad[number])
        name = f"{self._base}.bad.{max(bad, default=0) + 1}"
        self._folder.rename(self._base + copy, name)
        return f"{fault}; it is kept as {name}"

    def _bad(self) -> dict[int, str]:
        wanted = re.compile(re.escape(self._base) + r"\.bad\.([0-9]{1,9})")
        return {int(found[1]): name for name in self._folder.names() if (found := wanted.fullmatch(name))}


def names(folder: PrivateDir) -> list[str]:
    """The names of the items in a folder, sorted."""
    return sorted({found[1] for name in folder.names() if (found := _FILE.fullmatch(name)) and name[0] != "."})
