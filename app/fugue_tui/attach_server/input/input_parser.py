"""What a host terminal sends, parsed: keys, pastes, the mouse, the focus, and replies to queries.

Bytes in, events out; no I/O, no clock. Sequences and characters may arrive in parts, late or never. A possible start of
a sequence is held until it is complete, or until `elapse` decides that it was a key; what can only be the start of a
sequence never becomes a key. Unknown sequences and strings are dropped whole, and so is a sequence of more than 4,096
characters.

A bracketed paste ends only at its end mark; everything before that is its text, whatever it contains, and no timeout
ends it. One of more than 16 Mi characters is refused whole, as half of a paste is worse than none.

Sources: ECMA-48 (5.4, control sequences), xterm's ctlseqs, and the kitty keyboard protocol.
"""

import re
from codecs import getincrementaldecoder
from typing import Final, TypeAlias

from msgspec import Struct

from fugue_tui.attach_server.input import host_keys
from fugue_tui.terminal.input.keys import KeyPress, Modifiers

LONGEST: Final = 4_096
"""Characters of one sequence or reply."""
LONGEST_PASTE: Final = 16 << 20
"""Characters of one paste."""

_ESC: Final = "\x1b"
_END_OF_PASTE: Final = "\x1b[201~"
_CSI: Final = re.compile(r"\x1b\[([ -?]*)([@-~])")
_CSI_START: Final = re.compile(r"\x1b\[[ -?]*\Z")
_CSI_BROKEN: Final = re.compile(r"\x1b\[[ -?]+")
_RXVT_SHIFT: Final = re.compile(r"\x1b\[[0-9]{1,2}\$")
_CONSOLE: Final = re.compile(r"\x1b\[\[(.)?", re.DOTALL)
_X10_MOUSE: Final = re.compile(r"\x1b\[M([^\x00-\x1f]{0,3})")
_SS3: Final = re.compile(r"\x1bO([0-9;]{0,8})([ -~])?")
_HEAD: Final = r"\x1b(?:\][0-9]{1,9};|P[0-9;]{0,32}[!$+<=>?]{1,4}[@-~]|_G)"
_STRING_HEAD: Final = re.compile(_HEAD)
_STRING: Final = re.compile(_HEAD + r"[^\x00-\x1f]*")
_STRING_START: Final = re.compile(r"\x1b(?:\][0-9]{0,9}|P[0-9;]{0,32}[!$+<=>?]{0,4}|_)\Z")
_STRING_END: Final = ("\x07", "\x1b\\")
_MOUSE: Final = re.compile(r"<([0-9]{1,5});(-?[0-9]{1,5});(-?[0-9]{1,5})\Z")
_MOTION, _WHEEL = 32, 64
"""Flags of a mouse report's button code."""
_FOCUS: Final = {"I": True, "O": False}
_REPLY_FINALS: Final = frozenset("cntxy")
_LATE: Final = re.compile(
    r"\x1b(?:\[[?>=][0-9:;]*[ -/]*[@-~]|\[[0-9]+[0-9:;]*[ntx]|\[[0-9]+;[0-9]+\$y|\[200~|\[<[0-9;]+[Mm]"
    rf")|{_HEAD}[^\x00-\x1f]*(?:\x07|\x1b\\)"
)
"""Sequences that no key sends, even if their start was parsed as a key."""
_LATE_KEY: Final = re.compile(r"\x1b\[(?=.)(?:[0-9:;]*~|[0-9][0-9:;]*u)")


class Pasted(Struct, frozen=True):
    """A paste. `text` is empty if it was `refused` because it was too long."""

    text: str
    refused: bool = False


class Pointer(Struct, frozen=True):
    """A mouse event (SGR, mode 1006). `code` is the button with its flags; `x` and `y` begin with 1 and are cells, or
    pixels where mode 1016 is set."""

    code: int
    x: int
    y: int
    released: bool

    @property
    def wheel(self) -> bool:
        """Whether the wheel was turned; the two low bits of `code` are the direction: up, down, left, right."""
        return bool(self.code & _WHEEL)

    @property
    def button(self) -> int:
        """1 to 3 for the left, the middle and the right button; 0 for none."""
        return 0 if self.wheel else (self.code + 1) & 3

    @property
    def moved(self) -> bool:
        """Whether it is mere motion of the pointer, with or without a button held."""
        return not self.wheel and (bool(self.code & _MOTION) or not self.button)

    @property
    def acts(self) -> bool:
        """Whether a button was pressed or the wheel was turned."""
        return self.wheel or not (self.moved or self.released)


