"""What the agents in panes do: list and explain it, wait for it, go to who waits, and report one's own."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from fugue_tui.control.agents.agent_finder import look
from fugue_tui.control.agents.git_branch import branch_of
from fugue_tui.control.agents.messenger import settling
from fugue_tui.control.agents.monitor_info import MonitorInfo, monitor_info
from fugue_tui.control.agents.receivers import ROLE, TEAM
from fugue_tui.control.core import target
from fugue_tui.control.core.answers import TIMED_OUT
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.core.results import PaneInfo, pane_info
from fugue_tui.control.restore.agent_resume import AGENTS, OTHERS
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.agents import DECLARED, MODEL
from fugue_tui.multiplexer.agents.signals import Seen, Signals
from fugue_tui.multiplexer.agents.state import AgentState, AgentStatus, AgentUsage, BlockedBy, Reading, Signal
from fugue_tui.multiplexer.events.pane_events import AgentReported, AgentUsageReported
from fugue_tui.sanitize import clean, clean_path
from fugue_tui.workspace import edit

MAX_TIMEOUT: Final = 110.0
"""Seconds; many clients time out a call after two minutes."""
EXPLAINED_SECONDS: Final = 2.0
"""For so long a wait goes on for what an agent needs, once it is known to be blocked: its screen is searched after a
pause."""
MAX_PANES: Final = 64
MODEL_WIDTH: Final = 80
"""Characters of a model's name."""
MAX_COST: Final = 1_000_000.0
"""US dollars."""

State = Literal["idle", "working", "blocked", "done", "error", "unknown"]


class AgentTask(Struct, frozen=True):
    """A task that an agent reports, such as a subagent."""

    id: str
    """Its name in the reports."""
    state: State
    """What it does."""
    title: str
    """What it is: untrusted text."""
    words: str
    """Its message: untrusted text."""


class AgentInfo(Struct, frozen=True):
    """An agent in a pane, or another program that reports its state. Text that it reports is untrusted."""

    pane: str
    """The pane's id."""
    name: str
    """The pane's name; empty if it has none."""
    role: str
    """Its role; empty if it has none."""
    team: str
    """Its team; empty if it has none."""
    program: str
    """The agent, such as claude; of another program, what it calls itself."""
    state: State
    """What it does: blocked needs an answer, unknown is an agent that has shown nothing yet."""
    kind: Literal["permission", "question", "auth"] | None
    """What a blocked one needs; null if that is unknown."""
    words: str
    """Its message about that: untrusted."""
    title: str
    """What it is busy with, or else its window title: untrusted."""
    progress: int | None
    """Per cent that are done; null if unknown."""
    seconds: int
    """For how long it has been in this state."""
    signal: str
    """What shows the state: report, hook, notification, title, screen or silence, the most reliable first."""
    cwd: str
    """Its directory."""
    branch: str
    """The git branch there; empty if there is none."""
    tasks: tuple[AgentTask, ...]
    """Its reported tasks."""
    model: str = ""
    """The model that it runs on: as its hooks report, or as it was started with; empty if unknown. Untrusted."""
    cost: float | None = None
    """US dollars that it has cost so far, as its hooks report; null if unknown."""
    monitor: MonitorInfo | None = None
    """How it is monitored, and what is done next; null if it is not."""


class AgentList(Struct, frozen=True):
    """The agents of a workspace."""

    agents: tuple[AgentInfo, ...]
    """The agents, by pane."""
    waiting: tuple[str, ...]
    """The panes whose agents are blocked, the one that has waited longest first."""


class ListAgents(Command[AgentList], name="list-agents", effect=Effect.READ, toolset=Toolset.AGENTS):
    """List the agents in panes (Claude Code, Codex, aider and others, and programs that report their state): what each
    does, since when, and whether it needs an answer."""

    states: tuple[State, ...] = ()
    """Only agents in these states; omitted, all."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[AgentList]:
        """The agents."""
        panes = [pane for pane, status in sorted(mux.agents.statuses.items()) if self._wants(status)]
        return run_task(self._list(mux, panes))

    async def _list(self, mux: Multiplexer, panes: Sequence[PaneId]) -> AgentList:
        found = await agent_infos(mux, panes)
        return AgentList(found, tuple(map(str, mux.agents.waiting())))

    def _wants(self, status: AgentStatus) -> bool:
        return not self.states or status.state in self.states


class SignalInfo(Struct, frozen=True):
    """One signal of an agent's state."""

    signal: str
    """Which: report, hook, notification, title, screen or silence."""
    state: State
    """What it shows."""
    kind: str | None
    """What a blocked one needs; null if unknown."""
    words: str
    """The text that shows it: untrusted."""
    rule: str
    """The rule that matched a title, a screen or a notification; empty for other signals."""
    seconds: int
    """For how long it has shown that."""
    counts: bool
    """Whether the state follows from this signal."""


