"""The input of a host terminal as Textual's messages."""

from typing import Final

from textual import events
from textual.message import Message

from fugue_tui.attach_server.input.input_parser import Focused, HostEvent, Pasted, Pointer, Reply
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui_widgets.key_events import HostKey

_SHIFT, _META, _CTRL = 4, 8, 16
"""Flags of a mouse report's button code."""
_WHEELS: Final = (
    events.MouseScrollUp,
    events.MouseScrollDown,
    events.MouseScrollLeft,
    events.MouseScrollRight,
)


class HostMessages:
    """Converts the events of one client."""

    def __init__(self) -> None:
        self._last = (0, 0)

    def convert(self, event: HostEvent) -> Message | None:
        """Textual's message for an event; None for a reply."""
        match event:
            case KeyPress():
                return HostKey(event)
            case Pasted():
                return events.Paste(event.text.replace("\0", ""))
            case Pointer():
                return self._mouse(event)
            case Focused():
                return events.AppFocus() if event.gained else events.AppBlur()
            case Reply():
                return None

    def _mouse(self, event: Pointer) -> Message:
        x, y, code = event.x - 1, event.y - 1, event.code
        (last_x, last_y), self._last = self._last, (x, y)
        modifiers = bool(code & _SHIFT), bool(code & _META), bool(code & _CTRL)
        return _kind(event)(None, x, y, x - last_x, y - last_y, event.button, *modifiers, screen_x=x, screen_y=y)


def _kind(event: Pointer) -> type[events.MouseEvent]:
    if event.wheel:
        return _WHEELS[event.code & 3]
    if event.moved:
        return events.MouseMove
    return events.MouseUp if event.released else events.MouseDown
