"""The keys of copy mode, as tmux's tables copy-mode-vi and copy-mode have them, with a few of Fugue's own.

Keys are bound to the names of tmux's copy-mode commands. Fugue's are `v`, which begins to select as in Vi (in tmux it
toggles the rectangle, as Ctrl+V does here), prompts, outputs, and opening text in the editor.
"""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fugue_tui.config.model import KeySettings
from fugue_tui.control.keymap import canonical
from fugue_tui.terminal.input.keys import KeyPress, Modifiers, spell

_BOTH: Final = {
    "left": "cursor-left", "right": "cursor-right", "up": "cursor-up", "down": "cursor-down",
    "home": "start-of-line", "end": "end-of-line", "pageup": "page-up", "pagedown": "page-down",
    "ctrl+up": "scroll-up", "ctrl+down": "scroll-down", "enter": "copy-or-cancel",
    "q": "cancel", "ctrl+c": "cancel", "n": "search-again", "N": "search-reverse", "R": "rectangle-toggle",
    "f": "jump-forward", "F": "jump-backward", "t": "jump-to-forward", "T": "jump-to-backward",
    ";": "jump-again", ",": "jump-reverse", "[": "previous-prompt", "]": "next-prompt",
    "(": "previous-output", ")": "next-output", "O": "select-output",
    "s": "edit-scrollback", "S": "edit-output",
    "ctrl+alt+b": "next-matching-bracket", "ctrl+alt+f": "next-matching-bracket",
}  # fmt: skip
VI: Final[Mapping[str, str]] = MappingProxyType(
    {
        **_BOTH,
        "h": "cursor-left", "ctrl+h": "cursor-left", "backspace": "cursor-left", "l": "cursor-right",
        "k": "cursor-up", "j": "cursor-down", "ctrl+j": "copy-or-cancel",
        "w": "next-word", "e": "next-word-end", "b": "previous-word",
        "W": "next-space", "E": "next-space-end", "B": "previous-space",
        "0": "start-of-line", "^": "back-to-indentation", "$": "end-of-line",
        "g": "history-top", "G": "history-bottom", "H": "top-line", "M": "middle-line", "L": "bottom-line",
        "ctrl+b": "page-up", "ctrl+f": "page-down", "ctrl+u": "halfpage-up", "ctrl+d": "halfpage-down",
        "ctrl+y": "scroll-up", "ctrl+e": "scroll-down", "K": "scroll-up", "J": "scroll-down",
        "{": "previous-paragraph", "}": "next-paragraph", "%": "next-matching-bracket",
        "v": "begin-selection", "space": "begin-selection", "V": "select-line", "ctrl+v": "rectangle-toggle",
        "o": "other-end", "y": "copy-selection-and-cancel", "D": "copy-end-of-line-and-cancel",
        "escape": "clear-selection", "/": "search-forward", "?": "search-backward",
        "*": "search-forward-word", "#": "search-backward-word",
    }
)  # fmt: skip
EMACS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **_BOTH,
        "ctrl+b": "cursor-left", "ctrl+f": "cursor-right", "ctrl+p": "cursor-up", "ctrl+n": "cursor-down",
        "alt+b": "previous-word", "alt+f": "past-word-end", "alt+m": "back-to-indentation",
        "ctrl+a": "start-of-line", "ctrl+e": "end-of-line", "alt+<": "history-top", "alt+>": "history-bottom",
        "alt+R": "top-line", "alt+r": "middle-line", "alt+v": "page-up", "ctrl+v": "page-down", "space": "page-down",
        "alt+up": "halfpage-up", "alt+down": "halfpage-down",
        "alt+{": "previous-paragraph", "alt+}": "next-paragraph",
        "ctrl+space": "begin-selection", "ctrl+@": "begin-selection", "ctrl+g": "clear-selection", "escape": "cancel",
        "alt+w": "copy-or-cancel", "ctrl+w": "copy-or-cancel",
        "ctrl+k": "copy-end-of-line-and-cancel", "alt+x": "other-end",
        "ctrl+s": "search-forward", "ctrl+r": "search-backward",
        "alt+*": "search-forward-word", "alt+#": "search-backward-word",
    }
)  # fmt: skip
VI_HELP: Final = (
    ("arrows h j k l", "move the cursor; at an edge the text scrolls"),
    ("w b e W B E 0 ^ $", "by words, by words between blanks, to the ends of the line"),
    ("{ } % H M L", "by paragraphs, to the matching bracket, to the screen's first, middle, last line"),
    ("f F t T ; ,", "to a character of the line, before it; again, back"),
    ("PageUp PageDown g G", "a page, the oldest line, the newest; Ctrl+U Ctrl+D half a page, Ctrl+Y Ctrl+E a line"),
    ("[ ] ( )", "the previous prompt, the next; the previous command's output, the next"),
    ("1 to 9", "how often: 5j, 3w, 2n"),
    ("/ ? n N * #", "search down, up; next, previous match; the word under the cursor"),
    ("v Space V Ctrl+V R O", "begin to select; by whole lines; a rectangle; a command's output"),
    ("o", "go to the other end of what is selected"),
    ("y Enter D", "copy what is selected, or up to the end of the line, and return"),
    ("s S", "open the scrollback, or the command's output, in your editor"),
    ("Escape", "select nothing; return"),
    ("q", "return"),
)
"""The keys in Vi's style, for help."""
EMACS_HELP: Final = (
    ("arrows Ctrl+B F P N", "move the cursor; at an edge the text scrolls"),
    ("Alt+B F M Ctrl+A E", "by words, to the ends of the line"),
    ("Alt+{ Alt+}", "by paragraphs; Ctrl+Alt+F to the matching bracket"),
    ("f F t T ; ,", "to a character of the line, before it; again, back"),
    ("Ctrl+V Alt+V Alt+< Alt+>", "a page, the oldest line, the newest; Alt+arrows half a page, Ctrl+arrows a line"),
    ("[ ] ( )", "the previous prompt, the next; the previous command's output, the next"),
    ("Alt+1 to Alt+9", "how often"),
    ("Ctrl+S Ctrl+R n N", "search down, up; next, previous match; Alt+* the word under the cursor"),
    ("Ctrl+Space R O", "begin to select; a rectangle; a command's output; Alt+X goes to the other end"),
    ("Alt+W Enter Ctrl+K", "copy what is selected, or up to the end of the line, and return"),
    ("s S", "open the scrollback, or the command's output, in your editor"),
    ("Ctrl+G", "select nothing"),
    ("Escape q", "return"),
)
"""The keys in Emacs' style, for help."""


