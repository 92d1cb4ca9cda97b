"""The keys of a host terminal: what each control sequence and each character of its input stands for.

Sources: xterm's ctlseqs (PC-Style and VT220-Style Function Keys, modifyOtherKeys), rxvt's terminfo entry,
console_codes(4) for the Linux console, and the kitty keyboard protocol ("Progressive enhancement").
Pure: what is no key gives None, and nothing here raises.
"""

import re
from functools import lru_cache
from typing import Final

from fugue_tui.terminal.input.key_names import KEYPAD_TEXT
from fugue_tui.terminal.input.keys import KeyEvent, KeyPress, Modifiers
from fugue_tui.terminal.input.kitty_keyboard import KEY_OF_CODE

_NONE: Final = Modifiers.NONE
_SHIFT: Final = Modifiers.SHIFT
_ALT: Final = Modifiers.ALT
_CTRL: Final = Modifiers.CTRL
_LOCKS: Final = Modifiers.CAPS_LOCK | Modifiers.NUM_LOCK
_TILDE: Final = {
    1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageup", 6: "pagedown", 7: "home", 8: "end",
    **{code: f"f{number}" for number, code in enumerate((11, 12, 13, 14, 15), 1)},
    **{code: f"f{number}" for number, code in enumerate((17, 18, 19, 20, 21), 6)},
    23: "f11", 24: "f12", 25: "f13", 26: "f14", 28: "f15", 29: "f16", 31: "f17", 32: "f18", 33: "f19", 34: "f20",
    42: "f21", 43: "f22", 44: "f23", 45: "f24", 57427: "kp_begin",
}  # fmt: skip
_LETTER: Final = {
    "A": "up", "B": "down", "C": "right", "D": "left", "E": "kp_begin", "F": "end", "H": "home",
    "P": "f1", "Q": "f2", "R": "f3", "S": "f4", "Z": "tab",
}  # fmt: skip
_SS3: Final = {
    **{letter: name for letter, name in _LETTER.items() if letter != "Z"}, "I": "tab", "M": "kp_enter",
    "X": "kp_equal", "j": "kp_multiply", "k": "kp_add", "l": "kp_separator", "m": "kp_subtract", "n": "kp_decimal",
    "o": "kp_divide", **{letter: f"kp_{digit}" for digit, letter in enumerate("pqrstuvwxy")},
}  # fmt: skip
_RXVT_ARROWS: Final = {"a": "up", "b": "down", "c": "right", "d": "left"}
_RXVT_HELD: Final = {"$": _SHIFT, "^": _CTRL, "@": _CTRL | _SHIFT}
_CONSOLE: Final = {letter: f"f{number}" for number, letter in enumerate("ABCDE", 1)}
_CONTROL: Final = {
    "\r": "enter", "\t": "tab", "\x7f": "backspace", "\x1b": "escape", "\0": "space",
    "\x1c": "\\", "\x1d": "]", "\x1e": "^", "\x1f": "_",
}  # fmt: skip
_PLAIN_CONTROL: Final = frozenset("\r\t\x7f\x1b")
_NUMBER: Final = re.compile(r"[0-9]{1,7}\Z")


@lru_cache(maxsize=1024)
def character(char: str, held: Modifiers = _NONE) -> KeyPress | None:
    """The key of a character that was sent as such; None for one that no key types."""
    if char in _CONTROL:
        return KeyPress(_CONTROL[char], held if char in _PLAIN_CONTROL else held | _CTRL)
    if char < " ":
        return KeyPress(chr(ord(char) + 0x60), held | _CTRL)
    if char == " ":
        return KeyPress("space", held, "" if held else " ")
    if not char.isprintable() and "\x7f" <= char <= "\x9f":
        return None
    lower = char.lower()
    if len(lower) == 1 and lower != char and lower.upper() == char:
        return KeyPress(lower, held | _SHIFT, "" if held else char)
    return KeyPress(char, held, "" if held else char)


def ss3(parameters: str, final: str) -> KeyPress | None:
    """The key of an SS3 sequence (ESC O)."""
    if final in _RXVT_ARROWS:
        return None if parameters else KeyPress(_RXVT_ARROWS[final], _CTRL)
    held = _modifiers(parameters.rpartition(";")[2]) if parameters else _NONE
    if final not in _SS3 or held is None:
        return None
    return _named(_SS3[final], held)


def is_ss3(final: str) -> bool:
    """Whether an SS3 sequence may end so; if not, it was Alt+O and another key."""
    return final in _SS3 or final in _RXVT_ARROWS


def console(final: str) -> KeyPress | None:
    """F1 to F5 of the Linux console (CSI [ A)."""
    return KeyPress(_CONSOLE[final]) if final in _CONSOLE else None


