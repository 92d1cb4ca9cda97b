"""Key presses, how they are spelt, and what a program is sent for them.

The bytes are xterm's (ctlseqs, "PC-Style Function Keys" and "Alt and Meta Keys"); a program that asked for more gets
modifyOtherKeys or the kitty keyboard protocol. Both engines send keys through `encode`, so there is one truth.
"""

import re
from enum import IntEnum, IntFlag
from typing import Final

from msgspec import Struct

from fugue_tui.errors import InvalidArgument
from fugue_tui.terminal.input import kitty_keyboard
from fugue_tui.terminal.input.key_names import ALIASES, KEYPAD_TEXT, MODIFIER_KEYS, MODIFIER_WORDS
from fugue_tui.terminal.screen.cells import Modes


class Modifiers(IntFlag):
    """Modifier keys and locks, with xterm's and kitty's bit values (the written parameter is 1 plus the sum)."""

    NONE = 0
    SHIFT = 1
    ALT = 2
    CTRL = 4
    SUPER = 8
    HYPER = 16
    META = 32
    CAPS_LOCK = 64
    NUM_LOCK = 128


class KeyEvent(IntEnum):
    """What happened to a key, with the values of the kitty keyboard protocol."""

    PRESS = 1
    REPEAT = 2
    RELEASE = 3


class KeyPress(Struct, frozen=True):
    """One key. `name` is a lower-case key name (`enter`, `tab`, `backspace`, `escape`, `space`, `up`, `home`, `pageup`,
    `insert`, `delete`, `f1`..., `kp_0`..., or a single character such as `a`, `]`, `é`), without modifiers."""

    name: str
    modifiers: Modifiers = Modifiers.NONE
    text: str = ""
    """What the key types, if it types anything: `A` for Shift+a, `é` for a dead key, a whole IME commit."""
    shifted: str = ""
    """The character of the key with Shift, where the terminal reported it (`%` for 5 on a US keyboard)."""
    base: str = ""
    """The character of the key on a US keyboard, where the terminal reported it and it differs."""
    event: KeyEvent = KeyEvent.PRESS
    locks: Modifiers = Modifiers.NONE
    """Which of the locks were on; never part of `modifiers`."""

    @property
    def role(self) -> str:
        """The name of the key, and for one of the keypad that types nothing, of the key that it doubles."""
        return self.name if self.name in KEYPAD_TEXT else self.name.removeprefix("kp_")

    @property
    def acts(self) -> bool:
        """Whether this is a press or a repeat of something else than a modifier."""
        return self.event is not KeyEvent.RELEASE and self.name not in MODIFIER_KEYS

    @property
    def interrupts(self) -> bool:
        """Whether this is Ctrl+C."""
        return self.name == "c" and self.modifiers == Modifiers.CTRL and self.event is KeyEvent.PRESS


_NONE: Final = Modifiers.NONE
_SHIFT: Final = Modifiers.SHIFT
_ALT: Final = Modifiers.ALT
_CTRL: Final = Modifiers.CTRL
_SUPER: Final = Modifiers.SUPER | Modifiers.HYPER
_ALT_OR_META: Final = Modifiers.ALT | Modifiers.META
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def parse_key(word: str) -> KeyPress:
    """Parse a key as tmux writes it (`C-c`, `M-Enter`, `BTab`, `NPage`, `KP0`) or as Textual does (`ctrl+c`, `pageup`).

    Raises InvalidArgument, naming the nearest known key.
    """
    rest, modifiers = _split_modifiers(word)
    if rest.lower() in ("btab", "backtab"):
        return KeyPress("tab", modifiers | _SHIFT)
    if len(rest) == 1 and not _CONTROL.match(rest):
        return _character(rest, modifiers)
    name = ALIASES.get(rest.lower())
    if name is None:
        raise InvalidArgument(_unknown(word, rest))
    if len(name) == 1:
        return _character(name, modifiers)
    text = " " if name == "space" else KEYPAD_TEXT.get(name, "")
    return KeyPress(name, modifiers, text if modifiers & ~_SHIFT == _NONE else "")


