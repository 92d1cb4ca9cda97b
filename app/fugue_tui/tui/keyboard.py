"""Which keys are the workspace's own: the prefix, what follows it, reading back, and the few that need no prefix."""

import asyncio
from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from fugue_tui.control.keymap import Action, Binding, Keymap, canonical
from fugue_tui.terminal.keys import KeyPress, Modifiers, spell
from fugue_tui.tui.stage import Stage
from fugue_tui_widgets.which_key import Hint

REPEAT_SECONDS: Final = 0.5
"""How long a repeatable key may be pressed again without the prefix, as tmux's repeat-time."""
_NONE: Final = frozenset[KeyPress]()
_HELD: Final = frozenset(("shift", "alt", "ctrl", "super", "meta", "caps_lock", "num_lock"))


class Mode(Enum):
    """What the next key means."""

    PROGRAM = auto()
    PREFIX = auto()
    REPEAT = auto()
    SCROLL = auto()


class Keyboard:
    """Takes each key first. What it leaves is the focused program's."""

    def __init__(self, app: Stage, keymap: Keymap, bound: Callable[[Binding], None]) -> None:
        self._app = app
        self._bound = bound
        self.keymap = keymap
        self.mode = Mode.PROGRAM
        self._owner = 0
        self._prefixes = frozenset[KeyPress]()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def hint(self) -> str:
        """What the status bar says about keys now."""
        match self.mode:
            case Mode.PREFIX:
                return "key? (? help, Escape leaves)"
            case Mode.SCROLL:
                return "reading back: arrows, PageUp, g/G, q leaves"
            case Mode.PROGRAM | Mode.REPEAT:
                return f"{spell(self.keymap.prefix)} then ? help · % split · c window · p palette"

    def is_prefix(self, press: KeyPress, further: frozenset[KeyPress] = _NONE) -> bool:
        """Whether a key starts a key command, where these keys do besides the workspace's own."""
        return canonical(press) == self.keymap.prefix or canonical(press) in further

    def take(self, press: KeyPress, owner: int = 0, further: frozenset[KeyPress] = _NONE) -> bool:
        """Whether the key was the workspace's. `owner` tells the terminals apart: what follows a prefix comes from
        the terminal that sent it; `further` are the prefixes that it has besides the workspace's own."""
        if press.name in _HELD:
            return False
        begun = self.mode in (Mode.PREFIX, Mode.REPEAT)
        if begun and owner != self._owner:
            if not self.is_prefix(press, further):
                return False
            self.leave()
        self._owner, self._prefixes = owner, further
        match self.mode:
            case Mode.PROGRAM:
                return self._program(press)
            case Mode.PREFIX:
                return self._prefixed(press)
            case Mode.REPEAT:
                return self._repeated(press)
            case Mode.SCROLL:
                return self._scroll(press)

    def _program(self, press: KeyPress) -> bool:
        if self.is_prefix(press, self._prefixes):
            self._enter(Mode.PREFIX, self._app.settings.ui.which_key_delay_ms / 1000)
            return True
        binding = self.keymap.always.get(canonical(press))
        if binding is None:
            return False
        self._do(binding)
        return True

    def _prefixed(self, press: KeyPress) -> bool:
        self.leave()
        if self.is_prefix(press, self._prefixes):
            return False
        binding = self.keymap.prefixed.get(canonical(press))
        if binding is not None:
            self._do(binding)
        elif press.name == "escape":
            self._app.give_up()
        else:
            self._app.alert(f"{spell(self.keymap.prefix)} {spell(press)} does nothing; ? lists the keys")
        return True

    def _repeated(self, press: KeyPress) -> bool:
        binding = self.keymap.prefixed.get(canonical(press))
        self.leave()
        if binding is None or not binding.repeats:
            return self._program(press)
        self._do(binding)
        return True

    def _do(self, binding: Binding) -> None:
        if binding.repeats:
            self._enter(Mode.REPEAT, REPEAT_SECONDS)
        self._bound(binding)

    def _enter(self, mode: Mode, seconds: float) -> None:
        self._cancel()
        self.mode = mode
        self._timer = asyncio.get_running_loop().call_later(seconds, self._elapsed)
        self._app.news()

    def _elapsed(self) -> None:
        self._timer = None
        if self.mode is Mode.REPEAT:
            self.leave()
        elif self.mode is Mode.PREFIX:
            self._app.show_keys(self.hints())

    def leave(self) -> None:
        """Give the keys back to the program."""
        self._cancel()
        self.mode = Mode.PROGRAM
        self._app.hide_keys()
        self._app.news()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def hints(self) -> list[Hint]:
        """Every key after the prefix and what it does."""
        return [Hint(keys, words) for keys, words in after_prefix(self.keymap)]

    # Reading back

    def read_back(self) -> None:
        """Keys scroll the focused pane until `q`."""
        self._cancel()
        self.mode = Mode.SCROLL
        self._app.news()

    def _scroll(self, press: KeyPress) -> bool:
        view = self._app.focused_view
        if view is None or view.live is None:
            self.leave()
            return True
        if self.is_prefix(press, self._prefixes):
            return self._program(press)
        page = max(view.size.height - 1, 1)
        name = f"ctrl+{press.name}" if press.modifiers & Modifiers.CTRL else press.text or press.name
        lines = {
            "up": 1, "k": 1, "down": -1, "j": -1, "ctrl+y": 1, "ctrl+e": -1,
            "pageup": page, "ctrl+b": page, "b": page, "pagedown": -page, "ctrl+f": -page, "space": -page, " ": -page,
            "ctrl+u": page // 2, "ctrl+d": -(page // 2),
            "home": 1 << 30, "g": 1 << 30, "end": -(1 << 30), "G": -(1 << 30),
        }.get(name)  # fmt: skip
        if lines is not None:
            view.scroll_back(lines)
            self._app.news()
        elif name in ("q", "escape", "enter", "ctrl+c"):
            view.scroll_back(-(1 << 30))
            self.leave()
        return True


