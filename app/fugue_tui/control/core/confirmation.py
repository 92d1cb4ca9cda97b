"""Confirmation questions before a command ends programs, and what agents do not end."""

import json
from collections.abc import Collection, Sequence
from typing import Any

from fugue_tui.control.core.command import Command, Confirmation, Origin
from fugue_tui.control.output.pane_titles import pane_label
from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean


def ending(mux: Multiplexer, panes: Sequence[PaneId], question: str, command: Command[Any]) -> Confirmation | None:
    """The question before a command that ends the programs of these panes; None if none runs."""
    return Confirmation(question, command) if any(map(mux.runs, panes)) else None


def closing(mux: Multiplexer, panes: Sequence[PaneId], question: str, command: Command[Any]) -> Confirmation | None:
    """The same before these panes are closed, which cannot be undone if they are the last."""
    last = mux.workspace.panes.keys() <= set(panes)
    return ending(
        mux, panes, f"{question} This ends the workspace; undo cannot bring it back." if last else question, command
    )


def check_not_last(mux: Multiplexer, origin: Origin, panes: Collection[PaneId]) -> None:
    """Raise Refused if an agent would close the last pane of the workspace, or the last that it did not open."""
    if not origin.owner or not panes:
        return
    name = clean(mux.workspace.name)
    way_out = f"kill-server with the workspace's name, {name}, ends everything and leaves a save"
    left = mux.workspace.panes.keys() - set(panes)
    if not left:
        raise Refused(f"this would close the last pane and end the workspace; {way_out}")
    others = [pane for pane in panes if not _is_opened_by(mux, pane, origin.owner)]
    if others and all(_is_opened_by(mux, pane, origin.owner) for pane in left):
        raise Refused(f"{others[0]} is the last pane that you did not open; close your own ones instead, or {way_out}")


def _is_opened_by(mux: Multiplexer, pane: PaneId, owner: str) -> bool:
    """Whether a caller, or a program in a pane that it opened, opened a pane."""
    opener = mux.owners.get(pane, "")
    return opener == owner or (opener.startswith("%") and _is_opened_by(mux, PaneId(opener[1:]), owner))


def pane_words(mux: Multiplexer, pane: PaneId) -> str:
    """A pane and its label: `pane %3 (vim)`."""
    return f"pane {pane} ({pane_label(mux, pane)})"


def owned_pane_words(mux: Multiplexer, pane: PaneId) -> str:
    """A pane with whose it is, and its label in quotes, as others may have chosen it: `your pane %3 "vim"`."""
    owner, label = mux.owners.get(pane, ""), json.dumps(pane_label(mux, pane), ensure_ascii=False)
    if not owner:
        return f"your pane {pane} {label}"
    number = owner.partition("@")[0]
    opener = owner if owner.startswith("%") else f"process {number}" if number.isdecimal() else "an agent"
    return f"pane {pane}, which {opener} opened, {label}"


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 pane`, `2 panes`."""
    return f"{number} {noun}{'s' * (number != 1)}"
