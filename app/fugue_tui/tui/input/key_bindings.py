"""Dispatches keys: the prefix and what follows it, copy mode, and keys that need no prefix."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fugue_tui.control.core.confirmation import count
from fugue_tui.control.keymap import Action, Binding, Keymap, Mode, canonical
from fugue_tui.control.output.pane_titles import ended_keys
from fugue_tui.control.tmux_keys import why_not
from fugue_tui.terminal.input.key_names import MODIFIER_KEYS
from fugue_tui.terminal.input.keys import KeyEvent, KeyPress, parse_key, spell
from fugue_tui.terminal.screen.pins import Pin
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.key_labels import COMMON, grouped, in_panel
from fugue_tui_widgets.which_key import Hint

if TYPE_CHECKING:
    from fugue_tui.control.output.text_search import Query
    from fugue_tui.tui.input.copy_mode import CopyMode
    from fugue_tui.tui.input.quick_select import QuickSelect

REPEAT_SECONDS: Final = 0.5
"""How long a repeatable key may be pressed again without the prefix, as tmux's repeat-time."""
_NONE: Final = frozenset[KeyPress]()
_COPY_MODE_KEYS: Final = ("v", "q", "y", "n", "N", "/", "Escape", "Enter")
_HINTED_KEYS: Final = ("?", "%", "c", "p", "P", "a", *_COPY_MODE_KEYS)
"""The keys that hints name before the word for what they do."""
MODE_ACTIONS: Final = {
    Action.LOCK: Mode.LOCKED,
    Action.RESIZE_MODE: Mode.RESIZE,
    Action.MOVE_MODE: Mode.MOVE,
    Action.PANE_MODE: Mode.PANE,
    Action.TAB_MODE: Mode.TAB,
    Action.SESSION_MODE: Mode.SESSION,
    Action.NORMAL_MODE: None,
}
"""The actions that change the mode, and to which."""
_MODE_HINTS: Final = {
    Mode.RESIZE: "h j k l or arrows resize · = equal · Escape leaves",
    Mode.MOVE: "h j k l or arrows move the pane · Escape leaves",
    Mode.PANE: "n new · d down · r right · x close · f zoom · h j k l focus · Escape leaves",
    Mode.TAB: "n new · x close · r rename · 1-9 · h l previous, next · Escape leaves",
    Mode.SESSION: "d detach · w choose · Escape leaves",
}
_MODE_KEYS: Final = {
    Mode.RESIZE: "h j k l = · Escape",
    Mode.MOVE: "h j k l · Escape",
    Mode.PANE: "n d r x f · Escape",
    Mode.TAB: "n x r 1-9 · Escape",
    Mode.SESSION: "d w · Escape",
}
"""The same where there is no room for words."""
_HINTED: Final = (
    (Action.HELP, "help"),
    ("split-pane --direction horizontal", "split"),
    ("create-window", "window"),
    (Action.PALETTE, "palette"),
)
_HINTED_DIRECT: Final = ((Action.PANE_MODE, "pane"), (Action.TAB_MODE, "tab"), (Action.LOCK, "lock"))


class _PendingKeys(Struct, frozen=True):
    """A client has pressed the prefix, or a key that repeats."""

    repeats: bool
    """Whether a repeatable key may follow without the prefix; otherwise any key follows the prefix."""
    timer: asyncio.TimerHandle


