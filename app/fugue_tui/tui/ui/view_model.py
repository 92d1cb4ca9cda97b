"""View models of the workspace: what the grid, the tabs and the status bar show."""

from collections.abc import Callable, Collection
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from textual.widget import Widget

from fugue_tui.config.model import UiSettings
from fugue_tui.config.status import StatusSettings
from fugue_tui.control.output.pane_titles import agent_glyph, grid_view, with_state
from fugue_tui.ids import PaneId
from fugue_tui.layout.grid_view import GridView
from fugue_tui.layout.tree import Split, panes, tiled
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.state import AgentState
from fugue_tui.multiplexer.views import View
from fugue_tui.sanitize import clean
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import Window
from fugue_tui_widgets.pane_grid import PaneGrid
from fugue_tui_widgets.status_bar import HINT, TABS, WORKSPACE, Part, StatusContent, Tab
from fugue_tui_widgets.terminal_view import TerminalView

_URGENT: Final = (AgentState.BLOCKED, AgentState.ERROR, AgentState.DONE, AgentState.WORKING)
"""The states of agents that tabs show, the one that matters most first."""


def shows_titles(mux: Multiplexer, window: Window, ui: UiSettings) -> bool:
    """Whether the panes of a window carry titles: by `auto`, where there are several, or one has a state to show."""
    if ui.titles == "auto":
        return (
            isinstance(tiled(window.layout), Split)
            or window.active in mux.exits
            or window.active in mux.injected_contexts
        )
    return ui.titles == "always"


def grid_model(mux: Multiplexer) -> GridView:
    """The active window's panes, dividers and titles."""
    return grid_view(mux, mux.front) if mux.front is not None else GridView()


def with_states(mux: Multiplexer, model: GridView, changed: Collection[PaneId]) -> GridView:
    """The same grid with the states of some panes as they are now."""
    found = mux.terminals.keys() & changed
    titles = {pane: with_state(mux, pane, title) for pane, title in model.titles.items() if pane in found}
    return replace(model, titles={**model.titles, **titles})


class Keys(Struct, frozen=True):
    """What the status bar says of keys and messages."""

    hint: str
    mode: str
    """The hint in a word or two."""
    key_mode: str
    """The mode of keys, such as `LOCKED`; empty for none."""
    mode_keys: str
    """Its keys in a word or two."""
    help: str
    """The keys that show help."""
    alert: str
    """A message."""
    failed: bool = False
    """Whether it says what went wrong."""


def status_content(
    mux: Multiplexer,
    keys: Keys,
    settings: StatusSettings,
    text: Callable[[str], str],
    label: Callable[[Window], str],
    marks: Callable[[Window], tuple[str, str]],
) -> StatusContent:
    """The status bar. `text` gives that of a part, `label` the name of a tab and `marks` what follows it, with its
    tone."""
    workspace, window = mux.workspace, mux.front
    session = window.session if window is not None else ""
    mine = [each for each in workspace.windows if each.session == session]
    several = any(each.session != session for each in workspace.windows)
    tabs = tuple(
        Tab(each.id, f"{number} {label(each)}", each.id == workspace.active, *_marks(mux, each, marks))
        for number, each in enumerate(mine, 1)
    )
    back, copied = scrolled(mux), _synchronized(mux)
    returning = "any key returns" if _history(mux) and not keys.mode and not keys.key_mode else keys.hint
    hint = " · ".join(part for part in (back, copied, returning) if part)
    named = keys.key_mode if keys.alert else f"{keys.key_mode} {keys.mode_keys}".strip()
    mode = " · ".join(part for part in (named, back, copied, keys.mode) if part)
    own = {"workspace": WORKSPACE, "tabs": TABS, "hint": HINT, "mode": Part("mode", mode)}
    left, right = (
        tuple(own.get(name) or Part(name, text(name)) for name in names) for names in (settings.left, settings.right)
    )
    return StatusContent(
        _workspace_label(mux),
        clean(session, 24) if several and "session" not in settings.left else "",
        tabs,
        hint,
        keys.alert,
        "" if own["mode"] in (*left, *right) else mode,
        "" if own["mode"] in (*left, *right) and mode else keys.help,
        left,
        right,
        ("<", ">") if mux.line_style() == "ascii" else ("‹", "›"),
        keys.failed,
    )


