"""Agents in panes: they are found, their states follow what they show, and end with them."""

import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.agents.agent_finder import AgentFinder
from fugue_tui.control.agents.agent_monitor import AgentMonitor
from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.agents.state import AgentState, Signal
from fugue_tui.multiplexer.events.pane_events import Started
from fugue_tui.terminal.pty import process
from fugue_tui.tui import server_main

BLOCKED = "\x1b]7501;state=blocked:app=x:kind=permission:msg=bWFrZQ==\x07"
WORKING, IDLE, DONE = (f"\x1b]7501;state={state}:app=x\x07" for state in ("working", "idle", "done"))


class Fleet:
    """A workspace whose agents are followed."""

    def __init__(self, room: Room) -> None:
        room.clock = time.monotonic
        self.faults = list[str]()
        self.room, self.mux = room, room.mux
        self.finder, self.monitor = AgentFinder(room.mux), AgentMonitor(room.mux, self.faults.append)

    def agent(self, program: str = "claude") -> PaneId:
        """A pane whose program is taken for an agent."""
        pane = self.room.cat()
        self.mux.agents.set_program(pane, program)
        return pane

    def prints(self, pane: PaneId, text: str) -> None:
        """Have a pane print something, and handle it."""
        self.mux.terminals[pane].receive(memoryview(text.encode()))
        self.room.drain(pane)

    def becomes(self, pane: PaneId, state: str | None, signal: Signal | None = None) -> None:
        """Wait until the agent of a pane is in a state."""

        def reached() -> bool:
            status = self.mux.agents.statuses.get(pane)
            if state is None or status is None:
                return state is None and status is None
            return status.state.value == state and (signal is None or status.signal is signal)

        self.room.until(reached, lambda: str(self.mux.agents.statuses.get(pane)))

    def started(self, line: str) -> Any:
        """A command that waits, running."""
        return parse(line).run(self.mux, USER)

    @property
    def events(self) -> list[tuple[str | None, str | None]]:
        found = self.room.say("list-events --after 0 --kinds agent").events
        return [(each.pane, each.facts["state"]) for each in found]


@pytest.fixture
def fleet(room: Room) -> Fleet:
    return Fleet(room)


AGENT = """\
import sys
for line in sys.stdin:
    sys.stdout.write(line.strip().encode().decode("unicode_escape"))
    sys.stdout.flush()
"""


