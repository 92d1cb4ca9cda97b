"""What is sent to the program of a terminal: keys, the mouse, pastes, bytes."""

from abc import ABC
from typing import Final

from fugue_tui.errors import InputFull, TerminalGone
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.input.mouse import MouseAction
from fugue_tui.terminal.input.typed_ahead import TypedAhead
from fugue_tui.terminal.pty.channel import Channel, NullChannel
from fugue_tui.terminal.remembering import Remembering


class Entering(Remembering, ABC):
    """A terminal that takes input, written as the program's modes want it."""

    _channel: Channel | NullChannel

    def __init__(self, emulator: Emulator, size: Size) -> None:
        super().__init__(emulator, size)
        self.sent: Final = TypedAhead()
        """Whether what was typed last was entered too."""

    @property
    def foreground_group(self) -> int:
        """The process group that keys go to; 0 if none."""
        return self._channel.foreground_group()

    @property
    def edits_lines(self) -> bool:
        """Whether what is in front reads keys one by one to edit a line, as a shell does at its prompt. Any thread."""
        return self._channel.edits_lines()

    def write(self, data: bytes) -> int:
        """Send bytes to the program; how many that is. Never waits; raises TerminalGone or InputFull."""
        self.sent.wrote(data, self.foreground_group)
        return self._channel.write(data)

    def press(self, press: KeyPress) -> bool:
        """Send a key as the program's modes want it; False if the program has ended, or has too much to read."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_key(press)
        if press.acts:
            self.sent.pressed(press, self.foreground_group)
        return self._send(data) if data else not self._closed

    def mouse(self, action: MouseAction) -> bool:
        """Send a mouse event; False if the program did not ask for it."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_mouse(action)
        return bool(data) and self._send(data)

    def paste(self, text: str) -> int:
        """Send text as one paste, cleaned and bracketed as the modes say; how many bytes that is. Never waits.

        It is sent whole, as the program reads it. Raises TerminalGone, or InputFull and sends nothing."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_paste(text)
        self.sent.wrote(data, self.foreground_group)
        return self._channel.write(data)

    def focus(self, focused: bool) -> None:
        """Tell the program that it has or lost the focus, if it asked."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_focus(focused)
        self._send(data)

    def _send(self, data: bytes) -> bool:
        try:
            self._channel.write(data)
        except (TerminalGone, InputFull):
            return False
        return True
