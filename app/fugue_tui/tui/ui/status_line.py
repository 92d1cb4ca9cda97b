"""The status bar of a view: when it is displayed, and what its tabs and parts show."""

from fugue_tui.control.keymap import Action
from fugue_tui.layout.tree import Split, tiled
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.key_bindings import KeyDispatch
from fugue_tui.tui.ui import view_model
from fugue_tui.tui.ui.messages import Messages
from fugue_tui.tui.ui.pane_notifications import PaneNotifications
from fugue_tui.tui.ui.status_parts import StatusParts
from fugue_tui.tui.ui.tab_names import TabNames
from fugue_tui.tui.ui.window_monitor import WindowMonitor
from fugue_tui.workspace.model import Window
from fugue_tui_widgets.status_bar import StatusBar


class StatusLine:
    """Keeps a status bar up to date. Main thread only."""

    def __init__(
        self,
        app: AppContext,
        keyboard: KeyDispatch,
        messages: Messages,
        notifications: PaneNotifications,
        monitor: WindowMonitor,
    ) -> None:
        self._app, self._keyboard, self._messages = app, keyboard, messages
        self._notifications, self._monitor = notifications, monitor
        self._parts = StatusParts(app)
        self._tab_names = TabNames(app.mux.clock, app.status_updates.request_in)
        self._covers = False
        self.bar = StatusBar(id="status")

    @property
    def covers_panes(self) -> bool:
        """Whether the bar is displayed without a row of its own."""
        return self.bar.display and self._covers

    def place(self, *, own_row: bool, covers: bool) -> None:
        """Give the bar a row of its own; or none, where it `covers` the last row while it shows a message."""
        self._covers = covers
        self.bar.display = own_row
        self.bar.set_class(covers, "covering")

    def update(self) -> bool:
        """Show the state of the workspace; whether the bar covers other cells than before."""
        keys, mux = self._keyboard, self._app.mux
        shown = view_model.Keys(
            keys.hint,
            keys.mode,
            keys.key_mode,
            keys.mode_keys,
            keys.keys_of(Action.HELP),
            self._messages.text,
            self._messages.failed,
        )
        self._tab_names.keep(window.id for window in mux.workspace.windows)
        settings, text = self._app.settings.status, self._parts.text
        content = view_model.status_content(mux, shown, settings, text, self._label, self._marks)
        self.bar.show(content)
        self._parts.refresh()
        display = bool(keys.mode or keys.key_mode or view_model.scrolled(mux) or content.alert)
        if not self._covers or self.bar.display == display:
            return False
        self.bar.display = display
        return True

    def _label(self, window: Window) -> str:
        name = view_model.window_label(self._app.mux, window)
        if window.named and window.name:
            self._tab_names.rename(window.id)
            return name
        return self._tab_names.stable(window.id, name)

    def _marks(self, window: Window) -> tuple[str, str]:
        zoomed = "Z" if window.zoomed and isinstance(tiled(window.layout), Split) else ""
        bell = "!" if window.id in self._notifications.bell_windows else ""
        marks, tone = self._monitor.marks(window)
        return zoomed + bell + marks, tone
