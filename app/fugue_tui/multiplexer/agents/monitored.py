"""What is known of a monitored agent, and what is done about it next. Values and pure functions.

A condition holds since some time. Its first action is due once that has lasted for as long as the rules say, the next
ones after a pause that doubles. Actions come in the order of the rules, each as often as these say; then nothing more
is done until the agent has worked for a while, and that only so often in all until the user types there. While the user
types in the pane, all of it waits.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from fugue_tui.config.monitor import OFF, Action, Condition, MonitorRules
from fugue_tui.multiplexer.agents.state import AgentState, AgentStatus
from fugue_tui.workspace.model import Pane

KEY: Final = "monitor"
"""The entry of a pane's metadata with the rules for its agent, and how often was acted."""
TYPING_SECONDS: Final = 10.0
"""For so long after the user has typed in a pane nothing is done there."""
LONGEST_PAUSE: Final = 3_600.0
"""Seconds between two actions at most."""
RESTS: Final = (AgentState.IDLE, AgentState.DONE, AgentState.ERROR)
"""The states in which an agent waits for a task."""


class Acted(Struct, frozen=True):
    """How often was acted on a condition since the agent has worked."""

    count: int
    at: float
    """When, the last time, on the multiplexer's clock."""


History = Mapping[Condition, Acted]


class Observed(Struct, frozen=True):
    """An agent as it is. Times are on the multiplexer's clock."""

    started: float
    """When it was started, as far as is known."""
    state: AgentState | None = None
    """What it does; None if that is not known."""
    since: float = 0.0
    """Since when."""
    gone_at: float | None = None
    """When it has gone without being asked to; None if it has not."""
    repeats_at: float | None = None
    """Since when it repeats itself; None if it does not."""
    progress_at: float = float("-inf")
    """When it last showed something new."""
    cost: float | None = None
    """What it has cost in US dollars; None if that is not known."""
    typed_at: float = float("-inf")
    """When the user last typed there."""
    paused: bool = False
    """Whether the user has paused it, or has taken the pane over."""
    acted: int = 0
    """How often anything was done since the user last typed there."""


class NextAction(Struct, frozen=True):
    """What is done next."""

    condition: Condition
    action: Action
    at: float
    """When it is due; at once if that is over."""
    number: int
    """Which time of this action it is, from 1."""


class MonitoredPane(Struct):
    """A pane that is monitored. `control.monitor` changes it."""

    rules: MonitorRules
    own: bool
    """Whether the rules are the pane's own, which are saved with it, and not those of the configuration."""
    started: float
    paused: bool = False
    history: History = field(default_factory=lambda: MappingProxyType({}))
    acted: int = 0
    """How often anything was done since the user last typed there."""
    gone_at: float | None = None
    repeats_at: float | None = None
    repeated: str = ""
    """What is repeated: cleaned, and untrusted."""
    progress_at: float = float("-inf")
    user_typed_at: float = float("-inf")
    asked_at: float = float("-inf")
    """When the user or a command last asked the program to end."""
    acting: bool = False
    """Whether an action is under way."""
    not_before: float = float("-inf")
    """Until when nothing is tried, as the last action was refused for the moment."""
    refused: int = 0
    """How often in a row it was."""


def decide(agent: Observed, rules: MonitorRules, history: History) -> NextAction | None:
    """What is done next and when, if nothing changes; None for nothing."""
    if agent.paused:
        return None
    ended = agent.acted >= rules.total
    found = (
        _next(condition, since, rules, history)
        for condition, since in _conditions(agent, rules)
        if not ended or condition is Condition.BUDGET
    )
    due = [replace(each, at=max(each.at, agent.typed_at + TYPING_SECONDS)) for each in found if each is not None]
    return min(due, key=lambda each: each.at, default=None)


def worked(history: History, agent: Observed, rules: MonitorRules, now: float) -> History:
    """The history once an agent has worked until now: what counts of it no more is left out. What was spent stays."""
    if agent.state is not AgentState.WORKING or agent.repeats_at is not None:
        return history

    def counts(condition: Condition, acted: Acted) -> bool:
        began = max(agent.since, acted.at)
        if condition is Condition.LOOPING and agent.progress_at < acted.at:
            return True
        return condition is Condition.BUDGET or now - began < rules.reset_after

    return {condition: acted for condition, acted in history.items() if counts(condition, acted)}


def with_action(history: History, condition: Condition, now: float) -> History:
    """The history after another action on a condition."""
    before = history.get(condition)
    return {**history, condition: Acted(before.count + 1 if before else 1, now)}