_PREFIX: Final = re.compile(r"([CMSAcmsa])-(?=.)|([A-Za-z]{3,})[+-](?=.)", re.DOTALL)


def _split_modifiers(word: str) -> tuple[str, Modifiers]:
    """Take the modifiers off the front of a key word."""
    if len(word) == 2 and word[0] == "^":
        return word[1], _CTRL
    modifiers = _NONE
    while (match := _PREFIX.match(word)) and (match[1] or match[2]).lower() in MODIFIER_WORDS:
        modifiers |= Modifiers[MODIFIER_WORDS[(match[1] or match[2]).lower()].upper()]
        word = word[match.end() :]
    return word, modifiers


def _character(char: str, modifiers: Modifiers) -> KeyPress:
    """The press that types a character; `C-A` is Ctrl+a, `M-A` is Alt+Shift+a."""
    if char == " ":
        return KeyPress("space", modifiers, "" if modifiers & ~_SHIFT else " ")
    lower = char.lower()
    if lower != char and len(lower) == 1 and lower.upper() == char:
        modifiers |= _NONE if modifiers & _CTRL else _SHIFT
        char = lower
    press = KeyPress(char, modifiers)
    return press if modifiers & ~_SHIFT else KeyPress(char, modifiers, _typed(press))


def _unknown(word: str, rest: str) -> str:
    """The message for a key that does not exist, with the nearest that does."""
    from difflib import get_close_matches

    near = get_close_matches(rest.lower(), ALIASES, n=1, cutoff=0.6)
    hint = f"did you mean {ALIASES[near[0]]!r}?" if near else "write keys as C-c, M-Enter, S-F5, ctrl+c, pageup or x"
    return f"no key {word!r}; {hint}"


def spell(press: KeyPress) -> str:
    """A press in the form `ctrl+alt+shift+super+name`; `parse_key` reads it back."""
    order = (_CTRL, _ALT, _SHIFT, Modifiers.SUPER, Modifiers.HYPER, Modifiers.META)
    words = [str(modifier.name).lower() for modifier in order if modifier in press.modifiers]
    return "+".join([*words, press.name or press.text])


def encode(press: KeyPress, modes: Modes) -> bytes:
    """What a program in these modes is sent for a press; empty if the key means nothing to it."""
    if modes.kitty_flags:
        written = kitty_keyboard.encode(_stroke(press), modes.kitty_flags)
        return _legacy(press, modes) if written is None else written
    if not press.acts:
        return b""
    if modes.modify_other_keys and _is_other(press, modes.modify_other_keys):
        return f"\x1b[27;{press.modifiers + 1};{_other_code(press)}~".encode()
    return _legacy(press, modes)


def _stroke(press: KeyPress) -> kitty_keyboard.Stroke:
    return kitty_keyboard.Stroke(
        press.name, _typed(press), press.modifiers, press.locks, press.shifted, press.base, int(press.event)
    )


def _typed(press: KeyPress) -> str:
    """What a press types without Ctrl, Alt and Super; empty for a function key."""
    if press.text and not _CONTROL.search(press.text):
        return press.text
    if press.name == "space":
        return " "
    if len(press.name) == 1:
        upper = press.shifted or press.name.upper()
        return upper if press.modifiers & _SHIFT and len(upper) == 1 else press.name
    return KEYPAD_TEXT.get(press.name, "")


_EDITING: Final = {"enter": 13, "tab": 9, "backspace": 127, "escape": 27}


def _is_other(press: KeyPress, level: int) -> bool:
    """Whether modifyOtherKeys rewrites a press: level 1 what has no bytes of its own, level 2 whatever is modified."""
    modifiers = press.modifiers
    char = _typed(press)
    if modifiers == _NONE or press.name in KEYPAD_TEXT or not (press.name in _EDITING or len(char) == 1):
        return False
    if press.name in _EDITING:
        return level == 2 or (press.name == "enter" and modifiers != _ALT)
    if modifiers == _SHIFT and press.name != "space":  # xterm's IsControlInput: what Ctrl would make a control of.
        return level == 2 and "@" <= char <= "\x7f"
    return level == 2 or bool(modifiers & _SUPER) or (bool(modifiers & _CTRL) and _control(char) is None)


