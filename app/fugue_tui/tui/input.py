"""What the host's terminal sends, as messages: keys, mouse, pastes, focus, and its own colours.

Textual's parser does the work. Plain typing goes round it: a character alone needs no state machine.
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from typing import Final

from textual._xterm_parser import XTermParser
from textual.message import Message

_PASTE: Final = re.compile(r"\x1b\[20([01])~")
_COLOUR: Final = re.compile(r"\x1b\](1[01]);rgb:([0-9a-fA-F/]{5,14})(?:\x07|\x1b\\)")
_UNFINISHED: Final = re.compile(r"\x1b\](?:1(?:[01](?:;[rgb:/0-9a-fA-F]{0,20}\x1b?)?)?)?\Z")


class HostInput:
    """Bytes in, messages out. `colour(foreground, (red, green, blue))` is called when the host tells its own."""

    def __init__(self, colour: Callable[[bool, tuple[int, int, int]], None]) -> None:
        self._colour = colour
        self._parser = XTermParser(False)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._pasting = False
        self._held = ""

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages in what was read; sequences and characters may be cut anywhere."""
        text = self._held + self._decode(data)
        self._held = ""
        if "\x1b" not in text and not self._pasting and not self.pending:
            for character in text:
                yield from self._parser._sequence_to_key_events(character)  # pyright: ignore[reportPrivateUsage]
            return
        if "\x1b]" in text:
            text = self._without_colours(text)
        for match in _PASTE.finditer(text):
            self._pasting = match[1] == "0"
        if text:
            yield from self._parser.feed(text)

    def _without_colours(self, text: str) -> str:
        """The text without the host's reports; a report that is not complete yet waits for the rest."""
        text = _COLOUR.sub(self._report, text)
        if unfinished := _UNFINISHED.search(text):
            self._held = unfinished[0]
            text = text[: unfinished.start()]
        return text

    def _report(self, match: re.Match[str]) -> str:
        parts = match[2].split("/")
        if len(parts) == 3 and all(parts):
            red, green, blue = (int(part, 16) * 255 // (16 ** len(part) - 1) for part in parts)
            self._colour(match[1] == "10", (red, green, blue))
        return ""

    @property
    def pending(self) -> bool:
        """Whether a sequence has begun; a lone ESC becomes the Escape key if `elapse` is called before it goes on."""
        return self._parser._timeout_time is not None  # pyright: ignore[reportPrivateUsage]

    def elapse(self) -> Iterator[Message]:
        """Time has passed since the last bytes."""
        yield from self._parser.tick()
