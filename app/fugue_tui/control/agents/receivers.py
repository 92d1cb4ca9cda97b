"""Finds the agents that a message goes to: a pane, a role, a team, or all."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Origin
from fugue_tui.errors import NotFound
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.mailboxes import box_of, with_box
from fugue_tui.multiplexer.author import Kind
from fugue_tui.sanitize import clean
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Pane

ROLE: Final = "role"
"""The entry of a pane's metadata with its agent's role."""
TEAM: Final = "team"
"""The entry with its team."""


def receivers(mux: Multiplexer, words: Sequence[str], origin: Origin) -> tuple[PaneId, ...]:
    """The panes that words name, without the caller's own: an id, a name, `role:NAME`, `team:NAME` or `all`, which is
    every pane with an agent or a mailbox. Raises NotFound."""
    found = dict[PaneId, None]()
    for word in words:
        if word == "all":
            panes = [pane.id for pane in mux.workspace.panes.values() if _has_agent(mux, pane)]
        elif word.startswith(("role:", "team:")):
            kind, _, name = word.partition(":")
            panes = [pane.id for pane in mux.workspace.panes.values() if pane.metadata.get(kind) == name]
        else:
            panes = [target.pane(mux, word, origin)]
        found |= dict.fromkeys(panes)
        if not panes:
            raise NotFound(f"to: no agent in {clean(word, 60)}; list-agents shows those there are")
    found.pop(origin.pane, None)  # pyright: ignore[reportArgumentType, reportCallIssue]
    if not found:
        raise NotFound("to: that is only your own pane; list-agents shows the others")
    return tuple(found)


def mailbox(mux: Multiplexer, pane: PaneId) -> str:
    """The key of a pane's mailbox, made if it has none. Main thread; it is saved with the pane."""
    record = mux.workspace.panes[pane]
    if not box_of(record):
        record = with_box(record)
        mux.assign(edit.update_pane(mux.workspace, record))
    return box_of(record)


def with_role(pane: Pane, role: str, team: str) -> Pane:
    """A pane with a mailbox, its agent's role and its team."""
    given = {name: value for name, value in ((ROLE, role), (TEAM, team)) if value}
    return with_box(replace(pane, metadata={**pane.metadata, **given}))


def sender(mux: Multiplexer, origin: Origin) -> str:
    """Who sends a message, for its receiver: the pane with its name, or what kind of caller it is.

    What an agent names itself comes behind its pane's id, and closes no bracket: it cannot pass for the user."""
    pane = mux.workspace.panes.get(origin.pane) if origin.pane is not None else None
    if pane is not None:
        return f"{pane.id} {unbracketed(pane.name)}".rstrip()
    match origin.kind:
        case Kind.USER:
            return "the user"
        case Kind.SCRIPT:
            return "a script of the user"
        case Kind.MONITOR:
            return "the monitor"
        case _:
            return f"the client {unbracketed(clean(origin.client, 40))}".rstrip()


def unbracketed(text: str) -> str:
    """A text on one line, with round brackets for square ones: those enclose the head of a message."""
    return clean(text).translate(str.maketrans("[]", "()"))


def _has_agent(mux: Multiplexer, pane: Pane) -> bool:
    return pane.id in mux.agents.programs or bool(pane.metadata.get(TEAM)) or bool(pane.metadata.get(ROLE))
