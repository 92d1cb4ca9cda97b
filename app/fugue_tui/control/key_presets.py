"""The key presets as data, on top of the default keys: tmux's and zellij's, and the keys of modes.

A line is a command line, an action's name, or several of them that ` ; ` separates; an empty one removes the key.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ARROWS: Final = {"h": "left", "j": "down", "k": "up", "l": "right"}
_SIDES: Final = {**_ARROWS, **{side: side for side in _ARROWS.values()}}
_LEAVE: Final = {"escape": "normal-mode", "enter": "normal-mode"}
_BACK: Final = "normal-mode ; "

MODES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "resize": {
            **{key: f"resize-pane --side {side} --cells 1" for key, side in _SIDES.items()},
            **{key.upper(): f"resize-pane --side {side} --cells 5" for key, side in _ARROWS.items()},
            "=": "equalize-panes",
            "ctrl+n": "normal-mode",
            **_LEAVE,
        },
        "move": {
            **{key: f"swap-pane --other {side}" for key, side in _SIDES.items()},
            **dict.fromkeys(("n", "tab"), "swap-pane --other next"),
            "p": "swap-pane --other previous",
            "ctrl+h": "normal-mode",
            **_LEAVE,
        },
        "pane": {
            **{key: f"focus-pane {side}" for key, side in _SIDES.items()},
            **dict.fromkeys(("p", "tab"), "focus-pane next"),
            "n": f"{_BACK}split-pane --direction auto",
            "d": f"{_BACK}split-pane --direction vertical",
            "r": f"{_BACK}split-pane --direction horizontal",
            "x": f"{_BACK}close-pane",
            "f": f"{_BACK}zoom-pane",
            "w": f"{_BACK}toggle-floats",
            "e": f"{_BACK}float-pane",
            "c": f"{_BACK}ask-rename-pane",
            "ctrl+p": "normal-mode",
            **_LEAVE,
        },
        "tab": {
            **dict.fromkeys(("h", "k", "left", "up"), "select-window previous"),
            **dict.fromkeys(("l", "j", "right", "down"), "select-window next"),
            "tab": "select-window last",
            "n": f"{_BACK}create-window",
            "x": f"{_BACK}close-window",
            "r": f"{_BACK}ask-rename-window",
            **{str(tab): f"{_BACK}select-window :{tab}" for tab in range(1, 10)},
            "ctrl+t": "normal-mode",
            **_LEAVE,
        },
        "session": {
            "d": f"{_BACK}detach",
            "w": f"{_BACK}choose-session",
            "ctrl+s": f"{_BACK}scroll",
            "ctrl+o": "normal-mode",
            **_LEAVE,
        },
    }
)
"""The keys of each mode."""

TMUX: Final[Mapping[str, str]] = MappingProxyType(
    {
        "p": "select-window previous",
        "P": "palette",
        "/": "help",
        "ctrl+f": "search-everywhere",
    }
)
"""What differs from the default keys after the prefix."""

ZELLIJ: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ctrl+p": "pane-mode",
        "ctrl+t": "tab-mode",
        "ctrl+n": "resize-mode",
        "ctrl+h": "move-mode",
        "ctrl+s": "scroll",
        "ctrl+o": "session-mode",
        "ctrl+g": "lock-keys",
        "ctrl+q": "quit",
        "alt+n": "split-pane --direction auto",
        "alt+f": "toggle-floats",
        **{f"alt+{key}": f"focus-pane {side}" for key, side in _SIDES.items()},
        **dict.fromkeys(("alt+=", "alt++"), "resize-pane --side right --cells 2"),
        "alt+-": "resize-pane --side left --cells 2",
        "alt+[": "select-layout previous",
        "alt+]": "select-layout next",
    }
)
"""The keys without the prefix; after it the default keys hold."""