_LABELS: Final = {
    Action.HELP: "help: all keys, all commands",
    Action.PALETTE: "command palette",
    Action.COMMAND_LINE: "type a command",
    Action.SCROLL: "read back",
    Action.REDRAW: "redraw the screen",
    Action.DETACH: "leave; programs go on",
    Action.CHOOSE_CLIENT: "detach a terminal",
    Action.QUIT: "end everything",
    Action.CHOOSE_WINDOW: "choose a window",
    Action.CHOOSE_SESSION: "choose a session",
    Action.CLOSE_PANE: "close pane",
    Action.CLOSE_WINDOW: "close window",
    Action.KILL_SESSION: "end session",
    Action.RENAME_PANE: "rename pane",
    Action.RENAME_WINDOW: "rename window",
    Action.RENAME_SESSION: "rename session",
}


def label(binding: Binding) -> str:
    """What a key does, in a few words: a command without the names of its flags."""
    if binding.action is not None:
        return _LABELS[binding.action]
    verb, *rest = binding.words.split()
    if verb == "select-window" and rest[:1] and rest[0].startswith(":"):
        return "select window by number"
    said = " ".join(word for word in rest if not word.startswith("--"))
    return f"{verb.replace('-', ' ')} {said}".strip()


def listed(keys: list[str]) -> str:
    """Keys that do the same; all ten digits as a range."""
    return "0-9" if len(keys) == 10 and all(key.isdigit() for key in keys) else " ".join(keys)


def after_prefix(keymap: Keymap) -> list[tuple[str, str]]:
    """The keys after the prefix and what they do; keys that do the same stand together."""
    together: dict[str, list[str]] = {}
    for press, binding in keymap.prefixed.items():
        together.setdefault(label(binding), []).append(written(press))
    return [(listed(keys), words) for words, keys in together.items()]


def written(press: KeyPress) -> str:
    """A key as help shows it, with arrows as arrows."""
    sign = {"up": "↑", "down": "↓", "left": "←", "right": "→"}.get(press.name)
    spelled = spell(press)
    return spelled.removesuffix(press.name) + sign if sign else spelled
