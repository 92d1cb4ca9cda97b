"""What the host's terminal sends, as messages: keys, mouse, pastes, focus; and what it says of itself.

Textual's parser does the work. Plain typing goes round it: a character alone needs no state machine.
"""

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

from fugue_tui.tui.answers import Alt, Answers, Typed

_F3: Final = {
    held: "+".join(name for bit, name in ((2, "alt"), (4, "ctrl"), (1, "shift")) if held & bit) + "+f3"
    for held in range(1, 8)
}


class HostInput:
    """Bytes in, messages out. `heard` is called with each answer that the terminal gives to a question."""

    def __init__(self, heard: Callable[[str], None]) -> None:
        self._answers = Answers(heard)
        self._parser = XTermParser(False)
        self._decode = getincrementaldecoder("utf-8")("replace").decode

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages in what was read; sequences and characters may be cut anywhere."""
        text = self._decode(data)
        if "\x1b" not in text and self._answers.idle and not self.pending:
            for character in text:
                yield from self._keys(character)
        else:
            yield from self._parsed(self._answers.typing(text))

    def _parsed(self, pieces: Iterable[Typed]) -> Iterator[Message]:
        for piece in pieces:
            yield from self._with_alt(piece) if isinstance(piece, Alt) else map(_meant, self._parser.feed(piece))

    def _keys(self, character: str) -> Iterator[Message]:
        return map(_meant, self._parser._sequence_to_key_events(character))  # pyright: ignore[reportPrivateUsage]

    def _with_alt(self, character: str) -> Iterator[Message]:
        """The parser has other keys for many of these, as some terminals' settings make of arrows, or drops the Alt."""
        yield from self._over()
        for event in self._keys(character):
            assert isinstance(event, events.Key)
            key = f"shift+{event.key.lower()}" if len(event.key) == 1 and event.key.isupper() else event.key
            yield events.Key(f"alt+{key}", None)

    @property
    def pending(self) -> bool:
        """Whether a sequence has begun; a lone ESC becomes the Escape key if `elapse` is called before it goes on."""
        return self._answers.pending or self._parser._timeout_time is not None  # pyright: ignore[reportPrivateUsage]

    @property
    def certain(self) -> bool:
        """Whether that is no key, whatever follows."""
        return self._answers.certain

    def elapse(self) -> Iterator[Message]:
        """Enough time has passed since the last bytes: what has begun is over."""
        yield from self._parsed(self._answers.elapse())
        yield from self._over()

    def _over(self) -> Iterator[Message]:
        """Nothing more comes of what the parser holds."""
        if self._parser._timeout_time is not None:  # pyright: ignore[reportPrivateUsage]
            self._parser._timeout_time = 0.0  # pyright: ignore[reportPrivateUsage]
            yield from self._parser.tick()


def _meant(message: Message) -> Message:
    """What the parser takes for something else: Ctrl+H, and F3 with a modifier (nobody asks where the cursor is)."""
    if isinstance(message, events.Key) and message.key == "backspace" and message.character == "\b":
        return events.Key("ctrl+h", "\b")
    if isinstance(message, events.CursorPosition) and message.y == 0 and message.x in _F3:
        return events.Key(_F3[message.x], None)
    return message
