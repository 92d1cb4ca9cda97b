"""Finds shell-integration marks (OSC 133, and VS Code's 633) and status reports (7501) in a byte stream, wherever it is
cut.

The engine acts on the marks itself but does not report the exit code, and it does not know status reports, so both are
read beside it.
"""

import re
from typing import Final, TypeAlias

from fugue_tui.terminal.emulator import osc
from fugue_tui.terminal.emulator.events import PromptMark, StatusQuery, StatusReport

Found: TypeAlias = PromptMark | StatusReport | StatusQuery

_START: Final = re.compile(rb"\x1b\](?:[16]33|7501);")
_KINDS: Final = (b"\x1b]133;", b"\x1b]633;", b"\x1b]7501;")
_OPENINGS: Final = frozenset(kind[:length] for kind in _KINDS for length in range(1, len(kind)))
_LONGEST_OPENING: Final = max(map(len, _OPENINGS))
_END: Final = re.compile(rb"[\x07\x18\x1a\x1b]")
_LIMIT: Final = 65_536
"""Bytes of an unfinished sequence that are kept; a longer one is none of these."""


class OscScanner:
    """Remembers what a chunk left unfinished."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def scan(self, data: bytes) -> list[tuple[int, Found]]:
        """What ends in `data`, each with the number of bytes of `data` up to its end."""
        if not self._rest and b"\x1b" not in data:
            return []
        before = len(self._rest)
        text = self._rest + data if before else data
        self._rest = b""
        found: list[tuple[int, Found]] = []
        start = _START.search(text) if b"\x1b]" in text and any(kind in text for kind in _KINDS) else None
        while start:
            end = _END.search(text, start.end())
            if end is None:
                self._rest = text[start.start() :] if len(text) - start.start() <= _LIMIT else b""
                return found
            if end[0] in b"\x07\x1b" and (each := _parse(text[start.start() + 2 : end.start()])):
                found.append((end.end() - before, each))
            start = _START.search(text, end.start())
        self._rest = _opening(text)
        return found


def _opening(text: bytes) -> bytes:
    """The end of `text` that could be the beginning of one of the sequences."""
    at = text.rfind(b"\x1b", -_LONGEST_OPENING)
    return text[at:] if at >= 0 and text[at:] in _OPENINGS else b""


def _parse(payload: bytes) -> Found | None:
    found = osc.read(payload.decode("utf-8", "replace"))
    return found if isinstance(found, PromptMark | StatusReport | StatusQuery) else None
