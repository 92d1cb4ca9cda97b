"""One terminal's descriptors in the I/O loop: reading, writing, resizing, and the exit of its program.

A program exits when its own process does, even if others hold its terminal open; its unread output is then read, for a
bounded time, and only then are the descriptors closed, here and nowhere else.
"""

import errno
import fcntl
import os
import signal
import struct
import sys
import termios
import time
from contextlib import suppress
from threading import Lock
from typing import Final, NoReturn, Protocol

from fugue_tui.errors import InputFull, TerminalGone
from fugue_tui.geometry import Size
from fugue_tui.terminal.pty.io_loop import READ, WRITE, IOLoop
from fugue_tui.terminal.pty.read_buffer import SIZE, ReadBuffer
from fugue_tui.terminal.pty.session_killer import GRACE
from fugue_tui.terminal.pty.spawn import Exit, Pty
from fugue_tui.terminal.pty.winsize import Winsize
from fugue_tui.terminal.pty.write_queue import CAPACITY, WriteQueue

_TIOCGPTPEER: Final = 0x5441
"""Opens the other end of a terminal; see ioctl_tty(2)."""


def edits_lines(fd: int) -> bool:
    """Whether the terminal's settings are those of a line editor, such as a shell at its prompt: keys are read one by
    one and not echoed, including Enter or the key that quotes the next one.

    A program that reads one key, or a password, leaves these two to the kernel. False if that is unknown, or while
    there is unread output."""
    try:
        iflag, _, _, lflag, _, _, keys = termios.tcgetattr(fd)
        (unread,) = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"))
    except (termios.error, OSError):
        return False
    plain = iflag & termios.ICRNL and keys[termios.VLNEXT] != b"\0"
    return not (unread or lflag & (termios.ICANON | termios.ECHO) or plain)


def is_canonical(fd: int) -> bool:
    """Whether the terminal edits lines by itself, as while a program prints that draws no screen."""
    return bool(_local_modes(fd) & termios.ICANON)


def hides_input(fd: int) -> bool:
    """Whether the terminal's settings are those of a password prompt: lines are read, and not echoed."""
    return _local_modes(fd) & (termios.ICANON | termios.ECHO) == termios.ICANON


def _local_modes(fd: int) -> int:
    """The terminal's local modes (c_lflag); none if they are unknown."""
    try:
        return termios.tcgetattr(fd)[3]
    except (termios.error, OSError):
        return 0


def interrupts(fd: int) -> bool:
    """Whether the terminal's settings turn Ctrl+C into an interrupt that drops unread input."""
    try:
        _, _, _, lflag, _, _, keys = termios.tcgetattr(fd)
    except (termios.error, OSError):
        return False
    return bool(lflag & termios.ISIG) and not lflag & termios.NOFLSH and keys[termios.VINTR] == b"\x03"


