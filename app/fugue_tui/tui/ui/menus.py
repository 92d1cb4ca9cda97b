"""The menus of panes, of tabs and of the workspace's name: tmux's, opened by the right button or by keys."""

from collections.abc import Sequence
from shlex import quote

from fugue_tui.control.keymap import binding
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import Leaf, float_of, is_stacked, panes, tiled
from fugue_tui.sanitize import clean
from fugue_tui.terminal.copy_mode.copy_mode import Cell
from fugue_tui.terminal.copy_mode.text_units import Unit
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.clipboard import clear_other_selections, client_of, copy
from fugue_tui.tui.ui.paste_buffers import PasteBuffers
from fugue_tui.tui.ui.view_model import window_label
from fugue_tui.workspace.find import is_zoomed
from fugue_tui.workspace.model import Window
from fugue_tui_widgets.dialogs import Ask
from fugue_tui_widgets.menu import Menu, MenuItem
from fugue_tui_widgets.terminal_view import TerminalView

_SAMPLE = 20
"""Most characters of a copied text in a menu."""


class Menus:
    """Opens them. Main thread only."""

    def __init__(self, app: AppContext, buffers: PasteBuffers) -> None:
        self._app, self._buffers = app, buffers

    def pane(self, pane: PaneId, at: tuple[int, int] | None = None, cell: Cell | None = None) -> None:
        """The menu of a pane; `at` is the pointer on the screen, `cell` in the pane, whose word can be copied."""
        mux, view = self._app.mux, self._app.grid.views.get(pane)
        window = mux.window_of(pane)
        marked, alone = mux.user_options.marked, len(list(panes(window.layout))) == 1
        floating = float_of(window.layout, pane) is not None
        selected = self._selected(view, cell) if view is not None and cell is not None else ""
        arrange = [
            self._item("u", "swap with the previous", f"swap-pane {pane} --other previous"),
            self._item("d", "swap with the next", f"swap-pane {pane} --other next"),
            self._item("z", "unzoom" if is_zoomed(window, pane) else "zoom", f"zoom-pane {pane}"),
            *([self._item("f", "put back among the tiles", f"embed-pane {pane}")] if floating else []),
            *([] if floating else self._floating_and_stacked(window, pane)),
            self._item("!", "move to a new window", f"break-pane {pane}"),
        ]
        mark = (
            self._item("m", "unmark", "mark-pane --clear")
            if marked == pane
            else self._item("m", "mark", f"mark-pane {pane}")
        )
        swap = [self._item("s", f"swap with {marked}", f"swap-pane {pane} --other {marked}")]
        groups = [
            [*self._copying(view, selected), *self._pasting(), self._item("[", "copy mode", "scroll")],
            [
                self._item("h", "split: side by side", f"split-pane {pane} --direction horizontal"),
                self._item("v", "split: top and bottom", f"split-pane {pane} --direction vertical"),
            ],
            [] if alone else arrange,
            [mark, *(swap if marked not in (None, pane) else [])],
            [
                self._named("n", "rename-pane", str(pane), "name of this pane", mux.workspace.panes[pane].name),
                self._item("R", "restart", f"respawn-pane {pane}"),
                self._item("X", "close", f"close-pane {pane}"),
            ],
        ]
        self._open(f"pane {pane}", groups, at or self._corner(pane), deselect=view if selected else None)

    def _floating_and_stacked(self, window: Window, pane: PaneId) -> list[MenuItem]:
        """What a tile beside others can be made."""
        if isinstance(tiled(window.layout), Leaf):
            return []
        stack = "spread the stack" if is_stacked(window.layout, pane) else "stack with those beside it"
        return [
            self._item("f", "float over the others", f"float-pane {pane}"),
            self._item("t", stack, f"stack-panes {pane}"),
        ]

    def window(self, window: WindowId, at: tuple[int, int] | None = None) -> None:
        """The menu of a window."""
        mux = self._app.mux
        found = next((each for each in mux.workspace.windows if each.id == window), None)
        if found is None:
            return
        tabs = [each.id for each in mux.workspace.windows if each.session == found.session]
        place = tabs.index(window)
        moves = [
            self._item(key, f"move to the {side}", f"swap-window {window} --other {tabs[other]}")
            for key, side, other in (("l", "left", place - 1), ("r", "right", place + 1))
            if 0 <= other < len(tabs)
        ]
        groups = [
            moves,
            [
                self._named("n", "rename-window", str(window), "name of this window", window_label(mux, found)),
                self._zoom(found),
            ],
            [self._item("w", "new window", f"create-window --session {quote(found.session)} --focus")],
            [self._item("X", "close", f"close-window {window}")],
        ]
        self._open(f"window {place + 1}", groups, at or self._foot())

    def session(self, at: tuple[int, int] | None = None) -> None:
        """The menu of the active session and the workspace."""
        groups = [
            [
                self._item("n", "next session", "select-session next"),
                self._item("p", "previous session", "select-session previous"),
                self._item("t", "choose a window", "choose-window"),
            ],
            [
                self._item("w", "new window", "create-window"),
                self._asked("s", "new session", ["create-session", "--focus", "--name"], "name of the session"),
                self._item("r", "rename the session", "ask-rename-session"),
            ],
            [
                self._item(":", "command palette", "palette"),
                self._item("?", "help", "help"),
            ],
            [self._item("d", "detach", "detach"), self._item("Q", "end everything", "quit")],
        ]
        self._open(clean(self._app.mux.workspace.name, 30), groups, at or self._foot())

    def _open(
        self,
        title: str,
        groups: Sequence[Sequence[MenuItem]],
        at: tuple[int, int],
        deselect: TerminalView | None = None,
    ) -> None:
        def chosen(item: MenuItem | None) -> None:
            if item is not None:
                item.run()
            elif deselect is not None and deselect.live is not None:
                deselect.live.copy_mode.deselect()

        self._app.push_screen(Menu(title, groups, at), chosen)

    def _item(self, key: str, text: str, line: str) -> MenuItem:
        return MenuItem(key, text, lambda: self._app.actions.run(binding(line)))

    def _zoom(self, window: Window) -> MenuItem:
        return self._item("z", "unzoom" if window.zoomed else "zoom", f"zoom-pane {window.active}")

    def _named(self, key: str, verb: str, target: str, title: str, name: str) -> MenuItem:
        return self._asked(key, "rename", [verb, target, "--name"], title, name)

    def _asked(self, key: str, text: str, words: list[str], title: str, name: str = "") -> MenuItem:
        """An item that asks for the last word of a command."""

        def answered(answer: str | None) -> None:
            if answer is not None:
                self._app.commands.run_line([*words[:-1], f"{words[-1]}={answer}"])

        return MenuItem(key, text, lambda: self._app.push_screen(Ask(title, name), answered))

    def _selected(self, view: TerminalView, cell: Cell) -> str:
        """The text that is selected in a pane, or the word under the pointer, which is selected; empty for none."""
        live = view.live
        if live is None:
            return ""
        if not live.copy_mode.shows_selection:
            clear_other_selections(self._app, live)
            live.copy_mode.select(cell, Unit.WORD)
        text = live.copy_mode.selected_text
        if not text.strip():
            live.copy_mode.deselect()
            return ""
        return text

    def _copying(self, view: TerminalView | None, text: str) -> list[MenuItem]:
        client = client_of(self._app)
        live = view.live if view is not None else None
        shown = clean(" ".join(text.split()), _SAMPLE + 1)
        shown = f"{shown[:_SAMPLE]}…" if len(shown) > _SAMPLE else shown
        return [MenuItem("c", f'copy "{shown}"', lambda: copy(self._app, text, live, client))] if text else []

    def _pasting(self) -> list[MenuItem]:
        return [MenuItem("p", "paste", self._buffers.paste_newest)] if self._app.clipboard else []

    def _corner(self, pane: PaneId) -> tuple[int, int]:
        view = self._app.grid.views.get(pane)
        return (view.region.x, view.region.y) if view is not None else (0, 0)

    def _foot(self) -> tuple[int, int]:
        return 0, self._app.size.height - 1
