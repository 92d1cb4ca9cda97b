"""Key bindings: the defaults as data, and the user's own on top of them.

A binding is a command line, several of them, or the name of an `Action` of the client's screen. Keys follow tmux,
except that `P` selects the previous window, because `p` opens the palette, and digits count windows from 1.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import reduce
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.config.model import KeySettings
from fugue_tui.control import command_table as command_table
from fugue_tui.control import key_presets
from fugue_tui.control.commands.panes import FocusPane, ResizePane
from fugue_tui.control.core.command import Command
from fugue_tui.control.schema.command_line import HARMLESS, parse, sequence, split
from fugue_tui.control.schema.command_schema import build
from fugue_tui.errors import FugueError, InvalidArgument, UnknownCommand
from fugue_tui.geometry import Side
from fugue_tui.sanitize import clean
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
    ANIMATION = "toggle-animation"
    CHOOSE_THEME = "choose-theme"
    EDIT_CONFIG = "edit-configuration"
    DETACH = "detach"
    CHOOSE_CLIENT = "choose-client"
    QUIT = "quit"
    CHOOSE_WINDOW = "choose-window"
    CHOOSE_SESSION = "choose-session"
    CHOOSE_TREE = "choose-tree"
    SEARCH = "search-everywhere"
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
    PANE_MENU = "pane-menu"
    WINDOW_MENU = "window-menu"
    NEXT_ALERT = "next-alert"
    PREVIOUS_ALERT = "previous-alert"
    LOCK = "lock-keys"
    RESIZE_MODE = "resize-mode"
    MOVE_MODE = "move-mode"
    PANE_MODE = "pane-mode"
    TAB_MODE = "tab-mode"
    SESSION_MODE = "session-mode"
    NORMAL_MODE = "normal-mode"


class Mode(StrEnum):
    """What keys without the prefix are for, other than the program."""

    LOCKED = "locked"
    """Every key goes to the program, the prefix too."""
    RESIZE = "resize"
    MOVE = "move"
    PANE = "pane"
    TAB = "tab"
    SESSION = "session"


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
        "ctrl+o": "rotate-panes --forward=false",
        "alt+o": "rotate-panes",
        "m": "mark-pane",
        "M": "mark-pane --clear",
        "e": "float-pane",
        "v": "toggle-floats",
        "b": "scratch-pane",
        "!": "break-pane",
        "J": Action.JOIN_PANE,
        "q": Action.PANE_NUMBERS,
        "R": "respawn-pane",
        "Y": "synchronize-panes",
        "space": "select-layout next",
        **{f"alt+{number}": f"select-layout {preset}" for number, preset in enumerate(PRESETS, 1)},
        "E": "equalize-panes",
        "h": "stack-panes",
        "u": "undo-change",
        "U": "redo-change",
        "T": Action.RENAME_PANE,
        "c": "create-window",
        "n": "select-window next",
        "P": "select-window previous",
        "l": "select-window last",
        "alt+n": Action.NEXT_ALERT,
        "alt+p": Action.PREVIOUS_ALERT,
        **{str(tab % 10): f"select-window :{tab}" for tab in range(1, 11)},
        "'": Action.WINDOW_NUMBER,
        ".": Action.MOVE_WINDOW,
        "f": Action.FIND_WINDOW,
        ",": Action.RENAME_WINDOW,
        "&": "close-window",
        "w": Action.CHOOSE_WINDOW,
        "s": Action.CHOOSE_SESSION,
        "g": Action.CHOOSE_TREE,
        "/": Action.SEARCH,
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
        ":": Action.COMMAND_LINE,
        "<": Action.WINDOW_MENU,
        ">": Action.PANE_MENU,
        "a": Action.APPROVALS,
        "?": Action.HELP,
        "H": Action.HOLD_PANE,
        "F": Action.FREEZE_AGENTS,
        "S": "toggle-sideband",
        "j": "focus-waiting-agent",
        "A": "show-agents",
        "t": Action.TASKS,
        "k": "show-tools",
        "~": Action.MESSAGES,
        "i": Action.INFO,
        "K": Action.LOCK,
        "+": Action.RESIZE_MODE,
        "W": Action.MOVE_MODE,
        "r": Action.REDRAW,
        "alt+m": Action.ANIMATION,
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
TOOLS_DIRECT: Final[Mapping[str, str]] = MappingProxyType({"ctrl+shift+m": "show-tools"})
"""Keys without the prefix that only terminals with distinct codes for all keys send."""
_ARROWS: Final = frozenset(Side)
_TYPING: Final = frozenset({"enter", "tab", "backspace", "escape", "space", "up", "down", "left", "right"})


class Binding(Struct, frozen=True):
    """The binding of one key: exactly one of `action` and `command` is set."""

    words: str
    """The command line or the action's name, as shown in help."""
    action: Action | None = None
    command: Command[Any] | None = None
    repeats: bool = False
    """Whether it can be repeated without the prefix for a short time (bind-key -r)."""
    following: "Binding | None" = None
    """What is run after it, unless it fails."""


