"""Textual's key events as the terminal's key presses."""

from functools import lru_cache

from textual.events import Key, MouseEvent
from textual.keys import REPLACED_KEYS, key_to_character

from fugue_tui.terminal.keys import KeyPress, Modifiers

_MODIFIERS = {
    "shift": Modifiers.SHIFT,
    "alt": Modifiers.ALT,
    "ctrl": Modifiers.CTRL,
    "super": Modifiers.SUPER,
    "meta": Modifiers.ALT,
    "hyper": Modifiers.SUPER,
}
_NAMED = frozenset(
    (
        *("enter", "tab", "backspace", "escape", "space", "up", "down", "left", "right", "home", "end"),
        *("pageup", "pagedown", "insert", "delete"),
        *(f"f{number}" for number in range(1, 36)),
    )
)


def press_of(event: Key) -> KeyPress:
    """The key press that a Textual key event stands for."""
    return _press(event.key, event.character)


@lru_cache(maxsize=1024)
def _press(key: str, character: str | None) -> KeyPress:
    *prefixes, name = key.split("+") if key != "+" else [key]
    modifiers = Modifiers.NONE
    for prefix in prefixes:
        modifiers |= _MODIFIERS.get(prefix, Modifiers.NONE)
    text = character if character and character.isprintable() else ""
    if name in _NAMED:
        return KeyPress(name, modifiers, " " if name == "space" and not modifiers else text)
    if modifiers & (Modifiers.CTRL | Modifiers.ALT | Modifiers.SUPER):
        return KeyPress(_character(name), modifiers)
    if text:
        return KeyPress(text if len(text) == 1 else name, modifiers & ~Modifiers.SHIFT, text)
    return KeyPress(_character(name), modifiers)


def _character(name: str) -> str:
    """The character that Textual spells out (`full_stop`), or the name itself if it stands for none."""
    if len(name) == 1:
        return name
    if name.startswith("upper_") and len(name) == 7:
        return name[-1].upper()
    return key_to_character(REPLACED_KEYS.get(name, name)) or name


def modifiers_of(event: MouseEvent) -> Modifiers:
    """The modifiers that were held while the mouse did something."""
    held = Modifiers.NONE
    if event.shift:
        held |= Modifiers.SHIFT
    if event.meta:
        held |= Modifiers.ALT
    if event.ctrl:
        held |= Modifiers.CTRL
    return held
