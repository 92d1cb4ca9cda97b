"""The kitty keyboard protocol: what a program that asked for it is sent for a key press.

Source: "Comprehensive keyboard handling in terminals" (sw.kovidgoyal.net/kitty/keyboard-protocol), sections Progressive
enhancement and Functional key definitions. Only presses are told apart: a terminal inside a terminal is not told of
releases, so flag 2 (event types) changes nothing.
"""

from typing import Final

from fugue_tui.terminal.key_names import KEYPAD_TEXT

DISAMBIGUATE: Final = 1
ALTERNATE_KEYS: Final = 4
ALL_KEYS: Final = 8
ASSOCIATED_TEXT: Final = 16

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
}  # fmt: skip


def applies(flags: int) -> bool:
    """Whether these flags change how a press is written at all."""
    return bool(flags & (DISAMBIGUATE | ALL_KEYS))


def encode(name: str, text: str, modifiers: int, flags: int) -> bytes | None:
    """The escape code for a press, or None where the protocol keeps the old bytes.

    `text` is what the key types, empty if nothing; `modifiers` has xterm's bits.
    """
    code, final = _code(name)
    plain = modifiers & ~_SHIFT == 0
    if not flags & ALL_KEYS and _keeps_old_bytes(name, text, modifiers):
        return None
    if code == 0 and not (plain and text and flags & ASSOCIATED_TEXT):
        return None
    shown = text if plain and flags & ALL_KEYS and flags & ASSOCIATED_TEXT else ""
    key = _key(code, text, modifiers, flags) if final == "u" else str(code)
    return f"\x1b[{_parameters(key, modifiers, shown)}{final}".encode()


def _code(name: str) -> tuple[int, str]:
    """The number and the final letter for a key; 0 for text that no single key typed."""
    if name in _CODES:
        return _CODES[name]
    return (ord(name), "u") if len(name) == 1 else (0, "u")


def _keeps_old_bytes(name: str, text: str, modifiers: int) -> bool:
    """Keys that stay as they were while only ambiguous ones are changed."""
    if name in _LEGACY_WHEN_PLAIN:
        return modifiers == 0
    types = bool(text) and (len(name) <= 1 or name == "space" or name in KEYPAD_TEXT or name not in _CODES)
    return types and modifiers & ~_SHIFT == 0


def _key(code: int, text: str, modifiers: int, flags: int) -> str:
    """The first parameter: the key, and with Shift its shifted form if alternates were asked for."""
    shifted = text if len(text) == 1 else chr(code).upper() if code < 57344 else ""
    if flags & ALTERNATE_KEYS and modifiers & _SHIFT and len(shifted) == 1 and shifted.isprintable():
        return f"{code}:{ord(shifted)}" if ord(shifted) != code else str(code)
    return str(code)


def _parameters(key: str, modifiers: int, text: str) -> str:
    """The parameters in their shortest form; a leading 1 is written only if something follows."""
    if text:
        written = str(modifiers + 1) if modifiers else ""
        return f"{key};{written};{':'.join(str(ord(char)) for char in text)}"
    if modifiers:
        return f"{key};{modifiers + 1}"
    return "" if key == "1" else key
