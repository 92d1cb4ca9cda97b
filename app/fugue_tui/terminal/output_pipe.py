"""Sends a terminal's output, byte for byte but for the nonce of prompt marks, to a program or a file, from a thread.

The terminal never waits for it: what the receiver does not take is kept up to a limit, and beyond that left out and
counted. It ends with the terminal's program, and the receiver then gets the rest, as long as it takes any.
"""

import os
import select
import stat
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from fugue_tui.errors import InputFull, TerminalGone
from fugue_tui.terminal.observers import Closed, ObservedEvent
from fugue_tui.terminal.pty import orphans
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.shell_integration.nonce_filter import NonceFilter
from fugue_tui.terminal.terminal import Terminal

MOST_KEPT: Final = 2 << 20
"""Bytes that are kept for a receiver that is slower than the terminal; as many may be on their way to it."""
STALLED_SECONDS: Final = 5.0
"""How long a receiver that takes nothing is waited for after the end."""
_STEP: Final = 1 << 16
_STEP_SECONDS: Final = 0.1


class OutputPipe:
    """One pipe. `start` begins; `stop` may be called by any thread, and more than once."""

    def __init__(
        self,
        terminal: Terminal,
        fd: int | None,
        child: "subprocess.Popen[bytes] | None" = None,
        *,
        typed: int | None = None,
        lagged: Callable[[], None],
        ended: Callable[[], None],
    ) -> None:
        """`fd` receives the output, and `typed` gives what is typed into the terminal; both become the pipe's own.
        `lagged` is called once, if something is left out; `ended` once all is over. Both on any thread."""
        self.terminal = terminal
        self.dropped = 0
        """Bytes that were left out."""
        self.fault = ""
        """Why the receiver takes no more, in words; empty if it has not failed."""
        self._fd, self._child, self._typed = fd, child, typed
        self._lagged, self._ended = lagged, ended
        self._buffer = bytearray()
        self._nonce_filter = NonceFilter()
        self._ready = threading.Condition(threading.Lock())
        self._stopped = False
        self._unsubscribe: Callable[[], None] = lambda: None
        self._typing = threading.Thread(target=self._type, name="input-pipe", daemon=True)

    def start(self) -> None:
        """Begin: everything that the program prints from now on is sent."""
        self._unsubscribe = self.terminal.observe(self._on_output, raw=True)
        if self.terminal.closed or self.terminal.exit is not None:
            self.stop()
        self._typing.start()
        threading.Thread(target=self._run, name="output-pipe", daemon=True).start()
        if self._child is not None:
            threading.Thread(target=self._reap, args=(self._child,), name="output-pipe-child", daemon=True).start()

    def stop(self) -> None:
        """End: the receiver gets what is kept, and then the end of its input."""
        with self._ready:
            self._stopped = True
            self._ready.notify()

    def _on_output(self, what: ObservedEvent) -> None:
        match what:
            case memoryview():
                self._keep(what)
            case Exit() | Closed():
                self.stop()
            case _:
                pass

    def _keep(self, data: memoryview) -> None:
        """Keep output, or count it. On the I/O loop's threads, under the terminal's lock."""
        with self._ready:
            if self._stopped or self._fd is None:
                return
            lost, first = self._add(self._nonce_filter.feed(bytes(data))), not self.dropped
            self.dropped += lost
            self._ready.notify()
        if lost and first:
            self._lagged()

    def _add(self, data: bytes) -> int:
        """Keep what there is room for; how many bytes there is none for."""
        room = MOST_KEPT - len(self._buffer)
        self._buffer += data[:room]
        return max(len(data) - room, 0)

    # The thread

    def _run(self) -> None:
        try:
            if self._fd is not None:
                with os.fdopen(self._fd, "wb", buffering=0):
                    os.set_blocking(self._fd, False)
                    while data := self._take():
                        self._send(memoryview(data))
            else:
                self._wait()
        except OSError as error:
            self.fault = os.strerror(error.errno) if error.errno is not None else str(error)
        self._unsubscribe()
        self.stop()
        self._typing.join()
        self._ended()

    def _reap(self, child: "subprocess.Popen[bytes]") -> None:
        """Wait for the program, and end the pipe with it, once all is typed that it printed."""
        child.wait()
        orphans.own.discard(child.pid)
        self._typing.join()
        self.stop()

    def _wait(self) -> None:
        with self._ready:
            self._ready.wait_for(lambda: self._stopped)

    def _take(self) -> bytes:
        """What is kept, once there is something; empty at the end."""
        with self._ready:
            self._ready.wait_for(lambda: self._buffer or self._stopped)
            if self._stopped:
                self.dropped += self._add(self._nonce_filter.flush())
            data, self._buffer = self._buffer, bytearray()
        return bytes(data)

    def _send(self, data: memoryview) -> None:
        """Write all of it. Raises OSError if the receiver is gone, or takes nothing for long after the end."""
        assert self._fd is not None
        ready, stalled = select.poll(), 0.0
        ready.register(self._fd, select.POLLOUT)
        while data:
            try:
                data = data[os.write(self._fd, data[:_STEP]) :]
                stalled = 0.0
            except BlockingIOError:
                ready.poll(_STEP_SECONDS * 1000)
                stalled = stalled + _STEP_SECONDS if self._stopped else 0.0
                if stalled > STALLED_SECONDS:
                    self.dropped += len(data) + len(self._take())
                    return

    def _type(self) -> None:
        """Type what a program prints."""
        if self._typed is None:
            return
        with os.fdopen(self._typed, "rb", buffering=0), suppress(TerminalGone, OSError):
            ready = select.poll()
            ready.register(self._typed, select.POLLIN)
            while not self._stopped:
                if ready.poll(_STEP_SECONDS * 1000):
                    data = os.read(self._typed, 1 << 12)
                    if not data:
                        break
                    self._type_all(data)
        if self._fd is None:
            self.stop()

    def _type_all(self, data: bytes) -> None:
        """Type bytes, once the terminal's program reads again."""
        while not self._stopped:
            try:
                self.terminal.write(data)
            except InputFull:
                with self._ready:
                    self._ready.wait(_STEP_SECONDS)
            else:
                return


def open_file(path: str) -> int:
    """A descriptor that appends to a file, which is created for its owner alone. Raises OSError."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o600)
    if stat.S_ISDIR(os.fstat(fd).st_mode):
        os.close(fd)
        raise IsADirectoryError(f"{path} is a directory")
    return fd


def run(line: str, cwd: str, *, reads: bool, prints: bool) -> "subprocess.Popen[bytes]":
    """Start a line of /bin/sh in a session of its own, that reads or prints through a pipe. Raises OSError or
    ValueError."""
    with orphans.lock:
        child = subprocess.Popen(
            ("/bin/sh", "-c", line),
            cwd=cwd,
            stdin=subprocess.PIPE if reads else subprocess.DEVNULL,
            stdout=subprocess.PIPE if prints else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        orphans.own.add(child.pid)
    return child
