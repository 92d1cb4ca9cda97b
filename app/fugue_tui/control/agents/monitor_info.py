"""A monitored agent as commands show it. Main thread only."""

from typing import Final

from msgspec import Struct

from fugue_tui.config.monitor import Condition
from fugue_tui.control.agents.receivers import ROLE, TEAM
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.monitored import (
    RESTS,
    MonitoredPane,
    NextAction,
    Observed,
    decide,
    is_exhausted,
    observed,
)

GOES_ON: Final = "no more is done until you type there, or change its rules"
"""What is said once the monitor has acted as often as it may."""


class MonitorAction(Struct, frozen=True):
    """What the monitor has done about a condition since the agent last worked."""

    condition: Condition
    """Which: idle, blocked, gone, looping or budget."""
    count: int
    """How often it has acted."""
    exhausted: bool
    """Whether it does nothing more about that until the agent has worked again."""


class MonitorInfo(Struct, frozen=True):
    """The rules for an agent, and what is done next."""

    rules: str
    """The rules in words."""
    own: bool
    """Whether they were given for this pane, and are not those of the configuration."""
    paused: bool
    """Whether nothing is done, as the user has paused it, has taken the pane over, or has frozen all agents."""
    next: str
    """What is done next if nothing changes, and when; empty for nothing."""
    acted: tuple[MonitorAction, ...]
    """What was done."""
    repeats: str = ""
    """What it repeats: untrusted; empty for nothing."""


def observe(mux: Multiplexer, pane: PaneId, monitored: MonitoredPane) -> Observed:
    """A monitored agent as it is now."""
    reports, lease, status = mux.pane_reports.get(pane), mux.lease, mux.agents.statuses.get(pane)
    if pane not in mux.agents.programs and status is not None and status.state in RESTS[1:]:
        status = None  # The program may have ended since: that it is done or has failed stays.
    typed_at = reports.typed_at if reports is not None else None
    return observed(
        monitored,
        status,
        float("-inf") if typed_at is None else typed_at,
        paused=lease.frozen or lease.is_taken(pane),
    )


def next_action(mux: Multiplexer, pane: PaneId, monitored: MonitoredPane) -> NextAction | None:
    """What is done next in a pane; None for nothing."""
    return decide(observe(mux, pane, monitored), monitored.rules, monitored.history)


def monitor_info(mux: Multiplexer, pane: PaneId) -> MonitorInfo | None:
    """How the agent in a pane is monitored; None if it is not."""
    monitored = mux.agents.monitored.get(pane)
    if monitored is None:
        return None
    return MonitorInfo(
        monitored.rules.described(),
        monitored.own,
        observe(mux, pane, monitored).paused,
        _words(next_action(mux, pane, monitored), monitored, mux.clock()),
        tuple(
            MonitorAction(condition, acted.count, is_exhausted(monitored.rules, monitored.history, condition))
            for condition, acted in monitored.history.items()
        ),
        monitored.repeated if monitored.repeats_at is not None else "",
    )


def lead_of(mux: Multiplexer, pane: PaneId, wanted: str) -> PaneId | None:
    """The pane of another agent with a name or a role, in the same team if the pane is in one; None for none."""
    team = mux.workspace.panes[pane].metadata.get(TEAM)
    others = [each for each in mux.workspace.panes.values() if each.id != pane and each.metadata.get(TEAM) == team]
    found = (each.id for each in others if wanted in (str(each.id), each.name, each.metadata.get(ROLE)))
    return min(found, default=None)


def _words(action: NextAction | None, monitored: MonitoredPane, now: float) -> str:
    if action is None:
        return GOES_ON if monitored.acted >= monitored.rules.total else ""
    seconds = max(0, round(max(action.at, monitored.not_before) - now))
    return (
        f"{action.action} in {seconds} s ({action.number} of {monitored.rules.times}), if it is still {_state(action)}"
    )


def _state(action: NextAction) -> str:
    return "over its budget" if action.condition is Condition.BUDGET else action.condition.value
