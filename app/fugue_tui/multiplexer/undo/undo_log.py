"""Undo and redo of opening, closing and moving panes: the latest such changes, and how each is reverted."""

from collections.abc import Mapping
from typing import Final, Protocol

from msgspec import Struct, structs

from fugue_tui.errors import NotFound, Refused
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import panes as panes_in
from fugue_tui.layout.undo_history import History
from fugue_tui.multiplexer.access.current_call import current_call
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.multiplexer.input.lease import Lease
from fugue_tui.multiplexer.undo.closed_panes import SECONDS, ClosedPanes
from fugue_tui.multiplexer.undo.layout_history import LayoutHistory
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.sanitize import clean
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Window, Workspace
from fugue_tui.workspace.move import moved_back
from fugue_tui.workspace.reopen import reopen

MOST: Final = 100
"""Changes kept in each direction."""


class Change(Struct, frozen=True, eq=False):
    """Panes that were opened, closed, or moved between windows, by one command."""

    number: int
    """Counts from 1."""
    closed: bool
    """Whether they were closed."""
    panes: tuple[PaneId, ...]
    owner: str
    """Who did it: `Origin.owner`; empty for the user."""
    before: Workspace
    after: Workspace
    histories: Mapping[WindowId, History]
    """The windows' layout histories."""
    moved: bool = False
    """Whether they were moved, or their windows were."""


class ChangingWorkspace(Protocol):
    """The workspace whose changes are reverted: the multiplexer."""

    terminals: dict[PaneId, Terminal]
    closed_panes: ClosedPanes
    layout_history: LayoutHistory
    lease: Lease
    on_screen: CallbackList[[PaneId]]

    @property
    def workspace(self) -> Workspace:
        """The present state."""
        ...

    def assign(self, new: Workspace) -> None:
        """Replace the workspace."""
        ...


