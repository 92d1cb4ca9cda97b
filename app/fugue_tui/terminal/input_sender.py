"""Sends input to a terminal's program, encoded by the modes in force, and held back while the gate is closed."""

from collections.abc import Callable
from functools import partial
from typing import Final
from weakref import WeakSet

from fugue_tui.errors import InputFull, TerminalGone
from fugue_tui.terminal.emulator.fair_lock import FairLock
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.input.input_gate import InputGate
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.input.mouse import MouseAction
from fugue_tui.terminal.input.typed_ahead import TypedAhead
from fugue_tui.terminal.pty.channel import Channel, NullChannel


class InputSender:
    """The input of one terminal."""

    def __init__(self, lock: FairLock[LockedScreen], channel: Channel | NullChannel) -> None:
        self.sent: Final = TypedAhead()
        """Whether the last input was submitted with Enter."""
        self.gate: Final = InputGate()
        """Holds input back while a text waits for its Enter."""
        self.on_sent: Callable[[bytes], None] | None = None
        """Called with the input that the program is sent, unless the terminal hides it, as a password."""
        self._lock, self._channel = lock, channel
        self._viewers: WeakSet[object] = WeakSet()
        """Those that have the focus."""

    def write(self, data: bytes) -> int:
        """Send bytes to the program; how many that is. Never waits; raises TerminalGone or InputFull."""
        if self.gate.closed:
            return self.gate.wait(partial(self.write, data), len(data))
        self.sent.wrote(data, self._channel.foreground_group())
        return self._write(data)

    def press(self, press: KeyPress) -> bool:
        """Send a key, encoded by the program's modes; False if the program has exited, or has too much unread input.

        Ctrl+C drops the input that waits, and if it interrupts also what the program has not read."""
        if press.interrupts:
            self.gate.cancel()
            self._channel.discard_unsent()
        if self.gate.closed:
            return self.gate.wait(partial(self.press, press), True)
        data = self._encoded(lambda emulator: emulator.encode_key(press))
        if press.acts:
            self.sent.pressed(press, self._channel.foreground_group())
        if data:
            return self._send(data)
        with self._lock as screen:
            return not screen.closed

    def mouse(self, action: MouseAction) -> bool:
        """Send a mouse event; False if the program did not request it."""
        data = self._encoded(lambda emulator: emulator.encode_mouse(action))
        if data and self.gate.closed:
            return self.gate.wait(partial(self._send, data), True)
        return bool(data) and self._send(data)

    def paste(self, text: str) -> int:
        """Send text as one paste, sanitized and bracketed by the modes; how many bytes that is. Never waits; raises
        TerminalGone, or InputFull and sends nothing."""
        if self.gate.closed:
            return self.gate.wait(partial(self.paste, text), len(text.encode()))
        data = self._encoded(lambda emulator: emulator.encode_paste(text))
        self.sent.wrote(data, self._channel.foreground_group())
        return self._write(data)

    def focus(self, focused: bool, viewer: object | None = None) -> None:
        """Report to the program that it has or lost the focus, if it requested that: with several viewers, that the
        first has it or the last has lost it."""
        before = bool(self._viewers)
        if viewer is not None:
            (self._viewers.add if focused else self._viewers.discard)(viewer)
        if before and self._viewers:
            return
        self._send(self._encoded(lambda emulator: emulator.encode_focus(focused)))

    def _encoded(self, encode: Callable[[Emulator], bytes]) -> bytes:
        with self._lock as screen:
            return b"" if screen.closed else encode(screen.emulator)

    def _send(self, data: bytes) -> bool:
        try:
            self._write(data)
        except (TerminalGone, InputFull):
            return False
        return True

    def _write(self, data: bytes) -> int:
        if self.on_sent is not None and not self._channel.hides_input():
            self.on_sent(data)
        return self._channel.write(data)
