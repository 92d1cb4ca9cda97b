"""The copies of one saved thing: `NAME.json`, the good ones before it (`.1`, `.2`), damaged ones set aside (`.bad.N`).

Whoever changes anything holds the folder's lock.
"""

import re
from typing import Final

from fugue_tui.errors import SaveError
from fugue_tui.store.manifest_file import LARGEST, Manifest, unpack
from fugue_tui.store.private_dir import Damaged, PrivateDir

LOCK: Final = ".lock"
COPIES: Final = ("", ".1", ".2")
"""The newest first."""
MOST_BAD: Final = 5
"""How many damaged files of one thing are kept; the oldest of them goes first."""

_FILE: Final = re.compile(r"(.+)\.json(?:\.[12])?")


class RotatingCopies:
    """The files of one saved thing in a folder."""

    def __init__(self, folder: PrivateDir, name: str) -> None:
        self._folder, self._base = folder, f"{name}.json"
        self.path = f"{folder.path}/{self._base}"

    @property
    def size(self) -> int:
        """Bytes of the newest copy."""
        return self._folder.size(self._base)

    def read(self, copy: str = "") -> Manifest | None:
        """A copy, None if it is not there. Raises Damaged or Newer."""
        name = self._base + copy
        data = self._folder.read(name, LARGEST)
        return None if data is None else unpack(data, f"{self._folder.path}/{name}")

    def best(self) -> tuple[Manifest | None, list[tuple[str, Damaged]]]:
        """The newest good copy, and the damaged ones before it. Raises Newer."""
        damaged: list[tuple[str, Damaged]] = []
        for copy in COPIES:
            try:
                if found := self.read(copy):
                    found.manifest()
                    return found, damaged
            except Damaged as fault:
                damaged.append((copy, fault))
        return None, damaged

    def mended(self) -> tuple[Manifest | None, list[str]]:
        """The newest good copy, when the damaged ones before it were set aside; and that in words."""
        found, damaged = self.best()
        return found, [self._set_aside(copy, fault) for copy, fault in damaged]

    def put(self, data: bytes) -> None:
        """Make this the newest copy, and the former ones the good ones before it; at no moment is there none."""
        temporary = f".{self._base}.new"
        self._folder.fill(temporary, data)
        try:
            self._rotate()
        except SaveError:
            self._folder.discard(temporary)
            raise
        self._folder.settle(temporary, self._base)
        self._folder.sync()

    def delete(self) -> bool:
        """Remove every file of it, the newest last; False if there was none."""
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
    """The names of what has a copy in a folder, sorted."""
    return sorted({found[1] for name in folder.names() if (found := _FILE.fullmatch(name)) and name[0] != "."})
