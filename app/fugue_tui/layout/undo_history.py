"""Undo and redo of one window's layout.

Only the arrangement comes back: a pane that has gone stays gone, and a pane that has come stays, at the end.
"""

from typing import TypeAlias

from msgspec import Struct

from fugue_tui.ids import PaneId
from fugue_tui.layout.edit import append, close
from fugue_tui.layout.floating import with_hidden
from fugue_tui.layout.tree import Layout, panes

MAX_STEPS = 100
"""Most layouts kept in each direction."""

Steps: TypeAlias = tuple[Layout, ...]


class History(Struct, frozen=True):
    """The layouts before and after the present one, the nearest last. Every method returns a new history."""

    past: Steps = ()
    future: Steps = ()

    def push(self, before: Layout) -> "History":
        """Record the layout before a change; clears the redo steps."""
        if self.past and self.past[-1] == before:
            return History(self.past)
        return History((*self.past, before)[-MAX_STEPS:])

    def undo(self, present: Layout) -> tuple["History", Layout] | None:
        """The previous layout, with the present panes; None if there is no different one."""
        found = _step(self.past, present)
        if found is None:
            return None
        past, node = found
        return History(past, (*self.future, present)[-MAX_STEPS:]), node

    def redo(self, present: Layout) -> tuple["History", Layout] | None:
        """The layout that was last undone, with the present panes; None if there is no different one."""
        found = _step(self.future, present)
        if found is None:
            return None
        future, node = found
        return History((*self.past, present)[-MAX_STEPS:], future), node


def with_present_panes(old: Layout, present: Layout) -> Layout:
    """An old layout with exactly the present panes."""
    live: list[PaneId] = list(panes(present))
    node: Layout | None = old
    for pane in panes(old):
        node = close(node, pane) if node is not None and pane not in live else node
    placed = set(panes(node))
    for pane in live:
        if pane not in placed:
            node = append(node, pane)
    return present if node is None else with_hidden(node, present)


def _step(steps: Steps, present: Layout) -> tuple[Steps, Layout] | None:
    """The nearest step that differs from the present layout, and the steps beyond it."""
    for end in range(len(steps) - 1, -1, -1):
        node = with_present_panes(steps[end], present)
        if node != present:
            return steps[:end], node
    return None