class UndoLog:
    """The changes that can be undone, and those that were undone. Main thread only."""

    def __init__(self, mux: ChangingWorkspace) -> None:
        self.on_report = CallbackList[[str, str]]()
        """Panes were closed, or something was undone: what, and the command that brings panes back; empty for none."""
        self._mux = mux
        self._past: list[Change] = []
        self._future: list[Change] = []
        self._last_number = 0

    def opened(self, before: Workspace, panes: tuple[PaneId, ...]) -> None:
        """Record that panes were opened beside others."""
        if before.windows:
            self._future.clear()
            self._add(self._past, self._change(before, panes, self._mux.layout_history.all(), closed=False))

    def close(self, after: Workspace) -> None:
        """Assign `after`, which lacks some panes; their programs live on for a while.

        If no other pane is left, they end, and the workspace with them."""
        if not after.windows:
            self._mux.assign(after)
            return
        by = current_call.get().owner
        words = f"{_caller(by)} closed {self._words(self._lost(after), after)}"
        self._future.clear()
        self._add(self._past, self._close(after))
        self.on_report(words.strip(), "undo-change")

    def move(self, after: Workspace, panes: tuple[PaneId, ...]) -> None:
        """Assign `after`, in which panes are in other windows, or windows elsewhere. Raises Refused."""
        before = self._mux.workspace
        self._mux.assign(after)
        if self._mux.workspace is not before:
            self._future.clear()
            self._add(self._past, self._moved(before, panes))

    def latest(self, owner: str | None, number: int | None = None, *, undone: bool = False) -> Change | None:
        """The latest change that can be undone, or redone if it was `undone`; None if there is none.

        With an owner only the owner's; without, every closing and moving, and what the user has opened. Raises NotFound
        if the one with this number can be reverted no more."""
        changes = self._future if undone else self._past
        found = [each for each in reversed(changes) if _is_of(each, owner) and self._is_revertible(each)]
        if number is None:
            return found[0] if found else None
        numbered = next((each for each in found if each.number == number), None)
        if numbered is None:
            raise NotFound("it is too late to undo that; list-panes shows what is open")
        return numbered

    def is_before_layout(self, change: Change, window: Window) -> bool:
        """Whether a window's layout was changed after a change, and that has not been undone."""
        history = change.histories.get(window.id)
        return history is not None and history.past != self._mux.layout_history.of(window.id).past

    def undo(self, change: Change) -> str:
        """Revert a change; what was done, in words. Raises Refused, or InvalidArgument for a window that is full."""
        return self._step(self._past, self._future, change, "redo-change")

    def redo(self, change: Change) -> str:
        """Revert what undid a change; what was done, in words. Raises as `undo`."""
        return self._step(self._future, self._past, change, "undo-change")

    def words(self, change: Change) -> str:
        """The panes of a change that are open: `pane %3 (vim)`, `window build with 3 panes`, `2 panes`."""
        open_panes = tuple(pane for pane in change.panes if pane in self._mux.workspace.panes)
        return self._words(open_panes, change.before)

    def _step(self, source: list[Change], target: list[Change], change: Change, back: str) -> str:
        if change.moved:
            reverted = self._move_back(change)
            words, back = f"moved {self.words(change)} back", ""
        elif change.closed:
            reverted = self._reopen(change)
            words, back = f"brought back {self.words(reverted)}", ""
        else:
            words = f"closed {self.words(change)} again"
            reverted = self._close_again(change)
        source.remove(change)
        self._add(target, reverted)
        self.on_report(words, back)
        return words

    def _reopen(self, change: Change) -> Change:
        mux, before = self._mux, self._mux.workspace
        back = tuple(pane for pane in change.panes if pane in mux.closed_panes)
        after = mux.lease.admit(before, reopen(before, change.before, change.after, back))
        for pane in back:
            mux.closed_panes.show(pane)
        mux.assign(after)
        for window in {each.id for each in after.windows} - {each.id for each in before.windows}:
            mux.layout_history.replace(window, change.histories.get(window, History()))
        for pane in back:
            mux.on_screen(pane)
        return self._change(before, back, mux.layout_history.all(), closed=False)

    def _move_back(self, change: Change) -> Change:
        before = self._mux.workspace
        after = moved_back(before, change.before, change.after)
        if after is None:
            raise Refused("panes were opened, closed or moved there since; move-window and join-pane move them back")
        self._mux.assign(after)
        return self._moved(before, change.panes)

    def _close_again(self, change: Change) -> Change:
        after = self._mux.workspace
        for pane in change.panes:
            after = edit.remove_pane(after, pane) if pane in after.panes else after
        if not after.windows:
            raise Refused("these are the last panes; close-pane closes them, and ends the workspace")
        return self._close(after)

    def _close(self, after: Workspace) -> Change:
        before, histories = self._mux.workspace, self._mux.layout_history.all()
        after = self._mux.lease.admit(before, after)
        panes = self._lost(after)
        for pane in panes:
            self._mux.closed_panes.hide(pane)
        self._mux.assign(after)
        return self._change(before, panes, histories, closed=True)

    def _lost(self, after: Workspace) -> tuple[PaneId, ...]:
        return tuple(pane for pane in self._mux.workspace.panes if pane not in after.panes)

    def _change(
        self, before: Workspace, panes: tuple[PaneId, ...], histories: Mapping[WindowId, History], *, closed: bool
    ) -> Change:
        self._last_number += 1
        return Change(
            self._last_number, closed, panes, current_call.get().owner, before, self._mux.workspace, histories
        )

    def _moved(self, before: Workspace, panes: tuple[PaneId, ...]) -> Change:
        change = self._change(before, panes, self._mux.layout_history.all(), closed=False)
        return structs.replace(change, moved=True)

    def _is_revertible(self, change: Change) -> bool:
        if change.moved:
            return moved_back(self._mux.workspace, change.before, change.after) is not None
        there = self._mux.closed_panes if change.closed else self._mux.workspace.panes
        return any(pane in there for pane in change.panes)

    def _words(self, panes: tuple[PaneId, ...], without: Workspace) -> str:
        """Open panes in words, which a workspace lacks."""
        workspace, ids = self._mux.workspace, {window.id for window in without.windows}
        if len(panes) == 1:
            record, terminal = workspace.panes[panes[0]], self._mux.terminals[panes[0]]
            label = record.name or record.content or terminal.foreground or "shell"
            return f"pane {panes[0]} ({clean(label, 24)})"
        gone = [window for window in workspace.windows if window.id not in ids]
        whole = len(gone) == 1 and set(panes_in(gone[0].layout)) == set(panes)
        return f"window {gone[0].id} with {len(panes)} panes" if whole else f"{len(panes)} panes"

    def _add(self, changes: list[Change], change: Change) -> None:
        changes.append(change)
        del changes[:-MOST]
        if change.moved:
            return
        call_later(SECONDS, lambda: changes.remove(change) if change in changes else None)


def _is_of(change: Change, owner: str | None) -> bool:
    return change.closed or change.moved or not change.owner if owner is None else change.owner == owner


def _caller(owner: str) -> str:
    """A caller in words; empty for the user."""
    return owner if owner.startswith("%") or not owner else "an agent"
