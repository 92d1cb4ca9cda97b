"""Dispatches keys: the prefix and what follows it, copy mode, and keys that need no prefix."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fugue_tui.control.core.confirmation import count
from fugue_tui.control.keymap import PRESETS, Action, Binding, Keymap, Mode, canonical, steps
from fugue_tui.control.output.pane_titles import ENDED_KEYS
from fugue_tui.control.tmux_keys import why_not
from fugue_tui.geometry import Side
from fugue_tui.terminal.input.key_names import MODIFIER_KEYS
from fugue_tui.terminal.input.keys import KeyEvent, KeyPress, parse_key, spell
from fugue_tui.terminal.screen.pins import Pin
from fugue_tui.tui.app_context import AppContext
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
            return f"{spell(self.keymap.unlock)} unlocks" if mode is Mode.LOCKED else _MODE_HINTS[mode]
        if (entered := self._entered) is not None:
            return entered.hint
        focused = self._app.mux.focused
        if focused is not None and (exited := self._app.mux.exits.get(focused)):
            return f"{exited.words}: {ENDED_KEYS}"
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
        rank = {words: at for at, words in enumerate(_COMMON)}
        rows = grouped(self.keymap.prefixed, _in_panel)
        return [Hint(keys, words, rank.get(words, len(rank))) for keys, words in rows]

    def start_quick_select(self) -> None:
        """Label what the focused pane shows."""
        from fugue_tui.tui.input.quick_select import QuickSelect

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

        self._copy_mode = self._copy_mode or CopyMode(self._app)
        return self._copy_mode


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
    Action.MOTION: "motion on or off",
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
    Action.APPROVALS: "answer agents, grants",
    Action.TASKS: "tasks",
    Action.HOLD_PANE: "take or hand over",
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
    Action.NEXT_ALERT: "next marked window",
    Action.PREVIOUS_ALERT: "previous marked window",
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
    "rotate-panes": "rotate the panes",
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
    "toggle-sideband": "parse tags, or not",
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
    "focus-waiting-agent": "go to who waits",
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
        return {"mark-pane": "unmark the pane", "rotate-panes": "rotate the panes back"}[verb]
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
    "marked windows": ("next marked window", "previous marked window"),
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
_COMMON: Final = (
    *("help: keys, commands", "split: side by side", "split: top and bottom", "close the pane", "focus that side"),
    *("new window", "change the window", "copy mode", "command palette", "leave; programs go on", "zoom the pane"),
    *("choose a window", "paste what was copied", "type a command", "change the layout", "undo, redo", "rename"),
    *("all agents", "go to who waits"),
)
"""What the panel of keys shows where there is no room for all, the first before the others."""
_PANEL_WORDS: Final = {each: words for words, labels in _PANEL_ROWS.items() for each in labels}


def _in_panel(binding: Binding) -> str:
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


def after_prefix(keymap: Keymap) -> list[tuple[str, str]]:
    """The keys after the prefix and what they do; keys that do the same stand together."""
    return grouped(keymap.prefixed)


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


def _first_keys(keymap: Keymap) -> str:
    """The keys to begin with, and what they do."""
    keys = {bound.words: spell(press) for press, bound in reversed(list(keymap.prefixed.items()))}
    after = [f"{keys[words]} {does}" for words, does in _HINTED if words in keys]
    direct = {bound.words: spell(press) for press, bound in keymap.always.items()}
    first = [f"{direct[words]} {does}" for words, does in _HINTED_DIRECT if words in direct]
    return " · ".join([*first, f"{spell(keymap.prefix)} then {' · '.join(after[:1] if first else after)}"])
