"""Copies the user's keys and pastes in a pane to the panes that are synchronized with it."""

from collections.abc import Iterator

from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.tui.app_context import AppContext
from fugue_tui_widgets.terminal_view import TerminalView


def press(app: AppContext, key: KeyPress) -> None:
    """Press a key in the others too. A program that has ended, or reads no more, holds up no other."""
    for view in _others(app, reserve=key.acts):
        view.press(key)


def paste(app: AppContext, text: str) -> None:
    """Paste into the others too."""
    for view in _others(app, reserve=True):
        view.paste(text)


def _others(app: AppContext, *, reserve: bool) -> Iterator[TerminalView]:
    """The views of the other panes whose programs run, which become reserved for the user."""
    mux, window = app.mux, app.mux.front
    synchronized = mux.user_options.synchronized(window) if window is not None else ()
    if window is None or window.active not in synchronized:
        return
    for pane in synchronized:
        view = app.grid.views.get(pane)
        if pane == window.active or view is None or not mux.runs(pane):
            continue
        if reserve:
            mux.human_input(pane)
        yield view
