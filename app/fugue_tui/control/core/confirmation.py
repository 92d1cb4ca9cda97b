"""Confirmation questions before a command ends programs."""

from collections.abc import Sequence
from typing import Any

from fugue_tui.control.core.command import Command, Confirmation
from fugue_tui.control.output.pane_titles import pane_label
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer


def ending(mux: Multiplexer, panes: Sequence[PaneId], question: str, command: Command[Any]) -> Confirmation | None:
    """The question before a command that ends the programs of these panes; None if none runs."""
    return Confirmation(question, command) if any(map(mux.runs, panes)) else None


def closing(mux: Multiplexer, panes: Sequence[PaneId], question: str, command: Command[Any]) -> Confirmation | None:
    """The same before these panes are closed, which cannot be undone if they are the last."""
    last = mux.workspace.panes.keys() <= set(panes)
    return ending(
        mux, panes, f"{question} This ends the workspace; undo cannot bring it back." if last else question, command
    )


def pane_words(mux: Multiplexer, pane: PaneId) -> str:
    """A pane and its label: `pane %3 (vim)`."""
    return f"pane {pane} ({pane_label(mux, pane)})"


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 pane`, `2 panes`."""
    return f"{number} {noun}{'s' * (number != 1)}"
