"""Agents open a limited number of panes, and nobody so many that no terminal can attach."""

import json
import os
import resource

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.config.model import McpSettings, SecuritySettings
from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.errors import Refused, SpawnFailed
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import pane_limit

FULL = r"agents may have 3 panes open \(\[mcp.security\] max_panes\)"
SCRIPT = Origin(Interface.CLI, PaneId(1), inside=True)


def two_panes() -> str:
    pane = {"ratio": 0.5, "pane": {"command": "cat"}}
    return f"create-layout --layout '{json.dumps({'direction': 'horizontal', 'splits': [pane, pane]})}'"


def test_agents_have_so_many_panes_and_the_user_more(room: Room) -> None:
    room.mux.permissions = McpSettings(security=SecuritySettings(max_panes=3))
    room.cat()
    for origin in (agent(), SCRIPT, agent(PaneId(1))):
        room.say("create-window --command cat", origin)
    opening = "create-window --command cat"
    for line in (opening, "split-pane %1 --command cat", "run-command --command true", two_panes()):
        with pytest.raises(Refused, match=FULL):
            room.say(line, agent())
    assert len(room.open) == 4
    room.say("create-window --command cat", USER)
    room.say("create-window --command cat", Origin(Interface.CLI))
    room.say("close-pane %2", agent())
    room.say("create-window --command cat", agent())
    assert len(room.open) == 6


def test_all_panes_of_a_layout_count_and_none_is_opened(room: Room) -> None:
    room.cat()
    room.mux.permissions = McpSettings(security=SecuritySettings(max_panes=3))
    room.say(two_panes(), agent())
    with pytest.raises(Refused, match="this would make it 4"):
        room.say(two_panes(), agent())
    room.say("create-window --command cat", agent())
    assert len(room.open) == 4


def test_file_descriptors_are_kept_for_terminals_that_attach(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.cat()
    limit = [10**6]

    def getrlimit(which: int) -> tuple[int, int]:
        return limit[0], 10**6

    monkeypatch.setattr(resource, "getrlimit", getrlimit)
    room.cat()
    used = len(os.listdir("/dev/fd"))
    for limit[0], reserved in ((used + 6, 4), (used * 5 // 4, pane_limit.RESERVED)):
        monkeypatch.setattr(pane_limit, "RESERVED", reserved)
        for origin in (USER, agent()):
            with pytest.raises(SpawnFailed, match=rf"of {limit[0]} file descriptors are in use"):
                room.say("create-window --command cat", origin)
    assert len(room.open) == 2
    limit[0] = resource.RLIM_INFINITY
    room.cat()