def _other_code(press: KeyPress) -> int:
    """The code that modifyOtherKeys writes for a key."""
    return _EDITING[press.name] if press.name in _EDITING else ord(_typed(press))


_CURSOR: Final = {
    "up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F", "begin": "E",
}  # fmt: skip
_SS3: Final = {"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
_TILDE: Final = {
    "insert": 2, "delete": 3, "pageup": 5, "pagedown": 6,
    "f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21, "f11": 23, "f12": 24,
    "f13": 25, "f14": 26, "f15": 28, "f16": 29, "f17": 31, "f18": 32, "f19": 33, "f20": 34,
    "f21": 42, "f22": 43, "f23": 44, "f24": 45,
}  # fmt: skip
_KEYPAD: Final = {
    **{f"kp_{digit}": "pqrstuvwxy"[digit] for digit in range(10)},
    "kp_decimal": "n", "kp_divide": "o", "kp_multiply": "j", "kp_subtract": "m", "kp_add": "k", "kp_enter": "M",
    "kp_equal": "X", "kp_separator": "l",
}  # fmt: skip


def _legacy(press: KeyPress, modes: Modes) -> bytes:
    """The bytes that xterm sends by default."""
    if press.name in _KEYPAD and modes.application_keypad:
        return _escaped(f"\x1bO{_KEYPAD[press.name]}", press.modifiers)
    name = press.role
    if name in _CURSOR or name in _SS3 or name in _TILDE:
        return _function(name, press.modifiers, modes)
    if name in _EDITING:
        return _escaped(_editing(name, press.modifiers, modes), press.modifiers)
    return _text(press)


def _function(name: str, modifiers: Modifiers, modes: Modes) -> bytes:
    """Cursor, editing and F keys: CSI with the modifiers, or SS3 without."""
    if name in _TILDE:
        return f"\x1b[{_TILDE[name]}{_parameter(modifiers)}~".encode()
    if modifiers:
        return f"\x1b[1{_parameter(modifiers)}{_CURSOR.get(name) or _SS3[name]}".encode()
    if name in _SS3 or modes.application_cursor:
        return f"\x1bO{_CURSOR.get(name) or _SS3[name]}".encode()
    return f"\x1b[{_CURSOR[name]}".encode()


def _parameter(modifiers: Modifiers) -> str:
    """`;n` for modifiers, nothing for none."""
    return f";{modifiers + 1}" if modifiers else ""


def _editing(name: str, modifiers: Modifiers, modes: Modes) -> str:
    """Enter, Tab, Backspace and Escape, apart from Alt."""
    if name == "enter":
        return "\r\n" if modes.newline else "\r"
    if name == "tab":
        return "\x1b[Z" if modifiers & _SHIFT else "\t"
    if name == "backspace":
        return "\b" if modes.backarrow_is_backspace != bool(modifiers & _CTRL) else "\x7f"
    return "\x1b"


def _text(press: KeyPress) -> bytes:
    """Characters: Ctrl makes a control character where there is one, Super has no bytes."""
    typed = _typed(press)
    if press.modifiers & _SUPER:
        return b""
    if press.modifiers & _CTRL and len(typed) == 1 and press.name not in KEYPAD_TEXT:
        typed = _control(typed) or typed
    return _escaped(typed, press.modifiers)


def _escaped(text: str, modifiers: Modifiers) -> bytes:
    """The text as UTF-8, behind ESC if Alt is down."""
    prefix = b"\x1b" if modifiers & _ALT_OR_META and text else b""
    return prefix + text.encode("utf-8", "replace")


def _control(char: str) -> str | None:
    """The control character that Ctrl makes of a character, as X11's XLookupString has it; None if it makes none."""
    if "@" <= char <= "~" or char == " ":
        return chr(ord(char) & 0x1F)
    return {"2": "\0", "3": "\x1b", "4": "\x1c", "5": "\x1d", "6": "\x1e", "7": "\x1f", "8": "\x7f"}.get(
        char, {"/": "\x1f", "?": "\x7f"}.get(char)
    )
