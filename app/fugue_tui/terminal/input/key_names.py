"""Spellings of keys by users and tmux, and the one name of each key here.

Plain strings only; `keys` turns them into key presses.
"""

from typing import Final

MODIFIER_KEYS: Final = frozenset((
    *(f"{side}_{name}" for side in ("left", "right") for name in ("shift", "ctrl", "alt", "super", "hyper", "meta")),
    "iso_level3_shift", "iso_level5_shift", "caps_lock", "num_lock", "scroll_lock",
))  # fmt: skip
"""Keys that only change what others mean."""

NAMED_KEYS: Final = (
    "enter", "tab", "backspace", "escape", "space",
    "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete",
    *(f"f{number}" for number in range(1, 36)),
    *(f"kp_{digit}" for digit in range(10)),
    "kp_decimal", "kp_divide", "kp_multiply", "kp_subtract", "kp_add", "kp_enter", "kp_equal", "kp_separator",
    "kp_left", "kp_right", "kp_up", "kp_down", "kp_pageup", "kp_pagedown", "kp_home", "kp_end", "kp_insert",
    "kp_delete", "kp_begin", "menu", "print_screen", "pause", "caps_lock", "scroll_lock", "num_lock",
)  # fmt: skip
"""Every key name longer than one character."""

KEYPAD_TEXT: Final = {
    **{f"kp_{digit}": str(digit) for digit in range(10)},
    "kp_decimal": ".", "kp_divide": "/", "kp_multiply": "*", "kp_subtract": "-", "kp_add": "+", "kp_equal": "=",
    "kp_separator": ",",
}  # fmt: skip
"""What each keypad key types in numeric mode."""

ALIASES: Final = {
    **{name: name for name in NAMED_KEYS},
    **{f"kp{digit}": f"kp_{digit}" for digit in range(10)},
    **{f"kp{text}": name for name, text in KEYPAD_TEXT.items() if not text.isdigit()},
    "return": "enter", "cr": "enter", "kpenter": "kp_enter",
    "bspace": "backspace", "bs": "backspace",
    "esc": "escape", "spacebar": "space",
    "ic": "insert", "ins": "insert", "dc": "delete", "del": "delete",
    "npage": "pagedown", "pgdn": "pagedown", "page_down": "pagedown", "pgdown": "pagedown", "next": "pagedown",
    "ppage": "pageup", "pgup": "pageup", "page_up": "pageup", "prior": "pageup",
    "arrow_up": "up", "arrow_down": "down", "arrow_left": "left", "arrow_right": "right",
    "printscreen": "print_screen", "capslock": "caps_lock", "scrolllock": "scroll_lock", "numlock": "num_lock",
    "plus": "+", "minus": "-", "comma": ",", "period": ".", "slash": "/", "semicolon": ";",
}  # fmt: skip
"""Lower-case spellings to key names; `btab` and `backtab`, which hold a modifier, are not here."""

MODIFIER_WORDS: Final = {
    "c": "ctrl", "ctrl": "ctrl", "control": "ctrl",
    "m": "alt", "a": "alt", "alt": "alt", "meta": "alt", "option": "alt",
    "s": "shift", "shift": "shift",
    "super": "super", "cmd": "super", "command": "super", "win": "super",
}  # fmt: skip
"""Lower-case spellings to the four modifiers; the one-letter ones are tmux's and take a dash."""
