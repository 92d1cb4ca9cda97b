"""Notifications of agents that wait: outside, in the title, and never a storm."""

from typing import Any

import pytest
from pyghostty import Terminal  # pyright: ignore[reportMissingTypeStubs]
from tests.tui.conftest import Open

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.agents.state import AgentState, AgentStatus, BlockedBy, Reading, Signal
from fugue_tui.tui.ui import agent_notifications
from fugue_tui.tui.ui.agent_notifications import notice, notification_sequence


def status(state: str = "blocked", words: str = "approve Bash: make") -> AgentStatus:
    reading = Reading(AgentState(state), BlockedBy.PERMISSION if state == "blocked" else None, words)
    return AgentStatus("claude", reading, Signal.REPORT, 0.0)


@pytest.mark.parametrize(
    ("way", "sequence"),
    [
        ("osc9", b"\x1b]9;fugue-tui: a; b\x07"),
        ("osc777", b"\x1b]777;notify;fugue-tui;a, b\x07"),
        ("osc99", b"\x1b]99;;a; b\x1b\\"),
        ("bell", b"\a"),
        ("off", b""),
    ],
)
def test_each_way_has_its_sequence(way: str, sequence: bytes) -> None:
    assert notification_sequence(way, "a; b") == sequence


@pytest.mark.parametrize("way", ["osc9", "osc777", "osc99", "bell"])
def test_a_notification_leaves_the_cursor_where_it_is(way: str) -> None:
    terminal: Any = Terminal(20, 3, scrollback=0)
    for count in range(20):
        terminal.feed(b"\x1b[Habc")
        terminal.feed(notification_sequence(way, f"{count} agents wait for you"))
        assert terminal.cursor == (3, 0), count


def test_a_notice_names_the_agent_and_its_words_or_counts_them() -> None:
    one, two = PaneId(1), PaneId(2)
    assert notice("%1 (api)", {one: status()}) == "claude in %1 (api) waits for you: approve Bash: make"
    assert notice("%1", {one: status("done", "")}) == "claude in %1 is done"
    assert notice("%1", {one: status(), two: status()}) == "2 agents wait for you"
    assert notice("%1", {one: status(), two: status("done")}) == "2 agents are done or wait for you"
    assert "\x1b" not in notice("%1", {one: status(words="a\x1b]9;x\x07")})


async def test_a_storm_becomes_one_notification_and_the_title_counts(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_notifications, "DELAY_SECONDS", 0.0)
    monkeypatch.setattr(agent_notifications, "TITLE_SECONDS", 0.0)
    async with open_stage() as stage:
        sent, titles = list[bytes](), list[int]()

        def set_waiting(name: str, count: int) -> None:
            titles.append(count)

        monkeypatch.setattr(stage.server.clients, "send", sent.append)
        monkeypatch.setattr(stage.server.clients, "set_waiting", set_waiting)
        agents = stage.mux.agents
        pane = next(iter(stage.mux.terminals))
        for number in range(50):
            agents.set_status(pane, status(words=f"{number}"))
            agents.set_status(pane, status("working"))
        agents.set_status(pane, status(words="last"))
        await stage.until(lambda: bool(sent))
        assert len(sent) == 1
        assert sent[0].startswith(b"\x1b]9;")
        assert b"last" in sent[0]
        assert titles == [1]
        agents.set_status(pane, None)
        await stage.until(lambda: titles == [1, 0])


async def test_who_looks_at_the_pane_is_not_notified(open_stage: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_notifications, "DELAY_SECONDS", 0.0)
    async with open_stage() as stage:
        monkeypatch.setattr(type(stage.app.clients), "focused", True)
        sent, looked = list[bytes](), list[PaneId]()
        monkeypatch.setattr(stage.server.clients, "send", sent.append)
        notifications = stage.server.agent_notifications
        seen = notifications._is_seen  # pyright: ignore[reportPrivateUsage]

        def is_seen(pane: PaneId) -> bool:
            looked.append(pane)
            return seen(pane)

        monkeypatch.setattr(notifications, "_is_seen", is_seen)
        pane = stage.mux.focused
        assert pane is not None
        stage.mux.agents.set_status(pane, status())
        await stage.until(lambda: looked == [pane])
        assert sent == []
