"""What is done about a monitored agent next: every condition, the order of actions, limits and pauses."""

from typing import Any

import pytest
from msgspec.structs import replace

from fugue_tui.config.monitor import OFF, POSSIBLE, Action, Condition, MonitorRules
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.agents.monitored import (
    LONGEST_PAUSE,
    TYPING_SECONDS,
    Acted,
    MonitoredPane,
    NextAction,
    Observed,
    Saved,
    decide,
    is_exhausted,
    loaded,
    saved,
    unloaded,
    with_action,
    with_rules,
    worked,
)
from fugue_tui.multiplexer.agents.state import AgentState
from fugue_tui.workspace.model import Pane

HOLDS = {
    Condition.GONE: (Observed(started=0.0, gone_at=100.0), 105.0),
    Condition.BUDGET: (Observed(started=40.0, state=AgentState.WORKING, since=50.0, progress_at=100.0), 640.0),
    Condition.BLOCKED: (Observed(started=0.0, state=AgentState.BLOCKED, since=100.0), 220.0),
    Condition.LOOPING: (Observed(started=0.0, state=AgentState.WORKING, since=90.0, progress_at=100.0), 1000.0),
    Condition.IDLE: (Observed(started=0.0, state=AgentState.IDLE, since=100.0), 400.0),
}
"""An agent in each condition, and when the first action is due by the seconds that hold at first."""


def rules(condition: Condition, *actions: Action, **more: Any) -> MonitorRules:
    budget = {"budget_seconds": 600.0} if condition is Condition.BUDGET else {}
    return MonitorRules(**{condition.value: actions}, **budget, **more)


@pytest.mark.parametrize(
    ("condition", "action"), [(condition, action) for condition, actions in POSSIBLE.items() for action in actions]
)
def test_each_action_is_due_once_its_condition_has_lasted(condition: Condition, action: Action) -> None:
    agent, due = HOLDS[condition]
    assert decide(agent, rules(condition, action), {}) == NextAction(condition, action, due, 1)
    assert decide(agent, OFF, {}) is None
    resting = {Condition.GONE, Condition.BLOCKED, Condition.IDLE} - {condition}
    assert [decide(agent, rules(each, Action.TELL), {}) for each in resting] == [None] * len(resting)


@pytest.mark.parametrize("condition", Condition)
def test_only_the_budget_is_looked_at_after_so_many_actions_in_all(condition: Condition) -> None:
    agent, _ = HOLDS[condition]
    wanted = rules(condition, Action.TELL, total=5)
    assert decide(replace(agent, acted=4), wanted, {}) is not None
    assert (decide(replace(agent, acted=5), wanted, {}) is None) is (condition is not Condition.BUDGET)


@pytest.mark.parametrize("condition", Condition)
def test_actions_come_in_order_each_so_often_with_pauses_that_double(condition: Condition) -> None:
    agent, due = HOLDS[condition]
    wanted = rules(condition, Action.TELL, Action.ESCALATE, times=2, backoff=30.0)
    history: dict[Condition, Acted] = {}
    seen = list[tuple[Action, int]]()
    pauses = list[float]()
    now = due
    while (action := decide(agent, wanted, history)) is not None:
        seen.append((action.action, action.number))
        pauses.append(action.at - now)
        now = action.at
        assert not is_exhausted(wanted, history, condition)
        history = dict(with_action(history, condition, now))
    assert seen == [(Action.TELL, 1), (Action.TELL, 2), (Action.ESCALATE, 1), (Action.ESCALATE, 2)]
    assert pauses == [0.0, 30.0, 60.0, 120.0]
    assert is_exhausted(wanted, history, condition)


def test_a_pause_has_an_end() -> None:
    agent, _ = HOLDS[Condition.IDLE]
    found = decide(agent, rules(Condition.IDLE, Action.TELL, times=100), {Condition.IDLE: Acted(60, 5000.0)})
    assert found is not None
    assert found.at == 5000.0 + LONGEST_PAUSE


@pytest.mark.parametrize("state", [AgentState.IDLE, AgentState.DONE, AgentState.ERROR])
def test_an_agent_that_has_ended_its_turn_rests(state: AgentState) -> None:
    agent = Observed(started=0.0, state=state, since=7.0)
    assert decide(agent, rules(Condition.IDLE, Action.NUDGE), {}) == NextAction(Condition.IDLE, Action.NUDGE, 307.0, 1)
    assert decide(replace(agent, state=AgentState.UNKNOWN), rules(Condition.IDLE, Action.NUDGE), {}) is None


def test_the_user_comes_first() -> None:
    agent, _ = HOLDS[Condition.IDLE]
    typed = decide(replace(agent, typed_at=395.0), rules(Condition.IDLE, Action.NUDGE), {})
    assert typed is not None
    assert typed.at == 395.0 + TYPING_SECONDS
    assert decide(replace(agent, paused=True), rules(Condition.IDLE, Action.NUDGE), {}) is None


