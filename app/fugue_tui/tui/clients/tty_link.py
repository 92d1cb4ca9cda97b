"""The terminal that the program itself was started in, where there is no server: its modes, its input, its signals."""

import asyncio
import os
import select
import signal
import time
from collections.abc import Callable
from typing import Final

from fugue_tui.attach_protocol import Bye, Extent, Welcome
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.errors import Refused
from fugue_tui.tui.clients.capabilities import LAST_ANSWER
from fugue_tui.tui.vt_output.writer import HostWriter

_READ_SIZE: Final = 1 << 16
_ANSWER_SECONDS: Final = 0.3
"""How long a terminal that is left may take for its answers."""


class TtyLink:
    """A terminal by its descriptor. Main thread only."""

    def __init__(self, terminal: HostTerminal, loop: asyncio.AbstractEventLoop) -> None:
        self._terminal = terminal
        self._loop = loop
        self._reading = False
        self.writer = HostWriter(terminal.output_fd, loop)
        self.on_input: Callable[[bytes], None] = _ignore
        self.on_size: Callable[[Extent], None] = _ignore
        self.on_back: Callable[[], None] = _nothing
        """Called when the program goes on after it was stopped: nothing of the screen is left."""
        self.on_end: Callable[[], None] = _nothing
        """Called when the terminal has hung up."""
        self.owes: Callable[[], bool] = _false
        """Whether it may still answer something that it was asked."""

    def start(self) -> None:
        """Take over the terminal, unless that was done already, and begin to read."""
        os.set_blocking(self._terminal.output_fd, False)
        self.writer.on_gone = self._hang_up
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

    def give_back(self) -> None:
        """Leave the terminal as it was found."""
        self.stop()
        self._leave()

    def rename(self, welcome: Welcome) -> None:
        """Have the terminal's window called by the workspace's new name."""
        self.writer.write(self._terminal.rename(welcome.title))

    def part(self, bye: Bye) -> None:
        """The program and its own terminal go together."""
        raise Refused("this is the terminal that fugue-tui itself runs in (--foreground): nothing would stay behind")

    def finish(self, bye: Bye) -> None:
        """It was given back with the app."""

    def _leave(self) -> None:
        self.writer.write(self._terminal.leave())
        self.writer.finish()
        self._settle()
        self._terminal.restore()

    def _settle(self) -> None:
        """Drop answers that are still under way: they are no typing for the shell."""
        deadline, said = time.monotonic() + _ANSWER_SECONDS, b""
        fd = self._terminal.input_fd
        while self.owes() and not LAST_ANSWER.search(said) and not self.writer.gone:
            if not select.select([fd], [], [], max(deadline - time.monotonic(), 0))[0]:
                return
            try:
                more = os.read(fd, _READ_SIZE)
            except OSError:
                return
            if not more:
                return
            said += more

    def _suspended(self) -> None:
        """SIGTSTP: give the terminal back while stopped; SIGCONT takes it again."""
        self._leave()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _continued(self) -> None:
        """After SIGCONT the terminal is in the shell's modes: set ours again, and paint everything."""
        self.writer.go_on()
        self.writer.write(self._terminal.enter())
        self._resized()
        self.on_back()

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
        self.writer.gone = True
        self._hang_up()


def _ignore(given: object) -> None:
    return


def _nothing() -> None:
    return


def _false() -> bool:
    return False
