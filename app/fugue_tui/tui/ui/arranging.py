"""Brings the panes' widgets in line with the workspace."""

from fugue_tui.ids import PaneId
from fugue_tui.tui.app_context import Stage
from fugue_tui.tui.ui import view_model
from fugue_tui_widgets.terminal_view import TerminalView


def arrange(app: Stage, *, watched: bool) -> bool:
    """Give the grid a view of every pane, each in its place; whether any of them moves. Looks at nothing unwatched."""
    grid, old = app.grid, app.grid.picture
    views = {pane: _view(app, pane) for pane in app.mux.terminals}
    fresh = any(pane not in grid.views for pane in views)
    grid.adopt(views)
    picture = view_model.front_picture(app.mux)
    moves = fresh or picture.solution != old.solution or picture.title_row != old.title_row
    for pane in picture.solution.panes if moves and watched else ():
        views[pane].redraw()
    grid.show(picture)
    return moves


def _view(app: Stage, pane: PaneId) -> TerminalView:
    """The view of a pane, which shows the terminal that the pane has now."""
    terminal = app.mux.terminals[pane]
    view = app.grid.views.get(pane)
    if view is None:
        return TerminalView(terminal, draws_cursor=app.viewers is None)
    if view.live is not terminal:
        view.show(terminal)
    return view
