"""Keys and what they do, in the words of people."""

from collections.abc import Callable, Mapping
from typing import Final

from fugue_tui.control.keymap import PRESETS, Action, Binding, steps
from fugue_tui.geometry import Side
from fugue_tui.terminal.input.keys import KeyPress, spell

_LABELS: Final = {
    Action.HELP: "help: keys, commands",
    Action.PALETTE: "command palette",
    Action.COMMAND_LINE: "type a command",
    Action.SCROLL: "copy mode: scroll",
    Action.SCROLL_PAGE_UP: "copy mode, a page up",
    Action.QUICK_SELECT: "quick select",
    Action.PASTE: "paste what was copied",
    Action.CHOOSE_BUFFER: "choose what to paste",
    Action.SHOW_BUFFERS: "list what was copied",
    Action.DELETE_BUFFER: "delete the last copy",
    Action.REDRAW: "redraw the screen",
    Action.ANIMATION: "animation on or off",
    Action.CHOOSE_THEME: "choose a theme",
    Action.EDIT_CONFIG: "edit the configuration",
    Action.DETACH: "leave; programs go on",
    Action.CHOOSE_CLIENT: "detach a client",
    Action.QUIT: "end everything",
    Action.CHOOSE_WINDOW: "choose a window",
    Action.CHOOSE_SESSION: "choose a session",
    Action.CHOOSE_TREE: "choose anything",
    Action.SEARCH: "search all panes",
    Action.RENAME_PANE: "name the pane",
    Action.RENAME_WINDOW: "rename the window",
    Action.RENAME_SESSION: "rename the session",
    Action.APPROVALS: "agents' requests",
    Action.TASKS: "tasks",
    Action.HOLD_PANE: "take pane from agents",
    Action.FREEZE_AGENTS: "freeze all agents",
    Action.PANE_NUMBERS: "number the panes",
    Action.MOVE_WINDOW: "move the window",
    Action.FIND_WINDOW: "find a window",
    Action.WINDOW_NUMBER: "window by any number",
    Action.JOIN_PANE: "join a pane here",
    Action.MESSAGES: "past messages",
    Action.INFO: "about this pane",
    Action.CLOCK: "time and date",
    Action.PANE_MENU: "menu of the pane",
    Action.WINDOW_MENU: "menu of the window",
    Action.NEXT_ALERT: "next with alert",
    Action.PREVIOUS_ALERT: "previous with alert",
    Action.LOCK: "lock the keys",
    Action.RESIZE_MODE: "resize mode",
    Action.MOVE_MODE: "move mode: swap panes",
    Action.PANE_MODE: "pane mode",
    Action.TAB_MODE: "tab mode",
    Action.SESSION_MODE: "session mode",
    Action.NORMAL_MODE: "leave the mode",
}


_COMMAND_LABELS: Final = {
    "split-pane --direction horizontal": "split: side by side",
    "split-pane --direction vertical": "split: top and bottom",
    "close-pane": "close the pane",
    "zoom-pane": "zoom the pane",
    **{f"focus-pane {side}": "focus that side" for side in Side},
    "focus-pane next": "focus the next pane",
    "focus-pane last": "focus the last pane",
    **{f"resize-pane --side {side} --cells 1": "resize by one cell" for side in Side},
    **{f"resize-pane --side {side} --cells 5": "resize by five cells" for side in Side},
    "swap-pane --other previous": "swap with previous",
    "swap-pane --other next": "swap with next",
    "rotate-panes": "rotate the panes back",
    "select-layout next": "next layout",
    "equalize-panes": "make the panes equal",
    "stack-panes": "stack or spread panes",
    "undo-change": "undo the last change",
    "redo-change": "redo",
    "create-window": "new window",
    "select-window next": "next window",
    "select-window previous": "previous window",
    "select-window last": "last window",
    "close-window": "close the window",
    "select-session previous": "previous session",
    "select-session next": "next session",
    "paste-smart": "paste, adapted",
    "toggle-sideband": "output tags on or off",
    "show-agents": "all agents",
    "show-tools": "MCP servers' tools",
    "select-session last": "last session",
    "float-pane": "float the pane, or tile it",
    "toggle-floats": "show or hide floating",
    "scratch-pane": "scratch shell",
    "break-pane": "pane to a new window",
    "mark-pane": "mark the pane",
    "respawn-pane": "restart the program",
    "synchronize-panes": "type in all panes",
    "focus-waiting-agent": "go to waiting agent",
}
"""Command lines of the default keys, in the words of people."""


