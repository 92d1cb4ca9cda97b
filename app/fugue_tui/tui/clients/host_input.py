"""What a host terminal sends, as Textual's messages: keys, mouse events, pastes, focus. Replies go to who asks."""

from collections.abc import Callable, Iterable
from typing import Final

from textual import events
from textual.message import Message

from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.tui.clients.input_parser import Focused, HostEvent, HostParser, Pasted, Pointer, Reply
from fugue_tui_widgets.key_events import HostKey

_SHIFT, _META, _CTRL, _MOTION, _WHEEL = 4, 8, 16, 32, 64
_WHEELS: Final = (
    events.MouseScrollUp,
    events.MouseScrollDown,
    events.MouseScrollLeft,
    events.MouseScrollRight,
)


class PasteRefused(Message):
    """A paste was too long."""


class HostInput:
    """Bytes in, messages out. `heard` is called with each answer that the terminal gives to a query."""

    def __init__(self, heard: Callable[[str], None]) -> None:
        self._heard = heard
        self._parser = HostParser()
        self._pointer = (0, 0)

    def feed(self, data: bytes) -> list[Message]:
        """The messages in what was read; sequences and characters may be cut anywhere."""
        return self._messages(self._parser.feed(data))

    @property
    def pending(self) -> bool:
        """Whether a sequence has begun; a lone ESC becomes the Escape key if `elapse` is called before it goes on."""
        return self._parser.pending

    @property
    def certain(self) -> bool:
        """Whether that is no key, whatever follows."""
        return self._parser.certain

    def elapse(self) -> list[Message]:
        """Enough time has passed since the last bytes: what has begun is over."""
        return self._messages(self._parser.elapse())

    def _messages(self, said: Iterable[HostEvent]) -> list[Message]:
        return [message for event in said if (message := self._message(event)) is not None]

    def _message(self, event: HostEvent) -> Message | None:
        match event:
            case KeyPress():
                return HostKey(event)
            case Pasted():
                return PasteRefused() if event.refused else events.Paste(event.text.replace("\0", ""))
            case Pointer():
                return self._mouse(event)
            case Focused():
                return events.AppFocus() if event.gained else events.AppBlur()
            case Reply():
                self._heard(event.text)
                return None

    def _mouse(self, event: Pointer) -> Message | None:
        """Textual's event for a mouse report; None outside of the screen, as Ghostty has it."""
        x, y, code = event.x - 1, event.y - 1, event.code
        if x < 0 or y < 0:
            return None
        (last_x, last_y), self._pointer = self._pointer, (x, y)
        kind, button = _kind(code, released=event.released)
        held = bool(code & _SHIFT), bool(code & _META), bool(code & _CTRL)
        return kind(None, x, y, x - last_x, y - last_y, button, *held, screen_x=x, screen_y=y)


def _kind(code: int, *, released: bool) -> tuple[type[events.MouseEvent], int]:
    """Which event a button code tells, and Textual's number of the button."""
    if code & _WHEEL:
        return _WHEELS[code & 3], 0
    button = (code + 1) & 3
    if code & _MOTION or button == 0:
        return events.MouseMove, button
    return (events.MouseUp if released else events.MouseDown), button
