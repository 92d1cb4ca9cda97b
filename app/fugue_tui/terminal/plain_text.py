"""What a program printed as text, whatever became of it on the screen: its bytes without their control sequences.

Text that was overwritten or erased a moment later is still here. It goes on one of two streams: `flow` has what was
printed line after line, `painted` what was put somewhere on the screen, which may repeat what stood there before: on
the alternate screen, or above where the cursor had been. Sequences and characters may be cut anywhere. Pure.
"""

import re
from typing import Final

KEPT: Final = 1 << 16
"""Bytes that a stream keeps at least; it forgets the oldest beyond twice as many."""
_PARTIAL: Final = 256
"""Bytes of an unfinished sequence that are kept for what follows; none that means anything is longer."""

_COLOURS: Final = re.compile(rb"\x1b\[[0-9;:]*m")
_SEQUENCE: Final = re.compile(rb"\x1b(?:\[([0-?]*)[ -/]*([@-~])|([\]PX^_])|[ -/]*([0-OQ-WYZ\\`-~]))")
_CUT: Final = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[ -/]*)")
_STRING_END: Final = re.compile(rb"[\x07\x18\x1a\x1b]")
_LINE_ENDS: Final = bytes.maketrans(b"\r\v\f", b"\n\n\n")
_DROPPED: Final = bytes(set(range(32)) - set(b"\t\n\r\v\f\b") | {127})
_UP: Final = b"AF"
_DOWN: Final = b"BEe"
_PLACED: Final = b"Hfd"
_ACROSS: Final = b"CaGI`Z"
_SHIFTED: Final = b"STLMr"
_ALTERNATE: Final = {b"47", b"1047", b"1049"}


class TextStream:
    """Text that grows at its end and is forgotten at its beginning; offsets count from the first byte ever."""

    __slots__ = ("base", "text")

    def __init__(self) -> None:
        self.text = bytearray()
        self.base = 0
        """The offset of the oldest byte that is kept."""

    @property
    def end(self) -> int:
        """The offset behind the newest byte."""
        return self.base + len(self.text)

    def write(self, text: bytes) -> None:
        """Put text at the end."""
        self.text += text
        if len(self.text) > 2 * KEPT:
            cut = len(self.text) - KEPT
            while self.text[cut] & 0xC0 == 0x80 and cut < len(self.text) - 1:
                cut += 1
            del self.text[:cut]
            self.base += cut

    def rub_out(self) -> None:
        """Take the last character of the line back."""
        if not self.text or self.text[-1] == 0x0A:
            return
        while self.text and self.text.pop() & 0xC0 == 0x80:
            pass

    def new_line(self) -> None:
        """Begin a line, unless one has just begun."""
        if self.text and self.text[-1] != 0x0A:
            self.write(b"\n")


class PlainTextExtractor:
    """The two streams of one terminal, from some moment on."""

    def __init__(self, rows: int, *, alternate: bool = False) -> None:
        self.streams = self.flow, self.painted = TextStream(), TextStream()
        self._rows = rows
        self._alternate = alternate
        self._above = 0
        """How many lines the cursor may be above the last one."""
        self._rest = b""
        self._in_string = False
        self._after_return = False

    def feed(self, data: bytes) -> None:
        """Take output of the program."""
        data, self._rest = self._rest + data, b""
        if b"\x1b" in data:
            data = _COLOURS.sub(b"", data)
        at = self._end_of_string(data, 0) if self._in_string else 0
        while (escape := data.find(b"\x1b", at)) >= 0:
            if escape > at:
                self._write(data[at:escape])
            at = self._sequence(data, escape)
        if at < len(data):
            self._write(data[at:])

    @property
    def _stream(self) -> TextStream:
        return self.painted if self._above or self._alternate else self.flow

    def _sequence(self, data: bytes, at: int) -> int:
        """Take in the sequence that starts there; where it ends."""
        found = _SEQUENCE.match(data, at)
        if found is None:
            if len(data) - at < _PARTIAL and _CUT.fullmatch(data, at):
                self._rest = data[at:]
                return len(data)
            return at + 1
        parameters, final, string, simple = found.groups()
        if string is not None:
            self._in_string = True
            return self._end_of_string(data, found.end())
        if final is not None:
            self._control(parameters, final)
        else:
            self._escape(simple)
        return found.end()

    def _end_of_string(self, data: bytes, at: int) -> int:
        """Where the text goes on after an OSC, DCS or their like."""
        found = _STRING_END.search(data, at)
        if found is None:
            return len(data)
        end = found.end()
        if found[0] == b"\x1b":
            if end == len(data):
                self._rest = b"\x1b"
                return end
            end = end + 1 if data[end] == 0x5C else found.start()
        self._in_string = False
        return end

    def _control(self, parameters: bytes, final: bytes) -> None:
        if final in _ACROSS:
            self._across(parameters, final)
        elif final in _UP:
            self._move(min(self._above + _number(parameters), self._rows))
        elif final in _DOWN:
            self._move(max(0, self._above - _number(parameters)))
        elif final in _PLACED or (final == b"u" and not parameters):
            self._move(self._rows)
        elif final in _SHIFTED:
            self._stream.new_line()
        elif final == b"J" and parameters in (b"2", b"3"):
            self._move(0)
        elif final in b"hl" and parameters[:1] == b"?" and _ALTERNATE & set(parameters[1:].split(b";")):
            self._stream.new_line()
            self._alternate = final == b"h"
            self._move(0)

    def _across(self, parameters: bytes, final: bytes) -> None:
        if final in b"G`" and parameters in (b"", b"0", b"1"):
            self._stream.new_line()
        else:
            self._stream.write(b" ")

    def _escape(self, final: bytes) -> None:
        if final in b"DE":
            self._move(max(0, self._above - 1))
        elif final == b"M":
            self._move(min(self._above + 1, self._rows))
        elif final == b"8":
            self._move(self._rows)
        elif final == b"c":
            self._alternate = False
            self._move(0)

    def _move(self, above: int) -> None:
        """The cursor is on another line now: what follows does not continue what was printed last."""
        self._stream.new_line()
        self._above = above
        self._stream.new_line()

    def _write(self, raw: bytes) -> None:
        if self._after_return and raw[:1] == b"\n":
            raw = raw[1:]
        self._after_return = raw[-1:] == b"\r"
        text = raw.replace(b"\r\n", b"\n").translate(_LINE_ENDS, _DROPPED)
        if self._above and not self._alternate:
            text = self._write_above(text)
        if b"\b" in text:
            self._write_rubbing_out(text)
        else:
            self._stream.write(text)

    def _write_above(self, text: bytes) -> bytes:
        """Write the lines that are still above the last one; what is left for below."""
        lines = text.split(b"\n", self._above)
        above = lines if len(lines) <= self._above else lines[:-1]
        self._above -= len(lines) - 1
        self.painted.write(b"\n".join(above).replace(b"\b", b""))
        if self._above:
            return b""
        self.painted.new_line()
        return lines[-1]

    def _write_rubbing_out(self, text: bytes) -> None:
        stream = self._stream
        first, *rest = text.split(b"\b")
        stream.write(first)
        for part in rest:
            stream.rub_out()
            stream.write(part)


def _number(parameters: bytes) -> int:
    """A count of lines; 1 if none is given."""
    return max(1, int(parameters)) if parameters.isdigit() and len(parameters) < 6 else 1
