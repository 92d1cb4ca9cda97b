"""Connects an MCP client's stdin and stdout to a workspace's socket, and outlives the workspace.

Claude Code never restarts a stdio server that exited. So when the workspace ends, the bridge keeps running, answers
that no workspace is running, and reconnects to the next one. Standard library only and without asyncio: it starts with
every client.
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
START_SECONDS = 3.0
"""Seconds for which a client's first messages wait for a starting workspace."""
LONGEST_LINE = 4 << 20
"""Bytes of one message; a workspace drops clients that send more."""
LONGEST_KEPT = 64 << 20
"""Bytes kept of a message that is too long, to find its id."""
BUFFER = 8 << 20
"""Bytes queued for one side before reading from the other pauses."""
CHUNK = 1 << 18
BUFFER_SIZE = 1 << 20
"""Bytes read from the workspace at once, and the requested size of the client's pipe: one long response."""
ATOMIC = 4096
"""Bytes that a writable pipe accepts without blocking."""
_NOT_RUNNING = "fugue-tui is not running; start it in a terminal with: fugue-tui"


class LineBuffer:
    """Splits bytes into complete lines. A line that is too long is truncated."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that are complete now, with their newlines."""
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
    """The client's stdout. Shared with other processes, so it stays blocking and gets only what it can hold."""

    def __init__(self, number: int) -> None:
        kind = os.fstat(number).st_mode
        self._number = number
        self._socket = socket.socket(fileno=os.dup(number)) if stat.S_ISSOCK(kind) else None
        self._size = _enlarge(number) if stat.S_ISFIFO(kind) and sys.platform == "linux" else 0
        if self._socket is not None:
            with suppress(OSError):
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_SIZE)

    def put(self, data: bytes | bytearray) -> int:
        """Write a part of the data to a writable output without blocking; returns its size. Raises ConnectionError."""
        if self._socket is not None:
            return self._socket.send(data, socket.MSG_DONTWAIT)
        with memoryview(data)[: self._size if self._is_empty() else ATOMIC] as part:
            return os.write(self._number, part)

    def offer(self, data: bytes) -> int:
        """Write what fits, without polling first; returns its size. Raises ConnectionError."""
        try:
            return self.put(data) if self._socket is not None or self._is_empty() else 0
        except BlockingIOError:
            return 0

    def _is_empty(self) -> bool:
        """Whether it is an empty pipe."""
        return bool(self._size) and not self._unread()

    def _unread(self) -> int:
        """The unread bytes in the pipe."""
        return int.from_bytes(fcntl.ioctl(self._number, termios.FIONREAD, bytes(4)), sys.byteorder)


def _enlarge(pipe: int) -> int:
    """Enlarge a pipe; returns its size in bytes."""
    with suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, BUFFER_SIZE)
    return fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)


