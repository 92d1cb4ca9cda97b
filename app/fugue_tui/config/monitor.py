"""The rules by which agents are monitored: of `[agents.monitor]`, team files, and `monitor-agent`.

A condition without actions is not looked for, so nothing is monitored by default.
"""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct


class Condition(StrEnum):
    """What an agent is in that may call for something, the most urgent first."""

    GONE = "gone"
    """Its program has ended or left the foreground, and neither the user nor a command has asked it to."""
    BUDGET = "budget"
    """It has run for too long, or cost too much."""
    BLOCKED = "blocked"
    """It needs an answer."""
    LOOPING = "looping"
    """It works, but repeats itself or shows nothing new."""
    IDLE = "idle"
    """It rests: it is idle, done, or has failed."""


class Action(StrEnum):
    """What is done about it."""

    TELL = "tell"
    """Notify the user."""
    NUDGE = "nudge"
    """Send the agent a message, which is typed once it is at its input."""
    RESTART = "restart"
    """Restart it with its conversation."""
    ESCALATE = "escalate"
    """Send a message to the lead of its team, or another agent."""
    STOP = "stop"
    """End it."""


POSSIBLE: Final = {
    Condition.GONE: (Action.TELL, Action.RESTART, Action.ESCALATE),
    Condition.BUDGET: (Action.TELL, Action.NUDGE, Action.ESCALATE, Action.STOP),
    Condition.BLOCKED: (Action.TELL, Action.RESTART, Action.ESCALATE, Action.STOP),
    Condition.LOOPING: tuple(Action),
    Condition.IDLE: tuple(Action),
}
"""The actions that make sense: what is not at its input takes no message, and what is gone cannot be ended."""

_Seconds = Annotated[float, Meta(ge=1, le=31_536_000)]
_Budget = Annotated[float, Meta(ge=0, le=31_536_000)]
_Actions = Annotated[tuple[Action, ...], Meta(max_length=16)]


class MonitorRules(Struct, frozen=True, omit_defaults=True):
    """What is done about an agent that is idle, blocked, gone, looping or over its budget: tell, nudge, restart,
    escalate or stop, in this order, each at most `times` times. Nothing by default."""

    idle: _Actions = ()
    """What is done about an agent that rests: idle, done or failed; several actions come one after another."""
    idle_after: _Seconds = 300.0
    """Seconds that it rests before."""
    blocked: _Actions = ()
    """What is done about one that needs an answer: tell, restart, escalate or stop."""
    blocked_after: _Seconds = 120.0
    """Seconds that it waits for the answer before."""
    gone: _Actions = ()
    """What is done about one whose program ended without being asked to: tell, restart or escalate."""
    gone_after: _Seconds = 5.0
    """Seconds that it is gone before."""
    looping: _Actions = ()
    """What is done about one that works, but repeats itself or shows nothing new."""
    repeats: Annotated[int, Meta(ge=2, le=10_000)] = 20
    """More often than this the same three lines, or the same command, within repeat_seconds: it repeats itself."""
    repeat_seconds: _Seconds = 300.0
    """The seconds in which repetitions are counted."""
    stalled_after: _Seconds = 900.0
    """Seconds of work without a new line on the screen after which it counts as looping, too."""
    budget: _Actions = ()
    """What is done about one that is over its budget: tell, nudge, escalate or stop."""
    budget_seconds: _Budget = 0.0
    """Seconds since its start that it may run; 0 for no limit."""
    budget_dollars: _Budget = 0.0
    """US dollars that it may cost, where it reports its cost; 0 for no limit."""
    text: Annotated[str, Meta(max_length=2_000)] = (
        "Please go on with your task. If you are done or need something, say so."
    )
    """The message of nudge."""
    escalate_to: Annotated[str, Meta(max_length=200)] = "lead"
    """Who gets the message of escalate: the name or the role of an agent, in the same team if it is in one."""
    times: Annotated[int, Meta(ge=1, le=100)] = 3
    """How often each action is done at most, until the agent has worked again."""
    total: Annotated[int, Meta(ge=1, le=10_000)] = 30
    """How often anything is done in all, but for the budget, until the user types in the agent's pane."""
    backoff: _Seconds = 60.0
    """Seconds from an action to the next; they double each time, up to an hour."""
    reset_after: _Seconds = 60.0
    """Seconds of work without a break after which what was done before counts no more."""

    def actions(self, condition: Condition) -> tuple[Action, ...]:
        """What is done in a condition, in order; empty if it is not looked for."""
        found: tuple[Action, ...] = getattr(self, condition.value)
        if condition is Condition.BUDGET and not (self.budget_seconds or self.budget_dollars):
            return ()
        return found

    @property
    def active(self) -> bool:
        """Whether anything is looked for."""
        return any(self.actions(each) for each in Condition)

    @property
    def fault(self) -> str:
        """What is wrong besides the types; empty if nothing is."""
        for condition, possible in POSSIBLE.items():
            if wrong := next((each for each in getattr(self, condition.value) if each not in possible), None):
                return f"{condition}: {wrong} is of no use there; {', '.join(possible)} are"
        if self.budget and not (self.budget_seconds or self.budget_dollars):
            return "budget: give budget_seconds or budget_dollars, too"
        return ""

    def described(self) -> str:
        """The rules on one line, for people."""
        words = [
            f"{each.value}{self._when(each)}: {', '.join(self.actions(each))}"
            for each in Condition
            if self.actions(each)
        ]
        return "; ".join(words) or "off"

    def _when(self, condition: Condition) -> str:
        if condition is Condition.BUDGET:
            seconds, dollars = self.budget_seconds, self.budget_dollars
            limits = (f"{seconds:g} s" * bool(seconds), f"${dollars:g}" * bool(dollars))
            return f" of {' or '.join(filter(None, limits))}"
        after: float | None = getattr(self, f"{condition.value}_after", None)
        return f" for {after:g} s" if after is not None else ""


OFF: Final = MonitorRules()
"""Nothing is monitored."""
