"""Where frames go and keys come from: the seam between the app and the terminal that it runs in.

Keys are read on the app's own loop, so a key of a focused pane reaches its program without passing a queue.
"""

import asyncio
import os
import signal
from dataclasses import astuple
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from textual import constants, events
from textual.driver import Driver
from textual.geometry import Size
from textual.message import Message

from fugue_tui.host_terminal import HostTerminal
from fugue_tui.tui.host import HostWriter
from fugue_tui.tui.input import HostInput

if TYPE_CHECKING:
    from textual.app import App

_READ_SIZE: Final = 1 << 16
_ESCAPE_DELAY: Final = 0.025
"""Seconds until a lone ESC is the Escape key."""
_QUESTIONS: Final = (
    b"\x1b[?2026$p"  # does the host know synchronized output?
    b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\"  # which colours are its own?
)


@runtime_checkable
class KeySink(Protocol):
    """An app that takes keys before Textual queues them."""

    host_terminal: HostTerminal
    """The terminal to draw on."""

    def take_key(self, event: events.Key) -> bool:
        """Whether the key was dealt with."""
        ...

    def host_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """The host's own default colour, once it has told."""
        ...

    def host_gone(self) -> None:
        """The host's terminal has hung up."""
        ...


class HostDriver(Driver):
    """Draws on the terminal that the program was started in, and reads it."""

    def __init__(
        self, app: "App[Any]", *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._sink = app if isinstance(app, KeySink) else None
        self.terminal = self._sink.host_terminal if self._sink is not None else HostTerminal(mouse)
        self.host = HostWriter(self.terminal.output_fd, self._loop)
        self._input = HostInput(self._host_colour)
        self._tick: asyncio.TimerHandle | None = None
        self._reading = False

    @property
    def can_suspend(self) -> bool:
        """A host terminal can be handed to another program for a while."""
        return True

    # Output

    def write(self, data: str) -> None:
        """Send text to the host."""
        self.host.write(data.encode("utf-8", "replace"))

    def flush(self) -> None:
        """Nothing is held back."""

    # Coming and going

    def start_application_mode(self) -> None:
        """Take over the terminal, unless that was done already."""
        os.set_blocking(self.terminal.output_fd, False)
        self.host.on_gone = self._hang_up
        if not self.terminal.entered:
            self.host.write(self.terminal.enter())
        self.host.write(_QUESTIONS)
        constants.ESCAPE_DELAY = _ESCAPE_DELAY  # pyright: ignore[reportAttributeAccessIssue]
        self._loop.add_reader(self.terminal.input_fd, self._read)
        self._reading = True
        self._loop.add_signal_handler(signal.SIGWINCH, self._resized)
        self._loop.add_signal_handler(signal.SIGCONT, self._continued)
        self._loop.add_signal_handler(signal.SIGTSTP, self._stopped)
        self._resized()

    def disable_input(self) -> None:
        """Stop reading."""
        if not self._reading:
            return
        self._reading = False
        self._loop.remove_reader(self.terminal.input_fd)
        self._loop.remove_signal_handler(signal.SIGWINCH)
        self._loop.remove_signal_handler(signal.SIGCONT)
        self._loop.remove_signal_handler(signal.SIGTSTP)
        if self._tick is not None:
            self._tick.cancel()

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was."""
        self.disable_input()
        self.host.write(self.terminal.leave())
        self.host.finish()
        self.terminal.restore()

    def close(self) -> None:
        """Close what the terminal opened."""
        self.terminal.close()

    def _stopped(self) -> None:
        """SIGTSTP: give the terminal back while stopped; SIGCONT takes it again."""
        self.host.write(self.terminal.leave())
        self.host.finish()
        self.terminal.restore()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _continued(self) -> None:
        """After SIGCONT the terminal is in the shell's modes: set ours again, and paint everything."""
        self.host.write(self.terminal.enter())
        self._resized()
        self._app.refresh(layout=True)

    def _resized(self) -> None:
        size = Size(*astuple(self.terminal.size))
        self.send_message(events.Resize(size, size))

    def _hang_up(self) -> None:
        self.disable_input()
        if self._sink is not None:
            self._sink.host_gone()

    # Input

    def _read(self) -> None:
        try:
            data = os.read(self.terminal.input_fd, _READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self.host.gone = True
            self._hang_up()
            return
        for message in self._input.feed(data):
            self.process_message(message)
        self._await_escape()

    def _host_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        if self._sink is not None:
            self._sink.host_colour(foreground, colour)

    def _await_escape(self) -> None:
        """A lone ESC becomes the Escape key if nothing follows in time."""
        if self._tick is not None:
            self._tick.cancel()
            self._tick = None
        if self._input.pending:
            self._tick = self._loop.call_later(_ESCAPE_DELAY * 1.2, self._escape)

    def _escape(self) -> None:
        self._tick = None
        for message in self._input.elapse():
            self.process_message(message)

    def process_message(self, message: Message) -> None:
        """Keys go to whoever holds the keyboard at once; everything else is queued."""
        if self._sink is not None and isinstance(message, events.Key):
            message.set_sender(self._app)
            if self._sink.take_key(message):
                return
        super().process_message(message)

    def send_message(self, message: Message) -> None:
        """Queue a message; the reader runs on the app's own loop, so no thread is crossed."""
        self._app.post_message(message)
