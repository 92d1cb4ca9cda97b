"""The kitty keyboard protocol: what a program that asked for it is sent for a key press.

Source: "Comprehensive keyboard handling in terminals" (sw.kovidgoyal.net/kitty/keyboard-protocol), sections Progressive
enhancement and Functional key definitions. Repeats, releases, lone modifiers and alternate keys reach a program that
requested them, as far as the host terminal reports them.
"""

from typing import Final

from msgspec import Struct

from fugue_tui.terminal.input.key_names import KEYPAD_TEXT, MODIFIER_KEYS

DISAMBIGUATE: Final = 1
EVENT_TYPES: Final = 2
ALTERNATE_KEYS: Final = 4
ALL_KEYS: Final = 8
ASSOCIATED_TEXT: Final = 16

_PRESS, _REPEAT, _RELEASE = 1, 2, 3
_SHIFT: Final = 1
_LEGACY_WHEN_PLAIN: Final = frozenset({"enter", "tab", "backspace"})

_CODES: Final[dict[str, tuple[int, str]]] = {
    "escape": (27, "u"), "enter": (13, "u"), "tab": (9, "u"), "backspace": (127, "u"), "space": (32, "u"),
    "insert": (2, "~"), "delete": (3, "~"), "pageup": (5, "~"), "pagedown": (6, "~"),
    "up": (1, "A"), "down": (1, "B"), "right": (1, "C"), "left": (1, "D"), "home": (1, "H"), "end": (1, "F"),
    "f1": (1, "P"), "f2": (1, "Q"), "f3": (13, "~"), "f4": (1, "S"),
    **{f"f{n}": (code, "~") for n, code in zip(range(5, 13), (15, 17, 18, 19, 20, 21, 23, 24), strict=True)},
    **{f"f{n}": (57376 + n - 13, "u") for n in range(13, 36)},
    "caps_lock": (57358, "u"), "scroll_lock": (57359, "u"), "num_lock": (57360, "u"), "print_screen": (57361, "u"),
    "pause": (57362, "u"), "menu": (57363, "u"),
    **{f"kp_{n}": (57399 + n, "u") for n in range(10)},
    "kp_decimal": (57409, "u"), "kp_divide": (57410, "u"), "kp_multiply": (57411, "u"), "kp_subtract": (57412, "u"),
    "kp_add": (57413, "u"), "kp_enter": (57414, "u"), "kp_equal": (57415, "u"), "kp_separator": (57416, "u"),
    "kp_left": (57417, "u"), "kp_right": (57418, "u"), "kp_up": (57419, "u"), "kp_down": (57420, "u"),
    "kp_pageup": (57421, "u"), "kp_pagedown": (57422, "u"), "kp_home": (57423, "u"), "kp_end": (57424, "u"),
    "kp_insert": (57425, "u"), "kp_delete": (57426, "u"), "kp_begin": (57427, "u"),
    **{name: (code, "u") for code, name in enumerate((
        "media_play", "media_pause", "media_play_pause", "media_reverse", "media_stop", "media_fast_forward",
        "media_rewind", "media_track_next", "media_track_previous", "media_record", "lower_volume", "raise_volume",
        "mute_volume", "left_shift", "left_ctrl", "left_alt", "left_super", "left_hyper", "left_meta", "right_shift",
        "right_ctrl", "right_alt", "right_super", "right_hyper", "right_meta", "iso_level3_shift", "iso_level5_shift",
    ), 57428)},
}  # fmt: skip
KEY_OF_CODE: Final = {code: name for name, (code, final) in _CODES.items() if final == "u"}
"""The name of each functional key that is written as CSI code u."""


class Stroke(Struct, frozen=True):
    """What happened to a key. `text` is what it types, empty if nothing; `modifiers` and `locks` have the protocol's
    bits, `event` its number; `shifted` and `base` are characters, empty if they are not known."""

    name: str
    text: str
    modifiers: int
    locks: int
    shifted: str
    base: str
    event: int


