"""An append-only log of lines: private files in a private directory, rotated by size, written by a thread of its own.

A line is in the file within hundredths of a second (the thread gathers what comes together, as each time it wakes it
takes the interpreter from the others), and a killed program leaves whole lines but for the last one. It is on the disk
(fsync) within a second, and when the log is closed. While a file cannot be written, lines are kept and writing is
retried; those beyond a limit are counted, and an entry with their number takes their place.
"""

import errno
import os
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import accumulate, islice
from pathlib import Path
from threading import Condition, Event, Thread
from typing import Final

from fugue_tui.errors import SaveError
from fugue_tui.store.private_dir import PrivateDir, made

FILE: Final = "log.jsonl"
"""The present file; older ones have a number behind it, the oldest the highest."""
LARGEST: Final = 4 << 20
"""Bytes of one file; then it is rotated."""
COPIES: Final = 5
"""Files that are kept, with the present one."""
MOST: Final = 4096
"""Lines that wait to be written."""
GATHER_SECONDS: Final = 0.02
"""Seconds from a line to its writing, and that of those that came meanwhile."""
SYNC_SECONDS: Final = 1.0
"""Seconds from a line to its fsync."""
RETRY_SECONDS: Final = 5.0
"""Seconds between two attempts to write."""
_BATCH: Final = 1024
"""Lines between two checks that the file is still there."""


class AppendLog:
    """The log of a name in an area of the state directory; its thread starts with the first line."""

    def __init__(
        self,
        root: str | Path,
        area: str,
        name: str,
        *,
        gap: Callable[[int], bytes],
        on_fault: Callable[[str], None] = lambda fault: None,
        largest: int = LARGEST,
        most: int = MOST,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """`gap` makes the entry for so many lost lines; `on_fault` is called once when writing begins to fail. Both
        are called on the thread."""
        self._file = _LogFile(os.path.abspath(root), area, name, largest)
        self._gap, self._on_fault = gap, on_fault
        self._most, self._retry_seconds = most, retry_seconds
        self._changed = Condition()
        self._lines = deque[bytes]()
        self._lost = 0
        self._idle = False
        """Whether the thread waits for a line."""
        self._closing = Event()
        self._thread: Thread | None = None
        self.fault = ""
        """Why lines cannot be written at present; empty if they can."""

    def append(self, line: bytes) -> None:
        """Write a line, given without its newline, soon. Any thread; never waits for the disk."""
        with self._changed:
            if len(self._lines) >= self._most:
                self._lost += 1
                return
            self._lines.append(line)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="append-log", daemon=True)
                self._thread.start()
            if self._idle:
                self._changed.notify()

    def move(self, name: str) -> None:
        """Rename the log; one that exists is continued."""
        self._file.name = name

    def close(self, seconds: float) -> None:
        """Write and fsync what is left; gives up after so many seconds, or when that fails."""
        with self._changed:
            self._closing.set()
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._idle = True
                self._changed.wait_for(
                    lambda: self._closing.is_set() or (self._lines and not self.fault), self._delay()
                )
                self._idle = False
            closing = self._closing.wait(GATHER_SECONDS)
            with self._changed:
                batch = [*islice(self._lines, _BATCH)]
                lost = self._lost if len(batch) == len(self._lines) else 0
            try:
                self._write(batch, lost)
                self._file.sync(at_once=closing)
                self.fault = ""
            except (OSError, SaveError) as error:
                self._fail(error)
            if closing and (self.fault or not self._lines):
                self._file.close()
                return

    def _delay(self) -> float | None:
        """Seconds until there is something to do even without another line; None if there is nothing."""
        if self.fault:
            return self._retry_seconds
        return None if self._file.sync_at is None else max(0.0, self._file.sync_at - time.monotonic())

    def _write(self, batch: list[bytes], lost: int) -> None:
        if batch or lost or self.fault:
            self._file.prepare()
        while batch:
            try:
                done = self._file.append(batch)
            except ShortWrite as error:
                self._drop(error.lines)
                raise
            self._drop(done)
            batch = batch[done:]
        if lost:
            self._file.append([self._gap(lost)])
            with self._changed:
                self._lost -= lost

    def _drop(self, written: int) -> None:
        with self._changed:
            for _ in range(written):
                self._lines.popleft()

    def _fail(self, error: OSError | SaveError) -> None:
        known, self.fault = self.fault, str(error) if isinstance(error, SaveError) else error.strerror or "fails"
        self._file.close()
        if not known:
            self._on_fault(self.fault)


