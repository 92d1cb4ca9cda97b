"""The link to a client over a socket: parses its frames, and frames its output."""

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from fugue_tui import attach_protocol
from fugue_tui.attach_protocol import Bye, Extent, Welcome
from fugue_tui.attach_server.output.writer import HostWriter
from fugue_tui.errors import SocketError

logger = logging.getLogger(__name__)

_SEND_BUFFER: Final = 1 << 16
"""Bytes that the kernel buffers for a slow client: a few screens."""
_BACKLOG: Final = 1 << 20
_READ_SIZE: Final = 1 << 16
_SLICE: Final = 1 << 14
"""Bytes of input that are handled in one iteration of the loop."""
_DETACH_SECONDS: Final = 3.0
"""How long a client may take to read that it is detached."""


class SocketLink:
    """One connection. Main thread only; the socket is closed here."""

    def __init__(self, connected: socket.socket, loop: asyncio.AbstractEventLoop, early: bytes = b"") -> None:
        """`early` was read already, after the first line."""
        connected.setblocking(False)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        self._socket = connected
        self._loop = loop
        self._frames = attach_protocol.Frames()
        self._queued: deque[bytes] = deque()
        self._reading = False
        self._open = True
        self._early = early
        self.writer = HostWriter(connected.fileno(), loop, wrap=framed, limit=_BACKLOG)
        self.on_input: Callable[[bytes], None] = _ignore
        self.on_size: Callable[[Extent], None] = _ignore
        self.on_environment: Callable[[bytes], None] = _ignore
        self.on_pause: Callable[[], None] = _nothing
        self.on_end: Callable[[], None] = _nothing
        """Called once when the client has disconnected."""
        self.on_drop: Callable[[], None] = _nothing
        """Called once when it was dropped for an invalid frame."""

    def start(self) -> None:
        """Start reading."""
        self.writer.on_hang_up = self._hung_up
        self._reading = True
        self._loop.add_reader(self._socket.fileno(), self._read)
        if self._early:
            self._parse(self._early)

    def _read(self) -> None:
        try:
            data = self._socket.recv(_READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if data:
            self._parse(data)
        else:
            self._disconnect()

    def _hung_up(self) -> None:
        self._loop.call_soon(self._read_rest)

    def _read_rest(self) -> None:
        """Read what the client sent before it closed the connection."""
        with suppress(OSError):
            while self._open and (data := self._socket.recv(_READ_SIZE)):
                self._parse(data)
        self._disconnect()

    def _parse(self, data: bytes) -> None:
        try:
            for kind, payload in self._frames.feed(data):
                self._frame(kind, payload)
        except SocketError as error:
            logger.warning("a client was dropped: %s", error)
            self.on_end = self.on_drop
            self._disconnect()

    def _frame(self, kind: bytes, payload: bytes) -> None:
        if not self._open:
            return
        if kind == attach_protocol.INPUT:
            self._input(payload)
        elif kind == attach_protocol.SIZE:
            self.on_size(Extent.load(payload))
        elif kind == attach_protocol.ENVIRONMENT:
            self.on_environment(payload)
        elif kind == attach_protocol.PAUSE:
            self.on_pause()
        else:
            raise SocketError("it sent what only a server may send")

    def _input(self, payload: bytes) -> None:
        """Handle a part now and the rest in later iterations of the loop: a long paste delays no other client."""
        if not self._queued and len(payload) <= _SLICE:
            self.on_input(payload)
            return
        if not self._queued:
            self._set_reading(False)
            self._loop.call_soon(self._next)
        self._queued.extend(payload[at : at + _SLICE] for at in range(0, len(payload), _SLICE))

    def _next(self) -> None:
        if not self._open:
            return
        self.on_input(self._queued.popleft())
        if self._queued:
            self._loop.call_soon(self._next)
        else:
            self._set_reading(True)

    def _set_reading(self, reading: bool) -> None:
        if reading and self._open and self._reading:
            self._loop.add_reader(self._socket.fileno(), self._read)
        elif self._open:
            self._loop.remove_reader(self._socket.fileno())

    # The end

    def _disconnect(self) -> None:
        if self._open:
            self.close()
            self.on_end()

    def stop(self) -> None:
        """Stop reading; output is still sent."""
        if self._reading and self._open:
            self._reading = False
            self._loop.remove_reader(self._socket.fileno())

    def rename(self, welcome: Welcome) -> None:
        """Send the workspace's new name."""
        self.writer.send(attach_protocol.frame(attach_protocol.NAME, welcome.dump()))

    def part(self, bye: Bye) -> None:
        """Detach the client; the connection is closed once it has read that, or after a few seconds."""
        self.stop()
        self.on_end = _nothing
        self.writer.cut()
        self.writer.send(attach_protocol.frame(attach_protocol.BYE, bye.dump()))
        if not self.writer.busy:
            self.close()
            return
        self.writer.on_drain = self.close
        self._loop.call_later(_DETACH_SECONDS, self.close)

    def finish(self, bye: Bye) -> None:
        """The same when the loop has ended; what the client sent before is read no more."""
        self.writer.on_hang_up = _nothing
        self.writer.cut()
        self.writer.send(attach_protocol.frame(attach_protocol.BYE, bye.dump()))
        self.writer.finish(0.5)
        self._open = False
        self._socket.close()

    def close(self) -> None:
        """Close at once. May be called again."""
        if not self._open:
            return
        self.stop()
        self.writer.stop()
        self.writer.hung_up = True
        self._open = False
        self._socket.close()


def framed(data: bytes | bytearray) -> bytes:
    """Output as frames, none longer than the other side accepts."""
    if len(data) <= attach_protocol.LONGEST:
        return attach_protocol.frame(attach_protocol.OUTPUT, data)
    parts = (data[at : at + attach_protocol.LONGEST] for at in range(0, len(data), attach_protocol.LONGEST))
    return b"".join(attach_protocol.frame(attach_protocol.OUTPUT, part) for part in parts)


def _ignore(given: object) -> None:
    return


def _nothing() -> None:
    return
