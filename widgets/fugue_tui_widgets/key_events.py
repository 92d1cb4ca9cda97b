"""Textual's key events as the terminal's key presses."""

from functools import lru_cache

from textual.events import Key, MouseEvent
from textual.keys import (
    KEY_NAME_REPLACEMENTS,
    REPLACED_KEYS,
    _character_to_key,  # pyright: ignore[reportPrivateUsage]
    key_to_character,
)

from fugue_tui.terminal.input.keys import KeyPress, Modifiers

_MODIFIERS = {
    "shift": Modifiers.SHIFT,
    "alt": Modifiers.ALT,
    "ctrl": Modifiers.CTRL,
    "super": Modifiers.SUPER,
    "meta": Modifiers.ALT,
    "hyper": Modifiers.SUPER,
}
_HELD = {str(modifier.name).lower(): modifier for modifier in tuple(Modifiers)[:6]}
_CONTROLS = {"enter": "\r", "tab": "\t", "backspace": "\x7f", "escape": "\x1b", "space": " "}
_NAMED = frozenset(
    (
        *("enter", "tab", "backspace", "escape", "space", "up", "down", "left", "right", "home", "end"),
        *("pageup", "pagedown", "insert", "delete"),
        *(f"f{number}" for number in range(1, 36)),
    )
)


class HostKey(Key):
    """A key as the host terminal reported it, with more details than Textual's name for it has."""

    def __init__(self, press: KeyPress) -> None:
        super().__init__(*_textual(press))
        self.press = press
        self.owner: object = None
        """The client that sent it."""


HostKey.handler_name = Key.handler_name  # Who handles keys handles these.


def press_of(event: Key) -> KeyPress:
    """The key press that a Textual key event stands for."""
    return event.press if isinstance(event, HostKey) else _press(event.key, event.character)


@lru_cache(maxsize=1024)
def _textual(press: KeyPress) -> tuple[str, str | None]:
    """What Textual calls a key, and the character that it gives to it."""
    typed = press.text if len(press.text) == 1 and not press.modifiers & ~Modifiers.SHIFT else ""
    if typed and press.name != "space":
        key = _character_to_key(typed)
        return KEY_NAME_REPLACEMENTS.get(key, key), typed
    name = _character_to_key(press.role) if len(press.role) == 1 else press.role
    held = sorted(word for word, modifier in _HELD.items() if modifier & press.modifiers)
    control = typed or ("" if press.modifiers else _CONTROLS.get(press.role, ""))
    return "+".join([*held, KEY_NAME_REPLACEMENTS.get(name, name)]), control or None


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
