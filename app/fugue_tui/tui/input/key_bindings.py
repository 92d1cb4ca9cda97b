"""Which keys are the workspace's own: the prefix, what follows it, reading back, and the few that need no prefix."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fugue_tui.control.keymap import Action, Binding, Keymap, canonical
from fugue_tui.control.output.pane_titles import ENDED_KEYS
from fugue_tui.terminal.input.key_names import MODIFIER_KEYS
from fugue_tui.terminal.input.keys import KeyEvent, KeyPress, parse_key, spell
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.copy_mode import CopyMode
from fugue_tui_widgets.which_key import Hint

REPEAT_SECONDS: Final = 0.5
"""How long a repeatable key may be pressed again without the prefix, as tmux's repeat-time."""
_NONE: Final = frozenset[KeyPress]()
_READING: Final = ("v", "q", "y", "Escape")
_POINTED: Final = ("?", "%", "c", "p", *_READING)
"""The keys that hints name before the word that says what they do."""


@dataclass(frozen=True, slots=True)
class _PendingKeys:
    """A key command that one terminal has begun."""

    repeats: bool
    """Whether a repeatable key may follow without the prefix; otherwise any key follows the prefix."""
    timer: asyncio.TimerHandle


class KeyDispatch:
    """Takes each key first. What it leaves is the focused program's. Several terminals may press keys at once."""

    def __init__(self, app: AppContext, keymap: Keymap, bound: Callable[[Binding], None]) -> None:
        self._app = app
        self._bound = bound
        self.keymap = keymap
        self._begun: dict[int, _PendingKeys] = {}
        self._kept: dict[int, set[str]] = {}
        """Keys of each terminal whose press no program got, so that none gets their release."""
        self._reading = CopyMode(app)

    @property
    def hint(self) -> str:
        """What the status bar says about keys now."""
        if any(not begun.repeats for begun in self._begun.values()):
            return "key? · ? help · Escape leaves"
        if self._reading.active:
            return self._reading.hint
        focused = self._app.mux.focused
        if focused is not None and (exited := self._app.mux.exits.get(focused)):
            return f"{exited.words}: {ENDED_KEYS}"
        return f"{spell(self.keymap.prefix)} then ? help · % split · c window · p palette"

    @property
    def mode(self) -> str:
        """What keys are for, in a word or two; empty if they are the program's."""
        begun = "prefix" if any(not begun.repeats for begun in self._begun.values()) else ""
        return begun or self._reading.mode

    def pastes(self) -> str:
        """The keys that paste what was copied; empty if none do."""
        bound = (press for press, binding in self.keymap.prefixed.items() if binding.action is Action.PASTE)
        press = next(bound, None)
        return f"{spell(self.keymap.prefix)} {spell(press)}" if press is not None else ""

    def is_prefix(self, press: KeyPress, further: frozenset[KeyPress] = _NONE) -> bool:
        """Whether a key starts a key command, where these keys do besides the workspace's own."""
        return canonical(press) == self.keymap.prefix or canonical(press) in further

    def take(self, press: KeyPress, owner: int = 0, further: frozenset[KeyPress] = _NONE) -> bool:
        """Whether the key was the workspace's. `owner` tells the terminals apart: what follows a prefix comes from
        the terminal that sent it; `further` are the prefixes that it has besides the workspace's own."""
        if press.name in MODIFIER_KEYS:
            return False
        kept = self._kept.setdefault(owner, set())
        if press.event is KeyEvent.RELEASE:
            return press.name in kept
        taken = self._take(press, owner, further)
        (kept.add if taken else kept.discard)(press.name)
        return taken

    def keep(self, press: KeyPress, owner: int = 0) -> None:
        """A key goes to a dialog: no program gets its release."""
        self._kept.setdefault(owner, set()).add(press.name)

    def drop(self, owner: int) -> None:
        """A terminal has gone."""
        self.forget(owner)
        self._kept.pop(owner, None)

    def _take(self, press: KeyPress, owner: int, further: frozenset[KeyPress]) -> bool:
        begun = self._begun.get(owner)
        if begun is not None:
            self.forget(owner)
            if not begun.repeats:
                return self._prefixed(press, owner, further)
            binding = self.keymap.prefixed.get(canonical(press))
            if binding is not None and binding.repeats:
                self._do_prefixed(binding, owner)
                return True
        if self._reading.active and not self.is_prefix(press, further):
            self._reading.take(press, owner)
            return True
        return self._program(press, owner, further)

    def _program(self, press: KeyPress, owner: int, further: frozenset[KeyPress]) -> bool:
        if self.is_prefix(press, further):
            self._begin(owner, self._app.settings.ui.which_key_delay_ms / 1000, repeats=False)
            return True
        binding = self.keymap.always.get(canonical(press))
        if binding is None:
            return False
        self._bound(binding)
        return True

    def _prefixed(self, press: KeyPress, owner: int, further: frozenset[KeyPress]) -> bool:
        if self.is_prefix(press, further):
            return False
        binding = self.keymap.prefixed.get(canonical(press))
        if binding is not None:
            self._do_prefixed(binding, owner)
        elif press.role == "escape":
            self._app.commands.cancel()
        else:
            self._app.alert(f"{spell(self.keymap.prefix)} {spell(canonical(press))} does nothing; ? lists the keys")
        return True

    def _do_prefixed(self, binding: Binding, owner: int) -> None:
        """Do what a key after the prefix is bound to; if it repeats, it may follow at once without the prefix."""
        if binding.repeats:
            self._begin(owner, REPEAT_SECONDS, repeats=True)
        self._bound(binding)

    def _begin(self, owner: int, seconds: float, *, repeats: bool) -> None:
        timer = asyncio.get_running_loop().call_later(seconds, self._elapsed, owner)
        self._begun[owner] = _PendingKeys(repeats, timer)
        self._app.update_status()

    def _elapsed(self, owner: int) -> None:
        if self._begun[owner].repeats:
            self.forget(owner)
        else:
            self._app.show_keys(self.hints())

    def point(self, part: str, owner: int = 0) -> None:
        """A part of the hint was clicked: press its key, after the prefix where it needs that."""
        word = next((word for word in reversed(part.split()[:-1]) if word in _POINTED), "")
        if not word:
            return
        press = parse_key(word.lower())
        if self._reading.active and word in _READING:
            self._reading.take(press, owner)
        else:
            self.forget(owner)
            self._prefixed(press, owner, _NONE)

    def forget(self, owner: int) -> None:
        """What a terminal has begun is over, or not waited for any more."""
        begun = self._begun.pop(owner, None)
        if begun is None:
            return
        begun.timer.cancel()
        if all(other.repeats for other in self._begun.values()):
            self._app.hide_keys()
        self._app.update_status()

    def hints(self) -> list[Hint]:
        """Every key after the prefix and what it does."""
        return [Hint(keys, words) for keys, words in after_prefix(self.keymap)]

    def enter_copy_mode(self) -> None:
        """Keys move through the focused pane's text, and select in it, until `q`."""
        self._reading.begin()


_LABELS: Final = {
    Action.HELP: "help: all keys, all commands",
    Action.PALETTE: "command palette",
    Action.COMMAND_LINE: "type a command",
    Action.SCROLL: "read back, copy",
    Action.PASTE: "paste what was copied",
    Action.REDRAW: "redraw the screen",
    Action.DETACH: "leave; programs go on",
    Action.CHOOSE_CLIENT: "detach a terminal",
    Action.QUIT: "end everything",
    Action.CHOOSE_WINDOW: "choose a window",
    Action.CHOOSE_SESSION: "choose a session",
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
