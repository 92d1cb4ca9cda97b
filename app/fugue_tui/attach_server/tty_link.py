"""The terminal that the program itself was started in, without a server: its modes, its input, its signals."""

import asyncio
import os
import select
import signal
import time
from collections.abc import Callable
from typing import Final

from fugue_tui.attach_protocol import Bye, Extent, Welcome
from fugue_tui.attach_server.capabilities import LAST_REPLY
from fugue_tui.attach_server.output.writer import HostWriter
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.errors import Refused

_READ_SIZE: Final = 1 << 16
_REPLY_SECONDS: Final = 0.3
"""How long to wait for outstanding replies before the terminal is restored."""


class TtyLink:
    """The link to a terminal by its file descriptors. Main thread only."""

    def __init__(self, terminal: HostTerminal, loop: asyncio.AbstractEventLoop) -> None:
        self._terminal = terminal
        self._loop = loop
        self._reading = False
        self.writer = HostWriter(terminal.output_fd, loop)
        self.on_input: Callable[[bytes], None] = _ignore
        self.on_size: Callable[[Extent], None] = _ignore
        self.on_continue: Callable[[], None] = _nothing
        """Called when the program continues after it was stopped: what the terminal shows is unknown."""
        self.on_end: Callable[[], None] = _nothing
        """Called when the terminal has hung up."""
        self.awaits_reply: Callable[[], bool] = _false
        """Whether replies to queries are outstanding."""

    def start(self) -> None:
        """Take over the terminal, unless that was done already, and start reading."""
        os.set_blocking(self._terminal.output_fd, False)
        self.writer.on_hang_up = self._hang_up
        if not self._terminal.entered:
            self.writer.write(self._terminal.enter())
        self._loop.add_reader(self._terminal.input_fd, self._read)
        self._reading = True
        self._loop.add_signal_handler(signal.SIGWINCH, self._resized)
        self._loop.add_signal_handler(signal.SIGCONT, self._continued)
        self._loop.add_signal_handler(signal.SIGTSTP, self._suspended)

    def stop(self) -> None:
        """Stop reading."""
        if not self._reading:
            return
        self._reading = False
        self._loop.remove_reader(self._terminal.input_fd)
        for number in (signal.SIGWINCH, signal.SIGCONT, signal.SIGTSTP):
            self._loop.remove_signal_handler(number)

    def restore(self) -> None:
        """Restore the terminal's modes and screen."""
        self.stop()
        self._leave()

    def rename(self, welcome: Welcome) -> None:
        """Set the terminal's title to the workspace's new name."""
        self.writer.write(self._terminal.rename(welcome.title))

    def part(self, bye: Bye) -> None:
        """Raises Refused: no server would remain."""
        raise Refused("this is the terminal that fugue-tui itself runs in (--foreground): nothing would stay behind")

    def finish(self, bye: Bye) -> None:
        """Nothing: it was restored with the app."""

    def _leave(self) -> None:
        self.writer.write(self._terminal.leave())
        self.writer.finish()
        self._settle()
        self._terminal.restore()

    def _settle(self) -> None:
        """Read outstanding replies, so that they are not input for the shell."""
        deadline, received = time.monotonic() + _REPLY_SECONDS, b""
        fd = self._terminal.input_fd
        while self.awaits_reply() and not LAST_REPLY.search(received) and not self.writer.hung_up:
            if not select.select([fd], [], [], max(deadline - time.monotonic(), 0))[0]:
                return
            try:
                more = os.read(fd, _READ_SIZE)
            except OSError:
                return
            if not more:
                return
            received += more

    def _suspended(self) -> None:
        """SIGTSTP: restore the terminal while stopped; SIGCONT takes it over again."""
        self._leave()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _continued(self) -> None:
        """SIGCONT: the terminal is in the shell's modes; set ours again, and repaint."""
        self.writer.resume()
        self.writer.write(self._terminal.enter())
        self._resized()
        self.on_continue()

    def _resized(self) -> None:
        self.on_size(Extent(*self._terminal.extent))

    def _hang_up(self) -> None:
        self.stop()
        self.on_end()

    def _read(self) -> None:
        try:
            data = os.read(self._terminal.input_fd, _READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if data:
            self.on_input(data)
            return
        self.writer.hung_up = True
        self._hang_up()


def _ignore(given: object) -> None:
    return


def _nothing() -> None:
    return


def _false() -> bool:
    return False
