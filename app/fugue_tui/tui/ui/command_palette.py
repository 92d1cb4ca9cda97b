"""What people do and every command, in Textual's command palette: what the keys do first, with the keys beside it.

Enter means what stands in the line: Textual's own takes whatever its list shows at that moment, and that is the answer
to the first letters if the user types fast or pastes.
"""

# Textual leaves the type of a screen's app open.
# pyright: reportUnknownMemberType=false

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Final, cast

from msgspec import Struct
from textual import on
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher
from textual.widgets import Input
from textual.worker import Worker, WorkerError

from fugue_tui.control.core.command import Command, Effect, registry
from fugue_tui.control.keymap import PRESETS, Action, Keymap
from fugue_tui.control.keymap import Binding as KeyBinding
from fugue_tui.control.keymap import binding as binding_of
from fugue_tui.control.schema.command_schema import Description, describe
from fugue_tui.control.schema.tmux_names import tmux_names
from fugue_tui.terminal.input.keys import spell
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.key_labels import label as label_of_key
from fugue_tui.tui.input.key_labels import written
from fugue_tui_widgets.dialogs import fitting

RECENT: Final = 5
"""Entries that were chosen last, which are listed first."""
_TITLE: Final = "command palette"
_HINTS: Final = ("Enter runs", "Escape closes", "↑ ↓ choose")
_WITHOUT_KEYS: Final = (Action.CHOOSE_THEME, Action.EDIT_CONFIG)
_UNBOUND: Final = ("start-agent", *_WITHOUT_KEYS)
_FIRST: Final = (
    *("split-pane --direction horizontal", "split-pane --direction vertical", "create-window", Action.SCROLL),
    *(Action.PASTE, "zoom-pane", "select-layout next", Action.CHOOSE_WINDOW, Action.CHOOSE_SESSION, "show-agents"),
    *("focus-waiting-agent", "close-pane", "close-window", "undo-change", Action.DETACH, Action.HELP),
    *_UNBOUND,
)
"""What the palette opens on, by what a key is bound to."""
SYNONYMS: Final = {
    "split-pane --direction horizontal": "split right, vertical split, new pane beside, columns",
    "split-pane --direction vertical": "split down, horizontal split, new pane below, rows",
    "create-window": "new tab, open a tab",
    "close-pane": "kill pane, exit",
    "close-window": "close tab, kill window",
    "zoom-pane": "maximize, full screen, fullscreen, restore the size",
    "select-layout next": "change layout, arrange, tile",
    "stack-panes": "stacked panes, collapse, accordion, one expanded",
    "equalize-panes": "equal sizes, balance, distribute",
    "undo-change": "undo close, reopen, restore",
    "select-window next": "next tab",
    "select-window previous": "previous tab",
    "select-window last": "last tab",
    "swap-pane --other next": "move pane",
    "swap-pane --other previous": "move pane",
    "focus-waiting-agent": "blocked agent, permission, answer",
    "paste-smart": "clipboard, paste special",
    Action.SCROLL: "scroll back, history, search, select text, copy",
    Action.PASTE: "clipboard, insert",
    Action.DETACH: "detach, leave, quit and keep running, exit",
    Action.QUIT: "quit, exit, kill server, shut down",
    Action.HELP: "keys, shortcuts, commands, documentation",
    Action.CHOOSE_WINDOW: "tabs, list of windows, switch",
    Action.CHOOSE_SESSION: "list of sessions, switch",
    Action.CHOOSE_CLIENT: "detach another terminal",
    Action.RENAME_WINDOW: "rename tab, title",
    Action.RENAME_PANE: "title of the pane, rename pane",
    "show-tools": "MCP, tool palette, call a tool, servers, resources, prompts",
    "show-agents": "claude, codex, gemini, fleet, status",
    Action.QUICK_SELECT: "hints, links, open a URL, copy a path",
    Action.CHOOSE_BUFFER: "paste buffers, clipboard history",
    Action.FIND_WINDOW: "window by its title or visible text",
    Action.MESSAGES: "log, notifications, history of messages",
    Action.JOIN_PANE: "move a pane here, merge windows",
    Action.MOVE_WINDOW: "reorder tabs, move tab",
    "float-pane": "floating pane, embed the pane, tile",
    "toggle-floats": "floating panes, hide floating, show floating",
    "scratch-pane": "scratchpad, quake, popup shell, drop-down terminal",
    "display-popup": "floating window, lazygit, run over everything",
    "break-pane": "move the pane to a new tab, detach the pane",
    "synchronize-panes": "synchronize, broadcast input, sync",
    "respawn-pane": "rerun, restart, respawn",
    "edit-scrollback": "open the output in the editor",
    Action.TASKS: "to-do list, add a task",
    Action.APPROVALS: "permissions, approve, grants",
    Action.HOLD_PANE: "lock the pane for agents",
    Action.FREEZE_AGENTS: "stop all agents, pause",
    Action.COMMAND_LINE: "command line, prompt",
    Action.PANE_MENU: "context menu, right click",
    Action.WINDOW_MENU: "context menu of the tab, right click",
    Action.NEXT_ALERT: "bell, activity, next alert",
    Action.REDRAW: "refresh the screen",
    Action.CHOOSE_THEME: "theme, colours, colors, dark mode, light mode, appearance",
    Action.EDIT_CONFIG: "configuration, settings, preferences, options, mouse, key bindings, prefix, status bar",
    "start-agent": "start claude, start codex, start gemini, run an agent, new agent, open claude",
    "record-pane": "asciinema, record the screen, capture a video",
    Action.ANIMATION: "animations, animate, motion, blink, moving outline",
}
"""Words for the same that people search for, by what a key is bound to."""