class Bridge:
    """Copies lines both ways until the client disconnects."""

    def __init__(self, workspace: str = "", path: str = "", stdin: int = 0, stdout: int = 1) -> None:
        self._workspace, self._path = workspace, path
        self._stdin, self._stdout, self._output = stdin, stdout, ClientOutput(stdout)
        self._workspace_socket: socket.socket | None = None
        self._receive_buffer = bytearray(BUFFER_SIZE)
        self._session = SessionReplay()
        self._from_client, self._from_workspace = LineBuffer(), LineBuffer()
        self._to_client, self._to_workspace = bytearray(), bytearray()
        self._waiting: list[bytes] = []
        self._start_deadline = time.monotonic() + START_SECONDS
        self._connected_before = False
        self._client_done = False
        self._reason = self._not_running = f"{_NOT_RUNNING} {workspace}".rstrip()

    def run(self) -> None:
        """Serve until the client closes its side and has all its responses, or stops reading."""
        try:
            while not self._finished():
                self._connect()
                self._poll()
        except (BrokenPipeError, ConnectionResetError):
            return

    def _finished(self) -> bool:
        return self._client_done and self._workspace_socket is None and not (self._to_client or self._waiting)

    def _poll(self) -> None:
        """Wait for readable or writable files and handle them."""
        poll, link = select.poll(), self._workspace_socket
        reading = not self._client_done and len(self._to_workspace) < BUFFER
        if reading:
            poll.register(self._stdin, select.POLLIN)
        if self._to_client:
            poll.register(self._stdout, select.POLLOUT)
        if link is not None:
            readable = select.POLLIN if len(self._to_client) < BUFFER else 0
            poll.register(link, readable | (select.POLLOUT if self._to_workspace else 0))
        ready = dict(poll.poll(None if link else RETRY_SECONDS * 1000))
        if ready.get(self._stdout):
            del self._to_client[: self._output.put(self._to_client)]
        if ready.get(self._stdin):
            self._read_client()
        if link is not None and link is self._workspace_socket and (events := ready.get(link.fileno())):
            self._transfer(link, events)

    def _read_client(self) -> None:
        data = os.read(self._stdin, CHUNK)
        for line in self._from_client.feed(data or b"\n"):
            self._handle_line(line)
        if not data:
            self._client_done = True
            self._half_close()

    def _handle_line(self, line: bytes) -> None:
        if len(line) > LONGEST_LINE:
            reason = f"a message of {len(line)} bytes is too long; {LONGEST_LINE} fit"
            self._to_client += failure(parsed(line).get("id"), reason)
        elif self._workspace_socket is not None:
            self._session.sent(line)
            self._to_workspace += line
        elif self._may_be_starting():
            self._waiting.append(line)
        else:
            self._session.sent(line)
            self._fail()

    def _transfer(self, link: socket.socket, events: int) -> None:
        try:
            if events & select.POLLOUT:
                del self._to_workspace[: link.send(self._to_workspace[:CHUNK])]
                self._half_close()
            received = self._received(link) if events & ~select.POLLOUT else None
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            received = b""
        if received is not None and not self._read_workspace(received):
            self._disconnect()

    def _received(self, link: socket.socket) -> bytes:
        """Receive into a reused buffer."""
        with memoryview(self._receive_buffer)[: link.recv_into(self._receive_buffer)] as received:
            return bytes(received)

    def _read_workspace(self, data: bytes) -> bool:
        for line in self._from_workspace.feed(data):
            if self._session.received(line):
                self._to_client += line if self._to_client else line[self._output.offer(line) :]
        return bool(data)

    def _half_close(self) -> None:
        if self._client_done and self._workspace_socket is not None and not self._to_workspace:
            self._workspace_socket.shutdown(socket.SHUT_WR)

    def _connect(self) -> None:
        """Connect to the workspace if it runs, and replay the session."""
        if self._workspace_socket is not None or (self._client_done and self._connected_before):
            return
        try:
            self._workspace_socket = sockets.connect(sockets.find(self._workspace, self._path), RETRY_SECONDS)
        except SocketError as error:
            starting = isinstance(error, NotRunning)
            self._reason = self._not_running if starting else str(error)
            self._start_deadline *= starting
            if not self._may_be_starting():
                self._handle_waiting()
            return
        self._workspace_socket.setblocking(False)
        self._to_workspace += b"".join(self._session.replay())
        if self._connected_before:
            self._to_client += b"".join(self._session.changed())
        self._connected_before = True
        self._handle_waiting()
        self._half_close()

    def _handle_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for line in waiting:
            self._handle_line(line)

    def _disconnect(self) -> None:
        """Handle the end of the workspace."""
        if self._workspace_socket is not None:
            self._workspace_socket.close()
        self._workspace_socket = None
        self._from_workspace = LineBuffer()
        self._to_workspace.clear()
        self._fail()

    def _fail(self) -> None:
        self._to_client += b"".join(self._session.lost(self._reason))

    def _may_be_starting(self) -> bool:
        return not self._connected_before and time.monotonic() < self._start_deadline


def main(workspace: str = "", path: str = "") -> int:
    """Serve on stdin and stdout; the exit status."""
    try:
        Bridge(workspace, path).run()
    except KeyboardInterrupt:
        return 130
    return 0