def encode(stroke: Stroke, flags: int) -> bytes | None:
    """The escape code of a key event, empty if it is not reported, or None where the legacy bytes are kept."""
    if _unreported(stroke, flags):
        return b""
    code, final = _code(stroke.name)
    pressed = stroke.event == _PRESS or not flags & EVENT_TYPES
    if not flags & ALL_KEYS and _keeps_old_bytes(stroke, flags, pressed=pressed):
        return None
    plain = stroke.modifiers & ~_SHIFT == 0
    if code == 0 and not (plain and stroke.text and flags & ALL_KEYS and flags & ASSOCIATED_TEXT):
        return None
    tells_text = plain and flags & ALL_KEYS and flags & ASSOCIATED_TEXT and stroke.event != _RELEASE
    key = _key(code, stroke, flags) if final == "u" else str(code)
    locks = stroke.locks if flags & ALL_KEYS or not _types(stroke) else 0
    event = "" if pressed else f":{stroke.event}"
    text = stroke.text if tells_text else ""
    return f"\x1b[{_parameters(key, stroke.modifiers | locks, event, text)}{final}".encode()


def _unreported(stroke: Stroke, flags: int) -> bool:
    """Whether the event is not reported: releases are to programs that requested event types, and those of Enter, Tab,
    Backspace and lone modifiers to programs that requested all keys as well."""
    if stroke.event == _RELEASE and not flags & EVENT_TYPES:
        return True
    only_with_all = stroke.name in MODIFIER_KEYS or (stroke.event == _RELEASE and stroke.name in _LEGACY_WHEN_PLAIN)
    return only_with_all and not flags & ALL_KEYS


def _code(name: str) -> tuple[int, str]:
    """The number and the final letter for a key; 0 for text that no single key typed."""
    if name in _CODES:
        return _CODES[name]
    return (ord(name), "u") if len(name) == 1 else (0, "u")


def _types(stroke: Stroke) -> bool:
    """Whether a key types text."""
    name = stroke.name
    return bool(stroke.text) and (len(name) <= 1 or name == "space" or name in KEYPAD_TEXT or name not in _CODES)


def _keeps_old_bytes(stroke: Stroke, flags: int, *, pressed: bool) -> bool:
    """Keys that stay as they were where not all keys are escape codes: what types, and Enter, Tab and Backspace; every
    press where ambiguous keys are not reported."""
    if stroke.event == _RELEASE:
        return False
    if stroke.name in _LEGACY_WHEN_PLAIN:
        return stroke.modifiers == 0 or (pressed and not flags & DISAMBIGUATE)
    return (_types(stroke) and stroke.modifiers & ~_SHIFT == 0) or (pressed and not flags & DISAMBIGUATE)


def _key(code: int, stroke: Stroke, flags: int) -> str:
    """The first parameter: the key, and if alternates were asked for, its shifted form and that of a US keyboard."""
    if not flags & ALTERNATE_KEYS:
        return str(code)
    text, shifted, base = stroke.text, "", stroke.base
    if stroke.modifiers & _SHIFT:
        shifted = stroke.shifted or (text if len(text) == 1 else chr(code).upper() if code < 57344 else "")
    shifted = str(ord(shifted)) if len(shifted) == 1 and shifted.isprintable() and ord(shifted) != code else ""
    if base and ord(base) != code:
        return f"{code}:{shifted}:{ord(base)}"
    return f"{code}:{shifted}" if shifted else str(code)


def _parameters(key: str, modifiers: int, event: str, text: str) -> str:
    """The parameters in their shortest form; a leading 1 is written only if something follows."""
    held = f"{modifiers + 1}{event}" if modifiers or event else ""
    if text:
        return f"{key};{held};{':'.join(str(ord(char)) for char in text)}"
    if held:
        return f"{key};{held}"
    return "" if key == "1" else key
