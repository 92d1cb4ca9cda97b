"""Finds shell-integration marks (OSC 133, and VS Code's 633) in a byte stream, wherever it is cut.

The engine acts on the marks itself but does not report the exit code, so they are read beside it.
"""

import re
from typing import Final

from fugue_tui.terminal.emulator import osc
from fugue_tui.terminal.emulator.events import PromptMark

_START: Final = re.compile(rb"\x1b\][16]33;")
_KINDS: Final = (b"\x1b]133;", b"\x1b]633;")
_OPENINGS: Final = frozenset(kind[:length] for kind in _KINDS for length in range(1, len(kind)))
_END: Final = re.compile(rb"[\x07\x18\x1a\x1b]")
_LIMIT: Final = 65_536
"""Bytes of an unfinished mark that are kept; a longer one is no mark."""


class MarkScanner:
    """Remembers what a chunk left unfinished."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def scan(self, data: bytes) -> list[tuple[int, PromptMark]]:
        """The marks that end in `data`, each with the number of bytes of `data` up to its end."""
        if not self._rest and b"\x1b" not in data:
            return []
        before = len(self._rest)
        text = self._rest + data if before else data
        self._rest = b""
        marks: list[tuple[int, PromptMark]] = []
        start = _START.search(text) if any(kind in text for kind in _KINDS) else None
        while start:
            end = _END.search(text, start.end())
            if end is None:
                self._rest = text[start.start() :] if len(text) - start.start() <= _LIMIT else b""
                return marks
            if end[0] in b"\x07\x1b" and (mark := _parse(text[start.start() + 2 : end.start()])):
                marks.append((end.end() - before, mark))
            start = _START.search(text, end.start())
        self._rest = _opening(text)
        return marks


def _opening(text: bytes) -> bytes:
    """The end of `text` that could be the beginning of a mark."""
    at = text.rfind(b"\x1b", -5)
    return text[at:] if at >= 0 and text[at:] in _OPENINGS else b""


def _parse(payload: bytes) -> PromptMark | None:
    mark = osc.read(payload.decode("utf-8", "replace"))
    return mark if isinstance(mark, PromptMark) else None
