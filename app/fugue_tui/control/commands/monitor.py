"""Monitors an agent: what is done when it is idle, blocked, gone, looping or over its budget."""

import time
from typing import Annotated, Any, Final

from msgspec import Meta, Struct
from msgspec.structs import fields, replace

from fugue_tui.config.monitor import OFF, Action, Condition, MonitorRules
from fugue_tui.control.agents.monitor_info import MonitorInfo, lead_of, monitor_info
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.send_input import typeable
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.monitored import Saved, saved, with_rules
from fugue_tui.sanitize import clean
from fugue_tui.workspace import edit

_RULES: Final = tuple(each.name for each in fields(MonitorRules))
Actions = Annotated[tuple[Action, ...], Meta(max_length=16)] | None
Seconds = Annotated[float, Meta(ge=1, le=31_536_000)] | None
Budget = Annotated[float, Meta(ge=0, le=31_536_000)] | None


class MonitoredAgent(Struct, frozen=True):
    """An agent, and how it is monitored."""

    pane: str
    """Its pane."""
    name: str
    """The pane's name; empty if it has none."""
    monitor: MonitorInfo | None
    """The rules and what is done next; null if it is not monitored."""


class MonitorAgent(
    Command[MonitoredAgent], name="monitor-agent", effect=Effect.INPUT, also=Effect.DESTROY, toolset=Toolset.AGENTS
):
    """Set what is done when an agent is idle, blocked, gone, looping or over its budget: tell the user, nudge it with a
    message, restart it with its conversation, escalate to the lead, or stop it.

    What is omitted stays as it is; initially nothing is done. Several actions come in order, each up to `times` times,
    with pauses that double, until the agent has worked again. Nothing is done while the user types in the pane.
    """

    pane: str = target.ACTIVE
    """The agent's pane; agents must name it."""
    idle: Actions = None
    """What is done when it is idle: tell, nudge, restart, escalate or stop."""
    idle_after: Seconds = None
    """Seconds that it is idle before the first action; initially 300."""
    blocked: Actions = None
    """What is done when it needs an answer: tell, restart, escalate or stop."""
    blocked_after: Seconds = None
    """Seconds that it waits before the first action; initially 120."""
    gone: Actions = None
    """What is done when its program ends or leaves the foreground unasked: tell, restart or escalate."""
    gone_after: Seconds = None
    """Seconds before the first action; initially 5."""
    looping: Actions = None
    """What is done when it works, but repeats itself or shows nothing new."""
    repeats: Annotated[int, Meta(ge=2, le=10_000)] | None = None
    """The same three lines, or the same command, more often than this in repeat_seconds are a loop; initially 20."""
    repeat_seconds: Seconds = None
    """The seconds in which repetitions are counted; initially 300."""
    stalled_after: Seconds = None
    """Seconds of work without a new line that count as a loop too; initially 900."""
    budget: Actions = None
    """What is done when it is over its budget: tell, nudge, escalate or stop."""
    budget_seconds: Budget = None
    """Seconds since its start that it may run; 0 for no limit."""
    budget_dollars: Budget = None
    """US dollars that it may cost, where it reports that; 0 for no limit."""
    text: Annotated[str, Meta(max_length=2_000)] | None = None
    """What nudge sends, and restart types."""
    escalate_to: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    """Whom escalate writes to: an agent's pane, name or role, in the same team if it is in one; initially lead."""
    times: Annotated[int, Meta(ge=1, le=100)] | None = None
    """How often each action is done at most; initially 3."""
    total: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    """Most actions in all, without those for the budget, until the user types there; initially 30."""
    backoff: Seconds = None
    """Seconds from the first action to the second, doubled each time; initially 60."""
    reset_after: Seconds = None
    """Seconds of work after which the counts are reset; initially 60."""
    paused: bool | None = None
    """Whether monitoring is paused; the rules stay as they are."""
    off: bool = False
    """Whether to end monitoring, also by rules of the configuration."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """Its pane, and the pane that escalate writes to."""
        pane = target.typed_pane(mux, self.pane, origin)
        lead = _lead(mux, pane, self._changed(_rules(mux, pane)))
        return (pane,) if lead is None else (pane, lead)

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Nothing ends now."""
        return None

    def run(self, mux: Multiplexer, origin: Origin) -> MonitoredAgent:
        """The agent with its rules. Raises NotFound, InvalidArgument, or Refused for an agent's own rules."""
        pane = target.typed_pane(mux, self.pane, origin)
        if pane == origin.pane and not origin.kind.acts_for_user:
            raise Refused(f"{pane} is your own pane: you do not change the rules by which you are monitored")
        record, before = mux.workspace.panes[pane], _rules(mux, pane)
        rules = OFF if self.off else self._changed(before)
        if not origin.kind.acts_for_user:
            rules = _pinned(mux, pane, rules)
        known = saved(record) or Saved()
        acted, count = (known.acted, known.count) if rules == before else (dict[str, tuple[int, float]](), 0)
        paused = known.paused if self.paused is None else self.paused
        kept = Saved(rules, known.started or round(time.time(), 3), paused, acted, count)
        mux.assign(edit.update_pane(mux.workspace, with_rules(record, kept)))
        return MonitoredAgent(str(pane), clean(record.name), monitor_info(mux, pane))

    def _changed(self, rules: MonitorRules) -> MonitorRules:
        """The rules with what is given here. Raises InvalidArgument."""
        given: dict[str, Any] = {name: getattr(self, name) for name in _RULES if getattr(self, name) is not None}
        rules = replace(rules, **given)
        if rules.fault:
            raise InvalidArgument(rules.fault)
        typeable(rules.text)
        return rules


def _rules(mux: Multiplexer, pane: PaneId) -> MonitorRules:
    """The rules that hold for a pane now."""
    monitored, own = mux.agents.monitored.get(pane), saved(mux.workspace.panes[pane])
    return own.rules if own is not None else monitored.rules if monitored is not None else OFF


def _lead(mux: Multiplexer, pane: PaneId, rules: MonitorRules) -> PaneId | None:
    escalates = any(Action.ESCALATE in rules.actions(each) for each in Condition)
    return lead_of(mux, pane, rules.escalate_to) if escalates else None


def _pinned(mux: Multiplexer, pane: PaneId, rules: MonitorRules) -> MonitorRules:
    """The rules with the id of the pane that escalate writes to: permission was given for that pane, and not for one
    that gets the name later. Raises NotFound."""
    if not any(Action.ESCALATE in rules.actions(each) for each in Condition):
        return rules
    if (lead := _lead(mux, pane, rules)) is None:
        raise NotFound(
            f"escalate_to: no agent is called {clean(rules.escalate_to, 40)}; list-agents shows names and roles"
        )
    return replace(rules, escalate_to=str(lead))