class ShortWrite(OSError):
    """Only some lines were written, and possibly a part of the next one."""

    def __init__(self, lines: int) -> None:
        super().__init__(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.lines = lines


class _LogFile:
    """The present file of a log. Belongs to the thread, but for its name."""

    def __init__(self, root: str, area: str, name: str, largest: int) -> None:
        self.name = name
        self.sync_at: float | None = None
        """When fsync is due; None if there is nothing to write to the disk."""
        self._root, self._area, self._largest = root, area, largest
        self._fd, self._size = -1, 0
        self._opened_as = ""

    def prepare(self) -> None:
        """Open the file, unless the open one is still that of its name. Raises OSError or SaveError."""
        if self._fd >= 0 and self.name == self._opened_as:
            with suppress(FileNotFoundError):
                if os.path.samestat(
                    os.lstat(os.path.join(self._root, self._area, self.name, FILE)), os.fstat(self._fd)
                ):
                    return
        self.close()
        with ExitStack() as held:
            self._open(self._folder(held))

    def append(self, lines: list[bytes]) -> int:
        """Append as many lines as fit to the prepared file, at least one, rotating it if it is full; how many.

        Raises OSError or SaveError."""
        if self._size and self._size + len(lines[0]) >= self._largest:
            self._rotate()
        ends = accumulate((len(line) + 1 for line in lines), initial=self._size)
        count = max(1, sum(end <= self._largest for end in ends) - 1)
        data = b"\n".join([*lines[:count], b""])
        written = os.write(self._fd, data)
        self._size += written
        if self.sync_at is None:
            self.sync_at = time.monotonic() + SYNC_SECONDS
        if written < len(data):
            raise ShortWrite(data.count(b"\n", 0, written))
        return count

    def sync(self, *, at_once: bool = False) -> None:
        """Write to the disk what is due, or all, and close the file: an idle log holds no disk. Raises OSError."""
        if self.sync_at is not None and (at_once or time.monotonic() >= self.sync_at):
            os.fsync(self._fd)
            self._release()

    def close(self) -> None:
        """Write what is left to the disk, if that works, and close the file."""
        if self._fd >= 0:
            with suppress(OSError):
                self.sync(at_once=True)
        self._release()

    def _release(self) -> None:
        fd, self._fd, self.sync_at = self._fd, -1, None
        if fd >= 0:
            os.close(fd)

    def _folder(self, held: ExitStack) -> PrivateDir:
        area = held.enter_context(made(self._root, self._area))
        if self._opened_as and self._opened_as != self.name:
            with suppress(SaveError):  # The new name has a log already, which is continued.
                area.rename(self._opened_as, self.name)
        return held.enter_context(area.made(self.name))

    def _open(self, folder: PrivateDir) -> None:
        self._fd = folder.append(FILE)
        self._opened_as = self.name
        self._size = os.fstat(self._fd).st_size
        if self._size and os.pread(self._fd, 1, self._size - 1) != b"\n":
            self._size += os.write(self._fd, b"\n")  # A line of a killed server, or of a full disk, is incomplete.

    def _rotate(self) -> None:
        self.close()
        with ExitStack() as held:
            folder = self._folder(held)
            for number in range(COPIES - 1, 0, -1):
                older = FILE if number == 1 else f"{FILE}.{number - 1}"
                if folder.size(older):
                    folder.rename(older, f"{FILE}.{number}")
            self._open(folder)