def test_of_several_the_first_that_is_due_comes() -> None:
    wanted = MonitorRules(idle=(Action.NUDGE,), budget=(Action.STOP,), budget_seconds=200.0)
    found = decide(HOLDS[Condition.IDLE][0], wanted, {})
    assert found == NextAction(Condition.BUDGET, Action.STOP, 200.0, 1)
    assert decide(HOLDS[Condition.GONE][0], wanted, {}) is None


def test_a_cost_is_over_the_budget_at_once_where_it_is_known() -> None:
    wanted = MonitorRules(budget=(Action.STOP,), budget_dollars=2.5)
    agent = Observed(started=3.0, state=AgentState.WORKING, since=10.0, progress_at=10.0)
    assert decide(agent, wanted, {}) is None
    assert decide(replace(agent, cost=2.49), wanted, {}) is None
    assert decide(replace(agent, cost=2.5), wanted, {}) == NextAction(Condition.BUDGET, Action.STOP, 3.0, 1)


def test_what_repeats_itself_loops_at_once_and_what_shows_nothing_new_later() -> None:
    agent, due = HOLDS[Condition.LOOPING]
    wanted = rules(Condition.LOOPING, Action.RESTART)
    assert decide(replace(agent, progress_at=500.0), wanted, {}) == NextAction(
        Condition.LOOPING, Action.RESTART, 1400.0, 1
    )
    assert decide(replace(agent, repeats_at=120.0), wanted, {}) == NextAction(
        Condition.LOOPING, Action.RESTART, 120.0, 1
    )
    assert due == 1000.0


def test_work_is_needed_for_a_new_start_and_what_was_spent_stays() -> None:
    wanted = MonitorRules(idle=(Action.NUDGE,), reset_after=60.0)
    history = {each: Acted(3, 100.0) for each in Condition}
    agent = Observed(started=0.0, state=AgentState.WORKING, since=110.0, progress_at=150.0)
    assert worked(history, agent, wanted, 169.0) == history
    assert set(worked(history, agent, wanted, 170.0)) == {Condition.BUDGET}
    assert worked(history, replace(agent, state=AgentState.IDLE), wanted, 999.0) == history
    assert worked(history, replace(agent, repeats_at=120.0), wanted, 999.0) == history
    stalled = replace(agent, progress_at=99.0)
    assert set(worked(history, stalled, wanted, 999.0)) == {Condition.BUDGET, Condition.LOOPING}


def test_it_is_kept_with_the_pane_and_times_go_on() -> None:
    wanted = MonitorRules(idle=(Action.NUDGE, Action.TELL), text="go on")
    monitored = MonitoredPane(wanted, own=True, started=100.0, history={Condition.IDLE: Acted(2, 150.0)})
    pane = with_rules(Pane(PaneId(1), metadata={"role": "lead"}), unloaded(monitored, 200.0, 5000.0))
    assert pane.metadata["role"] == "lead"
    read = saved(pane)
    assert read is not None
    again = loaded(read, 40.0, 5030.0)
    assert (again.rules, again.started, again.history) == (wanted, -90.0, {Condition.IDLE: Acted(2, -40.0)})
    assert saved(with_rules(pane, None)) is None


@pytest.mark.parametrize(
    "entry", [1, {"rules": {"idle": ["dance"]}}, {"rules": {"gone": ["stop"]}}, {"acted": {"idle": 1}}]
)
def test_what_a_save_holds_is_checked(entry: object) -> None:
    assert saved(Pane(PaneId(1), metadata={"monitor": entry})) is None


def test_a_later_versions_conditions_are_left_out() -> None:
    read = Saved(OFF, 0.0, acted={"asleep": (1, 5.0)})
    assert loaded(read, 10.0, 20.0).history == {}


@pytest.mark.parametrize(
    ("wanted", "fault"),
    [
        (MonitorRules(gone=(Action.NUDGE,)), "gone: nudge is of no use there; tell, restart, escalate are"),
        (MonitorRules(blocked=(Action.NUDGE,)), "blocked: nudge"),
        (MonitorRules(budget=(Action.STOP,)), "budget: give budget_seconds"),
        (MonitorRules(idle=tuple(Action)), ""),
    ],
)
def test_rules_that_make_no_sense_are_faults(wanted: MonitorRules, fault: str) -> None:
    assert wanted.fault.startswith(fault) if fault else not wanted.fault


def test_rules_are_described_in_words() -> None:
    budget = MonitorRules(budget=(Action.STOP,), budget_seconds=60, budget_dollars=5)
    assert budget.described() == "budget of 60 s or $5: stop"
    wanted = MonitorRules(idle=(Action.NUDGE, Action.TELL), gone=(Action.RESTART,))
    assert wanted.described() == "gone for 5 s: restart; idle for 300 s: nudge, tell"
    assert (OFF.described(), OFF.active) == ("off", False)