@lru_cache(maxsize=4096)
def csi(parameters: str, final: str) -> KeyPress | None:
    """The key of a control sequence (CSI) with these parameters."""
    fields = [field.split(":") for field in parameters.split(";")]
    if final == "u":
        return _kitty(fields)
    if final == "~":
        return _tilde(fields)
    if final in _RXVT_HELD:
        name = _TILDE.get(_number(parameters) or 0)
        return KeyPress(name, _RXVT_HELD[final]) if name else None
    if final in _RXVT_ARROWS:
        return None if parameters else KeyPress(_RXVT_ARROWS[final], _SHIFT)
    return _letter(fields, final) if final in _LETTER else None


def _letter(fields: list[list[str]], final: str) -> KeyPress | None:
    """CSI 1 ; modifiers : event LETTER; an old xterm leaves the 1 out."""
    if len(fields) > 3 or len(fields[0]) > 1:
        return None
    first = fields[0][0]
    held = fields[1] if len(fields) > 1 else [first] if first not in ("", "1") else [""]
    if len(fields) > 1 and first not in ("", "1"):
        return None
    shift = _SHIFT if final == "Z" else _NONE
    return _press(_LETTER[final], held, also=shift)


def _tilde(fields: list[list[str]]) -> KeyPress | None:
    """CSI number ; modifiers : event ~, or modifyOtherKeys: CSI 27 ; modifiers ; code ~."""
    number = _number(fields[0][0])
    held = fields[1] if len(fields) > 1 else [""]
    if number == 27 and len(fields) == 3 and len(fields[0]) == 1:
        return _kitty([fields[2], held])
    if fields == [[""]]:
        return KeyPress("tab", _SHIFT)  # The Windows console.
    name = _TILDE.get(number or 0)
    return _press(name, held) if name and len(fields) <= 3 and len(fields[0]) == 1 else None


def _press(name: str, held: list[str], *, also: Modifiers = _NONE) -> KeyPress | None:
    modifiers, event = _modifiers(held[0]), _event(held[1:])
    if modifiers is None or event is None:
        return None
    return _named(name, modifiers | also, event)


def _named(name: str, held: Modifiers, event: KeyEvent = KeyEvent.PRESS) -> KeyPress:
    """The press of a key that has a name; the keypad's keys type in numeric mode."""
    modifiers = held & ~_LOCKS
    text = KEYPAD_TEXT.get(name, "") if not modifiers & ~_SHIFT else ""
    return KeyPress(name, modifiers, text, event=event, locks=held & _LOCKS)


def _kitty(fields: list[list[str]]) -> KeyPress | None:
    """CSI code : shifted : base ; modifiers : event ; text u"""
    held = fields[1] if len(fields) > 1 else [""]
    modifiers, event = _modifiers(held[0]), _event(held[1:])
    if len(fields) > 3 or len(fields[0]) > 3 or modifiers is None or event is None:
        return None
    code = _number(fields[0][0] or "1")
    shifted, base = (_char(part) for part in (*fields[0][1:], "", "")[:2])
    text = "".join(filter(None, map(_char, fields[2]))) if len(fields) > 2 else ""
    if code is None:
        return None
    if name := KEY_OF_CODE.get(code):
        named = _named(name, modifiers, event)
        typed = text or ("" if name == "space" and modifiers & ~_LOCKS & ~_SHIFT else " " if name == "space" else "")
        return KeyPress(name, named.modifiers, typed or named.text, event=event, locks=named.locks)
    char = _char(str(code))
    if char is None or "\ue000" <= char <= "\uf8ff":
        return KeyPress("", _NONE, text) if code == 0 and text and event is not KeyEvent.RELEASE else None
    return _typed(char, modifiers, text, shifted or "", base or "", event)


def _typed(char: str, held: Modifiers, text: str, shifted: str, base: str, event: KeyEvent) -> KeyPress:
    """The press of a key with a character, which is its text unless another is sent; shifted if Shift is held."""
    lower = char.lower()
    if len(lower) == 1 and lower != char and lower.upper() == char:
        char, held, shifted = lower, held | _SHIFT, shifted or char
    modifiers = held & ~_LOCKS
    upper = bool(modifiers & _SHIFT) != bool(held & Modifiers.CAPS_LOCK and char.isalpha())
    plain = not modifiers & ~_SHIFT
    typed = text or ((shifted or char.upper() if upper else char) if plain else "")
    return KeyPress(char, modifiers, typed, shifted, base, event, held & _LOCKS)


def _modifiers(field: str) -> Modifiers | None:
    """Modifiers as xterm and kitty write them: 1 plus their bits; None if they are not."""
    number = _number(field or "1")
    return Modifiers((number - 1) & 0xFF) if number else None if number is None else _NONE


def _event(rest: list[str]) -> KeyEvent | None:
    if not rest:
        return KeyEvent.PRESS
    number = _number(rest[0] or "1")
    return KeyEvent(number) if number in (1, 2, 3) and len(rest) == 1 else None


def _number(field: str) -> int | None:
    return int(field) if _NUMBER.match(field) else None


def _char(field: str) -> str | None:
    """The character of a code point; None for what is none, or controls."""
    number = _number(field)
    if number is None or number < 0x20 or 0x7F <= number < 0xA0 or 0xD800 <= number < 0xE000 or number > 0x10FFFF:
        return None
    return chr(number)
