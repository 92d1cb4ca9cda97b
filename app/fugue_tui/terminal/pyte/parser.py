"""The fallback engine's parser: characters in, calls out, with every length bounded.

It keeps the state machine of vt100.net ("A parser for DEC's ANSI-compatible video terminals") for decoded text: C0
controls act inside sequences, CAN and SUB cancel, ESC ends whatever was open. C1 characters are dropped.
"""

import re
from enum import Enum, auto
from typing import Final, Protocol

_TEXT: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f]+")
_CSI: Final = re.compile(r"\x1b\[([<=>?]?)([0-9:;]{0,200})([ -/]{0,2})([@-~])")
_INTERMEDIATES: Final = re.compile(r"[ -/]+")
_PARAMETERS: Final = re.compile(r"[ -?]+")
_STRING_END: Final = re.compile(r"[\x07\x18\x1a\x1b]")

LONGEST_SEQUENCE: Final = 256
"""A control sequence with more characters is dropped."""
LONGEST_STRING: Final = 1 << 20
"""An OSC or DCS with more characters is dropped."""


class Actions(Protocol):
    """What a parser calls."""

    def draw(self, data: str) -> None:
        """Printable text."""
        ...

    def control(self, char: str) -> None:
        """A C0 control character."""
        ...

    def escape(self, sequence: str) -> None:
        """What followed ESC: intermediates and the final character."""
        ...

    def csi(self, name: str, parameters: str) -> None:
        """A control sequence; `name` is its prefix, intermediates and final letter."""
        ...

    def string(self, kind: str, text: str, end: str) -> None:
        """A whole OSC (`]`) or DCS (`P`), and how it was ended."""
        ...


class _State(Enum):
    GROUND = auto()
    ESCAPE = auto()
    CSI = auto()
    STRING = auto()


class Parser:
    """Feeds text to actions; sequences may be cut anywhere."""

    def __init__(self, actions: Actions) -> None:
        self._actions = actions
        self._state = _State.GROUND
        self._sequence = ""
        self._kind = ""
        self._string: list[str] = []
        self._length = 0

    def feed(self, data: str) -> None:
        """Take the next piece of text."""
        position = 0
        while position < len(data):
            match self._state:
                case _State.GROUND:
                    position = self._ground(data, position)
                case _State.STRING:
                    position = self._in_string(data, position)
                case _:
                    position = self._in_sequence(data, position)

    def _ground(self, data: str, position: int) -> int:
        """Draw a run of text, or act on one control or one whole control sequence."""
        if run := _TEXT.match(data, position):
            self._actions.draw(run[0])
            return run.end()
        if whole := _CSI.match(data, position):
            self._actions.csi(whole[1] + whole[3] + whole[4], whole[2])
            return whole.end()
        self._control(data[position])
        return position + 1

    def _control(self, char: str) -> None:
        """Act on a control character, wherever it stands outside a string."""
        if char == "\x1b":
            self._state = _State.ESCAPE
            self._sequence = ""
        elif char in "\x18\x1a":
            self._state = _State.GROUND
        elif char < " ":
            self._actions.control(char)

    def _in_sequence(self, data: str, position: int) -> int:
        """Take the next part of an escape or control sequence: all its parameters, or one character."""
        body = (_INTERMEDIATES if self._state is _State.ESCAPE else _PARAMETERS).match(data, position)
        if body:
            self._sequence += body[0][: LONGEST_SEQUENCE - len(self._sequence)]
            return body.end()
        char = data[position]
        if char < " " or "\x7f" <= char <= "\x9f":
            self._control(char)
        elif self._state is _State.ESCAPE:
            self._in_escape(char)
        elif "@" <= char <= "~":
            self._state = _State.GROUND
            self._end_csi(char)
        return position + 1

    def _in_escape(self, char: str) -> None:
        """Take the character that follows ESC and perhaps intermediates."""
        if self._sequence or char not in "[]PX^_k":
            self._state = _State.GROUND
            self._actions.escape(self._sequence + char)
        elif char == "[":
            self._state = _State.CSI
        else:
            self._state = _State.STRING
            self._kind, self._string, self._length = char, [], 0

    def _end_csi(self, final: str) -> None:
        """Hand over a control sequence that is well-formed and not too long."""
        whole = _CSI.fullmatch(f"\x1b[{self._sequence}{final}")
        if whole:
            self._actions.csi(whole[1] + whole[3] + whole[4], whole[2])

    def _in_string(self, data: str, position: int) -> int:
        """Collect a string up to its terminator, keeping no more than the cap."""
        found = _STRING_END.search(data, position)
        end = found.start() if found else len(data)
        self._length += end - position
        if self._kind in "]P" and self._length <= LONGEST_STRING:
            self._string.append(data[position:end])
        if found is None:
            return end
        if found[0] != "\x07" or self._kind == "]":
            self._end_string(found[0])
        return found.end()

    def _end_string(self, terminator: str) -> None:
        """Hand over a string that was not cancelled and not too long; BEL ends only an OSC."""
        self._state = _State.ESCAPE if terminator == "\x1b" else _State.GROUND
        self._sequence = ""
        text, self._string = "".join(self._string), []
        if terminator in "\x07\x1b" and self._kind in "]P" and self._length <= LONGEST_STRING:
            self._actions.string(self._kind, text, "\x07" if terminator == "\x07" else "\x1b\\")