def drop_unread(fd: int) -> None:
    """Drop what was sent to a terminal and is not read yet, as an interrupt does that is not queued behind it."""
    with suppress(termios.error, OSError):
        termios.tcflush(fd, termios.TCOFLUSH)
        if sys.platform == "linux":
            other = fcntl.ioctl(fd, _TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                termios.tcflush(other, termios.TCIFLUSH)  # The line discipline's own buffer.
            finally:
                os.close(other)


class NullChannel:
    """The channel of a terminal without a program: no descriptors, no thread, no process."""

    flooding = -1
    turn = 0

    def start(self) -> None:
        """There is nothing to read."""

    def write(self, data: bytes) -> int:
        """Raises TerminalGone."""
        _refuse()

    def reply(self, data: bytes) -> bool:
        """Drops the reply."""
        return False

    def discard_unsent(self) -> None:
        """Nothing is queued."""

    def pause(self, *, paused: bool) -> None:
        """There is nothing to read."""

    def resize(self, size: Size) -> None:
        """There is no program to notify."""

    def set_cell(self, cell: tuple[int, int]) -> None:
        """Nothing: there is no program."""

    @property
    def ran_seconds(self) -> float:
        """No time at all."""
        return 0.0

    def foreground_group(self) -> int:
        """No process group."""
        return 0

    def edits_lines(self) -> bool:
        """No program edits a line."""
        return False

    def is_canonical(self) -> bool:
        """No program draws."""
        return True

    def hides_input(self) -> bool:
        """No program reads."""
        return False

    def interrupt(self, number: int) -> None:
        """Raises TerminalGone."""
        _refuse()

    def close(self) -> None:
        """Nothing is held."""

    def ready(self, fd: int, events: int) -> None:
        """No descriptor is watched."""

    def writable(self) -> None:
        """No descriptor is watched."""

    def hang_up(self, grace: float) -> None:
        """No program runs."""

    def fail(self) -> None:
        """Nothing is held."""


def _refuse() -> NoReturn:
    raise TerminalGone("the program of this pane was not started yet; Enter in the pane or respawn-pane starts it")


_HOLD: Final = 0.003
"""The CPU seconds that one delivery should cost at most; slower engines get smaller ones."""
_LEAST: Final = 1 << 10
_FIRST: Final = 8 << 10
_BULK: Final = 8 << 10
_AHEAD: Final = 2
"""How many undelivered buffers one terminal may have; then reading stops."""
_SPARES: Final = 8
_QUIET: Final = 0.1
_DRAIN_TIME: Final = 0.3
_DRAIN_BYTES: Final = 128 << 10
"""More than the kernel keeps for one terminal."""
_POLL: Final = 0.2
_RETRIES: Final = (0.05, 1.0)


class Receiver(Protocol):
    """Receives the output, in order and one call at a time, on one of the I/O loop's two threads."""

    def receive(self, data: memoryview) -> None:
        """Output, valid until the call returns."""
        ...

    def finish(self, exit: Exit) -> None:
        """The program has exited and there is no further output."""
        ...


class Channel:
    """The I/O of one program. Methods say which threads may call them."""

    def __init__(self, pty: Pty, size: Size, pump: IOLoop, receiver: Receiver) -> None:
        self.flooding = -1
        self.turn = 0
        self._pty = pty
        self._io_loop = pump
        self._receiver = receiver
        self._guard = Lock()
        self._closed = False
        self._outbox = WriteQueue()
        self._writing = False
        self._waiting = 0
        self._ended = False
        self._winsize = Winsize(size, pty.resize)
        self._budget = _FIRST
        self._discards_output = self._failed = self._hung_up = self._paused = False
        self._retry = _RETRIES[0]
        self._exit: Exit | None = None
        self._started_at, self._exit_at = time.monotonic(), 0.0
        self._drained = 0

    def start(self) -> None:
        """Begin to read; the receiver must be ready. Any thread."""
        self._io_loop.post(self._open, self)

    def write(self, data: bytes) -> int:
        """Send bytes to the program, now or when it reads; how many there are. Any thread.

        Raises TerminalGone, or InputFull and sends nothing."""
        with self._guard:
            if self._closed:
                raise TerminalGone("the program has ended")
            if not self._outbox.accept(data):
                raise InputFull(
                    f"{self._outbox.size} bytes wait for the program, which does not read them: none of these "
                    f"{len(data)} bytes were sent, for at most {CAPACITY} may wait; send them when it reads again"
                )
            self._flush_first()
        return len(data)

    def reply(self, data: bytes) -> bool:
        """Send a terminal reply to the program; False if too many are queued, or it has exited. Any thread."""
        with self._guard:
            accepted = not self._closed and self._outbox.accept_reply(data)
            if accepted:
                self._flush_first()
        return accepted

    def discard_unsent(self) -> None:
        """Drop what the program does not read, if Ctrl+C interrupts it and would wait behind that. Any thread."""
        with self._guard:
            if not self._closed and self._outbox.size and interrupts(self._pty.fd):
                self._outbox.clear()
                drop_unread(self._pty.fd)

    def resize(self, size: Size) -> None:
        """Notify the program of its size: at once, or after rapid changes a little later, but always of the last. Any
        thread."""
        with self._guard:
            wait = None if self._closed else self._winsize.change(size)
        if wait is not None:
            self._io_loop.post(lambda: self._io_loop.later(wait, self._resize_late, self), self)

    def set_cell(self, cell: tuple[int, int]) -> None:
        """Notify the program that its cells have other pixels. Any thread."""
        with self._guard:
            if not self._closed and cell != self._pty.cell:
                self._pty.cell = cell
                self._winsize.repeat()

    def pause(self, *, paused: bool) -> None:
        """Stop or resume reading while the program runs. Any thread."""
        self._paused = paused
        self._io_loop.post(self._rewatch, self)

    @property
    def ran_seconds(self) -> float:
        """How long the program has run, or ran until it ended. Any thread."""
        return (self._exit_at or time.monotonic()) - self._started_at

    def foreground_group(self) -> int:
        """The foreground process group; 0 if none. Any thread."""
        with self._guard, suppress(OSError):
            return 0 if self._closed else max(os.tcgetpgrp(self._pty.fd), 0)
        return 0

    def edits_lines(self) -> bool:
        """Whether a program edits a line, as a shell does at its prompt. Any thread."""
        with self._guard:
            return not self._closed and edits_lines(self._pty.fd)

    def is_canonical(self) -> bool:
        """Whether the terminal edits lines by itself. Any thread."""
        with self._guard:
            return not self._closed and is_canonical(self._pty.fd)

    def hides_input(self) -> bool:
        """Whether what is typed is not shown, as at a password prompt. Any thread."""
        with self._guard:
            return not self._closed and hides_input(self._pty.fd)

    def interrupt(self, number: int) -> None:
        """Send a signal to the foreground programs. Any thread; raises TerminalGone."""
        group = self.foreground_group()
        if not group:
            raise TerminalGone("the program has ended")
        try:
            os.killpg(group, signal.Signals(number))
        except ProcessLookupError as error:
            raise TerminalGone("the program has ended") from error

    def close(self) -> None:
        """End the program; what it prints meanwhile is thrown away. Any thread; never waits."""
        self._discards_output = True
        self._io_loop.post(lambda: self.hang_up(GRACE), self)

    def ready(self, fd: int, events: int) -> None:
        """For the pump."""
        if fd == self._pty.pidfd:
            self._look_for_exit()
        elif events & READ and not self._ended:
            self._read()

    def writable(self) -> None:
        """For the pump."""
        with self._guard:
            if not self._closed:
                self._flush()

    def hang_up(self, grace: float) -> None:
        """End every process of the program's session within `grace` seconds, unless it has ended. For the pump."""
        if self._exit is None:
            self._io_loop.session_killer.add(self._pty.pid, grace)

    def fail(self) -> None:
        """Give up reading and end the program. For the pump."""
        if not self._closed:
            self._failed = self._discards_output = True
            self._watch()
            self.hang_up(GRACE)

    def _open(self) -> None:
        self._io_loop.add(self)
        with self._guard:
            self._watch()
        if self._pty.pidfd is None:
            self._poll()
        else:
            self._io_loop.watch(self, self._pty.pidfd, READ)

    def _watch(self) -> None:
        if self._hung_up or self._failed or self._ended:
            self._io_loop.watch(self, self._pty.fd, 0)
            return
        reading = READ if self._waiting < _AHEAD and not self._paused else 0
        self._io_loop.watch(self, self._pty.fd, reading | (WRITE if self._writing else 0))

    def _flush_first(self) -> None:
        """Send at once, unless the pump already waits for the program to read."""
        if not self._writing:
            self._flush()

    def _flush(self) -> None:
        self._outbox.flush(self._write)
        if bool(self._outbox.size) != self._writing:
            self._writing = not self._writing
            self._io_loop.post(self._rewatch, self)

    def _write(self, piece: memoryview) -> int:
        try:
            return os.write(self._pty.fd, piece)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return len(piece)  # No process holds the terminal: what is typed at it is lost.

    def _rewatch(self) -> None:
        with self._guard:
            if not self._closed:
                self._watch()

    def _resize_late(self) -> None:
        with self._guard:
            if not self._closed:
                self._winsize.catch_up()

    def _read(self) -> None:
        if self._waiting == _AHEAD:
            return
        intake = self._io_loop.spares.pop() if self._io_loop.spares else ReadBuffer()
        filled, hung_up = intake.fill(self._pty.fd, self._budget)
        self.flooding = self._pty.fd if filled >= _BULK or filled == self._budget else -1
        if filled and (self._waiting or self.flooding >= 0):
            self._deliver_on_feeder(intake, filled)
        else:
            self._deliver(intake.view[:filled])
            self._io_loop.spares.append(intake)
        if self._exit is not None:
            self._go_on_draining(filled, hung_up)
        elif hung_up:
            self._pause_reading()

    def _deliver_on_feeder(self, intake: ReadBuffer, filled: int) -> None:
        self._waiting += 1
        if self._waiting == _AHEAD:
            self._rewatch()
        self._io_loop.run_on_feeder(self, lambda: self._deliver(intake.view[:filled]), lambda: self._delivered(intake))

    def _delivered(self, intake: ReadBuffer) -> None:
        if len(self._io_loop.spares) < _SPARES:
            self._io_loop.spares.append(intake)
        self._waiting -= 1
        if self._ended:
            self._finish()
        elif self._waiting == _AHEAD - 1:
            self._rewatch()

    def _deliver(self, data: memoryview) -> None:
        if self._discards_output or not data:
            return
        start = time.thread_time()
        self._receiver.receive(data)
        spent = time.thread_time() - start
        if spent > _HOLD:
            self._budget = max(_LEAST, int(self._budget * _HOLD / spent))
        elif len(data) == self._budget and spent < _HOLD / 2:
            self._budget = min(SIZE, self._budget * 2)

    def _pause_reading(self) -> None:
        """No process holds the terminal but the program lives: it may open it again, so look once in a while."""
        self._hung_up = True
        self._rewatch()
        self._io_loop.later(self._retry, self._resume_reading, self)
        self._retry = min(self._retry * 2, _RETRIES[1])

    def _resume_reading(self) -> None:
        if self._hung_up and self._exit is None and not self._failed:
            self._hung_up = False
            self._rewatch()

    def _poll(self) -> None:
        self._look_for_exit()
        if self._exit is None:
            self._io_loop.later(_POLL, self._poll, self)

    def _look_for_exit(self) -> None:
        if self._exit is None and (exit := self._pty.reap()):
            self._exit = exit
            self._exit_at = time.monotonic()
            if self._pty.pidfd is not None:
                self._io_loop.watch(self, self._pty.pidfd, 0)
            self._drain()

    def _drain(self) -> None:
        """Read until every process has closed the terminal, or nothing comes for a moment: an orphan may keep it."""
        if self._failed and not self._ended:
            self._finish()
        if self._ended:
            return
        before = self._drained
        self._read()
        quiet = self._drained == before and not self._waiting
        if not self._ended and quiet and self._exit_at + _QUIET <= time.monotonic():
            self._finish()
        elif not self._ended:
            self._io_loop.later(_QUIET, self._drain, self)

    def _go_on_draining(self, filled: int, hung_up: bool) -> None:
        self._drained += filled
        late = time.monotonic() > self._exit_at + _DRAIN_TIME and self._drained > _DRAIN_BYTES
        if hung_up or late or (self._discards_output and not filled):
            self._finish()

    def _finish(self) -> None:
        """Close, once everything that was read is delivered."""
        self._ended = True
        self._io_loop.watch(self, self._pty.fd, 0)
        if self._waiting:
            return
        with self._guard:
            self._closed = True
            self._pty.close()
        self._io_loop.forget(self)
        assert self._exit is not None
        self._receiver.finish(self._exit)
