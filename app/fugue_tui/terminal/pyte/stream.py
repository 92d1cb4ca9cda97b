"""Splits what a program prints into single actions for pyte's parser, wherever it is cut.

pyte prints what it does not parse (DCS and APC strings, sequences with `<`, `=` or `!`), takes `CSI > m` for SGR, keeps
strings of any length, and raises on unexpected parameters. Strings are collected here; such sequences are dropped.
"""

import logging
import re
from collections.abc import Callable
from typing import Final

import pyte

from fugue_tui.terminal.pyte.screen import Screen

LONGEST_SEQUENCE: Final = 256
"""Characters; a longer control sequence is dropped."""
LONGEST_STRING: Final = 1 << 20
"""Characters; a longer OSC is dropped."""

_TOKEN: Final = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|\x1b\[(?P<prefix>[<-?]?)(?P<parameters>[0-9:;]*)(?P<intermediates>[ -/]*)(?P<final>[@-~])"
    r"|\x1b(?P<string>[]PX^_k])"
    r"|(?P<escape>\x1b(?:[#()][0-~]|[0-Z\\-~]))"
    r"|(?P<unfinished>\x1b(?:\[[ -?]*|[ -/]*)\Z)"
    r"|\x1b(?:\[[ -?]*[@-~]?|[ -/]*[0-~]?)"
    r"|(?P<control>[\x00-\x1f])"
    r"|.",
    re.DOTALL,
)
_STRING_END: Final = re.compile(r"[\x07\x18\x1a\x1b]")
_UNKNOWN: Final = re.compile(r"[0-9]*:[0-9:]*|\b58;(?:5;[0-9]*|2;[0-9]*;[0-9]*;[0-9]*)")
"""Sub-parameters, and colours of underlines: pyte reads their parts as parameters."""
_IGNORED: Final = "10"
"""An SGR parameter without effect."""
_SETTLING: Final = frozenset("@ABCDEFGHJKLMPXZ`adef")
"""Sequences that give up a wrap that is due, which pyte keeps."""
_REWRITTEN: Final = {"\x1b=": "\x1b[?66h", "\x1b>": "\x1b[?66l", "\x1bE": "\x1bD\r"}


class Stream(pyte.Stream):
    """Takes text. No exception escapes; after one, the parser is in its ground state."""

    csi = pyte.Stream.csi | {
        "S": "scroll_up",
        "T": "scroll_down",
        "Z": "back_tab",
        "`": "cursor_to_column",
        "b": "repeat",
        "q": "set_cursor_shape",
        "s": "save_cursor",
        "u": "restore_cursor",
    }

    def __init__(self, screen: Screen, on_osc: Callable[[str, str], None]) -> None:
        super().__init__(screen)
        self.use_utf8 = False  # Otherwise pyte ignores character sets; the text is decoded already.
        self._screen = screen
        self._on_osc = on_osc
        self._held = ""
        self._kind = ""
        self._string: list[str] = []
        self._length = 0

    def feed(self, data: str) -> None:
        """Take the next piece of output."""
        data, self._held = self._held + data, ""
        position = 0
        while position < len(data):
            position = self._in_string(data, position) if self._kind else self._in_ground(data, position)

    def _in_ground(self, data: str, position: int) -> int:
        found = _TOKEN.match(data, position)
        assert found
        match found.lastgroup:
            case "text" | "escape" | "control":
                self._run(_REWRITTEN.get(found[0], found[0]))
            case "final":
                self._control_sequence(found)
            case "string":
                self._kind, self._string, self._length = found["string"], [], 0
            case "unfinished":
                self._held = found[0][: LONGEST_SEQUENCE + 1]
            case _:
                pass
        return found.end()

    def _control_sequence(self, found: re.Match[str]) -> None:
        prefix, parameters, final = found["prefix"], found["parameters"], found["final"]
        expected = " " if final == "q" else ""
        if prefix in ("", "?") and found["intermediates"] == expected and len(found[0]) <= LONGEST_SEQUENCE:
            if final in _SETTLING:
                self._screen.settle()
            self._run(f"\x1b[{prefix}{_UNKNOWN.sub(_IGNORED, parameters)}{final}")

    def _run(self, action: str) -> None:
        """Have pyte do one thing."""
        try:
            super().feed(action)
        except Exception as error:  # noqa: BLE001 - what pyte does not expect, terminals ignore
            logging.getLogger(__name__).debug("pyte failed on %a: %r", action, error)
        self._screen.complete()

    def _in_string(self, data: str, position: int) -> int:
        """Collect a string up to its terminator; BEL ends only an OSC."""
        found = _STRING_END.search(data, position)
        end = found.start() if found else len(data)
        self._length += end - position
        if self._kind == "]" and self._length <= LONGEST_STRING:
            self._string.append(data[position:end])
        if found is None:
            return end
        terminator = found[0]
        if terminator == "\x07" and self._kind != "]":
            return found.end()
        if self._kind == "]" and terminator in "\x07\x1b" and self._length <= LONGEST_STRING:
            self._on_osc("".join(self._string), "\x07" if terminator == "\x07" else "\x1b\\")
        self._kind, self._string = "", []
        return found.end() - (terminator == "\x1b")
