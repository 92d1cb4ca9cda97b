"""A terminal at the other end of a socket: frames in, frames out, and an end that is told."""

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Callable
from typing import Final

from fugue_tui import attach_protocol
from fugue_tui.attach_protocol import Bye, Extent, Welcome
from fugue_tui.attach_server.output.writer import HostWriter
from fugue_tui.errors import SocketError

logger = logging.getLogger(__name__)

_SEND_BUFFER: Final = 1 << 16
"""Bytes that the kernel holds for a slow terminal: a few frames."""
_BACKLOG: Final = 1 << 20
_READ_SIZE: Final = 1 << 16
_SLICE: Final = 1 << 14
"""Bytes of input that are dealt with before anybody else has a turn."""
_PARTING_SECONDS: Final = 3.0
"""How long a terminal may take to read that it is sent away."""


class SocketLink:
    """One connection. Main thread only; the socket is closed here."""

    def __init__(self, connected: socket.socket, loop: asyncio.AbstractEventLoop, early: bytes = b"") -> None:
        """`early` was read already, behind the first line."""
        connected.setblocking(False)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        self._socket = connected
        self._loop = loop
        self._frames = attach_protocol.Frames()
        self._waiting: deque[bytes] = deque()
        self._reading = False
        self._open = True
        self._early = early
        self.writer = HostWriter(connected.fileno(), loop, wrap=framed, limit=_BACKLOG)
        self.on_input: Callable[[bytes], None] = _ignore
        self.on_size: Callable[[Extent], None] = _ignore
        self.on_pause: Callable[[], None] = _nothing
        self.on_end: Callable[[], None] = _nothing
        """Called once when the terminal has gone by itself, or was dropped for what it sent."""

    def start(self) -> None:
        """Begin to read."""
        self.writer.on_gone = self._lost
        self._reading = True
        self._loop.add_reader(self._socket.fileno(), self._read)
        if self._early:
            self._take(self._early)

    def _read(self) -> None:
        try:
            data = self._socket.recv(_READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if data:
            self._take(data)
        else:
            self._lost()

    def _take(self, data: bytes) -> None:
        try:
            for kind, payload in self._frames.feed(data):
                self._frame(kind, payload)
        except SocketError as error:
            logger.warning("a terminal was dropped: %s", error)
            self._lost()

    def _frame(self, kind: bytes, payload: bytes) -> None:
        if not self._open:
            return
        if kind == attach_protocol.INPUT:
            self._input(payload)
        elif kind == attach_protocol.SIZE:
            self.on_size(Extent.load(payload))
        elif kind == attach_protocol.PAUSE:
            self.on_pause()
        else:
            raise SocketError("it sent what only a server may send")

    def _input(self, payload: bytes) -> None:
        """Handle a little at once and the rest in later turns of the loop: a long paste delays no other client."""
        if not self._waiting and len(payload) <= _SLICE:
            self.on_input(payload)
            return
        if not self._waiting:
            self._hold(reading=False)
            self._loop.call_soon(self._next)
        self._waiting.extend(payload[at : at + _SLICE] for at in range(0, len(payload), _SLICE))

    def _next(self) -> None:
        if not self._open:
            return
        self.on_input(self._waiting.popleft())
        if self._waiting:
            self._loop.call_soon(self._next)
        else:
            self._hold(reading=True)

    def _hold(self, *, reading: bool) -> None:
        if reading and self._open and self._reading:
            self._loop.add_reader(self._socket.fileno(), self._read)
        elif self._open:
            self._loop.remove_reader(self._socket.fileno())

    # The end

    def _lost(self) -> None:
        if self._open:
            self.close()
            self.on_end()

    def stop(self) -> None:
        """Read no more; what is written still goes out."""
        if self._reading and self._open:
            self._reading = False
            self._loop.remove_reader(self._socket.fileno())

    def rename(self, welcome: Welcome) -> None:
        """Tell the terminal what the workspace is called now."""
        self.writer.send(attach_protocol.frame(attach_protocol.NAME, welcome.dump()))

    def part(self, bye: Bye) -> None:
        """Send the terminal away; the connection closes once it has read so, or after a few seconds."""
        self.stop()
        self.on_end = _nothing
        self.writer.cut()
        self.writer.send(attach_protocol.frame(attach_protocol.BYE, bye.dump()))
        if not self.writer.busy:
            self.close()
            return
        self.writer.on_drain = self.close
        self._loop.call_later(_PARTING_SECONDS, self.close)

    def finish(self, bye: Bye) -> None:
        """The same where there is no loop any more."""
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
        self.writer.gone = True
        self._open = False
        self._socket.close()


def framed(data: bytes | bytearray) -> bytes:
    """Output as frames, none longer than the other side takes."""
    if len(data) <= attach_protocol.LONGEST:
        return attach_protocol.frame(attach_protocol.OUTPUT, data)
    parts = (data[at : at + attach_protocol.LONGEST] for at in range(0, len(data), attach_protocol.LONGEST))
    return b"".join(attach_protocol.frame(attach_protocol.OUTPUT, part) for part in parts)


def _ignore(given: object) -> None:
    return


def _nothing() -> None:
    return
