"""Takes the sideband tags out of a program's output while its pane is trusted to print them.

Every method requires the terminal's lock.
"""

import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from fugue_tui.sideband.tag import ParseError, Tag
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.width import columns

if TYPE_CHECKING:
    from fugue_tui.sideband.screen_tags import DrawnTag
    from fugue_tui.sideband.stream_parser import StreamParser

CHECK_SECONDS: Final = 0.1
"""Seconds from output to `check`."""
_HELD_SECONDS: Final = 0.25
"""Seconds that output is held."""
_ABOVE: Final = 50
"""Lines of the scrollback that are searched, too: they may have been drawn since the last search."""
_TAIL: Final = 1_024
"""Bytes of the last output that show whether an escape sequence is complete."""
_CHARACTER: Final = rb"(?:[\x08-\x0d -~]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})"
_AT_REST: Final = re.compile(
    rb"\x1b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|\][^\x07\x1b]*\x07|[()][0-9A-Z]|[78=>DEHMc\\])%b*\Z" % _CHARACTER
)
"""Output whose last escape sequence and last character are complete."""


class TagFilter:
    """The tags in one terminal's output; until `start` there are none."""

    def __init__(self, is_canonical: Callable[[], bool]) -> None:
        """`is_canonical` returns whether the terminal edits lines itself, so that no program draws a screen."""
        self._is_canonical = is_canonical
        self._parser: StreamParser | None = None
        self._key = ""
        self._on_screen = frozenset[str]()
        self._tail = b""
        self._held_since = 0.0
        self.due = False
        """Whether `check` is to be called."""

    def start(self, key: str, emulator: Emulator) -> None:
        """Find tags from now on; what is on the screen already is none. Tags that are drawn need the key."""
        from fugue_tui.sideband.stream_parser import StreamParser

        if self._parser is None:
            self._parser, self._tail = StreamParser(self._is_canonical), b""
        self._key = key
        self._on_screen = frozenset(each.tag.source for each in self._search(emulator)[1])

    def stop(self) -> bytes:
        """Find no more tags; returns what was held."""
        parser, self._parser = self._parser, None
        return parser.flush() if parser else b""

    def split(self, data: bytes) -> "Sequence[bytes | Tag | ParseError]":
        """The tags of some output, and the output to show between them."""
        if self._parser is None:
            return (data,)
        self._tail = (self._tail + data)[-_TAIL:] if len(data) < _TAIL else data[-_TAIL:]
        found = self._parser.feed(data)
        if self._parser.held and (found or not self._held_since):
            self._held_since = time.monotonic()
        elif not self._parser.held:
            self._held_since = 0.0
        return found

    @property
    def wants_check(self) -> bool:
        """Whether `check` may find something: output is held, or the program draws its screen."""
        return self._parser is not None and (self._parser.held or self._parser.drawn)

    @property
    def held(self) -> bool:
        """Whether output is held."""
        return self._parser is not None and self._parser.held

    def check(self, emulator: Emulator) -> tuple[list[Tag], bytes]:
        """The tags that appeared on a screen that the program draws, and output to show: what was held for too long,
        and what erases those tags."""
        self.due = False
        if self._parser is None:
            return [], b""
        late = self._parser.held and time.monotonic() - self._held_since >= _HELD_SECONDS
        text = self._parser.flush() if late else b""
        found, erasure = self._scan(emulator) if self._parser.drawn else ([], b"")
        return found, text + erasure

    def _scan(self, emulator: Emulator) -> tuple[list[Tag], bytes]:
        top, found = self._search(emulator)
        new = [each for each in found if each.tag.source not in self._on_screen]
        self._on_screen = frozenset(each.tag.source for each in found)
        saved = max(self._tail.rfind(b"\x1b7"), self._tail.rfind(b"\x1b[s"))
        restored = max(self._tail.rfind(b"\x1b8"), self._tail.rfind(b"\x1b[u"))
        at_rest = restored >= saved and _AT_REST.search(self._tail) is not None
        return [each.tag for each in new], _erasure(found, top, emulator) if found and at_rest else b""

    def _search(self, emulator: Emulator) -> tuple[int, "list[DrawnTag]"]:
        """The line where the search began, counted from the oldest kept, and the tags."""
        from fugue_tui.sideband.screen_tags import drawn_tags

        lines, size = emulator.scrollback.lines, emulator.size
        top = max(0, lines - _ABOVE)
        return top, drawn_tags(emulator.lines(top, lines + size.rows), size.cols, self._key)


def _erasure(found: "Sequence[DrawnTag]", top: int, emulator: Emulator) -> bytes:
    lines = emulator.scrollback.lines
    rows = {span.row for each in found for span in each.spans}
    texts = {row: text for row in rows for text in emulator.lines(top + row, top + row + 1)}
    out = b"\x1b7\x1b[?6l\x1b[m"
    for span in (span for each in found for span in each.spans):
        text, y = texts[span.row], top + span.row - lines
        if y >= 0:
            x, width = columns(text[: span.start]), columns(text[span.start : span.stop])
            out += b"\x1b[%d;%dH\x1b[%dX" % (y + 1, x + 1, width)
    return out + b"\x1b8"
