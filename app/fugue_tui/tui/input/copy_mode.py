"""Keys of copy mode: move a cursor in the focused pane's text and scrollback, select and copy."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from fugue_tui.terminal.copy_mode.motions import MOTIONS, Motion, by_lines, into_view, stay
from fugue_tui.terminal.copy_mode.text_units import Unit
from fugue_tui.terminal.input.keys import KeyPress, Modifiers
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.clipboard import clear_other_selections, client_of, copy
from fugue_tui_widgets.terminal_view import TerminalView

_FAR: Final = 1 << 30
KEYS: Final = (
    ("arrows h j k l", "move the cursor; at an edge the text scrolls"),
    ("w b e 0 ^ $ H M L", "by words, to the ends of the line or of the screen"),
    ("PageUp PageDown g G", "a page, the oldest line, the newest; Ctrl+U Ctrl+D half a page, Ctrl+Y Ctrl+E a line"),
    ("v Space V", "begin to select; by whole lines"),
    ("y Enter", "copy what is selected, and return"),
    ("Escape", "select nothing; return"),
    ("q", "return"),
)
"""The keys, for help."""


class _Copying(Struct):
    """Copy mode in one pane."""

    selects: bool = False
    unit: Unit = Unit.CHARACTER
    column: int = 0
    """The column that moving up and down keeps."""


class CopyMode:
    """The keys of copy mode, which each pane is in or not, as in tmux. Main thread only."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._modes: dict[Terminal, _Copying] = {}
        self._table: Mapping[str, Callable[[Terminal, int], None]] = {
            **dict.fromkeys(("v", "space", " "), lambda live, _: self._select(live, Unit.CHARACTER)),
            "V": lambda live, _: self._select(live, Unit.LINE),
            "y": self._copy,
            "enter": self._enter,
            "escape": self._escape,
            **dict.fromkeys(("q", "ctrl+c"), self._quit),
        }

    @property
    def _live(self) -> Terminal | None:
        view = self._app.focused_view
        return view.live if view is not None else None

    @property
    def active(self) -> bool:
        """Whether the focused pane is in copy mode."""
        return self._live in self._modes

    @property
    def hint(self) -> str:
        """The hint in the status bar."""
        return "selecting: y copies · Escape clears" if self._selecting else "copy mode: v selects · q leaves"

    @property
    def mode(self) -> str:
        """The same in a word or two, for a narrow bar; empty if the focused pane is not in copy mode."""
        return "" if not self.active else "selecting" if self._selecting else "copy mode"

    @property
    def _selecting(self) -> bool:
        live = self._live
        return live is not None and live in self._modes and self._modes[live].selects

    def _update(self, live: Terminal) -> None:
        """Show in the pane's title what copy mode does there."""
        mode = self._modes.get(live)
        live.copy_mode.label = "" if mode is None else "selecting" if mode.selects else "copy mode"
        self._app.status_updates.request()

    def begin(self) -> None:
        """Start copy mode in the focused pane."""
        live = self._live
        if live is None or live.closed:
            return
        self._modes = {each: mode for each, mode in self._modes.items() if not each.closed}
        if live not in self._modes:
            self._modes[live] = _Copying()
            self._move(live, stay)
        self._update(live)

    def _leave(self, live: Terminal) -> None:
        self._modes.pop(live, None)
        live.copy_mode.leave()
        if (view := self._app.focused_view) is not None:
            view.scroll_back(-_FAR)
        self._update(live)

    def press(self, press: KeyPress, client: int) -> None:
        """Handle a key of a client in the focused pane, which is in copy mode."""
        view, live = self._app.focused_view, self._live
        if view is None or live is None:
            return
        name = f"ctrl+{press.name}" if press.modifiers & Modifiers.CTRL else press.text or press.role
        if name in MOTIONS:
            self._move(live, MOTIONS[name])
        elif name in ("up", "k", "down", "j"):
            self._step(live, -1 if name in ("up", "k") else 1)
        elif (lines := _scrolls(max(view.size.height - 1, 1)).get(name)) is not None:
            self._page(view, live, lines)
        elif name in self._table:
            self._table[name](live, client)
        self._update(live)

    # Moving

    def _move(self, live: Terminal, motion: Motion, *, keeps_column: bool = False) -> None:
        """Move the cursor, and the end of the selection with it."""
        mode, place = self._modes[live], live.copy_mode.read(motion)
        if place is None:
            return
        if not keeps_column:
            mode.column = place.column
        mode.selects = mode.selects and live.copy_mode.selected is not None
        if mode.selects:
            live.copy_mode.extend(place)

    def _step(self, live: Terminal, lines: int) -> None:
        self._move(live, by_lines(lines, self._modes[live].column), keeps_column=True)

    def _page(self, view: TerminalView, live: Terminal, lines: int) -> None:
        """Scroll, and move the cursor with the text; by a single line only as far as necessary."""
        view.scroll_back(lines)
        motion = into_view if abs(lines) == 1 else by_lines(-lines, self._modes[live].column)
        self._move(live, motion, keeps_column=True)

    # Selecting

    def _select(self, live: Terminal, unit: Unit) -> None:
        mode, place = self._modes[live], live.copy_mode.read(stay)
        if place is None:
            return
        if not mode.selects or live.copy_mode.selected is None:
            live.copy_mode.select(place, unit)
            clear_other_selections(self._app, live)
            mode.selects, mode.unit = True, unit
        elif unit is mode.unit:
            self._deselect(live)
        else:
            live.copy_mode.extend(place, unit)
            mode.unit = unit

    def _deselect(self, live: Terminal) -> None:
        self._modes[live].selects = False
        live.copy_mode.deselect()

    def _copy(self, live: Terminal, client: int) -> None:
        text = live.copy_mode.selected_text
        if not text.strip():
            self._app.alert("nothing is selected; v begins, y copies")
            return
        self._leave(live)
        copy(self._app, text, live, client_of(self._app, client))

    def _enter(self, live: Terminal, client: int) -> None:
        if live.copy_mode.selected is not None:
            self._copy(live, client)
        else:
            self._leave(live)

    def _escape(self, live: Terminal, client: int) -> None:
        if live.copy_mode.selected is not None:
            self._deselect(live)
        else:
            self._leave(live)

    def _quit(self, live: Terminal, client: int) -> None:
        if self._modes[live].selects:
            self._deselect(live)
        self._leave(live)


def _scrolls(page: int) -> Mapping[str, int]:
    """How far keys scroll; positive towards older lines."""
    return {
        "pageup": page, "ctrl+b": page, "pagedown": -page, "ctrl+f": -page,
        "ctrl+u": page // 2, "ctrl+d": -(page // 2), "ctrl+y": 1, "ctrl+e": -1,
    }  # fmt: skip
