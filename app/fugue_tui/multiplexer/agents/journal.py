"""A file of JSON records, each of which is on disk before it counts. What comes together is written together.

Only the user can read it. The records are written and read on another thread; all else belongs to the main thread.
"""

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from contextvars import Context
from pathlib import Path
from typing import Any, Final, cast

from fugue_tui.errors import SaveError
from fugue_tui.store.private_dir import made, opened

LARGEST: Final = 64 << 20
"""Bytes that are read of a file."""
COMPACT: Final = 4 << 20
"""Bytes after which the file is written anew, with what is still kept."""


class Journal:
    """The journal of a workspace. Only one process may have it open."""

    def __init__(
        self,
        root: str | Path,
        name: str,
        kept: Callable[[], Iterable[Mapping[str, Any]]],
        *,
        area: str = "mail",
        what: str = "messages",
    ) -> None:
        """`kept` returns the records that a compacted file holds, `area` is the directory, and `what` names the records
        in errors."""
        self._root, self._name, self._kept = os.path.abspath(root), name, kept
        self._area, self._what = area, what
        self._pending: list[tuple[bytes, asyncio.Future[SaveError | None]]] = []
        """The lines that are not written yet, each with what becomes of it."""
        self._writer: asyncio.Task[None] | None = None
        self._size = 0
        self._turn = asyncio.Lock()
        """Held while the file is written or renamed."""

    async def load(self) -> list[Mapping[str, Any]]:
        """All records, in order; lines that are incomplete or damaged are left out. Raises SaveError."""
        data = await asyncio.to_thread(self._read)
        self._size = len(data)
        return [found for line in data.splitlines() if (found := _record(line)) is not None]

    async def write(self, record: Mapping[str, Any]) -> None:
        """Append a record; it is on disk once this returns. Raises SaveError, and the record is not kept then."""
        written: asyncio.Future[SaveError | None] = asyncio.get_running_loop().create_future()
        self._pending.append((_line(record), written))
        if self._writer is None:
            self._writer = asyncio.get_running_loop().create_task(self._write(), context=Context())
        if error := await written:
            raise error

    async def move(self, name: str) -> None:
        """Rename it with its workspace; what a workspace of that name has left is kept as `.NAME.replaced`.

        Raises SaveError: then the next write makes the file anew."""
        async with self._turn:
            old, self._name = self._name, name
            try:
                await asyncio.to_thread(self._rename, old, name)
            except SaveError:
                self._size = COMPACT + 1
                raise

    async def moved(self) -> None:
        """Wait until `move`, if it was called before, is done."""
        async with self._turn:
            return

    async def _write(self) -> None:
        """Write what is pending until nothing is."""
        while self._pending:
            async with self._turn:
                batch, self._pending = self._pending, []
                error = await self._write_batch(b"".join(line for line, _ in batch))
            for _, written in batch:
                if not written.done():
                    written.set_result(error)
            await asyncio.sleep(0)  # Those who wait come first: what they keep is part of a compacted file.
        self._writer = None

    async def _write_batch(self, lines: bytes) -> SaveError | None:
        """Write lines, into a file that is made anew if it has become large; what went wrong."""
        compacted = b"".join(map(_line, self._kept())) if self._size > COMPACT else None
        try:
            await asyncio.to_thread(self._append, lines, compacted)
        except SaveError as error:
            return SaveError(f"{self._what} cannot be saved: {error}")
        except OSError as error:
            return SaveError(f"{self._what} cannot be saved: {error.strerror}; make room on the disk, and try again")
        self._size = len(lines) + (self._size if compacted is None else len(compacted))
        return None

    def _read(self) -> bytes:
        with opened(self._root, self._area) as folder:
            return (folder.read(self._name, LARGEST) or b"") if folder is not None else b""

    def _append(self, data: bytes, compacted: bytes | None) -> None:
        with made(self._root, self._area) as folder:
            if compacted is not None:
                folder.replace(self._name, compacted)
            fd = folder.append(self._name)
            try:
                _append(fd, os.fstat(fd).st_size, data)
            finally:
                os.close(fd)

    def _rename(self, old: str, new: str) -> None:
        with made(self._root, self._area) as folder:
            if folder.size(old):
                if folder.size(new):
                    folder.rename(new, f".{new}.replaced")
                folder.rename(old, new)


def _append(fd: int, size: int, data: bytes) -> None:
    """Write data to the end of a file of this size, and fsync it; on failure nothing of it is left."""
    if size and os.pread(fd, 1, size - 1) != b"\n":
        data = b"\n" + data  # A line of a killed server is incomplete.
    try:
        while data:
            data = data[os.write(fd, data) :]
        os.fsync(fd)
    except OSError:
        with suppress(OSError):
            os.ftruncate(fd, size)
        raise


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


def _record(line: bytes) -> Mapping[str, Any] | None:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else None
