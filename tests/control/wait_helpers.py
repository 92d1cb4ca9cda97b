"""Waits for the tests of what programs print."""

import shlex
from typing import Any

from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.wait import PatternSpec, WaitForOutput, WaitResult
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.ids import PaneId


def begun(room: Room, pane: PaneId | str, *any_of: str | PatternSpec, **more: Any) -> Deferred[WaitResult]:
    """A wait that has begun."""
    found = WaitForOutput(panes=(str(pane),), any_of=any_of, **more).run(room.mux, agent())
    assert isinstance(found, Deferred)
    return found


def waited(room: Room, pane: PaneId | str, *any_of: str | PatternSpec, **more: Any) -> WaitResult:
    return room.awaited(begun(room, pane, *any_of, **more))


def sh(room: Room, script: str) -> PaneId:
    """A pane in which a script runs that begins when Enter is pressed, so that a wait can begin before it does."""
    line = shlex.quote(f"stty -echo; echo go; read x; {script}")
    pane = room.opened(f"create-pane --on-exit keep -- sh -c {line}")
    room.shows(pane, "go")
    return pane


def enter(room: Room, pane: PaneId) -> None:
    room.mux.terminals[pane].write(b"\n")


def ran(room: Room, script: str, *any_of: str | PatternSpec, **more: Any) -> WaitResult:
    """What a wait comes to that begins before a script does."""
    pane = sh(room, script)
    later = begun(room, pane, *any_of, **more)
    enter(room, pane)
    return room.awaited(later)