class UsageInfo(Struct, frozen=True):
    """The model of an agent and its cost, and how they are known."""

    model: str
    """Its model: untrusted; empty if that is unknown."""
    cost: float | None
    """US dollars so far; null if unknown."""
    source: Literal["hook", "start-agent"]
    """hook: what its hooks, or report-agent, reported. start-agent: the model that it was started with."""
    seconds: int | None
    """Seconds since that was last reported; null for start-agent."""


class AgentExplanation(Struct, frozen=True):
    """Why an agent is taken to be in a state."""

    pane: str
    """The pane's id."""
    program: str
    """The agent; empty if there is none."""
    state: State | None
    """Its state; null if there is no agent."""
    signals: tuple[SignalInfo, ...]
    """What shows a state, the most reliable first."""
    usage: tuple[UsageInfo, ...] = ()
    """What is known of its model and cost; the first that has a model counts for that."""
    monitor: MonitorInfo | None = None
    """How it is monitored, and what is done next; null if it is not."""


class ExplainAgent(Command[AgentExplanation], name="explain-agent", effect=Effect.READ, toolset=Toolset.AGENTS):
    """Explain how the state of the agent in a pane is known: every signal, what it shows and since when, and which one
    counts; and how it is monitored."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""

    def run(self, mux: Multiplexer, origin: Origin) -> AgentExplanation:
        """The explanation. Raises NotFound."""
        pane = target.pane(mux, self.pane, origin)
        status, signals, now = mux.agents.statuses.get(pane), mux.agents.signals.get(pane, Signals()), mux.clock()
        counting = status.signal if status is not None else None
        shown = [_signal_info(signal, each, now, counting) for signal, each in _shown(signals)]
        if status is not None and counting is Signal.SILENCE:
            shown.append(_signal_info(counting, Seen(status.reading, status.since), now, counting))
        return AgentExplanation(
            str(pane),
            clean(status.program) if status else "",
            status.state.value if status else None,
            tuple(shown),
            tuple(_usage(mux, pane, status, now)) if status else (),
            monitor_info(mux, pane),
        )


class WaitedAgents(Struct, frozen=True):
    """How a wait for agents ended."""

    outcome: Literal["reached", "timeout"]
    """Whether the agents got to one of the states."""
    reached: tuple[str, ...]
    """The panes that did; one whose agent has ended counts, too."""
    gone: tuple[str, ...]
    """Those of them without an agent: it has ended, or the pane was closed."""
    agents: tuple[AgentInfo, ...]
    """The agents that were waited for, as they are now."""
    elapsed: float
    """Seconds that the wait took."""

    @property
    def exit_status(self) -> int:
        """0 if the agents got there."""
        return TIMED_OUT if self.outcome == "timeout" else 0


class WaitForAgents(Command[WaitedAgents], name="wait-for-agents", effect=Effect.READ, toolset=Toolset.AGENTS):
    """Wait until agents are idle, done, blocked or have failed, without polling; the result has them with their
    messages. An agent that was just given input and has not begun to work is not taken for idle."""

    panes: Annotated[tuple[str, ...], Meta(max_length=MAX_PANES)] = ()
    """The agents' panes, by id or name; omitted, all agents but your own."""
    until: tuple[State, ...] = ("idle", "blocked", "done", "error")
    """The states to wait for."""
    every: bool = False
    """Wait for all of the agents; false, for the first."""
    timeout: Annotated[float, Meta(ge=0)] = 30.0
    """Seconds to wait at most; capped at 110."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[WaitedAgents]:
        """Start the wait. Raises NotFound, or InvalidArgument if there is nothing to wait for."""
        panes = tuple(dict.fromkeys(target.pane(mux, name, origin) for name in self.panes)) or tuple(
            pane for pane in sorted(mux.agents.statuses) if pane != origin.pane
        )
        if not panes:
            raise InvalidArgument("panes: no agent runs in another pane; list-agents shows those that do")
        if not self.until:
            raise InvalidArgument("until: give at least one state")
        return run_task(_AgentWait(mux, panes, frozenset(self.until), every=self.every).result(self.timeout))


class _AgentWait:
    """A wait for agents that has begun."""

    def __init__(self, mux: Multiplexer, panes: tuple[PaneId, ...], until: frozenset[str], *, every: bool) -> None:
        self._mux, self._panes, self._until, self._every = mux, panes, until, every
        self._known = {pane for pane in panes if pane in mux.agents.statuses}
        self._changed = asyncio.Event()

    async def result(self, seconds: float) -> WaitedAgents:
        """How it ended."""
        began, end = self._mux.clock(), self._mux.clock() + min(seconds, MAX_TIMEOUT)
        stops = (
            self._mux.agents.on_change.connect(lambda pane, before, after: self._changed.set()),
            self._mux.on_change.connect(lambda old, new: self._changed.set()),
        )
        try:
            while not (reached := self._reached())[0] and (left := end - self._mux.clock()) > 0:
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(left, reached[2])):
                        await self._changed.wait()
        finally:
            for stop in stops:
                stop()
        done, panes, _ = reached
        return WaitedAgents(
            "reached" if done else "timeout",
            tuple(map(str, panes)),
            tuple(str(pane) for pane in panes if pane not in self._mux.agents.statuses),
            await agent_infos(self._mux, self._panes),
            round(self._mux.clock() - began, 3),
        )

    def _reached(self) -> tuple[bool, list[PaneId], float]:
        """Whether the wait is over, the panes that are where they should be, and in how many seconds more may be."""
        self._known |= self._mux.agents.statuses.keys() & set(self._panes)
        reached, seconds = list[PaneId](), MAX_TIMEOUT
        for pane in self._panes:
            status = self._mux.agents.statuses.get(pane)
            left = max(settling(self._mux, pane), _unexplained(self._mux, status))
            if status is None:
                gone = pane in self._known or pane not in self._mux.workspace.panes
                reached += [pane] * gone
            elif status.state.value in self._until:
                seconds = min(seconds, left + 0.05) if left else seconds
                reached += [pane] * (not left)
        over = len(reached) == len(self._panes) if self._every else bool(reached)
        return over, reached, seconds


def _unexplained(mux: Multiplexer, status: AgentStatus | None) -> float:
    """For how many seconds more the screen may show what an agent needs, which has reported only that it does."""
    if status is None or not status.waits or (status.reading.words and status.reading.kind):
        return 0.0
    return max(0.0, status.since + EXPLAINED_SECONDS - mux.clock())


class FocusWaitingAgent(
    Command[PaneInfo], name="focus-waiting-agent", effect=Effect.LAYOUT, toolset=Toolset.AGENTS, repeatable=True
):
    """Focus the pane whose agent has waited longest for an answer; again, the next one."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The focused pane. Raises NotFound if no agent waits."""
        waiting = mux.agents.waiting()
        if not waiting:
            raise NotFound("no agent waits for an answer; list-agents shows what they do")
        here = next((at for at, pane in enumerate(waiting) if pane == mux.focused), -1)
        pane = waiting[(here + 1) % len(waiting)]
        mux.assign(edit.focus_pane(mux.workspace, pane))
        return pane_info(mux, pane)


