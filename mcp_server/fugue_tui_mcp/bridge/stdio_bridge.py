"""Joins an MCP client's stdin and stdout to a workspace's socket, and outlives the workspace.

Claude Code drops a stdio server that exits, for good. So when the workspace goes away, this stays, answers that it is
not running, and joins the next one as if nothing had happened. Standard library only and without asyncio: it starts
with every client.
"""

import fcntl
import os
import select
import socket
import stat
import sys
import termios
import time
from contextlib import suppress
from io import BytesIO

from fugue_tui import sockets
from fugue_tui.errors import NotRunning, SocketError
from fugue_tui_mcp.bridge.session_replay import SessionReplay, failure, parsed

RETRY_SECONDS = 0.25
PATIENCE = 3.0
"""Seconds for which a client's first messages wait for a workspace that is just starting."""
LONGEST_LINE = 4 << 20
"""Bytes of one message; a workspace drops whoever sends more."""
LONGEST_KEPT = 64 << 20
"""Bytes of a message that are kept to find out what to answer."""
BUFFER = 8 << 20
"""Bytes that wait for one side before the other is read no further."""
CHUNK = 1 << 18
ROOM = 1 << 20
"""Bytes that are taken from the workspace, and that the client's pipe is to hold: a long answer in one piece."""
ATOMIC = 4096
"""Bytes that a pipe takes without blocking once it says that it is writable."""
_NOT_RUNNING = "fugue-tui is not running; start it in a terminal with: fugue-tui"


class LineBuffer:
    """Bytes in, whole lines out. A line without end is cut off."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that are whole now, with their newlines."""
        if b"\n" not in data:
            if self._size < LONGEST_KEPT:
                self._parts.append(data)
                self._size += len(data)
            return []
        end = data.rindex(b"\n") + 1
        whole, rest = b"".join([*self._parts, data[:end]]), data[end:]
        self._parts, self._size = [rest] if rest else [], len(rest)
        lines = [whole] if whole.index(b"\n") == len(whole) - 1 else BytesIO(whole)
        return [line for line in lines if not line.isspace()]


class ClientOutput:
    """Where the client reads. It is not ours alone, so it stays blocking, and is given only what it has room for."""

    def __init__(self, number: int) -> None:
        kind = os.fstat(number).st_mode
        self._number = number
        self._socket = socket.socket(fileno=os.dup(number)) if stat.S_ISSOCK(kind) else None
        self._size = _widened(number) if stat.S_ISFIFO(kind) and sys.platform == "linux" else 0
        if self._socket is not None:
            with suppress(OSError):
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, ROOM)

    def put(self, data: bytes | bytearray) -> int:
        """Write a part of some bytes without waiting, once it is writable; how many. Raises ConnectionError."""
        if self._socket is not None:
            return self._socket.send(data, socket.MSG_DONTWAIT)
        with memoryview(data)[: self._size if self._is_empty() else ATOMIC] as part:
            return os.write(self._number, part)

    def offer(self, data: bytes) -> int:
        """Write what there is room for without asking whether it is writable; how many. Raises ConnectionError."""
        try:
            return self.put(data) if self._socket is not None or self._is_empty() else 0
        except BlockingIOError:
            return 0

    def _is_empty(self) -> bool:
        """Whether it is a pipe of which all was read."""
        return bool(self._size) and not self._held()

    def _held(self) -> int:
        """The bytes in a pipe that are not read yet."""
        return int.from_bytes(fcntl.ioctl(self._number, termios.FIONREAD, bytes(4)), sys.byteorder)


def _widened(pipe: int) -> int:
    """The bytes that a pipe holds now that more was asked for."""
    with suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, ROOM)
    return fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)