def is_exhausted(rules: MonitorRules, history: History, condition: Condition) -> bool:
    """Whether all that the rules allow for a condition was done."""
    acted = history.get(condition)
    return acted is not None and acted.count >= len(rules.actions(condition)) * rules.times


def _conditions(agent: Observed, rules: MonitorRules) -> Iterator[tuple[Condition, float]]:
    """The conditions that hold or will hold if nothing changes, each with when it has lasted long enough."""
    if agent.gone_at is not None:
        yield Condition.GONE, agent.gone_at + rules.gone_after
        return
    if agent.state is None:
        return
    if rules.budget_dollars and agent.cost is not None and agent.cost >= rules.budget_dollars:
        yield Condition.BUDGET, agent.started
    elif rules.budget_seconds:
        yield Condition.BUDGET, agent.started + rules.budget_seconds
    if agent.state is AgentState.BLOCKED:
        yield Condition.BLOCKED, agent.since + rules.blocked_after
    elif agent.state is AgentState.WORKING:
        stalled = max(agent.since, agent.progress_at) + rules.stalled_after
        yield Condition.LOOPING, stalled if agent.repeats_at is None else min(stalled, agent.repeats_at)
    elif agent.state in RESTS:
        yield Condition.IDLE, agent.since + rules.idle_after


def _next(condition: Condition, since: float, rules: MonitorRules, history: History) -> NextAction | None:
    """The next action on a condition; None if none is left."""
    actions, acted = rules.actions(condition), history.get(condition)
    count = acted.count if acted is not None else 0
    if count >= len(actions) * rules.times:
        return None
    at = since
    if acted is not None:
        at = max(since, acted.at + min(LONGEST_PAUSE, rules.backoff * 2.0 ** (count - 1)))
    return NextAction(condition, actions[count // rules.times], at, count % rules.times + 1)


def observed(pane: MonitoredPane, status: AgentStatus | None, typed_at: float, *, paused: bool) -> Observed:
    """A monitored agent as its status and the user's typing have it."""
    return Observed(
        started=pane.started,
        state=status.state if status is not None else None,
        since=status.since if status is not None else 0.0,
        gone_at=pane.gone_at,
        repeats_at=pane.repeats_at,
        progress_at=pane.progress_at,
        cost=status.usage.cost if status is not None else None,
        typed_at=max(typed_at, pane.user_typed_at),
        paused=paused or pane.paused,
        acted=pane.acted,
    )


# In the metadata of panes


class Saved(Struct, frozen=True, omit_defaults=True):
    """What is kept of a monitored pane over a restart. Times are in seconds since the epoch."""

    rules: MonitorRules = OFF
    started: float = 0.0
    paused: bool = False
    acted: Mapping[str, tuple[int, float]] = field(default_factory=dict[str, tuple[int, float]])
    count: int = 0


def saved(pane: Pane) -> Saved | None:
    """The rules of a pane's own; None if it has none."""
    found: Any = pane.metadata.get(KEY)
    if found is None:
        return None
    try:
        read = msgspec.convert(found, Saved)
    except msgspec.ValidationError:
        return None
    return None if read.rules.fault else read


def with_rules(pane: Pane, rules: Saved | None) -> Pane:
    """A pane with rules of its own; None takes them away."""
    metadata = {name: value for name, value in pane.metadata.items() if name != KEY}
    if rules is not None:
        metadata[KEY] = msgspec.to_builtins(rules)
    return replace(pane, metadata=MappingProxyType(metadata))


def loaded(read: Saved, now: float, epoch: float) -> MonitoredPane:
    """A monitored pane as it was saved; `now` is the multiplexer's clock at `epoch`."""
    known = {each.value for each in Condition}
    acted = {
        Condition(name): Acted(count, min(now, now - (epoch - at)))
        for name, (count, at) in read.acted.items()
        if name in known
    }
    started = min(now, now - (epoch - read.started)) if read.started else now
    return MonitoredPane(read.rules, True, started, read.paused, acted, read.count)


def unloaded(pane: MonitoredPane, now: float, epoch: float) -> Saved:
    """What is kept of a monitored pane."""
    acted = {
        condition.value: (each.count, round(epoch - (now - each.at), 3)) for condition, each in pane.history.items()
    }
    return Saved(pane.rules, round(epoch - (now - pane.started), 3), pane.paused, acted, pane.acted)
