"""Names of panes, which are unique in a session: each can be used instead of an id."""

from collections.abc import Collection, Iterable
from itertools import count

from fugue_tui.control.core.target import LONGEST_NAME, named
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.workspace import edit, find
from fugue_tui.workspace.model import Workspace


def unused(mux: Multiplexer, name: str, session: str, *, besides: Collection[PaneId] = ()) -> str:
    """A name for a pane of a session, cleaned. Raises InvalidArgument if it is no name, or names the pane that has it
    already, unless that is one of `besides`."""
    label = named(name)
    holder = holders(mux.workspace, session).get(label) if label else None
    if holder is not None and holder not in besides:
        raise InvalidArgument(f"name: {holder} is called {clean(label)} already; choose another, or rename {holder}")
    return label


def holders(workspace: Workspace, session: str) -> dict[str, PaneId]:
    """The panes of a session by their names."""
    inside = [pane for window in workspace.windows if window.session == session for pane in panes(window.layout)]
    return {workspace.panes[pane].name: pane for pane in reversed(inside) if workspace.panes[pane].name}


def numbered(workspace: Workspace, new: Iterable[PaneId]) -> tuple[Workspace, str]:
    """A workspace in which new panes have a number added to names that others have in their session, such as logs-2;
    and what was renamed, in words."""
    order, renamed = list(new), list[str]()
    for index, pane in enumerate(order):
        name, session = workspace.panes[pane].name, find.window_with(workspace, pane).session
        others = {
            workspace.panes[each].name
            for window in workspace.windows
            if window.session == session
            for each in panes(window.layout)
            if each not in order[index:]
        }
        if name and name in others:
            taken = others | {workspace.panes[each].name for each in order}
            free = next(
                label
                for number in count(2)
                if (label := f"{name[: LONGEST_NAME - len(f'-{number}')]}-{number}") not in taken
            )
            workspace = edit.rename_pane(workspace, pane, free)
            renamed.append(f"{pane} is called {clean(free)}, as another pane is called {clean(name)}")
    return workspace, "; ".join(renamed)