class Focused(Struct, frozen=True):
    """The terminal got the focus, or lost it."""

    gained: bool


class Reply(Struct, frozen=True):
    """The reply to a query, as it was sent."""

    text: str


HostEvent: TypeAlias = KeyPress | Pasted | Pointer | Focused | Reply


class HostParser:
    """Parses the input of one terminal into events, in order."""

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._held = ""
        """The start of a sequence."""
        self._discards = False
        """Whether that is too long already: all but its first characters was dropped."""
        self._expired = ""
        """What was held for too long; the rest is recognized by it if it arrives after all."""
        self._paste: list[str] | None = None
        """The text of a paste that has not ended."""
        self._pasted = 0

    @property
    def pending(self) -> bool:
        """Whether the start of a sequence is held, which `elapse` ends."""
        return bool(self._held) and self._paste is None

    @property
    def certain(self) -> bool:
        """Whether what is held is no key, whatever follows."""
        return self.pending and not _may_be_key(self._held)

    def feed(self, data: bytes) -> list[HostEvent]:
        """The events in what was read."""
        text = self._decode(data)
        events: list[HostEvent] = []
        if self._expired and text:
            expired, self._expired = self._expired, ""
            late = expired + text
            if _LATE.match(late) or (not _may_be_key(expired) and _LATE_KEY.match(late)):
                text = late
        text, self._held = self._held + text, ""
        at = 0
        while at < len(text):
            at = self._step(text, at, events) if self._paste is None else self._parse_paste(text, at, events)
        return events

    def elapse(self) -> list[HostEvent]:
        """The timeout since the last bytes has passed: what is held is a key, or dropped."""
        if not self.pending:
            return []
        held, self._held, self._discards = self._held, "", False
        self._expired = held
        events: list[HostEvent] = []
        if held == _ESC:
            _type(_ESC, events)
        elif _may_be_key(held):
            _type_with_alt(held[1], events)
            for char in held[2:]:
                _type(char, events)
        return events

    def _step(self, text: str, at: int, events: list[HostEvent]) -> int:
        """Parse the next character or sequence; where it ends."""
        if text[at] != _ESC:
            _type(text[at], events)
            return at + 1
        if at + 1 == len(text):
            return self._hold(text, at)
        match text[at + 1]:
            case "[":
                return self._parse_csi(text, at, events)
            case "O":
                return self._parse_ss3(text, at, events)
            case "]" | "P" | "_":
                return self._parse_string(text, at, events)
            case "\x1b":
                _type(_ESC, events)
                return at + 1
            case char:
                _type_with_alt(char, events)
                return at + 2

    def _hold(self, text: str, at: int) -> int:
        """Hold the start of a sequence; of one that is too long, only what identifies its kind."""
        start = text[at:]
        if len(start) > LONGEST:
            self._discards = True
            head = _STRING_HEAD.match(start)
            kept = head[0] if head is not None else start[:3]
            start = kept + (_ESC if start.endswith(_ESC) else "")
        self._held = start
        return len(text)

    def _whole(self, length: int) -> bool:
        """Whether a complete sequence is short enough."""
        discards, self._discards = self._discards, False
        return not discards and length <= LONGEST

    # Control sequences

    def _parse_csi(self, text: str, at: int, events: list[HostEvent]) -> int:
        if _CSI_START.match(text, at) and not _RXVT_SHIFT.match(text, at):
            return self._hold(text, at)
        if text.startswith(("[[", "[M"), at + 1):
            return self._parse_odd_csi(text, at, events)
        if (found := _RXVT_SHIFT.match(text, at)) is not None:
            parameters, final = found[0][2:-1], "$"
        elif (found := _CSI.match(text, at)) is not None:
            parameters, final = found[1], found[2]
        else:
            return self._break_csi(text, at, events)
        if self._whole(found.end() - at):
            self._csi(parameters, final, found[0], events)
        return found.end()

    def _break_csi(self, text: str, at: int, events: list[HostEvent]) -> int:
        """It is broken off by another character; without a parameter it was Alt and a key."""
        self._discards = False
        if (broken := _CSI_BROKEN.match(text, at)) is not None:
            return broken.end()
        _type_with_alt("[", events)
        return at + 2

    def _parse_odd_csi(self, text: str, at: int, events: list[HostEvent]) -> int:
        """The two that continue after their final: a function key of the Linux console, and an X10 mouse report."""
        if text[at + 2] == "[":
            found = _CONSOLE.match(text, at)
            if found is None or found[1] is None:
                return self._hold(text, at)
            if not " " < found[1] <= "~":
                return at + 3
            if (press := host_keys.console(found[1])) is not None:
                events.append(press)
            return found.end()
        report = _X10_MOUSE.match(text, at)
        assert report is not None
        if len(report[1]) < 3 and report.end() == len(text):
            return self._hold(text, at)
        return report.end()

    def _csi(self, parameters: str, final: str, whole: str, events: list[HostEvent]) -> None:
        """A complete control sequence: a key, the mouse, the focus, a paste, a reply, or unknown."""
        if parameters[:1] in ("?", ">", "="):
            events.append(Reply(whole))
        elif final in "Mm" and (mouse := _MOUSE.match(parameters)) is not None:
            events.append(Pointer(int(mouse[1]), int(mouse[2]), int(mouse[3]), final == "m"))
        elif final in _FOCUS and not parameters:
            events.append(Focused(_FOCUS[final]))
        elif final == "~" and parameters == "200":
            self._paste, self._pasted = [], 0
        elif final in _REPLY_FINALS:
            events.append(Reply(whole))
        elif (press := host_keys.csi(parameters, final)) is not None:
            events.append(press)

    def _parse_ss3(self, text: str, at: int, events: list[HostEvent]) -> int:
        found = _SS3.match(text, at)
        assert found is not None
        if found[2] is None and found.end() == len(text):
            return self._hold(text, at)
        if found[2] is not None and host_keys.is_ss3(found[2]):
            if (press := host_keys.ss3(found[1], found[2])) is not None:
                events.append(press)
            return found.end()
        _type_with_alt("O", events)
        return at + 2

    # Strings

    def _parse_string(self, text: str, at: int, events: list[HostEvent]) -> int:
        if (string := _STRING.match(text, at)) is not None:
            end = string.end()
            if end == len(text) or (text[end] == _ESC and end + 1 == len(text)):
                return self._hold(text, at)
            terminator = next((each for each in _STRING_END if text.startswith(each, end)), "")
            if self._whole(end - at) and terminator:
                events.append(Reply(text[at : end + len(terminator)]))
            return end + len(terminator)
        if _STRING_START.match(text, at):
            return self._hold(text, at)
        _type_with_alt(text[at + 1], events)
        return at + 2

    # Pastes

    def _parse_paste(self, text: str, at: int, events: list[HostEvent]) -> int:
        """Parse text until the end mark, which may be incomplete."""
        assert self._paste is not None
        found = text.find(_END_OF_PASTE, at)
        if found >= 0:
            self._keep_pasted(text[at:found])
            refused = self._pasted > LONGEST_PASTE
            events.append(Pasted("" if refused else "".join(self._paste), refused))
            self._paste = None
            return found + len(_END_OF_PASTE)
        cut = next((n for n in range(len(_END_OF_PASTE) - 1, 0, -1) if text.endswith(_END_OF_PASTE[:n], at)), 0)
        self._keep_pasted(text[at : len(text) - cut])
        self._held = text[len(text) - cut :] if cut else ""
        return len(text)

    def _keep_pasted(self, text: str) -> None:
        assert self._paste is not None
        self._pasted += len(text)
        if self._pasted <= LONGEST_PASTE:
            self._paste.append(text)
        else:
            self._paste.clear()


def _may_be_key(held: str) -> bool:
    """Whether the start of a sequence may as well be a key: Escape, or one with Alt."""
    if held in (_ESC, "\x1b["):
        return True
    return held.startswith(("\x1bO", "\x1b]", "\x1bP", "\x1b_")) and _STRING_HEAD.match(held) is None


def _type(char: str, events: list[HostEvent]) -> None:
    if (press := host_keys.character(char)) is not None:
        events.append(press)


def _type_with_alt(char: str, events: list[HostEvent]) -> None:
    if (press := host_keys.character(char, Modifiers.ALT)) is not None:
        events.append(press)
