"""Key bindings: the defaults as data, and the user's own on top of them.

A binding is a command line, or the name of an `Action` of the client's screen. Keys follow tmux, except that `P`
selects the previous window, because `p` opens the palette, and digits count windows from 1.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.config.model import KeySettings
from fugue_tui.control import command_table as command_table
from fugue_tui.control.commands.panes import FocusPane, ResizePane
from fugue_tui.control.core.command import Command, Effect
from fugue_tui.control.schema.command_line import parse, split
from fugue_tui.control.schema.command_schema import build
from fugue_tui.errors import FugueError, InvalidArgument
from fugue_tui.geometry import Side
from fugue_tui.terminal.input.keys import KeyPress, Modifiers, parse_key


class Action(StrEnum):
    """Actions that are not commands: they affect only the user's own screen, or prompt for a name."""

    HELP = "help"
    PALETTE = "palette"
    COMMAND_LINE = "command-line"
    SCROLL = "scroll"
    SCROLL_PAGE_UP = "scroll-page-up"
    QUICK_SELECT = "quick-select"
    PASTE = "paste"
    CHOOSE_BUFFER = "choose-buffer"
    SHOW_BUFFERS = "show-buffers"
    DELETE_BUFFER = "delete-newest-buffer"
    REDRAW = "redraw"
    DETACH = "detach"
    CHOOSE_CLIENT = "choose-client"
    QUIT = "quit"
    CHOOSE_WINDOW = "choose-window"
    CHOOSE_SESSION = "choose-session"
    RENAME_PANE = "ask-rename-pane"
    RENAME_WINDOW = "ask-rename-window"
    RENAME_SESSION = "ask-rename-session"
    APPROVALS = "answer-agents"
    TASKS = "show-tasks"
    HOLD_PANE = "hold-pane"
    FREEZE_AGENTS = "toggle-freeze"
    PANE_NUMBERS = "display-panes"
    MOVE_WINDOW = "ask-move-window"
    FIND_WINDOW = "ask-find-window"
    WINDOW_NUMBER = "ask-select-window"
    JOIN_PANE = "choose-join-pane"
    MESSAGES = "show-messages"
    INFO = "show-info"
    CLOCK = "show-clock"


PRESETS: Final = ("even_horizontal", "even_vertical", "main_top", "main_left", "tiled")
"""The layout presets of Alt+1 to Alt+5, in tmux's order."""
DEFAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "%": "split-pane --direction horizontal",
        '"': "split-pane --direction vertical",
        "x": "close-pane",
        "z": "zoom-pane",
        "left": "focus-pane left",
        "right": "focus-pane right",
        "up": "focus-pane up",
        "down": "focus-pane down",
        "o": "focus-pane next",
        ";": "focus-pane last",
        "ctrl+left": "resize-pane --side left --cells 1",
        "ctrl+right": "resize-pane --side right --cells 1",
        "ctrl+up": "resize-pane --side up --cells 1",
        "ctrl+down": "resize-pane --side down --cells 1",
        "alt+left": "resize-pane --side left --cells 5",
        "alt+right": "resize-pane --side right --cells 5",
        "alt+up": "resize-pane --side up --cells 5",
        "alt+down": "resize-pane --side down --cells 5",
        "{": "swap-pane --other previous",
        "}": "swap-pane --other next",
        "ctrl+o": "rotate-panes",
        "alt+o": "rotate-panes --forward=false",
        "m": "mark-pane",
        "M": "mark-pane --clear",
        "!": "break-pane",
        "J": Action.JOIN_PANE,
        "q": Action.PANE_NUMBERS,
        "R": "respawn-pane",
        "Y": "synchronize-panes",
        "space": "select-layout next",
        **{f"alt+{number}": f"select-layout {preset}" for number, preset in enumerate(PRESETS, 1)},
        "E": "equalize-panes",
        "u": "undo-change",
        "U": "redo-change",
        "T": Action.RENAME_PANE,
        "c": "create-window",
        "n": "select-window next",
        "P": "select-window previous",
        "l": "select-window last",
        **{str(tab % 10): f"select-window :{tab}" for tab in range(1, 11)},
        "'": Action.WINDOW_NUMBER,
        ".": Action.MOVE_WINDOW,
        "f": Action.FIND_WINDOW,
        ",": Action.RENAME_WINDOW,
        "&": "close-window",
        "w": Action.CHOOSE_WINDOW,
        "s": Action.CHOOSE_SESSION,
        "$": Action.RENAME_SESSION,
        "(": "select-session previous",
        ")": "select-session next",
        "L": "select-session last",
        "[": Action.SCROLL,
        "pageup": Action.SCROLL_PAGE_UP,
        "y": Action.QUICK_SELECT,
        "]": Action.PASTE,
        "=": Action.CHOOSE_BUFFER,
        "#": Action.SHOW_BUFFERS,
        "-": Action.DELETE_BUFFER,
        "V": "paste-smart",
        "p": Action.PALETTE,
        ":": Action.PALETTE,
        ">": Action.COMMAND_LINE,
        "a": Action.APPROVALS,
        "?": Action.HELP,
        "H": Action.HOLD_PANE,
        "F": Action.FREEZE_AGENTS,
        "S": "toggle-sideband",
        "j": "focus-waiting-agent",
        "A": "show-agents",
        "t": Action.TASKS,
        "~": Action.MESSAGES,
        "i": Action.INFO,
        "r": Action.REDRAW,
        "d": Action.DETACH,
        "ctrl+z": Action.DETACH,
        "D": Action.CHOOSE_CLIENT,
        "Q": Action.QUIT,
    }
)
"""Keys after the prefix, in the order of the help page."""
DIRECT: Final[Mapping[str, str]] = MappingProxyType(
    {f"alt+{side}": f"focus-pane {side}" for side in ("left", "right", "up", "down")}
)
"""Keys without the prefix, unless disabled in the configuration."""
_ARROWS: Final = frozenset(Side)


