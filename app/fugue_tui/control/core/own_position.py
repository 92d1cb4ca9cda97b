"""How far a caller has read the panes that it opened: its waits start there, so that they miss no output.

That is the start of the pane's program at first, then the end of the caller's last read, wait, command or input there.
"""

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.access.current_call import current_call
from fugue_tui.multiplexer.watch.bookmarks import Bookmark
from fugue_tui.multiplexer.watch.new_output import OutputStart, since_bookmark
from fugue_tui.terminal.terminal import Terminal


def note_position(mux: Multiplexer, pane: PaneId, terminal: Terminal, found: Bookmark | None) -> None:
    """Note that the caller has read a pane up to a bookmark, if it opened that pane."""
    if found is not None and _is_own(mux, pane):
        mux.bookmarks.reach(terminal, found)


def own_start(mux: Multiplexer, pane: PaneId) -> OutputStart | None:
    """Where a wait of the caller starts in a pane that it opened; None for other panes. Raises NotFound."""
    terminal = mux.terminal(pane)
    found = mux.bookmarks.reached(terminal) if _is_own(mux, pane) else None
    return None if found is None else since_bookmark(terminal, found)


def birth_cursor(mux: Multiplexer, pane: PaneId) -> str | None:
    """The cursor of the start of a pane's program; None if none was started. Raises NotFound."""
    terminal = mux.terminal(pane)
    found = mux.bookmarks.birth(terminal)
    return None if found is None else mux.bookmarks.keep(pane, terminal, found)


def _is_own(mux: Multiplexer, pane: PaneId) -> bool:
    owner = current_call.get().owner
    return bool(owner) and mux.owners.get(pane) == owner
