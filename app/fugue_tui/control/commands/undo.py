"""Undo and redo: of closing and opening panes for 30 seconds, and of changes of a window's layout."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.confirmation import closing
from fugue_tui.control.dispatch.policy import is_made_by
from fugue_tui.errors import Refused
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.undo.undo_log import Change
from fugue_tui.workspace import edit, find
from fugue_tui.workspace.model import Window

Number = Annotated[int, Meta(ge=1)]


class Undone(Struct, frozen=True):
    """What was undone or redone."""

    text: str
    """What is different now."""
    panes: tuple[str, ...]
    """The panes that were brought back or closed; empty for a change of the layout."""


class UndoChange(Command[Undone], name="undo-change", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Undo the last change: bring back what was closed in the last 30 seconds with its programs, close what was opened
    in the last 30 seconds, or revert a change of the layout.

    The user undoes every closing and every move between windows, and what the user has opened or rearranged in the
    active window; agents undo what they have closed, opened or moved themselves.
    """

    change: Number | None = None
    """The number of a closing or an opening, as the question for a confirmation gives it; omitted, the last change."""

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if a program ends that runs in a pane that was opened."""
        return _confirmation(mux, origin, self, _change(mux, origin, self.change, undone=False))

    def run(self, mux: Multiplexer, origin: Origin) -> Undone:
        """What was undone. Raises Refused if there is nothing to undo."""
        change = _change(mux, origin, self.change, undone=False)
        if change is None:
            _undo_layout(mux, origin)
            return _layout(mux, "reverted the last change of the layout")
        return _panes(mux, origin, change, mux.undo_log.undo(change))


class RedoChange(Command[Undone], name="redo-change", effect=Effect.LAYOUT, toolset=Toolset.LAYOUT):
    """Redo what was undone last."""

    change: Number | None = None
    """The number of a change, as the question for a confirmation gives it; omitted, the last one."""

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if a program ends that runs in a pane that was brought back."""
        return _confirmation(mux, origin, self, _change(mux, origin, self.change, undone=True))

    def run(self, mux: Multiplexer, origin: Origin) -> Undone:
        """What was redone. Raises Refused if nothing was undone."""
        change = _change(mux, origin, self.change, undone=True)
        if change is None:
            mux.redo_layout(_window(mux, origin))
            return _layout(mux, "repeated the change of the layout")
        return _panes(mux, origin, change, mux.undo_log.redo(change))


def _change(mux: Multiplexer, origin: Origin, number: int | None, *, undone: bool) -> Change | None:
    """The opening or closing of panes to revert; None for a change of the layout. Raises Refused or NotFound."""
    by_user = origin.kind.acts_for_user
    change = mux.undo_log.latest(None if by_user else origin.owner, number, undone=undone)
    if not by_user and change is None:
        raise Refused("you have closed or opened nothing in the last 30 seconds; undo-layout reverts layouts")
    if not by_user and change is not None and not change.closed:
        others = [each for each in change.panes if each in mux.workspace.panes]
        if not all(is_made_by(mux, pane, origin.owner) for pane in others):
            raise Refused("that would close panes that you did not open; close-pane asks the user")
    if not by_user or number is not None or change is None:
        return change
    window = _window(mux, origin)
    if not mux.undo_log.is_before_layout(change, window):
        return change
    # What was undone before a new change of the layout is not redone, as in any editor.
    return None if undone or mux.layout_history.of(window.id).undo(window.layout) else change


def _undo_layout(mux: Multiplexer, origin: Origin) -> None:
    try:
        mux.undo_layout(_window(mux, origin))
    except Refused as error:
        raise Refused(f"nothing was closed or opened in the last 30 seconds, and {error}") from None


def _window(mux: Multiplexer, origin: Origin) -> Window:
    return target.window(mux, target.ACTIVE, origin)


def _confirmation(
    mux: Multiplexer, origin: Origin, command: UndoChange | RedoChange, change: Change | None
) -> Confirmation | None:
    if change is None or change.closed or change.moved:
        return None
    panes = [pane for pane in change.panes if pane in mux.workspace.panes]
    question = f"Close {mux.undo_log.words(change)} again?"
    return closing(mux, panes, question, replace(command, change=change.number))


def _panes(mux: Multiplexer, origin: Origin, change: Change, text: str) -> Undone:
    """The result, after the user's focus has followed the pane that had it."""
    focused = find.active_window(change.before).active
    if change.closed and origin.is_user and focused in change.panes and focused in mux.workspace.panes:
        mux.assign(edit.focus_pane(mux.workspace, focused))
    there = change.panes if not change.closed else [pane for pane in change.panes if pane in mux.workspace.panes]
    return Undone(text, tuple(map(str, there)))


def _layout(mux: Multiplexer, text: str) -> Undone:
    mux.undo_log.on_report(text, "")
    return Undone(text, ())
