"""Reading back by keys: a cursor in the focused pane's text, and with it selecting and copying."""

from collections.abc import Callable, Mapping
from typing import Final

from fugue_tui.terminal.keys import KeyPress, Modifiers
from fugue_tui.terminal.motions import MOTIONS, Motion, by_lines, into_view, stay
from fugue_tui.terminal.stretches import Unit
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.selecting import begun, copy, viewer_of
from fugue_tui.tui.stage import Stage
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
"""What the keys do, for help."""


class Reading:
    """What keys do while a person reads back. Main thread only."""

    def __init__(self, app: Stage) -> None:
        self._app = app
        self.active = False
        """Whether keys are for reading."""
        self._live: Terminal | None = None
        self._selects = False
        self._unit = Unit.CHARACTER
        self._column = 0
        self._table: Mapping[str, Callable[[Terminal, int], None]] = {
            **dict.fromkeys(("v", "space", " "), lambda live, _: self._select(live, Unit.CHARACTER)),
            "V": lambda live, _: self._select(live, Unit.LINE),
            "y": self._copy,
            "enter": self._enter,
            "escape": self._escape,
            **dict.fromkeys(("q", "ctrl+c"), self._quit),
        }

    @property
    def hint(self) -> str:
        """What the status bar says about keys."""
        return "selecting: y copies · Escape drops" if self._selects else "reading back: v selects · q leaves"

    def begin(self) -> None:
        """Keys are for reading from now on."""
        self.active = True
        self._seat()
        self._app.news()

    def pause(self) -> None:
        """Keys are for programs again; the view stays where it is, and what is selected stays selected."""
        if self.active:
            self.active = self._selects = False
            if self._live is not None:
                self._live.leave()
            self._live = None

    def _leave(self) -> None:
        self.pause()
        if (view := self._app.focused_view) is not None:
            view.scroll_back(-_FAR)
        self._app.news()

    def _seat(self) -> tuple[TerminalView, Terminal] | None:
        """The focused pane, with a cursor for reading; another pane loses it."""
        view = self._app.focused_view
        live = view.live if view is not None else None
        if live is not self._live:
            if self._live is not None:
                self._live.leave()
            self._live, self._selects = live, False
        if view is None or live is None:
            return None
        if not live.reads:
            self._move(live, stay)
        return view, live

    def take(self, press: KeyPress, owner: int) -> None:
        """Take a key of a terminal."""
        seat = self._seat()
        if seat is None:
            self._leave()
            return
        view, live = seat
        name = f"ctrl+{press.name}" if press.modifiers & Modifiers.CTRL else press.text or press.name
        if name in MOTIONS:
            self._move(live, MOTIONS[name])
        elif name in ("up", "k", "down", "j"):
            self._step(live, -1 if name in ("up", "k") else 1)
        elif (lines := _scrolls(max(view.size.height - 1, 1)).get(name)) is not None:
            self._page(view, live, lines)
        elif name in self._table:
            self._table[name](live, owner)
        self._app.news()

    # Moving

    def _move(self, live: Terminal, motion: Motion, *, keeps_column: bool = False) -> None:
        """Move the cursor, and what is being selected with it."""
        place = live.read(motion)
        if place is None:
            return
        if not keeps_column:
            self._column = place.column
        self._selects = self._selects and live.selected is not None
        if self._selects:
            live.extend(place)

    def _step(self, live: Terminal, lines: int) -> None:
        self._move(live, by_lines(lines, self._column), keeps_column=True)

    def _page(self, view: TerminalView, live: Terminal, lines: int) -> None:
        """Scroll, and take the cursor along; by a single line only as far as it has to be."""
        view.scroll_back(lines)
        motion = into_view if abs(lines) == 1 else by_lines(-lines, self._column)
        self._move(live, motion, keeps_column=True)

    # Selecting

    def _select(self, live: Terminal, unit: Unit) -> None:
        place = live.read(stay)
        if place is None:
            return
        if not self._selects or live.selected is None:
            live.select(place, unit)
            begun(self._app, live)
            self._selects, self._unit = True, unit
        elif unit is self._unit:
            self._drop(live)
        else:
            live.extend(place, unit)
            self._unit = unit

    def _drop(self, live: Terminal) -> None:
        self._selects = False
        live.deselect()

    def _copy(self, live: Terminal, owner: int) -> None:
        text = live.selected_text
        if not text.strip():
            self._app.alert("nothing is selected; v begins, y copies")
            return
        self._leave()
        copy(self._app, text, viewer_of(self._app, owner))

    def _enter(self, live: Terminal, owner: int) -> None:
        if live.selected is not None:
            self._copy(live, owner)
        else:
            self._leave()

    def _escape(self, live: Terminal, owner: int) -> None:
        if live.selected is not None:
            self._drop(live)
        else:
            self._leave()

    def _quit(self, live: Terminal, owner: int) -> None:
        if self._selects:
            self._drop(live)
        self._leave()


def _scrolls(page: int) -> Mapping[str, int]:
    """How far keys scroll; positive towards older lines."""
    return {
        "pageup": page, "ctrl+b": page, "pagedown": -page, "ctrl+f": -page,
        "ctrl+u": page // 2, "ctrl+d": -(page // 2), "ctrl+y": 1, "ctrl+e": -1,
    }  # fmt: skip
