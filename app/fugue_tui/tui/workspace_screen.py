"""The screen with the panes: turns the messages of its widgets into commands."""

import asyncio
from typing import Final

from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.control.commands.panes import FocusPane
from fugue_tui.control.commands.windows import SelectWindow
from fugue_tui.control.core import floats
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.keymap import Action, binding
from fugue_tui.geometry import Rect
from fugue_tui.ids import PaneId
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.clipboard import clear_other_selections, client_of, copy
from fugue_tui.tui.input.key_bindings import KeyDispatch
from fugue_tui.tui.ui.actions import Actions
from fugue_tui_widgets.error_boundary import ErrorBoundary
from fugue_tui_widgets.float_frame import FloatFrame
from fugue_tui_widgets.pane_grid import PaneGrid
from fugue_tui_widgets.region_refresh import refresh_regions
from fugue_tui_widgets.status_bar import StatusBar
from fugue_tui_widgets.terminal_view import TerminalView

_MOUSE = Origin(Interface.MOUSE)
_PARTS: Final = {
    "workspace": Action.CHOOSE_WINDOW,
    "session": Action.CHOOSE_SESSION,
    "clients": Action.CHOOSE_CLIENT,
    "agents": "show-agents",
    "title": Action.RENAME_PANE,
}
"""What a click on a part of the status bar does."""


