"""Passes the user's keys and pastes on: to the key bindings, to a pane's program, or to Textual."""

from collections.abc import Callable

from textual import events

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.ids import PaneId
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input import synchronized_input
from fugue_tui.tui.input.key_bindings import KeyDispatch
from fugue_tui_widgets.key_events import press_of


class PaneKeys:
    """Decides who receives a key or a paste of a view. Main thread only."""

    def __init__(
        self,
        app: AppContext,
        keyboard: KeyDispatch,
        end_outline: Callable[[], None],
        render_soon: Callable[[PaneId | None], None],
    ) -> None:
        """`end_outline` is called before a key is handled; `render_soon` announces a pane's echo."""
        self._app, self._keyboard = app, keyboard
        self._end_outline, self._render_soon = end_outline, render_soon
        self._for_widget: events.Key | None = None
        """The last key that is for a widget in a pane: Textual brings it here once more."""

    def take_key(self, event: events.Key, client: AttachedClient | None) -> bool:
        """Whether the workspace or a program consumed the key; dialogs and other widgets get theirs from Textual."""
        app, mux = self._app, self._app.mux
        press, owner = press_of(event), client.id if client else 0
        mux.lease.key_pressed()
        if not app.on_panes or not app.ready:
            self._keyboard.consume(press, owner)
            return False
        if event is self._for_widget:
            return False
        self._end_outline()
        self._render_soon(mux.focused)
        if self._keyboard.press(press, owner, client.prefixes if client else frozenset()):
            return True
        if app.grid.content_of(mux.focused) is not None:
            self._for_widget = event
            return False
        if (view := app.focused_view) is not None and mux.focused is not None:
            if press.acts:
                mux.human_input(mux.focused)
            view.press(press)
            synchronized_input.press(app, press)
        return True

    def take_paste(self, event: events.Paste) -> bool:
        """Whether a program received the paste; dialogs get theirs from Textual."""
        app, mux = self._app, self._app.mux
        view = app.focused_view
        if not app.on_panes or not app.ready or view is None or app.grid.content_of(mux.focused):
            return False
        self._render_soon(mux.focused)
        if self._keyboard.paste(event.text):
            return True
        if mux.focused is not None:
            mux.human_input(mux.focused)
        view.paste(event.text)
        synchronized_input.paste(app, event.text)
        return True
