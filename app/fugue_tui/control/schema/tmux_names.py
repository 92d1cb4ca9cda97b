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
        "pipep": "pipe-pane",
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


_SETTINGS: Final = "settings are in the configuration file, which config path of the CLI names"
_KEYS: Final = "keys are under [keys] in the configuration file"
_SAME_NAME: Final = "the palette has it: "

OTHERWISE: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("set-option", "set", "set-window-option", "setw", "customize-mode"), _SETTINGS),
        **dict.fromkeys(
            ("show-options", "show", "show-window-options", "showw"), "config show of the CLI prints settings"
        ),
        **dict.fromkeys(("bind-key", "bind", "unbind-key", "unbind"), _KEYS),
        **dict.fromkeys(("list-keys", "lsk"), "the help page lists the keys"),
        **dict.fromkeys(("source-file", "source"), "a changed configuration file applies at once"),
        **dict.fromkeys(("set-hook", "show-hooks"), "hooks are under [hooks] in the configuration file"),
        **dict.fromkeys(("choose-tree", "choose-window", "choose-session"), f"{_SAME_NAME}choose anything"),
        "choose-client": f"{_SAME_NAME}detach a client",
        "copy-mode": f"{_SAME_NAME}copy mode",
        "clock-mode": f"{_SAME_NAME}time and date",
        **dict.fromkeys(("display-panes", "displayp"), f"{_SAME_NAME}number the panes"),
        **dict.fromkeys(("detach", "detach-session"), f"{_SAME_NAME}leave; programs go on"),
        **dict.fromkeys(("attach-session", "attach"), "switch-workspace shows another workspace in this terminal"),
        **dict.fromkeys(("show-messages", "showmsgs"), f"{_SAME_NAME}past messages"),
        **dict.fromkeys(("display-menu", "menu"), f"{_SAME_NAME}menu of the pane"),
        **dict.fromkeys(("if-shell", "if"), "run-shell has the shell's own if"),
    }
)
"""What else does the work of tmux's commands that have no counterpart here."""


def tmux_names(verb: str) -> tuple[str, ...]:
    """tmux's names for a command here."""
    return tuple(theirs for theirs, ours in TMUX.items() if ours == verb)
