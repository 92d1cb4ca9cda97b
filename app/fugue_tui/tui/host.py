"""The host terminal's output: bytes go out as fast as it takes them, and never block the app.

When the host cannot take more, `busy` is true: painters wait and then draw their newest state, so frames are dropped
and bytes are not. What others write meanwhile is kept up to a limit; past it, all is dropped and painted anew.
"""

import asyncio
import errno
import os
from collections import deque
from collections.abc import Callable
from typing import Final

BACKLOG_LIMIT: Final = 4 << 20
"""Most bytes kept for a host that does not read."""
_CANCEL: Final = b"\x18\x1b[m"


class HostWriter:
    """Non-blocking writes to one file descriptor; main thread only. The descriptor belongs to the caller."""

    def __init__(self, fd: int, loop: asyncio.AbstractEventLoop) -> None:
        self._fd = fd
        self._loop = loop
        self._backlog: deque[memoryview] = deque()
        self._size = 0
        self._overflown = False
        self.gone = False
        """True once the host's terminal has hung up."""
        self.on_drain: Callable[[], None] = _nothing
        """Called when the host has taken everything."""
        self.on_overflow: Callable[[], None] = _nothing
        """Called when output was lost and the whole screen must be painted anew."""
        self.on_gone: Callable[[], None] = _nothing
        """Called once when the host's terminal has hung up."""
        self.written = 0
        """Bytes handed to the host so far."""

    @property
    def busy(self) -> bool:
        """Whether the host still owes room for earlier bytes."""
        return bool(self._backlog)

    def write(self, data: bytes | bytearray) -> None:
        """Send bytes, or keep what the host does not take now."""
        if self.gone or not data:
            return
        rest = memoryview(data)
        if not self._backlog:
            rest = rest[self._send(rest) :]
            if not rest or self.gone:
                return
            self._loop.add_writer(self._fd, self._drain)
        self._keep(memoryview(bytes(rest)))

    def _keep(self, rest: memoryview) -> None:
        if self._size + len(rest) > BACKLOG_LIMIT:
            self._backlog.clear()
            self._backlog.append(memoryview(_CANCEL))
            self._size = len(_CANCEL)
            self._overflown = True
            return
        self._backlog.append(rest)
        self._size += len(rest)

    def _send(self, data: memoryview) -> int:
        """How many bytes the host took."""
        try:
            sent = os.write(self._fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno == errno.EINTR:
                return 0
            self._hang_up()
            return 0
        self.written += sent
        return sent

    def _drain(self) -> None:
        while self._backlog:
            data = self._backlog[0]
            sent = self._send(data)
            if self.gone:
                return
            self._size -= sent
            if sent < len(data):
                self._backlog[0] = data[sent:]
                return
            self._backlog.popleft()
        self._loop.remove_writer(self._fd)
        if self._overflown:
            self._overflown = False
            self.on_overflow()
        self.on_drain()

    def _hang_up(self) -> None:
        self.gone = True
        if self._backlog:
            self._loop.remove_writer(self._fd)
            self._backlog.clear()
        self.on_gone()

    def finish(self, seconds: float = 1.0) -> None:
        """Wait for the host to take the rest, for a bounded time; used when the app leaves."""
        if self._backlog and not self.gone:
            self._loop.remove_writer(self._fd)
        deadline = self._loop.time() + seconds
        while self._backlog and not self.gone and self._loop.time() < deadline:
            self._wait_writable(deadline - self._loop.time())
            sent = self._send(self._backlog[0])
            self._backlog[0] = self._backlog[0][sent:]
            if not self._backlog[0]:
                self._backlog.popleft()

    def _wait_writable(self, seconds: float) -> None:
        import select

        select.select([], [self._fd], [], max(seconds, 0))


def _nothing() -> None:
    return