class Entry(Struct, frozen=True):
    """A line of the palette."""

    key: str
    """What it is known by: what a key is bound to, or a command."""
    words: str
    """What it is called."""
    note: str
    """What it does, or the words by which it is found too."""
    keys: str
    """The keys that do the same; empty for none."""
    run: Callable[[], object]
    names: tuple[str, ...] = ()
    """Other names: tmux's."""

    def score(self, matcher: Matcher) -> float:
        """How well it matches; 0 if it does not. What people do comes before commands, and words before what is
        spread over several."""
        query = matcher.query.casefold()
        phrases = (self.words, *self.names, *self.note.split(", ")) if self.keys else (self.words, *self.names)
        whole = max((_rank(query, each.casefold()) for each in phrases), default=0.0)
        fuzzy = max(map(matcher.match, phrases), default=0.0)
        return 0.0 if not whole and not fuzzy else whole + fuzzy * 0.1 + (0.5 if self.keys else 0.0)


class CommandProvider(Provider):
    """Offers what keys do and the whole registry."""

    async def discover(self) -> Hits:
        """What was chosen last, what people do most, the other keys, then every command."""
        palette = self._palette
        for entry in sorted(self._entries(), key=palette.order):
            yield DiscoveryHit(_shown(entry), partial(palette.choose, entry), entry.words, entry.note)

    async def search(self, query: str) -> Hits:
        """What matches by its words, by other words for it, or by tmux's name."""
        palette, matcher = self._palette, self.matcher(query)
        for entry in self._entries():
            if score := entry.score(matcher):
                shown = _shown(entry, matcher.highlight(entry.words))
                yield Hit(score, shown, partial(palette.choose, entry), entry.words, entry.note)

    @property
    def _palette(self) -> "Palette":
        return next(screen for screen in self.app.screen_stack if isinstance(screen, Palette))

    def _entries(self) -> Iterator[Entry]:
        palette = self._palette
        keys = palette.keymap, palette.run_binding
        return chain(_of_keys(*keys), _of_no_key(*keys), self._commands())

    def _commands(self) -> Iterator[Entry]:
        for cls, description in entries():
            names = (*tmux_names(cls.verb), *filter(None, SYNONYMS.get(cls.verb, "").split(", ")))
            yield Entry(
                cls.verb, label(cls, description), description.summary, "", self._chosen(cls, description), names
            )

    def _chosen(self, cls: type[Command[Any]], description: Description) -> Callable[[], object]:
        commands = cast(AppContext, self.app).commands
        if asks(cls, description):
            return partial(commands.prompt, f"{cls.verb} ")
        return partial(commands.run_line, [cls.verb])


