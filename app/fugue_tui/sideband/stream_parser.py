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

from fugue_tui.sideband.examples import Examples
from fugue_tui.sideband.grammar import LIMIT, OSC, SGR, Element, element, tag_of
from fugue_tui.sideband.tag import ParseError, Tag, TagForm

Found: TypeAlias = bytes | Tag | ParseError
"""Output to show, a tag, or what was shown and is no tag."""

_LINE_LIMIT: Final = 2 * LIMIT
"""Bytes of an unfinished line that are kept."""
_STRING: Final = rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
_INVISIBLE: Final = rb"(?:%b|%b|\x1b\[[0-2]?K|\x1b\[[?<>=][0-9;]*[a-z]|\x1b[=>]|\x1b\(B|\r)*" % (SGR, _STRING)
"""What shells and programs print at the start of a line that moves no cursor to another."""
_MARK: Final = rb"(?:[-*]|[0-9]{1,3}[.)]|\xe2\x80\xa2|\xe2\x97\x8f|\xe2\x8f\xba)"
_START: Final = re.compile(rb"%b(?: %b){0,3}(?:%b%b(?: %b){1,3})?" % (*(_INVISIBLE,) * 2, _MARK, *(_INVISIBLE,) * 2))
"""What may stand before a tag on its line."""
_OPENS: Final = re.compile(rb"[<\x1b]|(?:[-*]|[0-9]{1,3}[.)]?|\xe2(?:[\x80\x97\x8f].?)?)?\Z", re.DOTALL)
"""What is behind it, if that may still turn out to begin a list mark or a tag."""
_CUT_TAG: Final = re.compile(rb"<(?:%b)*(?:f(?:u(?:g(?:u(?:e)?)?)?)?)?(?:\x1b(?:\[[0-9;:]*)?)?" % SGR)
_CUT_ESCAPE: Final = re.compile(rb"\x1b(?:\[[0-9;:<=>?]{0,32}|\](?:7(?:7(?:7(?:0)?)?)?|1(?:3(?:3(?:;)?)?)?)?)?\Z")
"""The beginning of a sequence that matters here."""
_OSC: Final = re.compile(rb"\x1b\]7770;[^\x00-\x06\x07\x0e-\x1f\x7f]*(?:(\x07|\x1b\\)|\x1b?)")
_MOVES: Final = re.compile(rb"\x1b(?:\[[0-9;]{0,32}[A-GHILMPSTXZ@`adefrsu]|[78DEM])")
_EVENT: Final = re.compile(rb"fugue:|\x1b\]7770;|\x1b\]133;[ACD]")
_TAG_START: Final = re.compile(rb"<(?:%b)*\Z" % SGR)
_SGR: Final = re.compile(SGR)
_LONGEST_CUT: Final = 40
"""Bytes of the longest beginning of a sequence that is kept."""
_FLOOD: Final = 8_192
"""Bytes of one read without tags that are all examined for the movement of the cursor."""
_SAMPLE: Final = 1_024
"""Bytes of a longer one that are examined, at its beginning and at its end."""
_TRIES: Final = 400
"""Occurrences of a byte that are looked at one by one."""
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
        self._examples = Examples()
        self._decision: tuple[int, bool] | None = None
        """Whether a tag at an offset of the line counts."""
        self._before = False
        """The next at the start of the line."""
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
            self._examples.add(text)
        return text

    def feed(self, data: bytes) -> list[Found]:
        """The tags of more output, and the bytes to show before, between and behind them, in order."""
        shown = 0
        if self._kept:
            data, shown = self._kept + data, self._shown
            if self._at_start:  # The line is examined again from its start.
                self.drawn = self._before
        if not _has_key(data):
            end = self._keep(data, self._advance(data, 0, len(data), 0 if self._at_start else -1, 0))
            text = data if not shown and end == len(data) else data[shown:end]
            self._examples.add(text)
            return [text] if text else []
        out = list[Found]()
        self._scan(data, shown, out)
        return out

    def _scan(self, data: bytes, shown: int, out: list[Found]) -> None:
        """Append what is found behind the first `shown` bytes; `data` begins with what was kept."""

        def show(end: int) -> None:
            nonlocal shown
            if end > shown:
                self._examples.add(data[shown:end])
                out.append(data[shown:end])
                shown = end

        line = 0 if self._at_start else -1
        done = seen = at = 0
        while event := _EVENT.search(data, at):
            start, at = event.span()
            line, seen = self._advance(data, seen, start, line, done), start
            if event[0] == b"fugue:":
                first = self._tag_start(data, line, start)
                if first < 0:
                    continue
                show(first)
                if not self._counts(first - line):
                    continue
                found = element(data, first)
                if found.found is None:
                    self._hold(data, line, first)
                    return
                end = first + found.end
                line, done = (end, end) if isinstance(found.found, Tag) else (-1, first + 1)
            elif event[0] == OSC:
                stop = _osc_end(data, start)
                show(start)
                if stop is None:
                    self._hold(data, line, start)
                    return
                found, first, end = Element(0, _osc_tag(data[start:stop])), start, stop
                line = end if line >= 0 and _START.fullmatch(data, line, start) else -1
                done = end
            else:
                self.drawn = False
                if start >= shown:
                    show(start)
                    self._examples.end()
                continue
            if isinstance(found.found, Tag):
                shown, seen, at, self._before, self._decision = end, end, end, self.drawn, None
                out.append(found.found)
                if colours := b"".join(_SGR.findall(data, first, end)):
                    out.append(colours)
            else:
                show(end)
                out.append(found.found)  # pyright: ignore[reportArgumentType]
                seen, at = (end, end) if event[0] == OSC else (seen, at)
        show(self._keep(data, self._advance(data, seen, len(data), line, done)))

    def _tag_start(self, data: bytes, line: int, start: int) -> int:
        """The offset of the `<` before `fugue:` if a tag may begin there; else -1."""
        if line < 0:
            return -1
        first = data.rfind(b"<", max(line, start - _COLOURS), start)
        if first < 0 or not _TAG_START.fullmatch(data, first, start) or not _START.fullmatch(data, line, first):
            return -1
        return first

    def _advance(self, data: bytes, start: int, stop: int, line: int, done: int) -> int:
        """Examine output up to an offset; returns where the line begins that it is in."""
        begins = _line_start(data, line, done, stop)
        if begins != line:
            self._see_some(data, start, begins)
            self._before, self._decision = self.drawn, None
            start = begins
        self._see_some(data, start, stop)
        return begins

    def _see_some(self, data: bytes, start: int, stop: int) -> None:
        """`_see`; of a flood without tags the beginning and the end are enough."""
        if stop - start <= _FLOOD:
            self._see(data, start, stop)
        else:
            self._see(data, start, start + _SAMPLE)
            self._see(data, stop - _SAMPLE, stop)

    def _see(self, data: bytes, start: int, stop: int) -> None:
        """Note whether the cursor is moved."""
        if not self.drawn and _MOVES.search(data, start, stop + 1):  # What follows may begin with its last byte.
            self.drawn = True

    def _counts(self, offset: int) -> bool:
        """Whether a tag as text counts, by what was before it. That is asked once for an offset of a line: when the
        line is examined again, a mark behind the tag may have ended the example."""
        if self._decision is None or self._decision[0] != offset:
            if self.drawn and self._is_canonical():
                self.drawn = False
            self._decision = (offset, not self.drawn and not self._examples.inside())
        return self._decision[1]

    def _keep(self, data: bytes, line: int) -> int:
        """Keep the unfinished line if a tag may still begin it; returns the offset of what is held."""
        cut = _CUT_ESCAPE.search(data, max(0, len(data) - _LONGEST_CUT))
        hold = cut.start() if cut else len(data)
        if line < 0 or len(data) - line > _LINE_LIMIT:
            return self._hold(data, -1, hold)
        first = _START.match(data, line)
        at = first.end() if first else line
        if not _OPENS.match(data, at):
            return self._hold(data, -1, hold)
        if _CUT_TAG.fullmatch(data, at) and not self.drawn:
            hold = at
        return self._hold(data, line, hold)

    def _hold(self, data: bytes, line: int, hold: int) -> int:
        """Keep an unfinished line, or only what is held of it; returns the offset of what is held."""
        self._at_start = line >= 0 and hold - line <= _LINE_LIMIT
        first = line if self._at_start else hold
        self._kept, self._shown = data[first:], hold - first
        return hold


def _has_key(data: bytes) -> bool:
    """Whether there may be a tag or a prompt mark. Single bytes are searched for first, which costs
    next to nothing."""
    return _has(data, b"<", (b"<f", b"<\x1b"), b"fugue:") or (
        b"\x1b" in data and _has(data, b"]", (b"]7770;", b"]133;"), b"\x1b]")
    )


def _has(data: bytes, first: bytes, keys: tuple[bytes, ...], rest: bytes) -> bool:
    """Whether one of some keys, which begin with the same byte, is in the data; where that byte is frequent, whether
    the `rest` is."""
    at = data.find(first)
    for _ in range(_TRIES):
        if at < 0:
            return False
        if data.startswith(keys, at):
            return True
        at = data.find(first, at + 1)
    return rest in data


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
