"""tmux's names for the commands here, for hints in errors and the palette."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

TMUX: Final[Mapping[str, str]] = MappingProxyType(
    {
        "new-session": "create-session",
        "new": "create-session",
        "has-session": "get-status",
        "has": "get-status",
        "switch-client": "select-session",
        "switchc": "select-session",
        "rename": "rename-session",
        "new-window": "create-window",
        "neww": "create-window",
        "kill-window": "close-window",
        "killw": "close-window",
        "next-window": "select-window",
        "next": "select-window",
        "previous-window": "select-window",
        "prev": "select-window",
        "last-window": "select-window",
        "selectw": "select-window",
        "renamew": "rename-window",
        "lsw": "list-windows",
        "split-window": "split-pane",
        "splitw": "split-pane",
        "kill-pane": "close-pane",
        "killp": "close-pane",
        "select-pane": "focus-pane",
        "selectp": "focus-pane",
        "last-pane": "focus-pane",
        "lsp": "list-panes",
        "resizep": "resize-pane",
        "swapp": "swap-pane",
        "respawnp": "respawn-pane",
        "rotate-window": "rotate-panes",
        "rotatew": "rotate-panes",
        "next-layout": "select-layout",
        "selectl": "select-layout",
        "capture-pane": "read-pane",
        "capturep": "read-pane",
        "send": "send-keys",
        "send-prefix": "send-keys",
        "pasteb": "paste-buffer",
        "lsb": "list-buffers",
        "showb": "show-buffer",
        "setb": "set-buffer",
        "deleteb": "delete-buffer",
        "saveb": "save-buffer",
        "loadb": "load-buffer",
        "choose-buffer": "list-buffers",
        "wait-for": "wait-for-output",
        "run": "run-shell",
        "findw": "find-window",
        "breakp": "break-pane",
        "joinp": "join-pane",
        "move-pane": "join-pane",
        "movep": "join-pane",
        "movew": "move-window",
        "swapw": "swap-window",
        "lsc": "list-clients",
        "lscm": "list-commands",
        "display-message": "get-status",
        "popup": "display-popup",
    }
)
"""tmux's commands by name and alias, and the same or nearest command here."""


def tmux_names(verb: str) -> tuple[str, ...]:
    """tmux's names for a command here."""
    return tuple(theirs for theirs, ours in TMUX.items() if ours == verb)
