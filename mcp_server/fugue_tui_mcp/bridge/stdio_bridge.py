"""Connects an MCP client's stdin and stdout to a workspace's socket, and outlives the workspace.

Claude Code never restarts a stdio server that exited, nor asks one again that failed. So without its workspace the
bridge answers what needs none, fails calls, and connects to the workspace when it runs. Standard library only and
without asyncio: it starts with every client.
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

from fugue_tui.errors import NotRunning, SocketError
from fugue_tui_mcp.bridge import handshake, headless_workspace
from fugue_tui_mcp.bridge.offline_responses import OfflineResponses
from fugue_tui_mcp.bridge.session_replay import Message, SessionReplay, failure, params_of, parsed
from fugue_tui_mcp.bridge.workspace_choice import JOIN_TOOL, NOT_RUNNING, WorkspaceChoice, labels
from fugue_tui_mcp.bridge.workspace_tools import WorkspaceTools

RETRY_SECONDS = 0.25
CONNECT_SECONDS = 1.0
START_SECONDS = 3.0
"""Seconds for which a client's first calls wait for a starting workspace."""
REFUSED_SECONDS = 2.0
"""Interval of attempts to connect to a workspace that refuses agents."""
HEADLESS_SECONDS = 30.0
"""The same for a workspace that the bridge has started."""
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
        self._choice = WorkspaceChoice(workspace, path)
        self._workspace, self._path = workspace, path
        self._tools = WorkspaceTools(self._choice, self._switch)
        self._stdin, self._stdout, self._output = stdin, stdout, ClientOutput(stdout)
        self._workspace_socket: socket.socket | None = None
        self._receive_buffer = bytearray(BUFFER_SIZE)
        self._session, self._offline = SessionReplay(), OfflineResponses()
        self._from_client, self._from_workspace = LineBuffer(), LineBuffer()
        self._to_client, self._to_workspace = bytearray(), bytearray()
        self._waiting: list[tuple[bytes, Message]] = []
        self._start_deadline = time.monotonic() + START_SECONDS
        self._served = self._started = self._client_done = False
        self._next_attempt = 0.0
        self._error: SocketError = NotRunning("")

    def run(self) -> None:
        """Serve until the client closes its side and has all its responses, or nobody can read them any more."""
        try:
            while not self._finished():
                self._connect()
                self._poll()
        except (BrokenPipeError, ConnectionResetError):
            return
        finally:
            self._offline.close()

    def _finished(self) -> bool:
        return self._client_done and self._workspace_socket is None and not (self._to_client or self._waiting)

    def _poll(self) -> None:
        """Wait for readable or writable files and handle them."""
        poll, link = select.poll(), self._workspace_socket
        reading = not self._client_done and len(self._to_workspace) < BUFFER
        if reading:
            poll.register(self._stdin, select.POLLIN)
        poll.register(self._stdout, select.POLLOUT if self._to_client else 0)  # Errors are always told.
        if link is not None:
            readable = select.POLLIN if len(self._to_client) < BUFFER else 0
            poll.register(link, readable | (select.POLLOUT if self._to_workspace else 0))
        if (generating := self._offline.generating) is not None:
            poll.register(generating, select.POLLIN)
        ready = dict(poll.poll(None if link else RETRY_SECONDS * 1000))
        if ready.get(self._stdout, 0) & (select.POLLERR | select.POLLHUP):
            raise BrokenPipeError
        if ready.get(self._stdout):
            del self._to_client[: self._output.put(self._to_client)]
        if generating is not None and ready.get(generating) and self._offline.read():
            self._handle_waiting()
        if ready.get(self._stdin):
            self._read_client()
        if link is not None and link is self._workspace_socket and (events := ready.get(link.fileno())):
            self._transfer(link, events)

    def _read_client(self) -> None:
        data = os.read(self._stdin, CHUNK)
        self._connect()
        for line in self._from_client.feed(data or b"\n"):
            self._handle_line(line)
        if not data:
            self._client_done = True
            self._half_close()

    def _handle_line(self, line: bytes) -> None:
        message = parsed(line)
        if len(line) > LONGEST_LINE:
            reason = f"a message of {len(line)} bytes is too long; {LONGEST_LINE} fit"
            self._to_client += failure(message.get("id"), reason)
        else:
            self._handle(line, message)

    def _handle(self, line: bytes, message: Message) -> None:
        self._offline.introduce(message)
        if self._tools.called(message):
            self._to_client += self._tools.respond(message)
        elif "id" in message and (result := handshake.result_of(message)) is not None:
            self._answer_handshake(line, message, result)
        elif self._workspace_socket is not None:
            self._session.sent(line, message)
            self._to_workspace += line
        elif "id" not in message or "method" not in message:
            self._handle_notification(line, message)
        elif not self._offline.is_ready(message["method"]):
            self._waiting.append((line, message))
        elif (response := self._offline.respond(message)) is not None:
            self._session.sent(line, message)
            self._pass_on(response)
        elif self._starts_workspace() or self._is_starting():
            self._waiting.append((line, message))
        else:
            self._fail(message)

    def _fail(self, message: Message) -> None:
        """Fail a call, and have the client list the tools anew if it lacks those that the error names."""
        self._to_client += failure(message["id"], self._reason())
        if not self._tools.are_listed and self._choice.elsewhere():
            self._tools.are_listed = True
            self._to_client += b"".join(self._session.changed())

    def _answer_handshake(self, line: bytes, message: Message, result: Message) -> None:
        """Answer it here and have the workspace answer it too: it needs seconds if this is its first client."""
        self._session.sent(line, message)
        forwarded = self._workspace_socket is not None
        self._to_client += self._session.answered(message, result, forwarded=forwarded)
        self._served = True
        if forwarded:
            self._to_workspace += line
        else:
            self._offline.is_ready("tools/list")

    def _handle_notification(self, line: bytes, message: Message) -> None:
        """Handle a notification or a response while there is no workspace."""
        if self._offline.generating is not None:  # The handshake may be waiting.
            self._waiting.append((line, message))
            return
        if message.get("method") == "notifications/cancelled":
            cancelled = params_of(message).get("requestId")
            self._waiting = [each for each in self._waiting if each[1].get("id") != cancelled]
        self._session.sent(line, message)

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
            self._pass_on(line)
        return bool(data)

    def _pass_on(self, line: bytes) -> None:
        """Send a workspace's line to the client, if it is new to it."""
        offered = self._tools.offered(line) if self._session.lists_tools(line) else line
        if self._session.received(line):
            self._served = True
            self._to_client += offered if self._to_client else offered[self._output.offer(offered) :]

    def _half_close(self) -> None:
        if self._client_done and self._workspace_socket is not None and not self._to_workspace:
            self._workspace_socket.shutdown(socket.SHUT_WR)

    def _connect(self) -> None:
        """Connect to the workspace if it runs."""
        is_needed = self._workspace_socket is None and (self._waiting or not self._client_done)
        if not is_needed or time.monotonic() < self._next_attempt:
            return
        try:
            self._attach(self._choice.connect(CONNECT_SECONDS))
        except SocketError as error:
            self._error = error
            if self._offline.generating is None and not self._is_starting():
                self._handle_waiting()

    def _attach(self, link: socket.socket) -> None:
        """Continue the session in the workspace at the other end."""
        self._workspace_socket, self._started = link, False
        link.setblocking(False)
        self._to_workspace += b"".join(self._session.replay())
        if self._served:
            self._to_client += b"".join(self._session.changed())
        self._handle_waiting()
        self._half_close()

    def _switch(self, link: socket.socket) -> None:
        """Leave the workspace and continue in another."""
        if self._workspace_socket is not None:
            self._disconnect("the client has joined another workspace")
        self._attach(link)

    def _handle_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for line, message in waiting:
            self._handle(line, message)

    def _disconnect(self, reason: str = "") -> None:
        """Handle the end of the connection."""
        if self._workspace_socket is not None:
            self._workspace_socket.close()
        self._workspace_socket = None
        self._from_workspace = LineBuffer()
        self._to_workspace.clear()
        self._error, self._start_deadline = NotRunning(""), 0.0
        if self._session.refusal:  # It is not asked again at once.
            self._error, self._next_attempt = SocketError(self._session.refusal), time.monotonic() + REFUSED_SECONDS
        self._to_client += b"".join(self._session.lost(reason or self._reason()))

    def _reason(self) -> str:
        """Why calls fail, and what to do."""
        if not isinstance(self._error, NotRunning):
            return str(self._error)
        joined = self._choice.joined
        reason = f"{NOT_RUNNING}{_new(self._workspace)}"
        if joined is not None and joined.name:
            whose = f"the workspace {joined.label}, to which this client belongs,"
            reason = f"{whose} is not running; start it in a terminal with: fugue-tui{_new(joined.name)}"
        others = self._choice.elsewhere()
        return f"{reason}; or join another with {JOIN_TOOL}: {labels(others)}" if others else reason

    def _is_starting(self) -> bool:
        """Whether calls wait for the workspace."""
        return isinstance(self._error, NotRunning) and time.monotonic() < self._start_deadline

    def _starts_workspace(self) -> bool:
        """Start the workspace, once, if the configuration says so; whether that was done."""
        joined = self._choice.joined
        if self._started or not isinstance(self._error, NotRunning) or not headless_workspace.is_wanted(joined):
            return False
        headless_workspace.start(joined.name if joined is not None else self._workspace, self._path)
        self._started, self._start_deadline = True, time.monotonic() + HEADLESS_SECONDS
        return True


def _new(name: str) -> str:
    """The arguments of the command line that start a workspace, whether it is saved or not."""
    return f" new {name}" if name else ""


def main(workspace: str = "", path: str = "") -> int:
    """Serve on stdin and stdout; the exit status."""
    try:
        Bridge(workspace, path).run()
    except KeyboardInterrupt:
        return 130
    return 0