class ReportAgent(Command[AgentInfo], name="report-agent", effect=Effect.LAYOUT, toolset=Toolset.AGENTS):
    """Report what you do, as a hook of an agent: it is shown in your pane and in lists of agents. Give the state, the
    model or the cost."""

    state: Literal["idle", "working", "blocked", "done", "error"] | None = None
    """What you do; omitted, as before."""
    kind: Literal["permission", "question", "auth"] | None = None
    """If you are blocked, what you need."""
    words: Annotated[str, Meta(max_length=2_000)] = ""
    """A message about the state, such as the question."""
    model: Annotated[str, Meta(max_length=1_000)] = ""
    """The model that you run on."""
    cost: Annotated[float, Meta(ge=0, le=MAX_COST)] | None = None
    """US dollars that you have cost so far."""
    program: str = ""
    """Which agent you are, such as claude: one that another agent has started in its pane is not heard."""
    pane: str = target.ACTIVE
    """Your pane."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[AgentInfo]:
        """The agent. Raises InvalidArgument if nothing is reported, NotFound if no agent is in the foreground, Refused
        for the pane of another."""
        pane = target.pane(mux, self.pane, origin)
        if not origin.kind.acts_for_user and pane != origin.pane:
            raise Refused(f"{pane} is not your own pane; only what runs in a pane reports for it")
        usage = AgentUsage(clean(self.model, MODEL_WIDTH), None if self.cost is None else round(self.cost, 4))
        if self.state is None and usage == AgentUsage():
            raise InvalidArgument("state: give it, or model or cost")
        if pane not in mux.agents.programs:
            look(mux, pane)  # Its first hook may run before it is looked for.
        shown = mux.agents.programs.get(pane, "")
        if not shown or (self.program and shown != self.program and shown in AGENTS.keys() | OTHERS):
            raise NotFound(f"no {clean(self.program, 40) or 'agent'} is in the foreground of {pane}")
        if usage != AgentUsage():
            mux.on_event(pane, AgentUsageReported(usage))
        if self.state is not None:
            kind = BlockedBy(self.kind) if self.kind and self.state == "blocked" else None
            mux.on_event(pane, AgentReported(Reading(AgentState(self.state), kind, clean(self.words, 200))))
        return run_task(self._info(mux, pane))

    async def _info(self, mux: Multiplexer, pane: PaneId) -> AgentInfo:
        found = await agent_infos(mux, (pane,))
        if not found:
            raise NotFound(f"no agent is in the foreground of {pane}")
        return found[0]


async def agent_infos(mux: Multiplexer, panes: Sequence[PaneId]) -> tuple[AgentInfo, ...]:
    """The agents in these panes, without those that there are none in."""
    return agents_now(mux, panes, await branches_of({mux.cwd(pane) for pane in panes if pane in mux.agents.statuses}))


async def branches_of(directories: Set[str]) -> Mapping[str, str]:
    """The git branch of each directory; empty where there is none."""
    return await asyncio.to_thread(lambda: {each: clean(branch_of(each)) if each else "" for each in directories})


def agents_now(mux: Multiplexer, panes: Sequence[PaneId], branches: Mapping[str, str]) -> tuple[AgentInfo, ...]:
    """The agents in these panes, with the branches of those directories where they are known."""
    return tuple(
        agent_info(mux, pane, status, cwd := mux.cwd(pane), branches.get(cwd, ""))
        for pane in panes
        if (status := mux.agents.statuses.get(pane)) is not None and pane in mux.workspace.panes
    )


def seconds_in(mux: Multiplexer, status: AgentStatus) -> int:
    """For how long an agent has been in its state."""
    return max(0, round(mux.clock() - status.since))


def agent_info(mux: Multiplexer, pane: PaneId, status: AgentStatus, cwd: str, branch: str) -> AgentInfo:
    """An agent in a directory and on a branch."""
    reading = status.reading
    return AgentInfo(
        pane=str(pane),
        name=clean(mux.workspace.panes[pane].name),
        role=clean(str(mux.workspace.panes[pane].metadata.get(ROLE, ""))),
        team=clean(str(mux.workspace.panes[pane].metadata.get(TEAM, ""))),
        program=clean(status.program),
        state=reading.state.value,
        kind=reading.kind.value if reading.kind else None,
        words=reading.words,
        title=reading.title or clean(mux.terminals[pane].title, 200),
        progress=reading.progress,
        seconds=seconds_in(mux, status),
        signal=status.signal.value,
        cwd=clean_path(cwd),
        branch=branch,
        tasks=tuple(
            AgentTask(clean(task.id), task.reading.state.value, task.reading.title, task.reading.words)
            for task in status.tasks
        ),
        model=status.usage.model or _started_model(mux, pane, status),
        cost=status.usage.cost,
        monitor=monitor_info(mux, pane),
    )


def _usage(mux: Multiplexer, pane: PaneId, status: AgentStatus, now: float) -> Iterator[UsageInfo]:
    """What is known of an agent's model and cost, the most reliable first."""
    if status.usage != AgentUsage():
        seconds = max(0, round(now - mux.agents.signals[pane].used_at))
        yield UsageInfo(status.usage.model, status.usage.cost, "hook", seconds)
    if model := _started_model(mux, pane, status):
        yield UsageInfo(model, None, "start-agent", None)


def _started_model(mux: Multiplexer, pane: PaneId, status: AgentStatus) -> str:
    """The model that an agent was started with; empty if that is unknown, or another program runs."""
    metadata = mux.workspace.panes[pane].metadata
    model = metadata.get(MODEL, "")
    started = status.program == metadata.get(DECLARED)
    return clean(model, MODEL_WIDTH) if isinstance(model, str) and started else ""


def _shown(signals: Signals) -> list[tuple[Signal, Seen]]:
    known = (
        (Signal.REPORT, signals.report),
        (Signal.HOOK, signals.hook),
        (Signal.NOTIFICATION, signals.notification),
        (Signal.TITLE, signals.title),
        (Signal.SCREEN, signals.screen),
    )
    return [(signal, each) for signal, each in known if each is not None]


def _signal_info(signal: Signal, each: Seen, now: float, counting: Signal | None) -> SignalInfo:
    reading = each.reading
    return SignalInfo(
        signal.value,
        reading.state.value,
        reading.kind.value if reading.kind else None,
        reading.words,
        reading.rule,
        max(0, round(now - each.at)),
        signal is counting,
    )
