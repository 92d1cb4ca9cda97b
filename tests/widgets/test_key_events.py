"""Textual's key events become the presses that people meant."""

import pytest
from textual.events import Key

from fugue_tui.terminal.input.keys import KeyPress, Modifiers
from fugue_tui_widgets.key_events import HostKey, press_of

CTRL, ALT, SHIFT = Modifiers.CTRL, Modifiers.ALT, Modifiers.SHIFT


@pytest.mark.parametrize(
    ("key", "character", "press"),
    [
        ("ctrl+c", "\x03", KeyPress("c", CTRL)), ("ctrl+q", "\x11", KeyPress("q", CTRL)),
        ("escape", "\x1b", KeyPress("escape")), ("tab", "\t", KeyPress("tab")),
        ("shift+tab", None, KeyPress("tab", SHIFT)), ("f12", None, KeyPress("f12")),
        ("alt+up", None, KeyPress("up", ALT)), ("ctrl+shift+left", None, KeyPress("left", CTRL | SHIFT)),
        ("shift+enter", None, KeyPress("enter", SHIFT)), ("ctrl+space", None, KeyPress("space", CTRL)),
        ("space", " ", KeyPress("space", Modifiers.NONE, " ")), ("alt+x", None, KeyPress("x", ALT)),
        ("a", "a", KeyPress("a", Modifiers.NONE, "a")), ("upper_a", "A", KeyPress("A", Modifiers.NONE, "A")),
        ("é", "é", KeyPress("é", Modifiers.NONE, "é")), ("euro_sign", "€", KeyPress("€", Modifiers.NONE, "€")),
        ("plus", "+", KeyPress("+", Modifiers.NONE, "+")), ("ctrl+plus", None, KeyPress("+", CTRL)),
        ("ctrl+slash", None, KeyPress("/", CTRL)), ("ctrl+underscore", "\x1f", KeyPress("_", CTRL)),
        ("ctrl+at", "\0", KeyPress("@", CTRL)), ("alt+minus", None, KeyPress("-", ALT)),
        ("ctrl+right_square_bracket", "\x1d", KeyPress("]", CTRL)), ("alt+upper_f", None, KeyPress("F", ALT)),
    ],
)  # fmt: skip
def test_a_key_is_the_press_that_was_meant(key: str, character: str | None, press: KeyPress) -> None:
    assert press_of(Key(key, character)) == press


@pytest.mark.parametrize(
    ("press", "key", "character"),
    [
        (KeyPress("a", SHIFT, "A"), "A", "A"),
        (KeyPress("a", CTRL), "ctrl+a", None), (KeyPress("enter"), "enter", "\r"),
        (KeyPress("kp_enter"), "enter", "\r"), (KeyPress("kp_5", text="5"), "5", "5"),
        (KeyPress("tab", SHIFT), "shift+tab", None),
        (KeyPress("left", CTRL | SHIFT), "ctrl+shift+left", None), (KeyPress("%", text="%"), "percent_sign", "%"),
        (KeyPress("space", SHIFT, " "), "shift+space", " "), (KeyPress("backspace"), "backspace", "\x7f"),
    ],
)  # fmt: skip
def test_dialogs_get_a_key_by_the_name_that_textual_has_for_it(
    press: KeyPress, key: str, character: str | None
) -> None:
    event = HostKey(press)
    assert (event.key, event.character, event.handler_name) == (key, character, "on_key")
    assert press_of(event) is press