class Binding(Struct, frozen=True):
    """The binding of one key: exactly one of `action` and `command` is set."""

    words: str
    """The command line or the action's name, as shown in help."""
    action: Action | None = None
    command: Command[Any] | None = None
    repeats: bool = False
    """Whether it can be repeated without the prefix for a short time (bind-key -r)."""


class Keymap(Struct, frozen=True):
    """All active bindings, by canonical key press."""

    prefix: KeyPress
    """Pressed twice, it is sent to the program."""
    prefixed: Mapping[KeyPress, Binding]
    """Keys after the prefix, in the order of the help page."""
    always: Mapping[KeyPress, Binding]
    """Without the prefix; every other key is sent to the program."""


def canonical(press: KeyPress) -> KeyPress:
    """The normal form of a key press in a keymap: a typed character without Shift, or a key without text."""
    typed = len(press.text) == 1 and not press.modifiers & ~Modifiers.SHIFT and press.name != "space"
    if typed:
        return KeyPress(press.text)
    if press.modifiers & Modifiers.SHIFT and press.shifted and not press.shifted.isalpha():
        return KeyPress(press.shifted, press.modifiers & ~Modifiers.SHIFT)
    return KeyPress(press.role, press.modifiers)


def keymap(settings: KeySettings) -> tuple[Keymap, tuple[str, ...]]:
    """The active bindings, and the configuration's errors, one line each; invalid bindings are left out."""
    errors: list[str] = []
    prefixed = dict(_bound(key, line) for key, line in DEFAULTS.items())
    prefix = canonical(parse_key(settings.prefix))
    for key, line in settings.bindings.items():
        try:
            _bind(prefixed, prefix, key, line)
        except FugueError as error:
            errors.append(f"keys.bindings.{key}: {error}")
    prefixed.pop(prefix, None)
    always = dict(_bound(key, line) for key, line in DIRECT.items())
    direct = always if settings.focus_with_alt_arrows else {}
    return Keymap(prefix, MappingProxyType(prefixed), MappingProxyType(direct)), tuple(errors)


def binding(line: str) -> Binding:
    """The binding for a command line or an action's name. Raises UnknownCommand or InvalidArgument."""
    if line in set(Action):
        return Binding(str(line), action=Action(line))
    return Binding(line, command=build(*parse(split(line))))


def is_harmless(line: str) -> bool:
    """Whether a binding only looks at the workspace, arranges it or asks the user; also if it is invalid."""
    try:
        bound = binding(line) if line else None
    except FugueError:
        return True
    if bound is None or bound.command is None:
        return True
    return not bound.command.user_only and bound.command.effects <= {Effect.READ, Effect.LAYOUT}


def _bound(key: str, line: str) -> tuple[KeyPress, Binding]:
    """A key and its binding, which repeats if it resizes panes, or is an arrow that moves the focus."""
    press, bound = canonical(parse_key(key)), binding(line)
    focuses = isinstance(bound.command, FocusPane) and press.name in _ARROWS
    return press, replace(bound, repeats=focuses or isinstance(bound.command, ResizePane))


def _bind(prefixed: dict[KeyPress, Binding], prefix: KeyPress, key: str, line: str) -> None:
    press = canonical(parse_key(key))
    if press == prefix:
        raise InvalidArgument("is the prefix, which is sent to the program when pressed twice; choose another key")
    if line:
        prefixed |= [_bound(key, line)]
    else:
        prefixed.pop(press, None)
