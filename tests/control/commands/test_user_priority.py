"""Panes that the user takes over, agents that are frozen, and who typed."""

import pytest
from tests.control.user_and_agent import AGENT, MODERN, SHELL, by_hand, dispatch, pause, refused
from tests.control.user_and_agent import trusted as trusted
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.user_priority import WhoTyped
from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.multiplexer.author import Author, Kind

SCRIPT = Origin(Interface.CLI)


@pytest.mark.parametrize(
    ("stop", "release", "words"),
    [("take-pane %1", "hand-over-pane %1", "taken %1 over"), ("freeze-agents", "release-agents", "frozen")],
)
def test_agents_type_and_end_nothing_until_the_user_allows_it(room: Room, stop: str, release: str, words: str) -> None:
    pane, _ = room.cat(), room.cat()
    dispatch(room, stop, USER)
    for origin in (AGENT, agent(pane), SHELL):
        for line in ("send-input --pane %1 --text no", "close-pane %1", "interrupt-pane %1 --wait 0"):
            assert words in str(refused(room, line, origin))
        assert "only the user" in str(refused(room, release, origin))
    assert dispatch(room, f"read-pane {pane}")
    dispatch(room, "send-input --pane %1 --text yes", SCRIPT)
    room.shows(pane, "yes")
    dispatch(room, release, SCRIPT)
    dispatch(room, f"hand-over-pane {pane}", USER)
    dispatch(room, "send-input --pane %1 --text ,too")
    room.shows(pane, "yes,too")


def test_a_line_that_is_handed_over_may_be_entered(room: Room) -> None:
    pane = room.cat()
    by_hand(room, pane, "mine")
    room.shows(pane, "mine")
    refused(room, f"send-keys --pane {pane} Enter")
    dispatch(room, f"hand-over-pane {pane}", USER)
    dispatch(room, f"send-keys --pane {pane} Enter")
    room.shows(pane, "mine\nmine")


def test_a_frozen_agent_does_not_press_the_enter_of_its_text(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    later = Dispatcher(room.mux).run(parse(f"send-input --pane {pane} --text half --submit"), AGENT)
    assert is_deferred(later)
    dispatch(room, "freeze-agents", USER)
    assert room.awaited(later).submitted is False
    by_hand(room, pane, "x")
    room.shows(pane, "halfx")


def test_who_typed_lists_the_last_authors(room: Room) -> None:
    pane, told = room.cat(), list[tuple[Author, int]]()
    room.mux.on_typed.connect(lambda pane, author, count: told.append((author, count)))
    by_hand(room, pane, "ab\n")
    pause(room)
    dispatch(room, f"send-input --pane {pane} --text one --submit", agent(pane))
    dispatch(room, f"send-keys --pane {pane} x Enter", agent(pane))
    dispatch(room, f"send-input --pane {pane} --text two", SCRIPT)
    room.now += 4
    by_hand(room, pane, "c\n")
    room.now += 1
    found = room.run(WhoTyped(pane=str(pane)))
    assert [(each.kind, each.client, each.pane, each.count) for each in found.authors] == [
        (Kind.USER, "", None, 2),
        (Kind.SCRIPT, "", None, 1),
        (Kind.AGENT, "test", str(pane), 4),
        (Kind.USER, "", None, 3),
    ]
    assert [each.seconds_ago for each in found.authors] == [1.0, 5.0, 5.0, 65.0]
    assert sum(count for _, count in told) == 10
    assert {author.kind for author, _ in told} == {Kind.USER, Kind.AGENT, Kind.SCRIPT}
