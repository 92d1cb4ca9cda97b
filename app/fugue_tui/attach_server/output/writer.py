"""Non-blocking output to a terminal.

While the terminal does not accept more, `busy` is true: painters wait and then draw their newest state, so frames are
dropped and bytes are not. Other output is buffered up to a limit; past it, whatever has not been sent in part is
dropped, and the screen must be repainted.
"""

import asyncio
import errno
import os
from collections import deque
from collections.abc import Callable
from typing import Final

BACKLOG_LIMIT: Final = 4 << 20
"""Most bytes buffered for a host that does not read."""
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
        """`wrap` puts output into the frames that the other side expects; None writes it as it is."""
        self._fd = fd
        self._loop = loop
        self._wrap = wrap or _unwrapped
        self._limit = limit
        self._backlog: deque[memoryview] = deque()
        self._sent_in_part = False
        self._overflown = False
        self._stopped = False
        self.backlog = 0
        """Unsent bytes."""
        self.busy_since = 0.0
        """When it last became busy, on the loop's clock."""
        self.idle_since = float("-inf")
        """When it last had sent everything after it was busy, on the loop's clock."""
        self.hung_up = False
        """True once the terminal has hung up."""
        self.on_drain: Callable[[], None] = _nothing
        """Called when everything was sent."""
        self.on_overflow: Callable[[], None] = _nothing
        """Called when output was dropped and the whole screen must be repainted."""
        self.on_hang_up: Callable[[], None] = _nothing
        """Called once when the terminal has hung up."""
        self.written = 0
        """Bytes sent so far."""

    @property
    def busy(self) -> bool:
        """Whether there is unsent output."""
        return bool(self._backlog)

    def write(self, data: bytes | bytearray) -> None:
        """Send bytes, or buffer what the terminal does not accept now."""
        if data:
            self.send(self._wrap(data))

    def send(self, data: bytes | bytearray) -> None:
        """The same for output that is wrapped already."""
        if self.hung_up or not data:
            return
        rest = memoryview(data)
        if not self._backlog:
            sent = self._send(rest)
            rest = rest[sent:]
            if not rest or self.hung_up:
                return
            self._sent_in_part = sent > 0
            self.busy_since = self._loop.time()
            if not self._stopped:
                self._loop.add_writer(self._fd, self._drain)
        self._buffer(memoryview(bytes(rest)))

    def _buffer(self, rest: memoryview) -> None:
        if self.backlog + len(rest) > self._limit and self._backlog:
            self.cut()
            self._overflown = True
            return
        self._backlog.append(rest)
        self.backlog += len(rest)

    def cut(self) -> None:
        """Drop unsent output, except for what was sent in part; the next output must paint everything."""
        if not self._backlog:
            return
        head = self._backlog[0]
        self._backlog.clear()
        if self._sent_in_part:
            self._backlog.append(head)
        self._backlog.append(memoryview(bytes(self._wrap(_CANCEL))))
        self.backlog = sum(len(each) for each in self._backlog)

    def _send(self, data: memoryview) -> int:
        """How many bytes the terminal accepted."""
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
        """Send buffered output; whether all of it was sent."""
        while self._backlog:
            data = self._backlog[0]
            sent = self._send(data)
            if self.hung_up:
                return False
            self.backlog -= sent
            self._sent_in_part = self._sent_in_part or sent > 0
            if sent < len(data):
                self._backlog[0] = data[sent:]
                return False
            self._backlog.popleft()
            self._sent_in_part = False
        return True

    def _hang_up(self) -> None:
        self.hung_up = True
        if self._backlog:
            self._loop.remove_writer(self._fd)
            self._backlog.clear()
            self.backlog = 0
        self.on_hang_up()

    def finish(self, seconds: float = 1.0) -> None:
        """Wait until the rest is sent, for a bounded time; used when the app ends."""
        self.stop()
        deadline = self._loop.time() + seconds
        while self._backlog and not self.hung_up and self._loop.time() < deadline:
            self._wait_writable(deadline - self._loop.time())
            self._advance()

    def stop(self) -> None:
        """Stop using the loop; buffered output is sent only by `finish`."""
        self._stopped = True
        if self._backlog and not self.hung_up:
            self._loop.remove_writer(self._fd)

    def resume(self) -> None:
        """Use the loop again."""
        self._stopped = False
        if self._backlog and not self.hung_up:
            self._loop.add_writer(self._fd, self._drain)

    def _wait_writable(self, seconds: float) -> None:
        import select

        select.select([], [self._fd], [], max(seconds, 0))


def _nothing() -> None:
    return


def _unwrapped(data: bytes | bytearray) -> bytes | bytearray:
    return data
