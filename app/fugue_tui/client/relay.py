"""Copies bytes between the host terminal and a workspace's server, and restores the terminal on every exit path.

It does not interpret panes or keys. Neither side is read while output to the other is pending, so memory is bounded.
Few and cheap imports, and little work per byte: every keystroke and its echo pass here.
"""

import os
import select
import signal
import socket
import time
from contextlib import suppress

from fugue_tui import attach_protocol
from fugue_tui.attach_protocol import Bye, Extent, Frames, Hello, Welcome
from fugue_tui.client.host_terminal import HostTerminal, extent_of
from fugue_tui.client.signal_fd import SignalFd
from fugue_tui.client.unread import unread
from fugue_tui.errors import SocketError

CHUNK = 1 << 16
"""Bytes per read."""
_LOOK_SECONDS = 0.5
"""Poll interval while the server has unread input."""
STUCK_SECONDS = 3.0
"""After this long without a read by the server, the user is notified and Ctrl+C detaches."""
LEAVING_SECONDS = 1.0
"""How long the terminal may take to read the restoring sequence."""
RECENT_SECONDS = 2.0
"""How long after attaching the terminal's first replies may still be in transit."""
QUIET_SECONDS = 0.02, 0.3
"""How long the terminal must stay quiet before its modes are restored, at least and at most; it depends on its
latency."""
_INTERRUPTS = (b"\x03", b"\x1b[99;5u")
"""Ctrl+C in the legacy and the kitty encoding."""
_UNANSWERED = b"\x1b7\x1b[999;1H\x1b[0;7m the workspace does not answer; Ctrl+C leaves it as it is \x1b[0m\x1b8"
"""Message on the bottom row; the server redraws the row when it responds again."""
_CANCEL = b"\x18"
"""Aborts an incomplete escape sequence."""


