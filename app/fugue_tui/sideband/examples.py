"""Tells whether output is inside a fenced code block or a hunk of a diff, where tags are examples.

Output is only kept until that is asked, which costs next to nothing; at most `KEPT` bytes are.
"""

import re
from collections import deque
from typing import Final

from fugue_tui.sideband.grammar import SGR

KEPT: Final = 262_144
"""Bytes that are kept. Of a longer stretch without a question the beginning is forgotten, with the fences in it; lines
that all look like those of a hunk are taken for one."""

_INVISIBLE: Final = rb"(?:%b|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b\[[?<>=]?[0-9;]*[hlK]|\r)*" % SGR
_EVENT: Final = re.compile(
    rb"^%b(?: {0,3}(?:(?:[-*]|[0-9]{1,3}[.)]) {1,3})?%b(```+|~~~+)|(@@ -))" % (_INVISIBLE, _INVISIBLE), re.MULTILINE
)
_OUTSIDE_HUNK: Final = re.compile(rb"^%b[^ +\-\\@\x1b\r\n]" % _INVISIBLE, re.MULTILINE)
_SGR: Final = re.compile(SGR)


class Examples:
    """The code blocks and hunks of one stream."""

    def __init__(self) -> None:
        self._kept = deque[bytes]()
        self._size = 0
        self._at_start = True
        """Whether what is kept begins where a line does."""
        self._forgotten = False
        self._fence = b""
        self._hunk = False

    def add(self, data: bytes) -> None:
        """More output."""
        if not data:
            return
        self._kept.append(data)
        self._size += len(data)
        while self._size > KEPT and len(self._kept) > 1:
            self._size -= len(self._kept.popleft())
            self._forgotten, self._at_start = True, False

    def end(self) -> None:
        """The shell has marked its prompt: all code blocks and hunks are over."""
        self._fence, self._hunk, self._forgotten = b"", False, False
        self._restart()

    def _restart(self) -> None:
        self._kept.clear()
        self._size, self._at_start = 0, True

    def inside(self) -> bool:
        """Whether the line that the output has come to is in an example."""
        text = b"".join(self._kept)
        end = text.rfind(b"\n") + 1
        if end:
            start = 0 if self._at_start else text.find(b"\n") + 1
            self._examine(text, start, end)
            self._restart()
            self.add(text[end:])
        return bool(self._fence) or self._hunk

    def _examine(self, text: bytes, start: int, end: int) -> None:
        """Examine whole lines."""
        seen, self._hunk = start, self._hunk or self._forgotten
        for event in _EVENT.finditer(text, start, end):
            self._see(text, seen, event.start())
            seen = event.start()
            if event[2]:
                self._hunk = True
            else:
                self._see_fence(event[1], text[event.end() : text.index(b"\n", event.end())])
        self._see(text, seen, end)
        self._forgotten = False

    def _see(self, text: bytes, start: int, end: int) -> None:
        self._hunk = self._hunk and _OUTSIDE_HUNK.search(text, start, end) is None

    def _see_fence(self, fence: bytes, rest: bytes) -> None:
        rest = _SGR.sub(b"", rest).strip()
        if b"\x1b" in rest:
            return
        if not self._fence:
            self._fence = b"" if fence[:1] == b"`" and b"`" in rest else fence
        elif fence.startswith(self._fence) and not rest:
            self._fence = b""
