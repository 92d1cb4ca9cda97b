"""Where frames go and keys come from: the seam between the app and the terminal that it runs in.

Keys are read on the app's own loop, so a key of a focused pane reaches its program without passing a queue.
"""

import asyncio
import os
import re
import signal
import sys
import termios
import tty
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.geometry import Size
from textual.message import Message

from fugue_tui.tui.host import HostWriter

if TYPE_CHECKING:
    from textual.app import App

_READ_SIZE: Final = 1 << 16
_ESCAPE_DELAY: Final = 0.025
"""Seconds until a lone ESC is the Escape key."""
_ENTER: Final = (
    "\x1b[?1049h"  # the alternate screen
    "\x1b[?25l\x1b[?7l"  # no cursor until a pane shows its own; no wrapping
    "\x1b[?2004h\x1b[?1004h"  # bracketed paste, focus events
    "\x1b[>25u"  # kitty keyboard: disambiguate, all keys, their text
    "\x1b[?2026$p"  # does the host know synchronized output?
    "\x1b]10;?\x1b\\\x1b]11;?\x1b\\"  # which colours are its own?
)
_LEAVE: Final = "\x1b[<u\x1b[?2004l\x1b[?1004l\x1b[?7h\x1b[r\x1b[m\x1b[0 q\x1b[?1049l\x1b[?25h"
_MOUSE_ON: Final = "\x1b[?1000h\x1b[?1003h\x1b[?1006h"
_MOUSE_OFF: Final = "\x1b[?1003l\x1b[?1000l\x1b[?1006l"
_COLOUR_REPORT: Final = re.compile(r"\x1b\](1[01]);rgb:([0-9a-fA-F/]{5,14})(?:\x07|\x1b\\)")


@runtime_checkable
class KeySink(Protocol):
    """An app that takes keys before Textual queues them."""

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
        self.input_fd = sys.__stdin__.fileno() if sys.__stdin__ else 0
        self._output_fd = _own_descriptor(self.input_fd)
        self.host = HostWriter(self._output_fd, self._loop)
        self._attributes: list[Any] | None = None
        self._parser = XTermParser(False)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
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
        """Take over the terminal."""
        try:
            self._attributes = termios.tcgetattr(self.input_fd)
            tty.setraw(self.input_fd)
        except termios.error:
            self._attributes = None
        constants.ESCAPE_DELAY = _ESCAPE_DELAY  # pyright: ignore[reportAttributeAccessIssue]
        os.set_blocking(self._output_fd, False)
        self.host.on_gone = self._hang_up
        self.write(_ENTER + (_MOUSE_ON if self._mouse else ""))
        self._loop.add_reader(self.input_fd, self._read)
        self._reading = True
        self._loop.add_signal_handler(signal.SIGWINCH, self._resized)
        self._loop.add_signal_handler(signal.SIGCONT, self._continued)
        self._resized()

    def disable_input(self) -> None:
        """Stop reading."""
        if not self._reading:
            return
        self._reading = False
        self._loop.remove_reader(self.input_fd)
        self._loop.remove_signal_handler(signal.SIGWINCH)
        self._loop.remove_signal_handler(signal.SIGCONT)
        if self._tick is not None:
            self._tick.cancel()

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was."""
        self.disable_input()
        self.write(_MOUSE_OFF + _LEAVE)
        self.host.finish()
        if self._attributes is not None and not self.host.gone:
            try:
                termios.tcflush(self.input_fd, termios.TCIFLUSH)
                termios.tcsetattr(self.input_fd, termios.TCSANOW, self._attributes)
            except termios.error:
                return

    def close(self) -> None:
        """Close the descriptor that this driver opened."""
        if self._output_fd not in (0, 1, 2, self.input_fd):
            os.close(self._output_fd)
            self._output_fd = 1

    def _continued(self) -> None:
        """After SIGCONT the terminal is in the shell's modes: set ours again, and paint everything."""
        if self._attributes is not None:
            tty.setraw(self.input_fd)
        self.write(_ENTER + (_MOUSE_ON if self._mouse else ""))
        self._resized()
        self._app.refresh(layout=True)

    def _resized(self) -> None:
        try:
            cols, rows = os.get_terminal_size(self.input_fd)
        except OSError:
            cols, rows = self._size or (80, 24)
        size = Size(max(cols, 1), max(rows, 1))
        self.send_message(events.Resize(size, size))

    def _hang_up(self) -> None:
        self.disable_input()
        if isinstance(self._app, KeySink):
            self._app.host_gone()

    # Input

    def _read(self) -> None:
        try:
            data = os.read(self.input_fd, _READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self.host.gone = True
            self._hang_up()
            return
        text = self._decode(data)
        if "\x1b]" in text:
            text = _COLOUR_REPORT.sub(self._colour_report, text)
        for message in self._parser.feed(text) if text else ():
            self.process_message(message)
        self._await_escape()

    def _colour_report(self, match: re.Match[str]) -> str:
        parts = match[2].split("/")
        if len(parts) == 3 and all(parts) and isinstance(self._app, KeySink):
            red, green, blue = (int(part, 16) * 255 // (16 ** len(part) - 1) for part in parts)
            self._app.host_colour(match[1] == "10", (red, green, blue))
        return ""

    def _await_escape(self) -> None:
        """A lone ESC becomes the Escape key if nothing follows in time."""
        if self._tick is not None:
            self._tick.cancel()
        self._tick = self._loop.call_later(_ESCAPE_DELAY * 1.2, self._escape) if self._pending() else None

    def _pending(self) -> bool:
        return self._parser._timeout_time is not None  # pyright: ignore[reportPrivateUsage]

    def _escape(self) -> None:
        self._tick = None
        for message in self._parser.tick():
            self.process_message(message)

    def process_message(self, message: Message) -> None:
        """Keys go to whoever holds the keyboard at once; everything else is queued."""
        if isinstance(message, events.Key) and isinstance(self._app, KeySink):
            message.set_sender(self._app)
            if self._app.take_key(message):
                return
        super().process_message(message)

    def send_message(self, message: Message) -> None:
        """Queue a message; the reader runs on the app's own loop, so no thread is crossed."""
        self._app.post_message(message)


def _own_descriptor(fd: int) -> int:
    """A descriptor of our own for the same terminal, so that making it non-blocking touches nobody else's."""
    try:
        return os.open(os.ttyname(fd), os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return 1
