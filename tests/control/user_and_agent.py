"""A user who types by hand, and agents whose commands go through a dispatcher."""

from typing import Any

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId
from fugue_tui.terminal.input.keys import KeyPress

AGENT = agent()
SHELL = Origin(Interface.CLI, PaneId(1), inside=True)
MODERN = "create-pane --command \"stty raw -echo; printf '\\033[?2004hready\\r\\n'; exec cat -v\""
"""A pane whose program asks for bracketed paste, so that Enter follows after a pause."""


@pytest.fixture(autouse=True)
def trusted(room: Room) -> None:
    """The policy allows agents everything, so that only the user's priority decides."""
    room.mux.permissions = McpSettings(trust="full")


def by_hand(room: Room, pane: PaneId, text: str) -> None:
    """Type by the keyboard, as the app does."""
    for char in text:
        room.mux.human_input(pane)
        room.mux.terminals[pane].press(KeyPress("enter") if char == "\n" else KeyPress(char, text=char))


def dispatch(room: Room, line: str, origin: Origin = AGENT) -> Any:
    """Run a command line through a dispatcher, to its result."""
    found = Dispatcher(room.mux).run(parse(line), origin)
    return room.awaited(found) if is_deferred(found) else found


def refused(room: Room, line: str, origin: Origin = AGENT) -> Refused:
    """The refusal of an agent's command line."""
    with pytest.raises(Refused) as caught:
        dispatch(room, line, origin)
    return caught.value


def pause(room: Room, seconds: float = 60.0) -> None:
    """The user does nothing for a while."""
    now = room.clock
    room.clock = lambda: now() + seconds