class Relay:
    """The connection of a host terminal to a server."""

    def __init__(
        self, link: socket.socket, host: HostTerminal, hello: Hello, workspace: str = "", first: bytes = b""
    ) -> None:
        """`hello` is the attach request that was sent to the server; `first` is sent to it before any input."""
        self.workspace = workspace
        """The workspace's current name."""
        self._end: Bye | int | None = None
        self._closed = False
        self._link, self._host = link, host
        self._extent = Extent(hello.cols, hello.rows, hello.xpixel, hello.ypixel)
        self._frames = Frames()
        self._to_tty, self._to_link = bytearray(), bytearray(first)
        self._entered_at = 0.0
        self._input_quiet = QUIET_SECONDS[1]
        self._queue, self._stuck_since = 0, 0.0
        self._is_notified = self._asked = False
        """Whether the user was notified that the server is stuck; whether Ctrl+C is in its unread input."""

    def run(self, early: bytes = b"") -> Bye | int | None:
        """Relay until either side disconnects: the server's `Bye`, an exit status, or None if the server closed the
        connection without a `Bye`.

        `early` is what the server sent after its answer.
        """
        self._link.setblocking(False)
        os.set_blocking(self._host.output_fd, False)
        with SignalFd() as signals:
            try:
                self._take_over()
                self._take(early)
                while not self._closed:
                    self._poll(signals)
            finally:
                self._restore_terminal()
                self._report_restored()
                os.set_blocking(self._host.output_fd, True)
        return self._end

    # Waiting

    def _poll(self, signals: SignalFd) -> None:
        """Wait until data can be moved, and move it."""
        poll, link, stuck = select.poll(), self._link.fileno(), self._check_stuck()
        poll.register(signals.fd, select.POLLIN)
        poll.register(self._host.input_fd, 0 if self._to_link and not stuck else select.POLLIN)
        if self._to_tty:
            poll.register(self._host.output_fd, select.POLLOUT)
        if self._to_link or not self._to_tty:
            wanted = select.POLLIN if not self._to_tty else 0
            poll.register(link, wanted | (select.POLLOUT if self._to_link else 0))
        ready = dict(poll.poll(_LOOK_SECONDS * 1000 if self._to_link or self._stuck_since else None))
        if self._host.input_fd in ready:
            self._read_terminal(stuck)
        if self._host.output_fd in ready:
            self._draw()
        if link in ready:
            self._serve(ready[link])
        if signals.fd in ready:
            for number in signals.take():
                self._signalled(number)

    def _finish(self, end: Bye | int | None) -> None:
        if not self._closed:
            self._closed, self._end = True, end

    # From the terminal to the server

    def _read_terminal(self, stuck: bool) -> None:
        try:
            data = os.read(self._host.input_fd, CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""  # Linux reports a hung-up terminal as EIO, not as end of file.
        if not data:
            self._finish(1)
            return
        if self._input_quiet == QUIET_SECONDS[1]:
            self._input_quiet = min(max(time.monotonic() - self._entered_at, QUIET_SECONDS[0]), QUIET_SECONDS[1] - 0.01)
        if self._stuck() and any(key in data for key in _INTERRUPTS):
            self._finish(Bye("detached", "it does not answer; it was left as it is", 1))
        elif not (stuck and self._to_link):
            self._asked = self._asked or any(key in data for key in _INTERRUPTS)
            self._send(attach_protocol.INPUT, data)
            self._watch()

    def _send(self, kind: bytes, payload: bytes) -> None:
        self._to_link += attach_protocol.frame(kind, payload)
        self._flush()

    def _flush(self) -> None:
        try:
            del self._to_link[: self._link.send(self._to_link)]
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._to_link.clear()  # It is gone; its last output can still be read.

    def _watch(self) -> None:
        """Note since when the server has read nothing: its backlog only grows."""
        before, self._queue = self._queue, unread(self._link) + len(self._to_link)
        if self._queue <= before or not self._stuck_since:
            self._stuck_since = time.monotonic() if self._queue else 0.0

    def _check_stuck(self) -> bool:
        """Whether the server is stuck; if so, notifies the user and detaches if a Ctrl+C has waited as long."""
        stuck = self._stuck()
        if stuck and self._asked:
            self._finish(Bye("detached", "it does not answer; it was left as it is", 1))
        elif stuck and not self._is_notified and not self._to_tty:
            self._is_notified = True
            self._to_tty += _UNANSWERED
            self._draw()
        elif not self._stuck_since:
            self._asked = False
            if self._is_notified:
                self._is_notified = False
                self._resized(again=True)
        return stuck

    def _stuck(self) -> bool:
        if not self._to_link and not unread(self._link):
            self._stuck_since = 0.0
        return bool(self._stuck_since) and time.monotonic() - self._stuck_since >= STUCK_SECONDS

    # From the server to the terminal

    def _serve(self, ready: int) -> None:
        if ready & select.POLLOUT:
            self._flush()
        if self._to_tty or not ready & ~select.POLLOUT:
            return
        try:
            data = self._link.recv(CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if data:
            self._take(data)
        else:
            self._finish(None)

    def _take(self, data: bytes) -> None:
        try:
            for kind, payload in self._frames.feed(data):
                if kind == attach_protocol.OUTPUT:
                    self._to_tty += payload
                elif kind == attach_protocol.NAME:
                    self._renamed(Welcome.load(payload))
                elif kind == attach_protocol.BYE:
                    self._finish(Bye.load(payload))
        except SocketError:
            self._finish(None)
        self._draw()

    def _renamed(self, welcome: Welcome) -> None:
        self.workspace = welcome.workspace
        if welcome.title.isprintable():
            self._to_tty += self._host.rename(welcome.title)

    def _draw(self) -> None:
        try:
            while self._to_tty:
                del self._to_tty[: os.write(self._host.output_fd, self._to_tty)]
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._to_tty.clear()
            self._finish(1)

    # The terminal itself

    def _take_over(self) -> None:
        self._to_tty += self._host.enter()
        self._entered_at = time.monotonic()
        self._draw()
        self._resized()

    def _restore_terminal(self) -> None:
        """Restore the terminal; its late replies are discarded rather than typed into the shell."""
        if not self._host.entered:
            return
        cut_off = bool(self._to_tty)
        self._to_tty[:] = (_CANCEL if cut_off else b"") + self._host.leave()
        deadline = time.monotonic() + LEAVING_SECONDS
        self._draw()
        while self._to_tty and _wait(self._host.output_fd, select.POLLOUT, deadline - time.monotonic()):
            self._draw()
        if self._to_tty:
            self._host.drop_output()
            self._to_tty.clear()
        self._settle()
        self._host.restore()

    def _report_restored(self) -> None:
        """Notify the server, which otherwise resets the terminal as if the client had been killed."""
        with suppress(OSError):
            self._link.send(bytes(self._to_link) + attach_protocol.frame(attach_protocol.PAUSE, b""))

    def _settle(self) -> None:
        """Discard query replies and mouse reports that are still in transit."""
        deadline = time.monotonic() + 2 * QUIET_SECONDS[1]
        lately = time.monotonic() - self._entered_at < RECENT_SECONDS
        quiet = self._input_quiet if lately or self._input_quiet < QUIET_SECONDS[1] else QUIET_SECONDS[0]
        try:
            while time.monotonic() < deadline and _wait(self._host.input_fd, select.POLLIN, quiet):
                if not os.read(self._host.input_fd, CHUNK):
                    return
        except OSError:
            return

    def _resized(self, *, again: bool = False) -> None:
        """Send the terminal's size to the server if it changed, or to draw `again`."""
        extent = Extent(*extent_of(self._host.input_fd))
        if again or extent != self._extent:
            self._extent = extent
            self._send(attach_protocol.SIZE, extent.dump())

    def _signalled(self, number: int) -> None:
        if number == signal.SIGWINCH:
            self._resized()
        elif number == signal.SIGTSTP:
            self._send(attach_protocol.PAUSE, b"")
            self._restore_terminal()
            os.kill(os.getpid(), signal.SIGSTOP)
        elif number == signal.SIGCONT:
            self._restore_terminal()
            self._take_over()
            self._resized(again=True)
        else:
            self._finish(128 + number)


def _wait(fd: int, events: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(fd, events)
    return bool(poll.poll(max(seconds, 0) * 1000))