class Palette(CommandPalette):
    """The palette over what keys do and every command; a whole command line may be typed into it as well."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "escape", "Close", show=False, priority=True)]

    def __init__(self, keymap: Keymap, run_binding: Callable[[KeyBinding], None], recent: list[str]) -> None:
        """`recent` holds what was chosen last, latest first, and is kept up to date."""
        super().__init__(providers=[CommandProvider], placeholder="split, window, agents, quit...")
        self.keymap, self.run_binding, self._recent = keymap, run_binding, recent

    def on_mount(self) -> None:
        """Show in the frame of the line what it is."""
        self.query_one("#--input").border_title = _TITLE

    def on_resize(self) -> None:
        """Show in the frame as many keys as fit, and how to leave it first of all."""
        self.query_one("#--input").border_subtitle = fitting(_HINTS, self.size.width - 6)

    def order(self, entry: Entry) -> tuple[int, int]:
        """Where an entry stands as long as nothing is typed."""
        if entry.key in self._recent:
            return 0, self._recent.index(entry.key)
        if entry.key in _FIRST and (entry.keys or entry.key in _UNBOUND):
            return 1, _FIRST.index(entry.key)
        return 2 if entry.keys else 3, 0

    def choose(self, entry: Entry) -> None:
        """Run an entry, and list it first the next time."""
        self._recent[:] = [entry.key, *(key for key in self._recent if key != entry.key)][:RECENT]
        entry.run()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        searches = self._searches
        if not searches and self.query_one(CommandList).highlighted:
            return  # A line further down was moved to: that one is meant, and not the text.
        if (run := self._call_of(event.value.strip())) is not None:
            event.stop().prevent_default()
            self.workers.cancel_node(self)  # A search that went on would miss the list it fills, and end the app.
            self.dismiss()
            self.app.call_later(run)
        elif searches:
            event.stop().prevent_default()
            self.app.run_worker(self._submit_when_found(searches, event), exit_on_error=False)

    @property
    def _searches(self) -> "list[Worker[Any]]":
        return [worker for worker in self.workers if worker.node is self and not worker.is_finished]

    async def _submit_when_found(self, searches: "list[Worker[Any]]", event: Input.Submitted) -> None:
        with suppress(WorkerError):
            await asyncio.gather(*(worker.wait() for worker in searches))
        if self.is_current and event.input.value == event.value:
            event.input.post_message(Input.Submitted(event.input, event.value))

    def _call_of(self, line: str) -> "partial[None] | None":
        """Runs a line that starts with a command's name; None for other lines."""
        cls = next((cls for cls, _ in entries() if [cls.verb] == line.split()[:1]), None)
        if cls is None:
            return None
        commands = cast(AppContext, self.app).commands
        if line == cls.verb and asks(cls, describe(cls)):
            return partial(commands.prompt, f"{cls.verb} ")
        return partial(commands.run_line, line)


def entries() -> Iterator[tuple[type[Command[Any]], Description]]:
    """Every command with its description, in the order of declaration; commands that type into panes are last."""
    for cls in sorted(registry().values(), key=lambda cls: cls.effect is Effect.INPUT):
        yield cls, describe(cls)


def asks(cls: type[Command[Any]], description: Description) -> bool:
    """Whether a command needs arguments from the user."""
    return cls.effect is Effect.INPUT or any(field.required for field in description.fields)


def label(cls: type[Command[Any]], description: Description) -> str:
    """How the palette writes a command: `split-pane`, with `...` if it asks for more."""
    return cls.verb + (" ..." if asks(cls, description) else "")


def _of_keys(keymap: Keymap, run: Callable[[KeyBinding], None]) -> Iterator[Entry]:
    """What the keys after the prefix do, once each; not what only makes sense as a key."""
    found = dict[str, list[str]]()
    for press, binding in keymap.prefixed.items():
        found.setdefault(binding.words, []).append(written(press))
    bound = {binding.words: binding for binding in keymap.prefixed.values()}
    for words, keys in found.items():
        verb, _, rest = words.partition(" ")
        if words == Action.PALETTE or verb == "resize-pane" or rest.startswith(":") or rest in PRESETS:
            continue
        name = label_of_key(bound[words])
        shown = f"{name}: {rest}" if verb == "focus-pane" and "side" in name else name
        names = (words,) if bound[words].action is not None else (verb, *tmux_names(verb))
        yield Entry(
            words,
            shown,
            SYNONYMS.get(words, ""),
            f"{spell(keymap.prefix)} {keys[0]}",
            partial(run, bound[words]),
            names,
        )


def _of_no_key(keymap: Keymap, run: Callable[[KeyBinding], None]) -> Iterator[Entry]:
    """What people do seldom enough for it to need no key."""
    bound = {binding.action for binding in keymap.prefixed.values()}
    for action in _WITHOUT_KEYS:
        if action not in bound:
            synonyms, own = SYNONYMS[action], binding_of(action)
            yield Entry(action, label_of_key(own), synonyms, "", partial(run, own), (action, *synonyms.split(", ")))


def _rank(query: str, text: str) -> float:
    """3 for the text itself, 2 if it starts with the query, 1 if all words of the query begin words in it."""
    if text == query:
        return 3.0
    if text.startswith(query):
        return 2.0
    words = text.replace("-", " ").replace(":", " ").split()
    return 1.0 if all(any(word.startswith(each) for word in words) for each in query.split()) else 0.0


def _shown(entry: Entry, words: Content | None = None) -> Content:
    name = words or Content(entry.words)
    return Content.assemble(name, "   ", (entry.keys, "not bold")) if entry.keys else name