class Keymap(Struct, frozen=True):
    """All active bindings, by canonical key press."""

    prefix: KeyPress
    """Pressed twice, it is sent to the program."""
    prefixed: Mapping[KeyPress, Binding]
    """Keys after the prefix, in the order of the help page."""
    always: Mapping[KeyPress, Binding]
    """Without the prefix; every other key is sent to the program."""
    modes: Mapping[Mode, Mapping[KeyPress, Binding]] = MappingProxyType({})
    """The keys of each mode but the locked one."""
    unlock: KeyPress = KeyPress("g", Modifiers.CTRL)
    """Ends the locked mode."""


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
    prefix = canonical(parse_key(settings.prefix))
    prefixed = _table({**DEFAULTS, **(key_presets.TMUX if settings.preset == "tmux" else {})})
    always = _table(DIRECT if settings.focus_with_alt_arrows else {})
    always |= _table(TOOLS_DIRECT)
    always |= _table(key_presets.ZELLIJ if settings.preset == "zellij" else {})
    _bind_all(prefixed, settings.bindings, "keys.bindings", lambda press: _prefix_fault(press, prefix), errors)
    _bind_all(always, settings.direct, "keys.direct", lambda press: _direct_fault(press, settings), errors)
    prefixed.pop(prefix, None)
    always.pop(prefix, None)
    modes = {Mode(name): _table(lines) for name, lines in key_presets.MODES.items()}
    unlock = canonical(parse_key(settings.unlock))
    return Keymap(prefix, MappingProxyType(prefixed), MappingProxyType(always), modes, unlock), tuple(errors)


def _table(lines: Mapping[str, str]) -> dict[KeyPress, Binding]:
    return dict(_bound(key, line) for key, line in lines.items())


def binding(line: str | Sequence[str]) -> Binding:
    """The binding for an action's name or a command line, or for several, which are run in order; a word `;` of a line
    separates them too. Raises UnknownCommand or InvalidArgument."""
    lines = [part for each in ([line] if isinstance(line, str) else line) for part in sequence(each)]
    if not lines:
        raise InvalidArgument('no command was given; "" stands for nothing')
    bound = [_single(each) for each in lines]
    return reduce(lambda following, each: replace(each, following=following), reversed(bound[:-1]), bound[-1])


def _single(line: str) -> Binding:
    if line in set(Action):
        return Binding(line, action=Action(line))
    try:
        return Binding(line, command=build(*parse(split(line))))
    except UnknownCommand as error:
        from difflib import get_close_matches

        near = get_close_matches(line, list(Action), n=1, cutoff=0.75)
        raise UnknownCommand(f"no command {clean(line[:40])}; did you mean {near[0]}?") if near else error from None


def steps(bound: Binding) -> Iterator[Binding]:
    """What a key runs, in order."""
    step: Binding | None = bound
    while step is not None:
        yield step
        step = step.following


def is_harmless(line: str | Sequence[str]) -> bool:
    """Whether a binding only looks at the workspace, arranges it or asks the user; also if it is invalid."""
    try:
        commands = [step.command for step in steps(binding(line))] if line else []
    except FugueError:
        return True
    return all(command is None or (not command.user_only and command.effects <= HARMLESS) for command in commands)


def _bound(key: str, line: str | Sequence[str]) -> tuple[KeyPress, Binding]:
    """A key and its binding, which repeats if it resizes panes, or is an arrow that moves the focus."""
    press, bound = canonical(parse_key(key)), binding(line)
    focuses = isinstance(bound.command, FocusPane) and press.name in _ARROWS
    return press, replace(bound, repeats=focuses or isinstance(bound.command, ResizePane))


def _bind_all(
    table: dict[KeyPress, Binding],
    lines: Mapping[str, str | tuple[str, ...]],
    where: str,
    fault: Callable[[KeyPress], str],
    errors: list[str],
) -> None:
    """Add the configuration's bindings to a table; `fault` returns why a key cannot be bound there, or nothing."""
    spelled: dict[KeyPress, str] = {}
    for key, line in lines.items():
        try:
            press = canonical(parse_key(key))
            if reason := fault(press) or (f"is the same key as {spelled[press]}" if press in spelled else ""):
                raise InvalidArgument(reason)
            spelled[press] = key
            if line:
                table |= [_bound(key, line)]
            else:
                table.pop(press, None)
        except FugueError as error:
            errors.append(f"{where}.{key}: {error}")


def _prefix_fault(press: KeyPress, prefix: KeyPress) -> str:
    """Why a key cannot follow the prefix."""
    if press == prefix:
        return "is the prefix, which is sent to the program when pressed twice; choose another key"
    return ""


def _direct_fault(press: KeyPress, settings: KeySettings) -> str:
    """Why a key cannot be bound without the prefix: programs could not be typed into."""
    if press == canonical(parse_key(settings.prefix)):
        return "is the prefix; choose another key, or another prefix"
    if settings.nested_prefix and press == canonical(parse_key(settings.nested_prefix)):
        return "is the nested_prefix; choose another key"
    if not press.modifiers & ~Modifiers.SHIFT and (len(press.name) == 1 or press.name in _TYPING):
        return "is typed into programs; bind it after the prefix in [keys.bindings], or with ctrl or alt"
    return ""
