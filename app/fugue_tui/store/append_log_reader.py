"""Reads the lines of an append-only log, across its files and while it is written."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from fugue_tui.store.append_log import COPIES, FILE

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_CHUNK: Final = 1 << 18


class AppendLogReader:
    """A position in a log, from its oldest line on."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = folder
        self._fd = -1
        self._rest = b""

    @property
    def found(self) -> bool:
        """Whether there was a file when lines were last read."""
        return self._fd >= 0

    @property
    def torn(self) -> bool:
        """Whether the last line was incomplete when lines were last read."""
        return bool(self._rest)

    def lines(self) -> Iterator[bytes]:
        """The lines since the last call, oldest first; the last one only once it is complete."""
        for fd in self._newer():
            yield from self._read()
            if self._rest:
                yield self._rest
            if self._fd >= 0:
                os.close(self._fd)
            self._fd, self._rest = fd, b""
        yield from self._read()

    def _newer(self) -> list[int]:
        """The descriptors of the files after the present one, oldest first.

        They are opened from the newest on, so that none is missed if the log is rotated meanwhile."""
        known = [os.fstat(self._fd)] if self._fd >= 0 else []
        found = list[int]()
        for name in (FILE, *(f"{FILE}.{number}" for number in range(1, COPIES))):
            with suppress(OSError):
                fd = os.open(os.path.join(self._folder, name), _READ)
                here = os.fstat(fd)
                if any(os.path.samestat(here, each) for each in known) or not stat.S_ISREG(here.st_mode):
                    os.close(fd)
                    if self._fd >= 0 and os.path.samestat(here, known[0]):
                        break
                    continue
                known.append(here)
                found.append(fd)
        return found[::-1]

    def _read(self) -> Iterator[bytes]:
        while self._fd >= 0 and (chunk := os.read(self._fd, _CHUNK)):
            *whole, self._rest = (self._rest + chunk).split(b"\n")
            yield from filter(None, whole)
