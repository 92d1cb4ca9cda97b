"""What a terminal answers when it is asked about itself, taken out of what it sends: no program may get it as typing.

Answers may be cut anywhere, come late, or never. What may be the beginning of one is held back until that is clear, or
until time shows that it was a key; what can only be the beginning of one is no key however long it takes.
"""

import re
from collections.abc import Callable
from typing import Final

_ESC: Final = "\x1b"
_PASTE: Final = "\x1b[200~"
_PASTED: Final = "\x1b[201~"
_STRING: Final = r"(?:\][0-9]+;|P[01]?[+$>!][r|]|_G)[^\x00-\x1f]*"
_REPORT: Final = r"\[[?>=][0-9:;]*[ -/]*"
_WHOLE: Final = re.compile(rf"\x1b(?:{_REPORT}[@-~]|{_STRING}(?:\x07|\x1b\\)|\[[0-9]+[0-9:;]*[ntx]|\[[0-9]+;[0-9]+\$y)")
"""An answer: a private report, a string, a report of the window's or the terminal's state."""
_BROKEN: Final = re.compile(rf"\x1b(?:{_REPORT}|{_STRING}|\[[<0-9][0-9:;]*)(?=[\x00-\x1f])")
"""One that something else has put an end to."""
_BEGUN: Final = re.compile(rf"\x1b(?:{_REPORT}|{_STRING}\x1b?|\[[<0-9][0-9:;]*|\[[0-9]+;[0-9]+\$)\Z")
"""The beginning of an answer, or of a key that is a sequence: nobody types that."""
_MAYBE: Final = re.compile(r"\x1b(?:\[|\][0-9]*|P[01]?[+$>!]?|_)?\Z")
"""The beginning of an answer, or a key: Escape, or one with Alt."""
_INTRODUCER: Final = re.compile(r"\x1b(?:\[[?>=<0-9]|\][0-9]+;|P[01]?[+$>!][r|]|_G)")
_SEQUENCE: Final = ("\x1b", "[", "O")
"""What after an ESC is the beginning of something longer."""
_MOST: Final = 4_096
"""Characters of one answer; what is longer is no answer to any question, and is let pass without being kept."""


class Typed(str):
    """Typing as it came."""


class Alt(Typed):
    """A character that was typed with Alt, after the ESC that says so."""


class Answers:
    """Text in, typing out; `heard` is called with every answer."""

    def __init__(self, heard: Callable[[str], None]) -> None:
        self._heard = heard
        self._held = ""
        self._given_up = ""
        """What was held for too long; if the rest comes after all, it is known by that."""
        self._pasting = False

    @property
    def idle(self) -> bool:
        """Whether text without an escape is typing as it stands."""
        return not (self._held or self._given_up or self._pasting)

    @property
    def pending(self) -> bool:
        """Whether something is held that time decides on."""
        return bool(self._held) and not self._pasting

    @property
    def certain(self) -> bool:
        """Whether what is held is no key, whatever follows."""
        return _BEGUN.match(self._held) is not None

    def typing(self, text: str) -> list[Typed]:
        """What of the text is typing, in pieces; the rest was an answer, or is held."""
        given_up, self._given_up = self._given_up, ""
        if given_up and _WHOLE.match(given_up + text):
            text = given_up + text
        text, self._held = self._held + text, ""
        kept: list[Typed] = []
        at = 0
        while at < len(text):
            at = self._pasted(text, at, kept) if self._pasting else self._step(text, at, kept)
        return [piece for piece in kept if piece]

    def elapse(self) -> list[Typed]:
        """What was held and is typing after all, because nothing followed in time."""
        late, self._given_up, self._held = self.certain, self._held, ""
        if late or not self._given_up:
            return []
        return [Typed(_ESC)] if self._given_up == _ESC else _with_alt(self._given_up)

    def _step(self, text: str, at: int, kept: list[Typed]) -> int:
        """Go on to behind the next sequence; what is typing is kept."""
        start = text.find(_ESC, at)
        if start < 0:
            kept.append(Typed(text[at:]))
            return len(text)
        kept.append(Typed(text[at:start]))
        if _BEGUN.match(text, start) or _MAYBE.match(text, start):
            self._hold(text[start:])
            return len(text)
        if found := _WHOLE.match(text, start):
            self._heard(found[0])
            return found.end()
        if broken := _BROKEN.match(text, start):
            return broken.end()
        if text[start + 1] not in _SEQUENCE:
            kept += _with_alt(text[start : start + 2])
            return start + 2
        self._pasting = text.startswith(_PASTE, start)
        end = start + (len(_PASTE) if self._pasting else len(_ESC))
        kept.append(Typed(text[start:end]))
        return end

    def _hold(self, begun: str) -> None:
        introducer = _INTRODUCER.match(begun)
        if len(begun) > _MOST and introducer is not None:
            begun = introducer[0] + (_ESC if begun.endswith(_ESC) else "")
        self._held = begun

    def _pasted(self, text: str, at: int, kept: list[Typed]) -> int:
        """A paste is kept as it is; its end may be cut too."""
        found = text.find(_PASTED, at)
        if found >= 0:
            self._pasting = False
            end = found + len(_PASTED)
            kept.append(Typed(text[at:end]))
            return end
        whole = next((n for n in range(len(_PASTED) - 1, 0, -1) if text.endswith(_PASTED[:n], at)), 0)
        self._held = text[len(text) - whole :] if whole else ""
        kept.append(Typed(text[at : len(text) - whole]))
        return len(text)


def _with_alt(text: str) -> list[Typed]:
    return [Alt(text[1]), *([Typed(text[2:])] if text[2:] else [])]
