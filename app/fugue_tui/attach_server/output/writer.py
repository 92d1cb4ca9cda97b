"""A terminal's output: bytes go out as fast as it takes them, and never block the app.

When the terminal cannot take more, `busy` is true: painters wait and then draw their newest state, so frames are
dropped and bytes are not. What others write meanwhile is kept up to a limit; past it, all that has not begun to leave
is dropped and painted anew.
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

    def __init__(
        self,
        fd: int,
        loop: asyncio.AbstractEventLoop,
        *,
        wrap: Callable[[bytes | bytearray], bytes | bytearray] | None = None,
        limit: int = BACKLOG_LIMIT,
    ) -> None:
        """`wrap` puts what is written into the frames that the other side wants; None writes it as it is."""
        self._fd = fd
        self._loop = loop
        self._wrap = wrap or _as_it_is
        self._limit = limit
        self._backlog: deque[memoryview] = deque()
        self._begun = False
        self._overflown = False
        self._stopped = False
        self.backlog = 0
        """Bytes that wait."""
        self.busy_since = 0.0
        """When it last began to wait, on the loop's clock."""
        self.idle_since = float("-inf")
        """When it last had taken everything after a wait, on the loop's clock."""
        self.gone = False
        """True once the terminal has hung up."""
        self.on_drain: Callable[[], None] = _nothing
        """Called when the terminal has taken everything."""
        self.on_overflow: Callable[[], None] = _nothing
        """Called when output was lost and the whole screen must be painted anew."""
        self.on_gone: Callable[[], None] = _nothing
        """Called once when the terminal has hung up."""
        self.written = 0
        """Bytes handed over so far."""

    @property
    def busy(self) -> bool:
        """Whether the terminal still owes room for earlier bytes."""
        return bool(self._backlog)

    def write(self, data: bytes | bytearray) -> None:
        """Send bytes, or keep what the terminal does not take now."""
        if data:
            self.send(self._wrap(data))

    def send(self, data: bytes | bytearray) -> None:
        """The same for what is wrapped already."""
        if self.gone or not data:
            return
        rest = memoryview(data)
        if not self._backlog:
            sent = self._send(rest)
            rest = rest[sent:]
            if not rest or self.gone:
                return
            self._begun = sent > 0
            self.busy_since = self._loop.time()
            if not self._stopped:
                self._loop.add_writer(self._fd, self._drain)
        self._keep(memoryview(bytes(rest)))

    def _keep(self, rest: memoryview) -> None:
        if self.backlog + len(rest) > self._limit and self._backlog:
            self.cut()
            self._overflown = True
            return
        self._backlog.append(rest)
        self.backlog += len(rest)

    def cut(self) -> None:
        """Drop what has not begun to leave; what comes next must paint everything."""
        if not self._backlog:
            return
        head = self._backlog[0]
        self._backlog.clear()
        if self._begun:
            self._backlog.append(head)
        self._backlog.append(memoryview(bytes(self._wrap(_CANCEL))))
        self.backlog = sum(len(each) for each in self._backlog)

    def _send(self, data: memoryview) -> int:
        """How many bytes the terminal took."""
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
        if not self._advance():
            return
        self._loop.remove_writer(self._fd)
        self.idle_since = self._loop.time()
        if self._overflown:
            self._overflown = False
            self.on_overflow()
        self.on_drain()

    def _advance(self) -> bool:
        """Send what is kept as far as it goes; whether all of it went."""
        while self._backlog:
            data = self._backlog[0]
            sent = self._send(data)
            if self.gone:
                return False
            self.backlog -= sent
            self._begun = self._begun or sent > 0
            if sent < len(data):
                self._backlog[0] = data[sent:]
                return False
            self._backlog.popleft()
            self._begun = False
        return True

    def _hang_up(self) -> None:
        self.gone = True
        if self._backlog:
            self._loop.remove_writer(self._fd)
            self._backlog.clear()
            self.backlog = 0
        self.on_gone()

    def finish(self, seconds: float = 1.0) -> None:
        """Wait for the terminal to take the rest, for a bounded time; used when the app leaves."""
        self.stop()
        deadline = self._loop.time() + seconds
        while self._backlog and not self.gone and self._loop.time() < deadline:
            self._wait_writable(deadline - self._loop.time())
            self._advance()

    def stop(self) -> None:
        """Leave the loop alone from now on; what is kept goes only by `finish`."""
        self._stopped = True
        if self._backlog and not self.gone:
            self._loop.remove_writer(self._fd)

    def go_on(self) -> None:
        """Use the loop again."""
        self._stopped = False
        if self._backlog and not self.gone:
            self._loop.add_writer(self._fd, self._drain)

    def _wait_writable(self, seconds: float) -> None:
        import select

        select.select([], [self._fd], [], max(seconds, 0))


def _nothing() -> None:
    return


def _as_it_is(data: bytes | bytearray) -> bytes | bytearray:
    return data