def test_an_agent_is_found_followed_and_forgotten(fleet: Fleet, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    fleet.finder.start()
    pane = fleet.room.opened("create-pane --command 'exec bash --norc -i'")
    terminal = fleet.mux.terminals[pane]
    fleet.room.until(lambda: terminal.edits_lines)
    terminal.write(f"stty -echo; (exec -a claude {sys.executable} {tmp_path}/agent.py)\r".encode())
    fleet.room.until(lambda: fleet.mux.agents.programs.get(pane))
    terminal.write(b"\\x1b]0;\\u2802 task\\x07\n")
    fleet.becomes(pane, "working", Signal.TITLE)
    terminal.write(b"Do you want to make it?\\r\\n\\u276f 1. Yes\\r\\n\n")
    fleet.becomes(pane, "blocked", Signal.SCREEN)
    terminal.write(b"\\x1b]7501;state=working:app=claude-code\\x07\n")
    fleet.becomes(pane, "working", Signal.REPORT)
    terminal.write(b"\x04")
    fleet.becomes(pane, None)
    assert [state for _, state in fleet.events][-3:] == ["blocked", "working", None]


def test_an_agent_that_has_printed_before_it_was_watched_is_found(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fugue_tui.control.agents.agent_finder.SECONDS", (0.01, 0.1, 0.1))
    fleet.finder.start()
    pane = fleet.room.opened("create-pane --command \"bash -c 'echo here; exec -a claude cat'\"")
    fleet.room.shows(pane, "here")
    fleet.room.until(lambda: fleet.mux.agents.programs.get(pane) == "claude")
    fleet.mux.on_event(pane, Started())
    assert pane not in fleet.mux.agents.programs
    fleet.room.until(lambda: fleet.mux.agents.programs.get(pane) == "claude")


def test_an_agent_whose_pane_was_closed_and_comes_back_is_found_again(fleet: Fleet) -> None:
    fleet.finder.start()
    fleet.room.cat()
    pane = fleet.room.opened("create-pane --command \"bash -c 'exec -a claude cat'\"")
    fleet.room.until(lambda: fleet.finder.find() or fleet.mux.agents.programs.get(pane))
    fleet.room.say(f"close-pane {pane}")
    assert not fleet.mux.agents.programs
    fleet.room.say("undo-change")
    fleet.room.until(lambda: fleet.mux.agents.programs.get(pane) == "claude")
    fleet.prints(pane, "\x1b]0;✳ Claude Code\x07")
    fleet.becomes(pane, "idle", Signal.TITLE)


def test_reports_of_any_program_are_followed_until_the_prompt(fleet: Fleet) -> None:
    pane = fleet.room.cat()
    fleet.prints(pane, WORKING)
    fleet.becomes(pane, "working")
    assert fleet.mux.agents.statuses[pane].program == "x"
    fleet.prints(pane, "\x1b]133;D;0\x07\x1b]133;A\x07")
    fleet.becomes(pane, None)
    fleet.prints(pane, DONE + "\x1b]133;D;0\x07\x1b]133;A\x07")
    fleet.becomes(pane, "done")
    fleet.prints(pane, "\x1b]133;B\x07\x1b]133;C\x07")
    fleet.becomes(pane, None)


def test_a_flood_of_reports_leaves_the_last(fleet: Fleet) -> None:
    pane = fleet.agent()
    fleet.prints(pane, (WORKING + BLOCKED) * 5_000 + DONE)
    fleet.becomes(pane, "done", Signal.REPORT)
    assert len(fleet.events) < 1_000


def test_a_closed_pane_has_no_agent(fleet: Fleet) -> None:
    pane = fleet.agent()
    fleet.prints(pane, BLOCKED)
    fleet.becomes(pane, "blocked")
    fleet.room.cat()
    fleet.room.say(f"close-pane {pane}")
    assert not fleet.mux.agents.statuses
    assert not fleet.mux.agents.programs
    assert not fleet.mux.agents.signals


def test_an_agent_that_ends_or_is_started_again_has_no_state(fleet: Fleet) -> None:
    pane = fleet.agent()
    fleet.prints(pane, BLOCKED)
    fleet.becomes(pane, "blocked")
    fleet.room.say(f"respawn-pane {pane} --command 'exec cat'")
    fleet.becomes(pane, None)


def test_what_an_agent_says_is_cleaned(fleet: Fleet) -> None:
    pane = fleet.agent()
    fleet.prints(pane, "\x1b]7501;state=blocked:msg=4oCueGV0YWZlPC90YWI+\x07")
    fleet.becomes(pane, "blocked")
    assert "\u202e" not in fleet.room.say("list-agents").agents[0].words


def test_agents_are_listed_with_their_states(fleet: Fleet, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    pane = fleet.room.opened(f"create-pane --name builder --cwd '{tmp_path}' --command cat")
    other = fleet.agent("codex")
    fleet.mux.agents.set_program(pane, "claude")
    fleet.prints(pane, BLOCKED + "\x1b]7501;state=working:id=t1:title=dGVzdHM=\x07")
    fleet.prints(other, IDLE)
    fleet.becomes(pane, "blocked")
    fleet.becomes(other, "idle")
    found = fleet.room.say("list-agents")
    assert found.waiting == (str(pane),)
    first = found.agents[0]
    assert (first.pane, first.name, first.program, first.state) == (str(pane), "builder", "claude", "blocked")
    assert (first.kind, first.words, first.signal, first.branch) == ("permission", "make", "report", "topic")
    assert [(task.id, task.state, task.title) for task in first.tasks] == [("t1", "working", "tests")]
    assert [each.pane for each in fleet.room.say("list-agents --states idle").agents] == [str(other)]


def test_a_state_is_explained(fleet: Fleet) -> None:
    pane = fleet.agent()
    fleet.prints(pane, "\x1b]0;✳ Claude Code\x07Do you want to make it?\r\n❯ 1. Yes\r\n")
    fleet.becomes(pane, "blocked")
    told = fleet.room.say(f"explain-agent {pane}")
    assert (told.program, told.state) == ("claude", "blocked")
    shown = [(each.signal, each.state, each.rule, each.counts) for each in told.signals]
    assert shown == [("title", "idle", "star", False), ("screen", "blocked", "permission dialog", True)]
    empty = fleet.room.say(f"explain-agent {fleet.room.cat()}")
    assert (empty.program, empty.state, empty.signals) == ("", None, ())


def test_faulty_rules_of_the_user_are_left_out(fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUGUE_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "claude.toml").write_text("[[screen]]\nname = 1\n")
    pane = fleet.agent()
    fleet.prints(pane, "\x1b]0;✳ Claude Code\x07")
    fleet.becomes(pane, "idle", Signal.TITLE)
    assert "claude.toml" in fleet.faults[0]


# Waiting


def test_a_wait_ends_when_the_first_agent_gets_there(fleet: Fleet) -> None:
    one, two = fleet.agent(), fleet.agent()
    for pane in (one, two):
        fleet.prints(pane, WORKING)
        fleet.becomes(pane, "working")
    later = fleet.started("wait-for-agents")
    fleet.prints(two, BLOCKED)
    ended = fleet.room.awaited(later)
    assert (ended.outcome, ended.reached, ended.gone) == ("reached", (str(two),), ())
    assert [(each.pane, each.state) for each in ended.agents] == [(str(one), "working"), (str(two), "blocked")]


def test_a_wait_for_a_question_ends_with_what_is_asked(fleet: Fleet) -> None:
    pane = fleet.agent()
    later = fleet.started("wait-for-agents --until blocked --timeout 30")
    fleet.prints(pane, "\x1b]7501;state=blocked:app=claude-code\x07Do you want to make it?\r\n\u276f 1. Yes\r\n")
    fleet.becomes(pane, "blocked", Signal.REPORT)
    (found,) = fleet.room.awaited(later).agents
    assert found.words == "Do you want to make it?"


def test_a_wait_for_a_question_that_nothing_explains_ends_too(fleet: Fleet) -> None:
    pane = fleet.agent()
    later = fleet.started("wait-for-agents --until blocked --timeout 30")
    fleet.prints(pane, "\x1b]7501;state=blocked:app=claude-code\x07")
    (found,) = fleet.room.awaited(later).agents
    assert (found.state, found.words) == ("blocked", "")


def test_a_wait_for_all_counts_those_that_are_gone(fleet: Fleet) -> None:
    one, two, three = fleet.agent(), fleet.agent(), fleet.agent()
    for pane in (one, two, three):
        fleet.prints(pane, WORKING)
        fleet.becomes(pane, "working")
    later = fleet.started(f"wait-for-agents {one} {two} {three} --every --until done")
    fleet.prints(one, DONE)
    fleet.becomes(one, "done")
    fleet.mux.agents.set_program(two, "")
    assert not later.done
    fleet.room.say(f"close-pane {three}")
    ended = fleet.room.awaited(later)
    assert (ended.outcome, ended.reached) == ("reached", (str(one), str(two), str(three)))
    assert ended.gone == (str(two), str(three))


def test_a_wait_that_times_out_tells_the_states(fleet: Fleet) -> None:
    pane = fleet.agent()
    fleet.prints(pane, WORKING)
    fleet.becomes(pane, "working")
    ended = fleet.room.say("wait-for-agents --timeout 0.01")
    assert (ended.outcome, ended.reached, ended.exit_status) == ("timeout", (), 124)
    assert ended.agents[0].state == "working"


def test_an_agent_that_was_just_given_input_is_not_taken_for_idle(fleet: Fleet) -> None:
    pane = fleet.agent()
    fleet.prints(pane, IDLE)
    fleet.becomes(pane, "idle")
    fleet.room.say(f"send-input {pane} --text go --submit", AGENT_ORIGIN)
    assert fleet.mux.agents.signals[pane].typed_at > fleet.mux.agents.statuses[pane].since
    later = fleet.started(f"wait-for-agents {pane} --timeout 100")
    assert not later.done
    fleet.prints(pane, WORKING)
    fleet.becomes(pane, "working")
    fleet.prints(pane, DONE)
    assert fleet.room.awaited(later).agents[0].state == "done"


def test_an_agent_that_does_not_begin_to_work_is_idle_after_a_while(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fugue_tui.control.agents.messenger.ANSWER_SECONDS", 0.05)
    pane = fleet.agent()
    fleet.prints(pane, IDLE)
    fleet.becomes(pane, "idle")
    fleet.room.say(f"send-input {pane} --text go --submit", AGENT_ORIGIN)
    assert fleet.room.say(f"wait-for-agents {pane} --timeout 100").agents[0].state == "idle"


def test_there_must_be_something_to_wait_for(fleet: Fleet) -> None:
    with pytest.raises(InvalidArgument, match="no agent runs in another pane"):
        fleet.room.say("wait-for-agents")


AGENT_ORIGIN = Origin(Interface.CLI)


def test_focus_goes_to_who_has_waited_longest_and_then_to_the_next(fleet: Fleet) -> None:
    one, two, idle = fleet.agent(), fleet.agent(), fleet.agent()
    for pane in (two, one):
        fleet.prints(pane, BLOCKED)
        fleet.becomes(pane, "blocked")
    fleet.prints(idle, IDLE)
    focused = [fleet.room.say("focus-waiting-agent").id for _ in range(3)]
    assert focused == [str(two), str(one), str(two)]
    fleet.prints(one, WORKING)
    fleet.prints(two, WORKING)
    fleet.becomes(one, "working")
    fleet.becomes(two, "working")
    with pytest.raises(NotFound, match="no agent waits"):
        fleet.room.say("focus-waiting-agent")


def test_a_hook_reports_for_its_own_pane_only(fleet: Fleet) -> None:
    pane, other = fleet.agent(), fleet.agent()
    inside = Origin(Interface.CLI, pane, inside=True)
    told = fleet.room.say("report-agent blocked --kind question --words 'which one?'", inside)
    assert (told.state, told.kind, told.words, told.signal) == ("blocked", "question", "which one?", "hook")
    assert fleet.mux.agents.statuses[pane].state is AgentState.BLOCKED
    with pytest.raises(Refused, match="not your own pane"):
        fleet.room.say(f"report-agent idle --pane {other}", inside)
    shell = fleet.room.cat()
    with pytest.raises(NotFound, match="no agent is in the foreground"):
        fleet.room.say("report-agent idle", Origin(Interface.CLI, shell, inside=True))


def test_hooks_report_model_and_cost_until_the_program_leaves_the_foreground(fleet: Fleet) -> None:
    pane = fleet.agent()
    inside = Origin(Interface.CLI, pane, inside=True)
    told = fleet.room.say("report-agent idle --model claude-opus-4-1", inside)
    assert (told.state, told.model, told.cost) == ("idle", "claude-opus-4-1", None)
    told = fleet.room.say("report-agent --cost 0.4567891", inside)
    assert (told.state, told.model, told.cost) == ("idle", "claude-opus-4-1", 0.4568)
    told = fleet.room.say("report-agent --model 'Opus\x1b[31m 4.1'", inside)
    assert (told.model, told.cost) == ("Opus 4.1", 0.4568)
    assert len(fleet.room.say(f"report-agent --model {'x' * 900}", inside).model) == 80
    (usage,) = fleet.room.say(f"explain-agent {pane}").usage
    assert (usage.source, usage.cost) == ("hook", 0.4568)
    fleet.mux.agents.set_program(pane, "codex")
    (found,) = fleet.room.say("list-agents").agents
    assert (found.program, found.model, found.cost) == ("codex", "", None)
    fleet.room.say("report-agent done --cost 0", inside)
    assert fleet.mux.agents.statuses[pane].usage.cost == 0
    fleet.mux.agents.set_program(pane, "")
    fleet.mux.agents.set_program(pane, "codex")
    assert fleet.mux.agents.statuses[pane].usage.cost is None


@pytest.mark.parametrize(
    "words", ["", "--cost -1", "--cost nan", "--cost inf", "--cost 1e9", "--kind auth", "--model ' '"]
)
def test_a_report_says_something_that_can_be(fleet: Fleet, words: str) -> None:
    inside = Origin(Interface.CLI, fleet.agent(), inside=True)
    with pytest.raises(InvalidArgument, match=r"state|cost"):
        fleet.room.say(f"report-agent {words}", inside)


def test_a_hook_of_an_agent_that_another_has_started_is_not_heard(fleet: Fleet) -> None:
    pane, wrapped = fleet.agent("claude"), fleet.agent("my-claude")
    with pytest.raises(NotFound, match="no gemini is in the foreground"):
        fleet.room.say("report-agent done --program gemini", Origin(Interface.CLI, pane, inside=True))
    for each in (pane, wrapped):
        told = fleet.room.say("report-agent done --program claude", Origin(Interface.CLI, each, inside=True))
        assert told.state == "done"


def test_a_hook_that_runs_before_its_agent_was_found_counts(fleet: Fleet) -> None:
    pane = fleet.room.opened("create-pane --command \"bash -c 'exec -a claude cat'\"")
    group = fleet.mux.terminals[pane].foreground_group
    fleet.room.until(lambda: process.argv(group)[:1] == ("claude",))
    told = fleet.room.say("report-agent idle --model m", Origin(Interface.CLI, pane, inside=True))
    assert (told.program, told.model) == ("claude", "m")


def test_reports_count_from_the_start_before_agents_are_looked_for(room: Room) -> None:
    app: Any = SimpleNamespace(mux=room.mux, on_shown=lambda: None, inform=print)
    server_main._follow_agents(app)  # pyright: ignore[reportPrivateUsage]
    room.clock = time.monotonic
    pane = room.cat()
    room.mux.terminals[pane].receive(memoryview(BLOCKED.encode()))
    room.until(lambda: pane in room.mux.agents.statuses)
    assert room.mux.agents.statuses[pane].state is AgentState.BLOCKED
    assert room.mux.agents.statuses[pane].signal is Signal.REPORT
