"""The screen with the panes: what the messages of its widgets mean as commands."""

from textual import events
from textual.screen import Screen

from fugue_tui.control.commands.panes import FocusPane
from fugue_tui.control.commands.windows import SelectWindow
from fugue_tui.control.core.command import Door, Origin
from fugue_tui.ids import PaneId
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.clients.client import AttachedClient
from fugue_tui.tui.input.clipboard import begun, copy, viewer_of
from fugue_tui.tui.input.key_dispatch import KeyDispatch
from fugue_tui.tui.ui.actions import Actions
from fugue_tui_widgets.error_boundary import ErrorBoundary
from fugue_tui_widgets.pane_grid import PaneGrid
from fugue_tui_widgets.status_bar import StatusBar
from fugue_tui_widgets.terminal_view import TerminalView

_MOUSE = Origin(Door.MOUSE)


class WorkspaceScreen(ErrorBoundary, Screen[None], inherit_bindings=False):
    """Has no keys of its own: they are the workspace's or the programs'."""

    ALLOW_SELECT = False
    AUTO_FOCUS = ""

    def __init__(self, stage: AppContext, actions: Actions, keyboard: KeyDispatch) -> None:
        super().__init__(id="workspace")
        self._stage = stage
        self._actions = actions
        self._keyboard = keyboard
        self._selects_at: AttachedClient | None = None

    def pane_of(self, widget: object) -> PaneId | None:
        """The pane that a widget shows."""
        return next((pane for pane, view in self._stage.grid.views.items() if view is widget), None)

    def on_terminal_view_typed(self, message: TerminalView.Typed) -> None:
        """Agents keep out of a pane while a person types in it."""
        pane = self.pane_of(message.view)
        if pane is not None:
            self._stage.mux.human_input(pane)

    def on_terminal_view_scrolled(self) -> None:
        """Titles and the bar tell how far back a person reads."""
        self._stage.update_status()

    def on_terminal_view_selection_begun(self, message: TerminalView.SelectionBegun) -> None:
        """There is one selection at a time."""
        self._selects_at = viewer_of(self._stage)
        if message.view.live is not None:
            begun(self._stage, message.view.live)

    def on_terminal_view_selected(self, message: TerminalView.Selected) -> None:
        """What was selected with the mouse is copied, if the configuration wants that."""
        if self._stage.settings.ui.copy_on_select:
            copy(self._stage, message.text, self._selects_at)

    def on_terminal_view_paste_refused(self, message: TerminalView.PasteRefused) -> None:
        """The person hears that nothing was pasted, and why."""
        self._stage.alert(f"not pasted: {message.reason}")

    def on_terminal_view_again(self, message: TerminalView.Again) -> None:
        """Enter in a pane whose program has ended runs it again, or at last if it waits; Escape starts only a shell."""
        pane = self.pane_of(message.view)
        if pane is None or self._stage.mux.runs(pane):  # A second Enter came before the first had done its work.
            return
        waiting = self._stage.mux.restored_panes.get(pane)
        if waiting is None:
            self._actions.run_words(["respawn-pane", "--pane", str(pane)])
        elif waiting.offer.shell or not message.escape:
            self._actions.run_words(["start-pane", "--pane", str(pane), *(["--shell"] if message.escape else [])])

    def on_terminal_view_close(self, message: TerminalView.Close) -> None:
        """`x` in a pane whose program has ended closes it."""
        pane = self.pane_of(message.view)
        if pane is not None and pane in self._stage.mux.exits:  # An Enter before it may have begun it again.
            self._actions.run_words(["close-pane", "--pane", str(pane)])

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click gave a pane the focus; news of a focus that has moved on since is old."""
        pane = self.pane_of(event.widget) if event.widget is self.focused else None
        if pane is not None and pane != self._stage.mux.focused and self.is_current:
            self._stage.commands.run(FocusPane(pane=str(pane)), _MOUSE)

    def on_pane_grid_title_clicked(self, message: PaneGrid.TitleClicked) -> None:
        """A click on a title gives its pane the focus."""
        self._stage.commands.run(FocusPane(pane=str(message.pane)), _MOUSE)

    def on_pane_grid_divider_dragged(self, message: PaneGrid.DividerDragged) -> None:
        """A dragged divider resizes what lies on its sides."""
        self._actions.drag(message.divider, message.cells)

    def on_pane_grid_divider_taken(self, message: PaneGrid.DividerTaken) -> None:
        """What a drag changes is one step of undo."""
        self._actions.begin_drag()

    def on_pane_grid_divider_dropped(self, message: PaneGrid.DividerDropped) -> None:
        """The drag is over."""
        self._actions.end_drag()

    def on_status_bar_hint_clicked(self, message: StatusBar.HintClicked) -> None:
        """A click on what a key does is that key."""
        self._keyboard.point(message.part)

    def on_status_bar_tab_clicked(self, message: StatusBar.TabClicked) -> None:
        """A click on a tab selects its window."""
        self._stage.commands.run(SelectWindow(window=str(message.window)), _MOUSE)
