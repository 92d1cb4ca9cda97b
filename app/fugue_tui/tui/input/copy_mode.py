"""Copy mode: keys move a cursor in a pane's text and scrollback, search, select and copy. Each pane has its own."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from msgspec import Struct

from fugue_tui.control.commands.edit_scrollback import EditScrollback
from fugue_tui.control.output.text_search import Query
from fugue_tui.terminal.copy_mode.motions import (
    MOTIONS,
    Motion,
    by_columns,
    by_lines,
    centred,
    into_view,
    output_at,
    repeated,
    stay,
    to_character,
)
from fugue_tui.terminal.copy_mode.text_units import Unit, span_at
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.input.keys import KeyPress, Modifiers
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.clipboard import clear_other_selections, client_of, copy
from fugue_tui.tui.input.copy_keys import digit, is_emacs, keys, spelled
from fugue_tui.tui.input.copy_search import CopySearch, SearchPrompt
from fugue_tui_widgets.terminal_view import TerminalView

_FAR: Final = 1 << 30
_MOST_TIMES: Final = 9_999
_JUMPS: Final = {
    "jump-forward": (True, False),
    "jump-backward": (False, False),
    "jump-to-forward": (True, True),
    "jump-to-backward": (False, True),
}
"""Jumps to a character that is typed next: whether forward, and whether only up to it."""


class _Copying(Struct):
    """Copy mode in one pane."""

    selects: bool = False
    rectangle: bool = False
    unit: Unit = Unit.CHARACTER
    column: int = 0
    """The column that moving up and down keeps."""
    at: Point | None = None
    """Where the cursor was put last."""
    count: str = ""
    """The digits typed before a command."""
    waits_for: str = ""
    """The jump whose character comes next; empty for none."""
    jump: tuple[str, str] = ("", "")
    """The last jump and its character."""
    search: CopySearch | None = None
    prompt: SearchPrompt | None = None


class _Press(Struct, frozen=True):
    """A command of the user in a pane."""

    live: Terminal
    mode: _Copying
    client: int
    count: int


_Run: TypeAlias = Callable[[_Press], None]


class CopyMode:
    """The keys of copy mode, which each pane is in or not, as in tmux. Main thread only."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._modes: dict[Terminal, _Copying] = {}
        self._last = ""
        """What was searched for last, in any pane."""
        self._table: Mapping[str, _Run] = {
            "begin-selection": lambda press: self._select(press.live, Unit.CHARACTER),
            "select-line": lambda press: self._select(press.live, Unit.LINE),
            "rectangle-toggle": lambda press: self._toggle_rectangle(press.live),
            "other-end": lambda press: self._swap(press.live),
            "select-output": lambda press: self._select_output(press.live),
            "edit-scrollback": lambda press: self._edit(EditScrollback()),
            "edit-output": self._edit_output,
            "copy-selection-and-cancel": self._copy,
            "copy-or-cancel": self._enter,
            "copy-end-of-line-and-cancel": self._copy_line_end,
            "clear-selection": self._escape,
            "cancel": self._quit,
            "cursor-up": lambda press: self._step(press.live, -press.count),
            "cursor-down": lambda press: self._step(press.live, press.count),
            "cursor-right": self._right,
            "jump-again": partial(self._jump_again, reverse=False),
            "jump-reverse": partial(self._jump_again, reverse=True),
            "search-forward": partial(self._prompt, backward=False),
            "search-backward": partial(self._prompt, backward=True),
            "search-forward-word": partial(self._search_word, backward=False),
            "search-backward-word": partial(self._search_word, backward=True),
            "search-again": partial(self._search_again, reverse=False),
            "search-reverse": partial(self._search_again, reverse=True),
        }

    @property
    def _live(self) -> Terminal | None:
        view = self._app.focused_view
        return view.live if view is not None else None

    @property
    def _mode(self) -> _Copying | None:
        live = self._live
        return self._modes.get(live) if live is not None else None

    @property
    def active(self) -> bool:
        """Whether the focused pane is in copy mode."""
        return self._mode is not None

    # What is shown

    @property
    def hint(self) -> str:
        """The hint in the status bar."""
        live, mode = self._live, self._mode
        if live is None or mode is None:
            return ""
        words, emacs = self._words(mode), is_emacs(self._app.settings.keys)
        if mode.prompt is not None:
            return f"{words} · Enter goes there · Escape cancels"
        if mode.waits_for:
            return "a character of the line? · Escape cancels"
        if mode.selects:
            return f"{words}: alt+w copies · ctrl+g clears" if emacs else f"{words}: y copies · Escape clears"
        if mode.search is not None:
            return f"{words} · n next · N previous · q leaves"
        if emacs:
            return f"{words}: ctrl+space selects · ctrl+s searches · q leaves"
        return f"{words}: v selects · / searches · q leaves"

    @property
    def mode(self) -> str:
        """The same in a word or two, for a narrow bar; empty if the focused pane is not in copy mode."""
        mode = self._mode
        return "" if mode is None else self._words(mode)

    def _words(self, mode: _Copying) -> str:
        count = mode.search.words(mode.at) if mode.search is not None else ""
        if mode.prompt is not None:
            return f"{mode.prompt.shown} {mode.prompt.search.error or count}".rstrip()
        name = f"selecting{' a rectangle' * mode.rectangle}" if mode.selects else "copy mode"
        return " ".join(part for part in (name, count, mode.count) if part)

    def _update(self, live: Terminal) -> None:
        """Show in the pane's title what copy mode does there."""
        mode = self._modes.get(live)
        live.copy_mode.label = "" if mode is None else self._words(mode)
        self._app.status_updates.request()

    # Starting and leaving

    def begin(self, *, page_up: bool = False) -> None:
        """Start copy mode in the focused pane; a page up, if wanted."""
        view, live = self._app.focused_view, self._live
        if view is None or live is None or live.closed:
            return
        self._modes = {each: mode for each, mode in self._modes.items() if not each.closed}
        if live not in self._modes:
            self._app.show_as_text(text=True)
            self._modes[live] = _Copying()
            self._move(live, stay)
        if page_up:
            self._page(view, live, max(view.size.height - 1, 1))
        self._update(live)

    def show_match(self, query: Query, at: Pin) -> None:
        """Start copy mode in the focused pane, with the cursor on a match of a search, with which `n` goes on."""
        self.begin()
        live, mode = self._live, self._mode
        if live is None or mode is None:
            return
        self._deselect(live)
        mode.prompt, self._last = None, query.text
        mode.search = self._new_search(live)
        mode.search.show(query)
        self._move(live, centred(at))
        self._update(live)

    def _leave(self, live: Terminal) -> None:
        self._modes.pop(live, None)
        live.copy_mode.leave()
        if (view := self._app.focused_view) is not None:
            view.scroll_back(-_FAR)
        self._app.show_as_text(text=False)
        self._update(live)

    # Keys

    def press(self, press: KeyPress, client: int) -> None:
        """Handle a key of a client in the focused pane, which is in copy mode."""
        view, live, mode = self._app.focused_view, self._live, self._mode
        if view is None or live is None or mode is None:
            return
        if mode.prompt is not None:
            self._type(live, mode, mode.prompt, press)
        elif mode.waits_for:
            self._jump_to_typed(live, mode, press)
        elif self._is_digit(mode, press):
            mode.count += digit(press, self._app.settings.keys)
        else:
            name = keys(self._app.settings.keys).get(spelled(press), "")
            count, mode.count = min(int(mode.count or 1), _MOST_TIMES), ""
            self._run(view, _Press(live, mode, client, count), name)
        self._update(live)

    def paste(self, text: str) -> bool:
        """Whether a paste was for the search that is typed in the focused pane."""
        live, mode = self._live, self._mode
        if live is None or mode is None or mode.prompt is None:
            return False
        mode.prompt.insert(text)
        self._update(live)
        return True

    def _is_digit(self, mode: _Copying, press: KeyPress) -> bool:
        typed = digit(press, self._app.settings.keys)
        return bool(typed) and (typed != "0" or bool(mode.count)) and len(mode.count) < 4

    def _run(self, view: TerminalView, press: _Press, name: str) -> None:
        if name in self._table:
            self._table[name](press)
        elif name in MOTIONS:
            self._move(press.live, repeated(MOTIONS[name], press.count))
        elif name in _JUMPS:
            press.mode.waits_for, press.mode.count = name, str(press.count) if press.count > 1 else ""
        elif (lines := _scrolls(max(view.size.height - 1, 1)).get(name)) is not None:
            self._page(view, press.live, lines * press.count)

    # Moving

    def _move(self, live: Terminal, motion: Motion, *, keeps_column: bool = False) -> None:
        """Move the cursor, and the end of the selection with it."""
        mode, place = self._modes.get(live), live.copy_mode.read(motion)
        if place is None or mode is None:
            return
        mode.at = place
        if not keeps_column:
            mode.column = place.column
        mode.selects = mode.selects and live.copy_mode.selected is not None
        if mode.selects:
            live.copy_mode.extend(place)

    def _step(self, live: Terminal, lines: int) -> None:
        mode = self._modes[live]
        self._move(live, by_lines(lines, mode.column, free=mode.rectangle), keeps_column=True)

    def _right(self, press: _Press) -> None:
        """To the right; in a rectangle past the end of the line, too."""
        by_characters = repeated(MOTIONS["cursor-right"], press.count)
        self._move(press.live, by_columns(press.count) if press.mode.rectangle else by_characters)

    def _page(self, view: TerminalView, live: Terminal, lines: int) -> None:
        """Scroll, and move the cursor with the text; by a single line only as far as necessary."""
        view.scroll_back(lines)
        motion = into_view if abs(lines) == 1 else by_lines(-lines, self._modes[live].column)
        self._move(live, motion, keeps_column=True)

    def _jump_to_typed(self, live: Terminal, mode: _Copying, press: KeyPress) -> None:
        name, mode.waits_for = mode.waits_for, ""
        count, mode.count = int(mode.count or 1), ""
        if press.text and not press.modifiers & (Modifiers.CTRL | Modifiers.ALT):
            mode.jump = (name, press.text)
            self._jump(live, mode, count, reverse=False)

    def _jump_again(self, press: _Press, *, reverse: bool) -> None:
        if press.mode.jump[1]:
            self._jump(press.live, press.mode, press.count, reverse=reverse)

    def _jump(self, live: Terminal, mode: _Copying, count: int, *, reverse: bool) -> None:
        name, char = mode.jump
        forward, till = _JUMPS[name]
        self._move(live, repeated(to_character(char, forward=forward != reverse, till=till), count))

    # Searching

    def _new_search(self, live: Terminal) -> CopySearch:
        return CopySearch(live, lambda motion: self._move(live, motion), lambda: self._update(live))

    def _prompt(self, press: _Press, *, backward: bool) -> None:
        """Open the line in which a search is typed."""
        self._move(press.live, stay)
        origin = press.live.copy_mode.pin()
        if origin is not None:
            press.mode.prompt = SearchPrompt(
                self._new_search(press.live), backward, press.mode.search, origin, self._last
            )
            press.mode.search = press.mode.prompt.search

    def _type(self, live: Terminal, mode: _Copying, prompt: SearchPrompt, press: KeyPress) -> None:
        entered = prompt.press(press)
        if entered is None:
            return
        mode.prompt = None
        if entered:
            self._last = prompt.text
            return
        mode.search = prompt.before
        prompt.search.set(Query(""), backward=False)
        if mode.search is not None:
            mode.search.mark()
        self._move(live, lambda emulator, at: prompt.origin.found() or at)

    def _search_word(self, press: _Press, *, backward: bool) -> None:
        """Search for the word under the cursor, or the one after punctuation under it, as Vi does."""
        words: list[str] = []

        def look(emulator: Emulator, at: Point) -> Point:
            span = span_at(emulator, at, Unit.WORD)
            word = emulator.between(span.first, span.stop)
            if word.strip() and not any(char.isalnum() for char in word):
                following = span_at(emulator, span.stop, Unit.WORD)
                word = emulator.between(following.first, following.stop).strip() or word
            words.append(word)
            return span.first

        press.live.copy_mode.read(look)
        if words and words[0].strip():
            press.mode.search = self._new_search(press.live)
            press.mode.search.set(Query(words[0], literal=True), backward=backward, origin=press.live.copy_mode.pin())

    def _search_again(self, press: _Press, *, reverse: bool) -> None:
        if press.mode.search is not None:
            press.mode.search.step(press.count, reverse=reverse)
        elif self._last:
            press.mode.search = self._new_search(press.live)
            press.mode.search.set(Query(self._last), backward=reverse)
        else:
            self._app.alert("nothing was searched for yet")

    # Selecting

    def _select(self, live: Terminal, unit: Unit) -> None:
        mode, place = self._modes[live], live.copy_mode.read(stay)
        if place is None:
            return
        if not mode.selects or live.copy_mode.selected is None:
            live.copy_mode.select(place, unit)
            clear_other_selections(self._app, live)
            mode.selects, mode.unit, mode.rectangle = True, unit, False
        elif unit is mode.unit and not mode.rectangle:
            self._deselect(live)
        else:
            live.copy_mode.shape(place, rectangle=False)
            live.copy_mode.extend(place, unit)
            mode.unit, mode.rectangle = unit, False

    def _toggle_rectangle(self, live: Terminal) -> None:
        """Select a rectangle, or make the selection one, or none again."""
        mode = self._modes[live]
        if not mode.selects or mode.unit is Unit.LINE:
            self._select(live, Unit.CHARACTER)
        place = live.copy_mode.read(stay)
        if place is not None:
            mode.rectangle = not mode.rectangle
            live.copy_mode.shape(place, rectangle=mode.rectangle)

    def _swap(self, live: Terminal) -> None:
        place = live.copy_mode.read(stay)
        other = live.copy_mode.swap(place) if place is not None and self._modes[live].selects else None
        if other is not None:
            self._move(live, lambda emulator, at: other)

    def _select_output(self, live: Terminal) -> None:
        """Select the whole output of the command that the cursor is at."""
        found: list[tuple[Point, Point]] = []

        def look(emulator: Emulator, at: Point) -> Point:
            found.extend(filter(None, [output_at(emulator, at)]))
            return at

        live.copy_mode.read(look)
        if not found:
            self._app.alert("no output of a command here: its shell marks no prompts, or it printed nothing")
            return
        first, last = found[0]
        self._modes[live].selects = False
        self._move(live, lambda emulator, at: first)
        self._select(live, Unit.LINE)
        self._move(live, lambda emulator, at: last)

    def _deselect(self, live: Terminal) -> None:
        mode = self._modes[live]
        mode.selects = mode.rectangle = False
        live.copy_mode.deselect()

    # Copying

    def _copy(self, press: _Press) -> None:
        text = press.live.copy_mode.selected_text
        if not text.strip():
            self._app.alert("nothing is selected; v begins, y copies")
            return
        self._leave(press.live)
        copy(self._app, text, press.live, client_of(self._app, press.client))

    def _copy_line_end(self, press: _Press) -> None:
        """Copy from the cursor to the end of the line."""
        self._deselect(press.live)
        self._select(press.live, Unit.CHARACTER)
        self._move(press.live, MOTIONS["end-of-line"])
        self._copy(press)

    def _edit(self, command: EditScrollback) -> None:
        self._app.commands.run(command, then=lambda _: None)

    def _edit_output(self, press: _Press) -> None:
        """Open the output of the command that the cursor is at; of the last one, if the prompts are not known."""
        live, place = press.live, press.live.copy_mode.read(stay)
        with live.locked() as screen:
            known = place is not None and not screen.closed and output_at(screen.emulator, place) is not None
        self._edit(EditScrollback(last=True, line=place.line if known and place is not None else None))

    def _enter(self, press: _Press) -> None:
        if press.live.copy_mode.selected is not None:
            self._copy(press)
        else:
            self._leave(press.live)

    def _escape(self, press: _Press) -> None:
        if press.live.copy_mode.selected is not None:
            self._deselect(press.live)
        else:
            self._leave(press.live)

    def _quit(self, press: _Press) -> None:
        if press.mode.selects:
            self._deselect(press.live)
        self._leave(press.live)


def _scrolls(page: int) -> Mapping[str, int]:
    """How far keys scroll; positive towards older lines."""
    half = max(page // 2, 1)
    return {
        "page-up": page, "page-down": -page, "halfpage-up": half, "halfpage-down": -half,
        "scroll-up": 1, "scroll-down": -1,
    }  # fmt: skip
