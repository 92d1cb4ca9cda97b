"""Finds sideband tags in a stream of output, for any division of the stream into reads.

A tag as text counts where a line begins: behind at most three blanks and a list mark, but not in a fenced code block
(``` or ~~~, until it is closed or the shell marks its prompt) and not in a hunk of a diff. Where the program has moved
the cursor it draws a screen of its own, and a tag has no place in the stream; such tags are found on the screen. A tag
inside OSC 7770 counts anywhere.

The bytes of a tag that is not complete are held: at most `LIMIT` of them, and until `flush`.
"""

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from fugue_tui.sideband.grammar import LIMIT, OSC, SGR, element, tag_of
from fugue_tui.sideband.tag import ParseError, Tag, TagForm

Found: TypeAlias = bytes | Tag | ParseError
"""Output to show, a tag, or what was shown and is no tag."""

_LINE_LIMIT: Final = 2 * LIMIT
"""Bytes of an unfinished line that are kept."""
_STRING: Final = rb"\x1b\][^\x07\x1b]*+(?:\x07|\x1b\\)"
_INVISIBLE: Final = rb"(?:%b|%b|\x1b\[[0-2]?K|\x1b\[[?<>=][0-9;]*[a-z]|\x1b[=>]|\x1b\(B|\r)*+" % (SGR, _STRING)
"""What shells and programs print at the start of a line that moves no cursor to another."""
_MARK: Final = rb"(?:[-*]|[0-9]{1,3}[.)]|\xe2\x80\xa2|\xe2\x97\x8f|\xe2\x8f\xba)%b (?:%b ?){0,3}+" % (
    _INVISIBLE,
    _INVISIBLE,
)
_START: Final = re.compile(rb"%b(?: %b){0,3}+(?:%b)?+%b" % (_INVISIBLE, _INVISIBLE, _MARK, _INVISIBLE))
"""What may stand before a tag on its line."""
_OPENS: Final = (b"", *(bytes((each,)) for each in b"<`~@\x1b-*0123456789\xe2"))
"""The first byte behind it that may still turn out to begin a list mark, a tag, a fence or a hunk."""
_CUT_TAG: Final = re.compile(rb"<(?:%b)*+(?:f(?:u(?:g(?:u(?:e)?)?)?)?)?(?:\x1b(?:\[[0-9;:]*)?)?" % SGR)
_CUT_ESCAPE: Final = re.compile(rb"\x1b(?:\[[0-9;:<=>?]{0,32}|\](?:7(?:7(?:7(?:0)?)?)?|1(?:3(?:3(?:;)?)?)?)?)?\Z")
"""The beginning of a sequence that matters here."""
_OSC: Final = re.compile(rb"\x1b\]7770;[^\x00-\x06\x07\x0e-\x1f\x7f]*+(?:(\x07|\x1b\\)|\x1b?)")
_MOVES: Final = re.compile(rb"\x1b(?:\[[0-9;]*[A-GHILMPSTXZ@`adefrsu]|[78DEM])")
_EVENT: Final = re.compile(rb"fugue:|\x1b\]7770;|\x1b\]133;[ACD]|```+|~~~+|@@ -")
_TAG_START: Final = re.compile(rb"<(?:%b)*+\Z" % SGR)
_OUTSIDE_HUNK: Final = re.compile(rb"^(?:%b|\r)*+[^ +\-\\@\x1b\r\n]" % SGR, re.MULTILINE)
_SGR: Final = re.compile(SGR)
_LONGEST_CUT: Final = 40
"""Bytes of the longest beginning of a sequence that is kept."""
_FLOOD: Final = 8_192
"""Bytes of one read that are examined for the movement of the cursor and the end of a hunk, unless it has tags."""
_COLOURS: Final = 256
"""Bytes of colour codes that may stand between `<` and `fugue:`."""


