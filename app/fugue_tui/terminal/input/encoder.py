"""Encodes keys, mouse events and pastes for a program, by its modes."""

from abc import ABC, abstractmethod

from fugue_tui.terminal.input import keys, mouse, paste
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.input.mouse import MouseAction
from fugue_tui.terminal.screen.cells import Modes
from fugue_tui.terminal.screen.images import Graphics


class Encoder(ABC):
    """The part of an emulator that encodes input."""

    graphics: Graphics
    """What the program is told of images, and of the size of cells."""

    @property
    @abstractmethod
    def modes(self) -> Modes:
        """The modes in force now."""

    def encode_key(self, press: KeyPress) -> bytes:
        """What the program must be sent for a key."""
        return keys.encode(press, self.modes)

    def encode_mouse(self, action: MouseAction) -> bytes:
        """What the program must be sent for a mouse event."""
        return mouse.encode(action, self.modes, self.graphics.cell)

    def encode_paste(self, text: str) -> bytes:
        """Pasted text, made safe."""
        return paste.encode(text, self.modes)

    def encode_focus(self, focused: bool) -> bytes:
        """A focus report."""
        return (b"\x1b[I" if focused else b"\x1b[O") if self.modes.focus_events else b""