def is_emacs(settings: KeySettings) -> bool:
    """Whether copy mode has Emacs' keys: by the configuration, or if it leaves that open by the user's editor."""
    if settings.copy_mode != "auto":
        return settings.copy_mode == "emacs"
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    return "emacs" in os.path.basename(editor.split()[0] if editor.split() else "")


def keys(settings: KeySettings) -> Mapping[str, str]:
    """What each key does."""
    return EMACS if is_emacs(settings) else VI


def help_of(settings: KeySettings) -> tuple[tuple[str, str], ...]:
    """The keys and what they do, in words."""
    return EMACS_HELP if is_emacs(settings) else VI_HELP


def spelled(press: KeyPress) -> str:
    """A key as the tables have it; Shift counts only for what it types."""
    press = canonical(press)
    is_capital = bool(press.modifiers & Modifiers.SHIFT) and len(press.name) == 1
    return spell(
        KeyPress(press.name.upper() if is_capital else press.name, press.modifiers & (Modifiers.CTRL | Modifiers.ALT))
    )


def digit(press: KeyPress, settings: KeySettings) -> str:
    """The digit of a count; empty if the key is none."""
    modifiers = press.modifiers & (Modifiers.CTRL | Modifiers.ALT)
    counts = modifiers == (Modifiers.ALT if is_emacs(settings) else Modifiers.NONE)
    name = press.text if press.text.isdecimal() and press.text.isascii() else press.role
    return name if counts and len(name) == 1 and name.isascii() and name.isdecimal() else ""