class KeyDispatch:
    """Handles each key first; the focused program gets the others. Clients are independent."""

    def __init__(self, app: AppContext, keymap: Keymap, run: Callable[[Binding], None]) -> None:
        """`run` runs what a key is bound to."""
        self._app = app
        self._run = run
        self.keymap = keymap
        self._pending: dict[int, _PendingKeys] = {}
        self._consumed: dict[int, set[str]] = {}
        """Keys of each client whose press was not for a program, so that none gets their release."""
        self._copy_mode: CopyMode | None = None
        self._quick_select: QuickSelect | None = None
        """Both are loaded with their first use."""
        self._modes: dict[int, Mode] = {}
        """The mode of each client that is in one."""
        self._client = 0
        """The client whose key was handled last."""
        self._first_keys = keymap, _first_keys(keymap)

    @property
    def hint(self) -> str:
        """The hint in the status bar."""
        if any(not pending.repeats for pending in self._pending.values()):
            return "key? · ? help · Escape cancels"
        if mode := self._shown_mode:
            return f"{self.key_mode} {_MODE_HINTS.get(mode) or self.mode_keys}"
        if (entered := self._entered) is not None:
            return entered.hint
        focused = self._app.mux.focused
        if focused is not None and (exited := self._app.mux.exits.get(focused)):
            return f"{exited.words}: {ended_keys(self._app.mux, focused)}"
        if self._first_keys[0] is not self.keymap:
            self._first_keys = self.keymap, _first_keys(self.keymap)
        return f"{self._requests()}{self._first_keys[1]}"

    @property
    def _shown_mode(self) -> Mode | None:
        """The mode that the status bar shows: of the client that pressed a key last, or of another."""
        return self._modes.get(self._client) or next(iter(self._modes.values()), None)

    @property
    def key_mode(self) -> str:
        """The mode as the status bar always shows it; empty for none."""
        return mode.upper() if (mode := self._shown_mode) else ""

    @property
    def mode_keys(self) -> str:
        """The keys of that mode, and the one that leaves it; empty for none."""
        mode = self._shown_mode
        return f"{spell(self.keymap.unlock)} unlocks" if mode is Mode.LOCKED else _MODE_KEYS[mode] if mode else ""

    def is_locked(self, client: int) -> bool:
        """Whether every key of a client goes to the program."""
        return self._modes.get(client) is Mode.LOCKED

    def set_mode(self, mode: Mode | None) -> None:
        """Change the mode of the client that pressed a key last; None for none."""
        self._modes.pop(self._client, None)
        if mode is not None:
            self._modes[self._client] = mode
        self._app.status_updates.request()

    @property
    def mode(self) -> str:
        """The same in a word or two; empty if keys are for the program."""
        prefix = "prefix" if any(not pending.repeats for pending in self._pending.values()) else ""
        entered = self._entered
        return prefix or (entered.mode if entered is not None else "") or self._requests().removesuffix(" · ")

    def _requests(self) -> str:
        """How many requests of agents wait for an answer, and the key that shows them; empty for none."""
        waiting = len(self._app.mux.approvals.waiting())
        key = self.keys_of(Action.APPROVALS)
        return f"{key} {count(waiting, 'request')} · " if waiting else ""

    def keys_of(self, words: str) -> str:
        """The keys of an action or a command line; empty if there are none."""
        press = next((press for press, binding in self.keymap.prefixed.items() if binding.words == words), None)
        return f"{spell(self.keymap.prefix)} {spell(press)}" if press is not None else ""

    @property
    def pending(self) -> bool:
        """Whether a client has pressed the prefix, or keys are for a mode."""
        modes = any(mode is not Mode.LOCKED for mode in self._modes.values())
        return bool(self._pending) or self._entered is not None or modes

    @property
    def _entered(self) -> "QuickSelect | CopyMode | None":
        """What keys are for in the focused pane instead of its program."""
        modes = (self._quick_select, self._copy_mode)
        return next((mode for mode in modes if mode is not None and mode.active), None)

    def pastes(self) -> str:
        """The keys that paste what was copied; empty if none do."""
        return self.keys_of(Action.PASTE)

    def is_prefix(self, press: KeyPress, further: frozenset[KeyPress] = _NONE) -> bool:
        """Whether a key starts a key command, where these keys do besides the workspace's own."""
        return canonical(press) == self.keymap.prefix or canonical(press) in further

    def press(self, press: KeyPress, client: int = 0, further: frozenset[KeyPress] = _NONE) -> bool:
        """Handle a key; whether it was not for the program. What follows a prefix is of the same client; `further` are
        its prefixes besides the workspace's own."""
        if press.name in MODIFIER_KEYS:
            return False
        self._client = client
        consumed = self._consumed.setdefault(client, set())
        if press.event is KeyEvent.RELEASE:
            return press.name in consumed
        handled = self._handle(press, client, further)
        (consumed.add if handled else consumed.discard)(press.name)
        return handled

    def consume(self, press: KeyPress, client: int = 0) -> None:
        """A key is for a dialog: no program gets its release."""
        self._consumed.setdefault(client, set()).add(press.name)

    def drop(self, client: int) -> None:
        """A client has detached."""
        self.forget(client)
        self._consumed.pop(client, None)
        self._modes.pop(client, None)

    def _handle(self, press: KeyPress, client: int, further: frozenset[KeyPress]) -> bool:
        mode, pending = self._modes.get(client), self._pending.get(client)
        if mode is Mode.LOCKED:
            return self._locked(press)
        if pending is not None and not pending.repeats and self._turns(press):
            return True
        if pending is not None:
            self.forget(client)
            if not pending.repeats:
                return self._prefixed(press, client, further)
            binding = self.keymap.prefixed.get(canonical(press))
            if binding is not None and binding.repeats:
                self._run_prefixed(binding, client)
                return True
        if mode is not None and not self.is_prefix(press, further):
            self._in_mode(press, mode)
            return True
        if not self.is_prefix(press, further) and self._mode_took(press, client):
            return True
        return self._program(press, client, further)

    def _turns(self, press: KeyPress) -> bool:
        """Whether a key showed the next page of the panel of keys."""
        return press.name == "tab" and canonical(press) not in self.keymap.prefixed and self._app.turn_keys()

    def _locked(self, press: KeyPress) -> bool:
        if canonical(press) != self.keymap.unlock:
            return False
        self.set_mode(None)
        return True

    def _in_mode(self, press: KeyPress, mode: Mode) -> None:
        """Run what a key is bound to in a mode, or without the prefix."""
        pressed = canonical(press)
        binding = self.keymap.modes[mode].get(pressed) or self.keymap.always.get(pressed)
        if binding is None:
            self._app.alert(f"{spell(pressed)} does nothing in {mode} mode; Escape leaves it")
            return
        self._run(binding)

    def _mode_took(self, press: KeyPress, client: int) -> bool:
        """Whether a key was for quick select or copy mode."""
        if (entered := self._entered) is None:
            return False
        entered.press(press, client)
        return True

    def _program(self, press: KeyPress, client: int, further: frozenset[KeyPress]) -> bool:
        if self.is_prefix(press, further):
            self._start_timer(client, self._app.settings.ui.which_key_delay_ms / 1000, repeats=False)
            return True
        binding = self.keymap.always.get(canonical(press))
        if binding is None:
            return False
        self._run(binding)
        return True

    def _prefixed(self, press: KeyPress, client: int, further: frozenset[KeyPress]) -> bool:
        if self.is_prefix(press, further):
            return self._mode_took(press, client)
        binding = self.keymap.prefixed.get(canonical(press))
        if binding is not None:
            self._run_prefixed(binding, client)
        elif press.role == "escape":
            self._app.commands.cancel()
        else:
            reason = why_not(press) or "? lists the keys"
            self._app.alert(f"{spell(self.keymap.prefix)} {spell(canonical(press))} does nothing; {reason}")
        return True

    def _run_prefixed(self, binding: Binding, client: int) -> None:
        """Run what a key after the prefix is bound to; if it repeats, it may follow at once without the prefix."""
        if binding.repeats:
            self._start_timer(client, REPEAT_SECONDS, repeats=True)
        self._run(binding)

    def _start_timer(self, client: int, seconds: float, *, repeats: bool) -> None:
        timer = asyncio.get_running_loop().call_later(seconds, self._elapsed, client)
        self._pending[client] = _PendingKeys(repeats, timer)
        self._app.mux.lease.prefix(client, pressed=not repeats)
        self._app.status_updates.request()

    def _elapsed(self, client: int) -> None:
        if self._pending[client].repeats:
            self.forget(client)
        else:
            self._app.show_keys(self.hints())

    def click_hint(self, part: str, client: int = 0) -> None:
        """A part of the hint was clicked: press its key, after the prefix where it needs that."""
        word = next((word for word in reversed(part.split()[:-1]) if word in _HINTED_KEYS), "")
        direct = next((word for word in part.split()[:-1] if "+" in word and "then" not in part), "")
        if direct and (binding := self.keymap.always.get(canonical(parse_key(direct)))):
            self._client = client
            self._run(binding)
        if self._shown_mode is not None:
            self._modes.clear() if part.split()[-1] in ("leaves", "unlocks") else None
            self._app.status_updates.request()
            return
        if not word:
            return
        press = parse_key(word if len(word) == 1 else word.lower())
        entered = self._entered
        if entered is not None and (entered is self._quick_select or word in _COPY_MODE_KEYS):
            self._mode_took(press, client)
        else:
            self.forget(client)
            self._prefixed(press, client, _NONE)

    def forget(self, client: int) -> None:
        """Forget a client's prefix."""
        pending = self._pending.pop(client, None)
        if pending is None:
            return
        pending.timer.cancel()
        self._app.mux.lease.prefix(client, pressed=False)
        if all(other.repeats for other in self._pending.values()):
            self._app.hide_keys()
        self._app.status_updates.request()

    def hints(self) -> list[Hint]:
        """Every key after the prefix and what it does."""
        rank = {words: at for at, words in enumerate(COMMON)}
        rows = grouped(self.keymap.prefixed, in_panel)
        return [Hint(keys, words, rank.get(words, len(rank))) for keys, words in rows]

    def start_quick_select(self) -> None:
        """Label what the focused pane shows."""
        from fugue_tui.tui.input.quick_select import QuickSelect

        self._leave_mode()
        self._quick_select = self._quick_select or QuickSelect(self._app)
        self._quick_select.begin()

    def paste(self, text: str) -> bool:
        """Whether a paste was for copy mode."""
        return self._copy_mode is not None and self._copy_mode.paste(text)

    def start_copy_mode(self, *, page_up: bool = False) -> None:
        """Start copy mode in the focused pane, or go on there; a page up, if wanted."""
        self._loaded_copy_mode().begin(page_up=page_up)

    def show_match(self, query: "Query", at: Pin) -> None:
        """Start copy mode in the focused pane on a match of a search."""
        self._loaded_copy_mode().show_match(query, at)

    def _loaded_copy_mode(self) -> "CopyMode":
        from fugue_tui.tui.input.copy_mode import CopyMode

        self._leave_mode()
        self._copy_mode = self._copy_mode or CopyMode(self._app)
        return self._copy_mode

    def _leave_mode(self) -> None:
        """Have the next keys for copy mode or quick select."""
        if not self.is_locked(self._client):
            self.set_mode(None)


def _first_keys(keymap: Keymap) -> str:
    """The keys to begin with, and what they do."""
    keys = {bound.words: spell(press) for press, bound in reversed(list(keymap.prefixed.items()))}
    after = [f"{keys[words]} {does}" for words, does in _HINTED if words in keys]
    direct = {bound.words: spell(press) for press, bound in keymap.always.items()}
    first = [f"{direct[words]} {does}" for words, does in _HINTED_DIRECT if words in direct]
    return " · ".join([*first, f"{spell(keymap.prefix)} then {' · '.join(after[:1] if first else after)}"])