class WorkspaceScreen(ErrorBoundary, Screen[None], inherit_bindings=False):
    """Has no key bindings: keys are handled before they reach it."""

    ALLOW_SELECT = False
    AUTO_FOCUS = ""

    def __init__(self, app: AppContext, actions: Actions, keyboard: KeyDispatch) -> None:
        super().__init__(id="workspace")
        self._app_context = app
        self._actions = actions
        self._keyboard = keyboard
        self._selecting_client: AttachedClient | None = None
        self.resumed = asyncio.Event()
        """Set once the screen is the one on top."""

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        if not self._app_context.opening:
            super()._refresh_layout(size, scroll)

    def update_node_styles(self, animate: bool = True) -> None:
        """Update the styles of all widgets, but not again of those that are new."""
        if not self._app_context.opening:
            super().update_node_styles(animate)

    def _on_timer_update(self) -> None:
        """Paint what has changed, but not between a key and its echo."""
        if (seconds := self._app_context.status_updates.held_seconds) > 0:
            self._update_timer.pause()
            asyncio.get_running_loop().call_later(seconds, self.call_later, self._on_timer_update)
        else:
            super()._on_timer_update()

    def _compositor_refresh(self) -> None:
        if not refresh_regions(self):
            super()._compositor_refresh()

    def on_screen_resume(self) -> None:
        """A dialog has closed: titles and the status bar may have waited for that."""
        self.resumed.set()
        self._app_context.status_updates.request()

    def show(self, size: Size) -> None:
        """Lay out and draw all of the screen now, and not again for what has already changed."""
        self._screen_resized(size)
        self._repaint_required = self._layout_required = False

    def pane_of(self, widget: Widget) -> PaneId | None:
        """The pane in which a widget is."""
        return self._app_context.grid.pane_of(widget)

    def on_terminal_view_typed(self, message: TerminalView.Typed) -> None:
        """Records the input: agents do not write to a pane while the user types in it."""
        pane = self.pane_of(message.view)
        if pane is not None:
            self._app_context.mux.human_input(pane)

    def on_terminal_view_scrolled(self) -> None:
        """Titles and the status bar show the scroll position."""
        self._app_context.status_updates.request()

    def on_terminal_view_selection_started(self, message: TerminalView.SelectionStarted) -> None:
        """There is one selection at a time."""
        self._selecting_client = client_of(self._app_context)
        if message.view.live is not None:
            clear_other_selections(self._app_context, message.view.live)

    def on_terminal_view_selected(self, message: TerminalView.Selected) -> None:
        """Copy the selected text, if so configured."""
        if self._app_context.settings.ui.copy_on_select:
            copy(self._app_context, message.text, message.view.live, self._selecting_client)

    def on_terminal_view_paste_refused(self, message: TerminalView.PasteRefused) -> None:
        """Show why nothing was pasted."""
        self._app_context.alert(f"not pasted: {message.reason}")

    def on_terminal_view_restart(self, message: TerminalView.Restart) -> None:
        """Enter runs an exited program again, or starts one that is held; Escape starts a shell in its place."""
        pane = self.pane_of(message.view)
        if pane is None or self._app_context.mux.runs(pane):  # The first of two Enter keys has started it.
            return
        waiting = self._app_context.mux.restored_panes.get(pane)
        if waiting is None:
            self._app_context.commands.run_line(["respawn-pane", "--pane", str(pane)])
        elif waiting.offer.shell or not message.escape:
            self._app_context.commands.run_line(
                ["start-pane", "--pane", str(pane), *(["--shell"] if message.escape else [])]
            )

    def on_terminal_view_not_started(self, message: TerminalView.NotStarted) -> None:
        """Show which keys start the program of a restored pane, as what was typed went nowhere."""
        pane = self.pane_of(message.view)
        waiting = self._app_context.mux.restored_panes.get(pane) if pane is not None else None
        if waiting is not None:
            self._app_context.alert(f"nothing runs in {pane} yet: {'; '.join(waiting.offer.calls)}")

    def on_terminal_view_close(self, message: TerminalView.Close) -> None:
        """`x` closes a pane whose program has exited; Escape only one that floats, as tmux's popups."""
        pane = self.pane_of(message.view)
        if pane is not None and message.escape and floats.of(self._app_context.mux, pane) is None:
            return
        if pane is not None and pane in self._app_context.mux.exits:  # An earlier Enter may have started it again.
            self._app_context.commands.run_line(["close-pane", "--pane", str(pane)])

    def on_terminal_view_menu_requested(self, message: TerminalView.MenuRequested) -> None:
        """Open the menu of the pane."""
        pane = self.pane_of(message.view)
        if pane is not None and self.is_current:
            self._actions.menus.pane(pane, message.at, message.cell)

    def on_terminal_view_paste_requested(self, message: TerminalView.PasteRequested) -> None:
        """Paste what was copied last."""
        pane = self.pane_of(message.view)
        if self._app_context.clipboard and pane is not None:
            self._app_context.commands.run(FocusPane(pane=str(pane)), _MOUSE)
            self._actions.paste_newest()

    def on_status_bar_menu_requested(self, message: StatusBar.MenuRequested) -> None:
        """Open the menu of a window, or of the session and the workspace."""
        if not self.is_current:
            return
        if message.window is None:
            self._actions.menus.session(message.at)
        else:
            self._actions.menus.window(message.window, message.at)

    def on_status_bar_scrolled(self, message: StatusBar.Scrolled) -> None:
        """Select the previous window, or the next one."""
        self._actions.run(binding(f"select-window {'next' if message.step > 0 else 'previous'}"))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Focus the clicked pane; the message is outdated if the focus has moved since."""
        pane = self.pane_of(event.widget) if event.widget is self.focused else None
        if pane is not None and pane != self._app_context.mux.focused and self.is_current:
            self._app_context.commands.run(FocusPane(pane=str(pane)), _MOUSE)

    def on_pane_grid_title_clicked(self, message: PaneGrid.TitleClicked) -> None:
        """Focus the pane whose title was clicked."""
        self._app_context.commands.run(FocusPane(pane=str(message.pane)), _MOUSE)

    def on_float_frame_pressed(self, message: FloatFrame.Pressed) -> None:
        """Focus the floating pane whose frame was pressed, and start a drag, which is one undo step."""
        self._app_context.commands.run(FocusPane(pane=str(message.pane)), _MOUSE)
        self._actions.begin_drag()

    def on_float_frame_dragged(self, message: FloatFrame.Dragged) -> None:
        """Move or resize it."""
        self._actions.drag_float(message.pane, Rect(*message.region), message.sides)

    def on_float_frame_released(self) -> None:
        """End the drag."""
        self._actions.end_drag()

    def on_pane_grid_title_menu_requested(self, message: PaneGrid.TitleMenuRequested) -> None:
        """Open the menu of the pane."""
        self._actions.menus.pane(message.pane, message.at)

    def on_pane_grid_title_dragged(self, message: PaneGrid.TitleDragged) -> None:
        """Show where a pane would go that is dragged by its title."""
        self._actions.drags.drag_pane(message.pane, self.query_one(StatusBar), message.at)

    def on_status_bar_tab_dragged(self, message: StatusBar.TabDragged) -> None:
        """Show where a tab would go."""
        self._actions.drags.drag_tab(message.window, self.query_one(StatusBar), message.at)

    def on_pane_grid_divider_dragged(self, message: PaneGrid.DividerDragged) -> None:
        """Resize the panes beside a dragged divider."""
        self._actions.drag(message.divider, message.cells)

    def on_pane_grid_drag_started(self, message: PaneGrid.DragStarted) -> None:
        """Start a drag, which is one undo step."""
        self._actions.begin_drag()

    def on_pane_grid_drag_ended(self, message: PaneGrid.DragEnded) -> None:
        """End the drag."""
        self._actions.end_drag()

    def on_status_bar_hint_clicked(self, message: StatusBar.HintClicked) -> None:
        """Press the key whose hint was clicked."""
        self._keyboard.click_hint(message.part)

    def on_status_bar_part_clicked(self, message: StatusBar.PartClicked) -> None:
        """Open what belongs to a part of the status bar."""
        line = _PARTS.get(message.part)
        if line is not None:
            self._actions.run(binding(line))

    def on_status_bar_tab_clicked(self, message: StatusBar.TabClicked) -> None:
        """Select the window whose tab was clicked."""
        self._app_context.commands.run(SelectWindow(window=str(message.window)), _MOUSE)
