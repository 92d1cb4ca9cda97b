"""The file of a recording that is being made: private, bounded, and complete to the last write after a crash."""

import os
from errno import EEXIST
from typing import Final

from fugue_tui.recording.asciicast import CastEncoder, CastEvent, CastHeader

SMALLEST: Final = 1 << 16
"""Bytes that a limit has at least."""


class CastFile:
    """A new file, which gives way to another one once it is full: FILE is the newest, FILE.1 the one before it.

    Not thread-safe. Every method raises OSError."""

    def __init__(self, path: str, header: CastHeader, *, version: int, largest: int, older: int) -> None:
        """`largest` bytes a file, and so many `older` files. Raises FileExistsError: no file is overwritten."""
        for older_file in (f"{path}.{number}" for number in range(1, older + 1)):
            if os.path.lexists(older_file):
                raise FileExistsError(EEXIST, os.strerror(EEXIST), older_file)
        self.path = path
        self.written = 0
        """Bytes of all files."""
        self._largest, self._older = max(largest, SMALLEST), older
        self._encoder = CastEncoder(version)
        self._fd = self._opened()
        self._size = 0
        try:
            self._begin(header)
        except OSError:
            self.close()
            os.unlink(path)
            raise

    def _opened(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_APPEND
        return os.open(self.path, flags, 0o600)

    def _begin(self, header: CastHeader) -> None:
        self._size = 0
        self._write(self._encoder.header(header))

    @property
    def is_full(self) -> bool:
        """Whether the next events are for another file, which `rotate` begins."""
        return self._size >= self._largest

    def rotate(self, header: CastHeader) -> None:
        """Begin another file; its times count from its own beginning."""
        os.close(self._fd)
        self._fd = -1
        if self._older:
            for number in range(self._older - 1, 0, -1):
                if os.path.lexists(f"{self.path}.{number}"):
                    os.replace(f"{self.path}.{number}", f"{self.path}.{number + 1}")
            os.replace(self.path, f"{self.path}.1")
        else:
            os.unlink(self.path)
        self._fd = self._opened()
        self._begin(header)

    def write(self, events: list[CastEvent]) -> None:
        """Append events, at once and whole."""
        if events:
            self._write(b"".join(map(self._encoder.event, events)))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]
        self._size += len(data)
        self.written += len(data)

    def close(self) -> None:
        """Close the file. May be called again."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