class StreamParser:
    """The tags of one stream."""

    def __init__(self, is_canonical: Callable[[], bool] = lambda: False) -> None:
        """`is_canonical` returns whether the terminal edits lines itself, so that no program draws a screen."""
        self._is_canonical = is_canonical
        self._kept = b""
        """The unfinished line from its start, or a cut escape sequence from its first byte."""
        self._shown = 0
        """Bytes of it that were returned."""
        self._at_start = True
        """Whether `_kept` begins where a line does."""
        self._before = (b"", False, False)
        """The next three at the start of the line."""
        self._fence = b""
        """What opened the code block, such as ```; empty outside."""
        self._hunk = False
        self.drawn = False
        """Whether the program has moved the cursor since its command began."""

    @property
    def held(self) -> bool:
        """Whether bytes are held, which `flush` returns."""
        return self._shown < len(self._kept)

    def flush(self) -> bytes:
        """What is held, which is text."""
        text = self._kept[self._shown :]
        if text:
            self._kept, self._shown, self._at_start = b"", 0, False
        return text

    def feed(self, data: bytes) -> list[Found]:
        """The tags of more output, and the bytes to show before, between and behind them, in order."""
        shown = 0
        if self._kept:
            data, shown = self._kept + data, self._shown
            if self._at_start:  # The line is examined again from its start.
                self._fence, self._hunk, self.drawn = self._before
        if not _has_key(data):
            end = self._keep(data, self._advance(data, 0, len(data), 0 if self._at_start else -1, 0))
            if not shown and end == len(data):
                return [data]
            return [data[shown:end]] if end > shown else []
        out = list[Found]()

        def show(end: int, found: Tag | ParseError, skip: int) -> None:
            nonlocal shown
            if end > shown:
                out.append(data[shown:end])
            out.append(found)
            if colours := b"".join(_SGR.findall(data, end, skip)):
                out.append(colours)
            shown = skip

        hold = self._scan(data, show)
        if hold > shown:
            out.append(data[shown:hold])
        return out

    def _scan(self, data: bytes, show: Callable[[int, Tag | ParseError, int], None]) -> int:
        """Pass every tag to `show`; returns the offset of what is held. `data` begins with what was kept."""
        line = 0 if self._at_start else -1
        done = seen = at = 0
        while event := _EVENT.search(data, at):
            start, at = event.span()
            line, seen = self._advance(data, seen, start, line, done), start
            match event[0]:
                case b"fugue:":
                    first = self._tag_start(data, line, start)
                    if first < 0:
                        continue
                    found = element(data, first)
                    if found.found is None:
                        return self._hold(data, line, first)
                    end = first + found.end
                    show(first if isinstance(found.found, Tag) else end, found.found, end)
                    if isinstance(found.found, Tag):
                        line = done = seen = at = end
                        self._before = self._fence, self._hunk, self.drawn
                    else:
                        line, done = -1, first + 1
                case b"\x1b]7770;":
                    if (end := _osc_end(data, start)) is None:
                        return self._hold(data, line, start)
                    found = _osc_tag(data[start:end])
                    show(start if isinstance(found, Tag) else end, found, end)
                    line = end if line >= 0 and _START.fullmatch(data, line, start) else -1
                    done = seen = at = end
                    self._before = self._fence, self._hunk, self.drawn
                case b"@@ -":
                    self._hunk = self._hunk or (line >= 0 and not _SGR.sub(b"", data[line:start]).strip(b"\r"))
                case mark if mark.startswith(b"\x1b"):
                    self._fence, self._hunk, self.drawn = b"", False, False
                case fence:
                    stop = data.find(b"\n", at)
                    if stop >= 0 and line >= 0 and _START.fullmatch(data, line, start):
                        self._see_fence(fence, _SGR.sub(b"", data[at:stop]).strip())
        return self._keep(data, self._advance(data, seen, len(data), line, done))

    def _tag_start(self, data: bytes, line: int, start: int) -> int:
        """The offset of the `<` before `fugue:` if a tag may begin there; else -1."""
        if line < 0:
            return -1
        first = data.rfind(b"<", max(line, start - _COLOURS), start)
        if first < 0 or not _TAG_START.fullmatch(data, first, start) or not _START.fullmatch(data, line, first):
            return -1
        return first if self._counts() else -1

    def _advance(self, data: bytes, start: int, stop: int, line: int, done: int) -> int:
        """Examine output up to an offset; returns where the line begins that it is in."""
        begins = _line_start(data, line, done, stop)
        if begins != line:
            self._see_some(data, start, begins)
            self._before = self._fence, self._hunk, self.drawn
            start = begins
        self._see_some(data, start, stop)
        return begins

    def _see_some(self, data: bytes, start: int, stop: int) -> None:
        """`_see`; of a flood without tags the beginning and the end are enough."""
        if stop - start <= _FLOOD:
            self._see(data, start, stop)
        else:
            self._see(data, start, start + _FLOOD // 2)
            self._see(data, stop - _FLOOD // 2, stop)

    def _see(self, data: bytes, start: int, stop: int) -> None:
        """Note what moves the cursor and what ends a hunk."""
        if not self.drawn and _MOVES.search(data, start, stop + 1):  # What follows may begin with its last byte.
            self.drawn = True
        if self._hunk:
            first = data.rfind(b"\n", 0, start) + 1
            if not first and not self._at_start:
                first = data.find(b"\n", start, stop) + 1 or stop
            self._hunk = _OUTSIDE_HUNK.search(data, first, stop) is None

    def _see_fence(self, fence: bytes, rest: bytes) -> None:
        """Note a line that begins with at least three ` or ~."""
        if b"\x1b" in rest:
            return
        if not self._fence:
            self._fence = b"" if fence[:1] in rest and fence[:1] == b"`" else fence
        elif fence.startswith(self._fence) and not rest:
            self._fence = b""

    def _counts(self) -> bool:
        """Whether a tag as text counts, by what was before it."""
        if self._fence or self._hunk:
            return False
        if self.drawn and self._is_canonical():
            self.drawn = False
        return not self.drawn

    def _keep(self, data: bytes, line: int) -> int:
        """Keep the unfinished line if a tag may still begin it; returns the offset of what is held."""
        cut = _CUT_ESCAPE.search(data, max(0, len(data) - _LONGEST_CUT))
        hold = cut.start() if cut else len(data)
        if line < 0 or len(data) - line > _LINE_LIMIT:
            return self._hold(data, -1, hold)
        first = _START.match(data, line)
        at = first.end() if first else line
        if data[at : at + 1] not in _OPENS:
            return self._hold(data, -1, hold)
        if _CUT_TAG.fullmatch(data, at) and self._counts():
            hold = at
        return self._hold(data, line, hold)

    def _hold(self, data: bytes, line: int, hold: int) -> int:
        """Keep an unfinished line, or only what is held of it; returns the offset of what is held."""
        self._at_start = line >= 0 and hold - line <= _LINE_LIMIT
        first = line if self._at_start else hold
        self._kept, self._shown = data[first:], hold - first
        return hold


def _has_key(data: bytes) -> bool:
    """Whether there may be a tag, a fence, a hunk or a prompt mark. A single byte is searched for first, as that costs
    next to nothing."""
    return (
        (b"<" in data and b"fugue:" in data)
        or (b"\x1b" in data and b"\x1b]" in data and (OSC in data or b"\x1b]133;" in data))
        or (b"`" in data and b"```" in data)
        or (b"~" in data and b"~~~" in data)
        or (b"@" in data and b"@@ -" in data)
    )


def _line_start(data: bytes, line: int, done: int, stop: int) -> int:
    """Where the line that ends at an offset begins, if it does so behind `done`; else `line`."""
    return data.rfind(b"\n", done, stop) + 1 or line


def _osc_end(data: bytes, start: int) -> int | None:
    """The end of OSC 7770 with its terminator; None if that may be yet to come."""
    found = _OSC.match(data, start, start + LIMIT)
    if found is None or found[1]:
        return found.end() if found else start + len(OSC)
    if found.end() == len(data):
        return None
    return found.end() - (data[found.end() - 1] == 0x1B)  # What escape begins is not a part of it.


def _osc_tag(sequence: bytes) -> Tag | ParseError:
    text = sequence[len(OSC) :].removesuffix(b"\x07").removesuffix(b"\x1b\\").decode("utf-8", "replace").strip()
    closed = text.endswith("/") or "</" in text
    return tag_of(f"<{text}>" if closed else f"<{text} />", TagForm.OSC)
