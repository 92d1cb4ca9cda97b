"""Whose tasks are: who may claim and change one, and whether its owner is still there."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from fugue_tui.control.agents.receivers import TEAM, mailbox, sender
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Origin
from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.mailboxes import box_of, pane_of
from fugue_tui.multiplexer.agents.tasks import USER, Task, TaskState, listed, waits_for
from fugue_tui.sanitize import clean

NOBODY: Final = "nobody"
"""The word for no owner."""


class Caller(Struct, frozen=True):
    """Who calls, as tasks know it."""

    key: str
    """The mailbox key of its pane, or `USER`; empty for a client outside of panes, and a pane without a mailbox."""
    words: str
    """Who that is, for people and models."""
    team: str = ""
    """Its team."""

    @property
    def is_user(self) -> bool:
        """Whether it may change whatever it likes."""
        return self.key == USER


def caller(mux: Multiplexer, origin: Origin, *, made: bool = False) -> Caller:
    """Who calls; with `made` its pane gets a mailbox if it has none."""
    if origin.kind.acts_for_user:
        return Caller(USER, sender(mux, origin))
    if origin.pane is None or origin.pane not in mux.workspace.panes:
        return Caller("", sender(mux, origin))
    key = mailbox(mux, origin.pane) if made else box_of(mux.workspace.panes[origin.pane])
    return Caller(key, sender(mux, origin), str(mux.workspace.panes[origin.pane].metadata.get(TEAM, "")))


def owner_key(mux: Multiplexer, word: str, origin: Origin, *, made: bool = True) -> str:
    """The key of an owner: nobody, user, or a pane's id or name. Without `made`, a pane without a mailbox has its
    id. Raises NotFound or InvalidArgument."""
    if word in (NOBODY, USER):
        return USER if word == USER else ""
    pane = target.pane(mux, word, origin)
    return mailbox(mux, pane) if made else box_of(mux.workspace.panes[pane]) or str(pane)


def owner_words(mux: Multiplexer, key: str, known: str = "") -> str:
    """An owner in words, its pane with its name; `known` is what it was called before."""
    pane = pane_of(mux.workspace, key) if key not in ("", USER) else None
    return known or key if pane is None else f"{pane} {clean(mux.workspace.panes[pane].name)}".rstrip()


def gone(mux: Multiplexer, task: Task) -> str:
    """Why the owner of a task cannot work on it any more; empty if it can, or nobody has to."""
    if task.owner in ("", USER) or task.state.finished:
        return ""
    pane = pane_of(mux.workspace, task.owner)
    if pane is None:
        return "its pane is closed"
    if pane in mux.exits or pane in mux.restored_panes:
        return "its program has ended"
    terminal = mux.terminals[pane]
    if task.program and pane not in mux.agents.programs and terminal.foreground_group == terminal.pid:
        return "its agent has ended"
    return ""


def obstacle(mux: Multiplexer, task: Task, who: Caller) -> str:
    """Why somebody cannot claim a task, as the rest of a sentence; empty if it can."""
    if task.state.finished:
        return f"is {task.state}"
    if task.owner not in ("", who.key) and not gone(mux, task):
        owner = owner_words(mux, task.owner, task.owner_words)
        return f"is claimed by {owner}" if task.state is TaskState.CLAIMED else f"is for {owner}"
    if task.team not in ("", who.team) and not who.is_user:
        return f"is for the team {task.team}"
    waiting = waits_for(mux.tasks.all, task)
    return f"waits for {listed(waiting)}" if waiting else ""


def claimable(mux: Multiplexer, who: Caller) -> list[Task]:
    """The tasks that somebody can claim, oldest first; those whose owners are gone come last."""
    found = [each for each in mux.tasks.all.values() if not obstacle(mux, each, who) and not _works_on(who, each)]
    return sorted(found, key=lambda task: (bool(gone(mux, task)), task.number))


def _works_on(who: Caller, task: Task) -> bool:
    return task.state is TaskState.CLAIMED and task.owner == who.key


def check_change(task: Task, who: Caller, *, content: bool) -> None:
    """Raise Refused unless somebody may change a task without asking: its source all, its owner its state and note.

    `content` is whether more than those is changed."""
    is_source, is_owner = (who.key and who.key == each for each in (task.source, task.owner))
    if who.is_user or is_source or (is_owner and not content):
        return
    allowed = "its owner changes its state and note alone" if is_owner else "it is not yours"
    raise Refused(f"task {task.number} was added by {task.by}: {allowed}; with force the user is asked")


def concerned(mux: Multiplexer, tasks: Iterable[Task]) -> tuple[PaneId, ...]:
    """The panes of those whose tasks these are, to ask about; none if one is the user's, or its pane is closed."""
    keys = [key for each in tasks for key in _keys(each)]
    panes: Sequence[PaneId | None] = [pane_of(mux.workspace, key) if key else None for key in keys]
    found = tuple(dict.fromkeys(pane for pane in panes if pane is not None))
    return () if None in panes else found


def _keys(task: Task) -> tuple[str, ...]:
    return (task.source, task.owner) if task.state is TaskState.CLAIMED else (task.source,)