def _workspace_label(mux: Multiplexer) -> str:
    """The workspace's name, with what is unusual about the whole workspace."""
    waiting = len(mux.agents.waiting())
    parts = (
        clean(mux.workspace.name, 24),
        "(reduced: pyte)" if _reduced(mux) else "",
        "(not saved)" if mux.saver is not None and mux.saver.fault else "",
        "(agents frozen)" if mux.lease.frozen else "",
        "" if mux.sideband.enabled else "(output tags off)",
        f"({waiting} {'agent waits' if waiting == 1 else 'agents wait'})" if waiting else "",
    )
    return " ".join(filter(None, parts))


def _synchronized(mux: Multiplexer) -> str:
    """How many panes get the user's keys; empty if only one does."""
    panes = mux.user_options.synchronized(mux.front) if mux.front is not None else ()
    return f"input to {len(panes)} panes" if panes else ""


def _marks(mux: Multiplexer, window: Window, marks: Callable[[Window], tuple[str, str]]) -> tuple[str, str]:
    """What follows a window's name, and the tone: the state of its agent that matters most, or that of its marks."""
    states = {status.state for pane in panes(window.layout) if (status := mux.agents.statuses.get(pane))}
    state = next((each for each in _URGENT if each in states), None)
    if state is None:
        return marks(window)
    return marks(window)[0] + agent_glyph(state, ascii_only=mux.line_style() == "ascii"), state.value


def scrolled(mux: Multiplexer) -> str:
    """That the focused pane is scrolled back, or taken over by the user; empty for neither."""
    return _history(mux) or _held(mux)


def _history(mux: Multiplexer) -> str:
    """How far the focused pane is scrolled back; empty at the live screen."""
    pane = mux.focused
    offset = mux.terminals[pane].scrollback.offset if pane is not None else 0
    return f"history -{offset}" if offset else ""


def _held(mux: Multiplexer) -> str:
    """That the user has taken the focused pane over; empty if not."""
    return "held by you" if mux.focused is not None and mux.lease.is_taken(mux.focused) else ""


def _reduced(mux: Multiplexer) -> bool:
    """Whether a pane has an emulator with missing features."""
    return any(terminal.lacks for terminal in mux.terminals.values())


def window_label(mux: Multiplexer, window: Window) -> str:
    """The window's own name, or what its active pane runs."""
    if window.named and window.name:
        return clean(window.name, 24)
    pane = mux.workspace.panes[window.active]
    return clean(pane.name or pane.content or mux.terminals[pane.id].foreground or window.name or "shell", 24)


def arrange(
    mux: Multiplexer,
    grid: PaneGrid,
    view: View,
    *,
    watched: bool,
    draws_cursor: bool,
    content: Callable[[PaneId, str], Widget | None],
) -> bool:
    """Give the grid of a view a widget for each pane; whether any of them moves. Terminals are read only if `watched`.

    `content` makes what is shown in a pane that runs no program."""
    old = grid.model
    views = {
        pane: _view(grid.views.get(pane), terminal, draws_cursor, view) for pane, terminal in mux.terminals.items()
    }
    new = any(pane not in grid.views for pane in views)
    grid.set_views(views)
    own = ((pane, mux.workspace.panes[pane].content) for pane in views if pane in mux.workspace.panes)
    shown = ((pane, grid.contents.get(pane) or content(pane, what)) for pane, what in own if what)
    grid.set_contents({pane: widget for pane, widget in shown if widget is not None})
    model = grid_model(mux)
    moves = new or model.solution != old.solution or model.title_row != old.title_row
    for pane in model.solution.panes if moves and watched else ():
        views[pane].redraw()
    grid.show(model)
    return moves


def _view(shown: TerminalView | None, terminal: Terminal, draws_cursor: bool, view: View) -> TerminalView:
    """The widget of a pane in a view, or a new one, which shows the terminal that the pane has now."""
    if shown is None:
        return TerminalView(terminal, draws_cursor=draws_cursor, reader=view)
    if shown.live is not terminal:
        shown.show(terminal)
    return shown