class Bridge:
    """Copies lines both ways until the client leaves."""

    def __init__(self, workspace: str = "", path: str = "", stdin: int = 0, stdout: int = 1) -> None:
        self._workspace, self._path = workspace, path
        self._stdin, self._stdout, self._outlet = stdin, stdout, ClientOutput(stdout)
        self._link: socket.socket | None = None
        self._room = bytearray(ROOM)
        self._conversation = SessionReplay()
        self._from_client, self._from_workspace = LineBuffer(), LineBuffer()
        self._to_client, self._to_workspace = bytearray(), bytearray()
        self._waiting: list[bytes] = []
        self._patient_until = time.monotonic() + PATIENCE
        self._joined_before = False
        self._client_done = False
        self._reason = self._not_running = f"{_NOT_RUNNING} {workspace}".rstrip()

    def run(self) -> None:
        """Serve until the client closes its side and has all its answers, or stops reading."""
        try:
            while not self._finished():
                self._join()
                self._turn()
        except (BrokenPipeError, ConnectionResetError):
            return

    def _finished(self) -> bool:
        return self._client_done and self._link is None and not (self._to_client or self._waiting)

    def _turn(self) -> None:
        """Wait until something can be read or written, and do it."""
        poll, link = select.poll(), self._link
        reading = not self._client_done and len(self._to_workspace) < BUFFER
        if reading:
            poll.register(self._stdin, select.POLLIN)
        if self._to_client:
            poll.register(self._stdout, select.POLLOUT)
        if link is not None:
            wanted = select.POLLIN if len(self._to_client) < BUFFER else 0
            poll.register(link, wanted | (select.POLLOUT if self._to_workspace else 0))
        ready = dict(poll.poll(None if link else RETRY_SECONDS * 1000))
        if ready.get(self._stdout):
            del self._to_client[: self._outlet.put(self._to_client)]
        if ready.get(self._stdin):
            self._read_client()
        if link is not None and link is self._link and (events := ready.get(link.fileno())):
            self._move(link, events)

    def _read_client(self) -> None:
        data = os.read(self._stdin, CHUNK)
        for line in self._from_client.feed(data or b"\n"):
            self._take(line)
        if not data:
            self._client_done = True
            self._half_close()

    def _take(self, line: bytes) -> None:
        if len(line) > LONGEST_LINE:
            reason = f"a message of {len(line)} bytes is too long; {LONGEST_LINE} fit"
            self._to_client += failure(parsed(line).get("id"), reason)
        elif self._link is not None:
            self._conversation.sent(line)
            self._to_workspace += line
        elif self._patient():
            self._waiting.append(line)
        else:
            self._conversation.sent(line)
            self._fail()

    def _move(self, link: socket.socket, events: int) -> None:
        try:
            if events & select.POLLOUT:
                del self._to_workspace[: link.send(self._to_workspace[:CHUNK])]
                self._half_close()
            came = self._received(link) if events & ~select.POLLOUT else None
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            came = b""
        if came is not None and not self._read_workspace(came):
            self._part()

    def _received(self, link: socket.socket) -> bytes:
        """What came, in memory that is not asked of the system anew each time."""
        with memoryview(self._room)[: link.recv_into(self._room)] as came:
            return bytes(came)

    def _read_workspace(self, data: bytes) -> bool:
        for line in self._from_workspace.feed(data):
            if self._conversation.received(line):
                self._to_client += line if self._to_client else line[self._outlet.offer(line) :]
        return bool(data)

    def _half_close(self) -> None:
        if self._client_done and self._link is not None and not self._to_workspace:
            self._link.shutdown(socket.SHUT_WR)

    def _join(self) -> None:
        """Connect if there is a workspace, and carry the conversation on."""
        if self._link is not None or (self._client_done and self._joined_before):
            return
        try:
            self._link = sockets.connect(sockets.find(self._workspace, self._path), RETRY_SECONDS)
        except SocketError as error:
            starting = isinstance(error, NotRunning)
            self._reason = self._not_running if starting else str(error)
            self._patient_until *= starting
            if not self._patient():
                self._take_waiting()
            return
        self._link.setblocking(False)
        self._to_workspace += b"".join(self._conversation.replay())
        if self._joined_before:
            self._to_client += b"".join(self._conversation.changed())
        self._joined_before = True
        self._take_waiting()
        self._half_close()

    def _take_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for line in waiting:
            self._take(line)

    def _part(self) -> None:
        """The workspace is gone."""
        if self._link is not None:
            self._link.close()
        self._link = None
        self._from_workspace = LineBuffer()
        self._to_workspace.clear()
        self._fail()

    def _fail(self) -> None:
        self._to_client += b"".join(self._conversation.lost(self._reason))

    def _patient(self) -> bool:
        return not self._joined_before and time.monotonic() < self._patient_until


def main(workspace: str = "", path: str = "") -> int:
    """Serve on stdin and stdout; the exit status."""
    try:
        Bridge(workspace, path).run()
    except KeyboardInterrupt:
        return 130
    return 0