def label(binding: Binding) -> str:
    """What a key does, in a few words: those of a default key, or commands without the names of their flags."""
    return ", ".join(map(_label, steps(binding)))


def _label(binding: Binding) -> str:
    if binding.action is not None:
        return _LABELS[binding.action]
    if (words := _COMMAND_LABELS.get(binding.words)) is not None:
        return words
    verb, *rest = binding.words.split()
    if verb == "select-window" and rest[:1] and rest[0].startswith(":"):
        return "window by number"
    if verb == "select-layout" and rest[0] in PRESETS:
        return "layout by number"
    if "--clear" in rest or "--forward=false" in rest:
        return {"mark-pane": "unmark the pane", "rotate-panes": "rotate the panes"}[verb]
    arguments = " ".join(word for word in rest if not word.startswith("--"))
    return f"{verb.replace('-', ' ')} {arguments}".strip()


_PANEL_ROWS: Final = {
    "focus next, last": ("focus the next pane", "focus the last pane"),
    "swap the panes": ("swap with previous", "swap with next"),
    "float, tile; show, hide": ("float the pane, or tile it", "show or hide floating"),
    "mark, unmark": ("mark the pane", "unmark the pane"),
    "change the layout": ("next layout", "make the panes equal"),
    "undo, redo": ("undo the last change", "redo"),
    "change the window": ("next window", "previous window", "last window"),
    "change the session": ("previous session", "next session", "last session"),
    "menus": ("menu of the window", "menu of the pane"),
    "windows with alerts": ("next with alert", "previous with alert"),
    "rename": ("name the pane", "rename the window", "rename the session"),
    "choose, find, search": (
        *("choose a window", "find a window", "window by any number", "choose anything", "search all panes"),
    ),
    "copy mode": ("copy mode: scroll", "copy mode, a page up"),
    "paste buffers": ("choose what to paste", "list what was copied", "delete the last copy"),
    "messages, pane": ("past messages", "about this pane"),
    "resize, move": ("resize mode", "move mode: swap panes"),
}
"""Rows of the panel of keys that stand for several of the labels."""
COMMON: Final = (
    *("help: keys, commands", "split: side by side", "split: top and bottom", "close the pane", "focus that side"),
    *("new window", "change the window", "copy mode", "command palette", "leave; programs go on", "zoom the pane"),
    *("choose a window", "paste what was copied", "type a command", "change the layout", "undo, redo", "rename"),
    *("all agents", "go to waiting agent"),
)
"""What the panel of keys shows where there is no room for all, the first before the others."""
_PANEL_WORDS: Final = {each: words for words, labels in _PANEL_ROWS.items() for each in labels}


def in_panel(binding: Binding) -> str:
    """What a key does in the panel of keys, in which keys for the same thing share a row."""
    words = label(binding)
    return _PANEL_WORDS.get(words, words)


def listed(keys: list[str]) -> str:
    """Keys that do the same; all ten digits as a range, all four arrows together."""
    prefixes = {key[:-1] for key in keys}
    if len(keys) == 4 and len(prefixes) == 1 and all(key[-1] in "←→↑↓" for key in keys):
        return prefixes.pop() + "".join(key[-1] for key in keys)
    if len(keys) > 2 and all(key.startswith("alt+") and key[4:].isdigit() for key in keys):
        return f"{keys[0]}-{keys[-1][-1]}"
    if len(keys) == 2 and all(len(key) == 5 and key.startswith("alt+") for key in keys):
        return f"{keys[0]}/{keys[1][-1]}"
    return "0-9" if len(keys) == 10 and all(key.isdigit() for key in keys) else " ".join(keys)


def grouped(table: Mapping[KeyPress, Binding], words_of: Callable[[Binding], str] = label) -> list[tuple[str, str]]:
    """Keys and what they do; keys that do the same stand together."""
    together: dict[str, list[str]] = {}
    for press, binding in table.items():
        together.setdefault(words_of(binding), []).append(written(press))
    return [(listed(keys), words) for words, keys in together.items()]


def written(press: KeyPress) -> str:
    """A key as help shows it, with arrows as arrows."""
    sign = {"up": "↑", "down": "↓", "left": "←", "right": "→"}.get(press.name)
    spelled = spell(press)
    return spelled.removesuffix(press.name) + sign if sign else spelled
