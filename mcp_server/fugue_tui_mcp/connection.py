"""One client's connection: reads lines within limits, and writes lines as fast as the client reads them."""

import asyncio
import logging
import os
import select
import socket
import time
from collections.abc import AsyncIterator, Coroutine
from typing import Final

from msgspec import Struct

from fugue_tui_mcp import jsonrpc
from fugue_tui_mcp.jsonrpc import Fault, Frame

_log: Final = logging.getLogger(__name__)
HUNG_UP_SECONDS: Final = 0.1
"""Interval of checks for a closed connection while a client waits for its result."""


class Limits(Struct, frozen=True):
    """Limits for each client and for all of them."""

    line: int = 4 << 20
    """Bytes of one message."""
    connections: int = 128
    """Clients at a time; beyond that, one that never sent a message is dropped, else the one idle for longest of the
    program with the most."""
    first: float = 30.0
    """Seconds to the first message."""
    stall: float = 15.0
    """Seconds that a client may leave responses unread once its buffers are full."""


class Connection:
    """A connected client. Belongs to the thread's loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limits: Limits) -> None:
        self._reader = reader
        self._writer = writer
        self._limits = limits
        self.last_activity = (False, time.monotonic())
        """Whether it has sent something, and when it last did: the least is the first to go."""

    async def first(self) -> Frame | None:
        """The first message; None if none came in time."""
        try:
            async with asyncio.timeout(self._limits.first):
                return await self._next()
        except TimeoutError:
            return None

    async def frames(self, first: Frame) -> AsyncIterator[Frame]:
        """The messages from the first on, until the client disconnects or exceeds a limit. Answers invalid lines."""
        frame: Frame | None = first
        while frame is not None:
            yield frame
            frame = await self._next()

    async def send(self, line: bytes) -> None:
        """Write a line. Raises ConnectionError if the client is disconnected or has stopped reading for too long."""
        if self._writer.is_closing():
            raise ConnectionResetError("the client is disconnected")
        self._writer.write(line)
        try:
            async with asyncio.timeout(self._limits.stall):
                await self._writer.drain()
        except TimeoutError:
            _log.warning("a client was dropped: it did not read for %s s", self._limits.stall)
            self.abort()
            raise ConnectionAbortedError("the client does not read") from None

    def hand_over(self) -> tuple[socket.socket, bytes]:
        """A duplicate of the client's socket and the bytes already read; this connection reads no more."""
        self._writer.transport.pause_reading()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        early = bytes(self._reader._buffer)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
        sock: socket.socket = self._writer.get_extra_info("socket")
        return socket.socket(fileno=os.dup(sock.fileno())), early

    def hung_up(self) -> bool:
        """Whether the peer has closed both halves of the connection."""
        fd: int = self._writer.get_extra_info("socket").fileno()
        if fd < 0:
            return True
        poll = select.poll()
        poll.register(fd, 0)
        return bool(poll.poll(0))

    async def unless_hung_up(self, work: Coroutine[None, None, bytes]) -> bytes:
        """The result of `work`. If the client disconnects, cancels `work` and raises ConnectionResetError."""
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({task}, timeout=HUNG_UP_SECONDS))[0]:
                if self.hung_up():
                    raise ConnectionResetError("the client is disconnected")
            return task.result()
        finally:
            task.cancel()

    def abort(self) -> None:
        """Close immediately and discard unsent data."""
        self._writer.transport.abort()

    async def finish(self) -> None:
        """Close after everything is sent, or when the client stops reading."""
        self._writer.close()
        try:
            async with asyncio.timeout(self._limits.stall):
                await self._writer.wait_closed()
        except (TimeoutError, OSError):
            self.abort()

    async def _next(self) -> Frame | None:
        while True:
            line = await self._line()
            if line is None:
                return None
            if not line.strip():
                continue
            frame = jsonrpc.read(line)
            if not isinstance(frame, Fault):
                return frame
            _log.info("a line was refused: %s", ascii(frame.reason[:200]))
            await self.send(frame.answer)

    async def _line(self) -> bytes | None:
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.LimitOverrunError:
            _log.warning("a client was dropped: a message of more than %s bytes", self._limits.line)
            return None
        except asyncio.IncompleteReadError as error:
            return error.partial or None
        except OSError:
            return None
        self.last_activity = (True, time.monotonic())
        return line
