"""Which agents run in panes, and the state of each. Main thread only.

`control.agents` finds them and tells their states; everything else only reads.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from fugue_tui.config.monitor import OFF, MonitorRules
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.agents.monitored import MonitoredPane
from fugue_tui.multiplexer.agents.signals import Signals
from fugue_tui.multiplexer.agents.state import AgentStatus
from fugue_tui.multiplexer.callbacks import CallbackList

DECLARED: Final = "agent"
"""The entry of a pane's metadata with the agent that it was opened for, which may be any program."""
MODEL: Final = "model"
"""The entry with the model that it was started with."""


class AgentRun(Struct, frozen=True):
    """How an agent is started again."""

    argv: tuple[str, ...]
    own: bool
    """Whether it is the program of its pane, and not a shell's."""
    resumes: bool
    """Whether that continues its conversation."""


class Agents:
    """The agents of a workspace."""

    def __init__(self) -> None:
        self._programs: dict[PaneId, str] = {}
        self._statuses: dict[PaneId, AgentStatus] = {}
        self.programs: Mapping[PaneId, str] = MappingProxyType(self._programs)
        """The names of the agents that run in the foreground, by pane."""
        self.statuses: Mapping[PaneId, AgentStatus] = MappingProxyType(self._statuses)
        """The states of agents, and of other programs that report theirs."""
        self._partners: dict[PaneId, frozenset[PaneId]] = {}
        self.signals: dict[PaneId, Signals] = {}
        """What is known of the programs in panes; `control.agents` changes it."""
        self.monitored: dict[PaneId, MonitoredPane] = {}
        """What is known of the agents that are monitored; `control.monitor` changes it."""
        self.runs: dict[PaneId, AgentRun] = {}
        """How the agents are started again that are monitored for having gone."""
        self.kept_open = set[PaneId]()
        """The panes that stay when their programs end now, as their agents may be started again."""
        self.rules = OFF
        """The rules for agents that have none of their own and are in no team."""
        self.on_rules = CallbackList[[]]()
        """Those rules have changed."""
        self.keep_changes: Callable[[PaneId], Awaitable[object]] = _keep_nothing
        """Records what the agent in a pane has changed, before its worktree may be removed."""
        self.on_end_asked = CallbackList[[PaneId]]()
        """The program in a pane is asked to end, by whomever."""
        self.on_found = CallbackList[[PaneId]]()
        """Another agent, or none any more, is in the foreground of a pane."""
        self.on_change = CallbackList[[PaneId, AgentStatus | None, AgentStatus | None]]()
        """The status in a pane has changed: before, after; None for none."""

    def set_program(self, pane: PaneId, name: str) -> None:
        """An agent is in the foreground of a pane; empty for none."""
        if name == self._programs.get(pane, ""):
            return
        if name:
            self._programs[pane] = name
        else:
            del self._programs[pane]
        self.on_found(pane)

    def set_status(self, pane: PaneId, status: AgentStatus | None) -> None:
        """The status in a pane; None for none."""
        before = self._statuses.get(pane)
        if status == before:
            return
        if status is None:
            del self._statuses[pane]
        else:
            self._statuses[pane] = status
        self.on_change(pane, before, status)

    def set_rules(self, rules: MonitorRules) -> None:
        """Replace the rules for agents that have none of their own."""
        if rules != self.rules:
            self.rules = rules
            self.on_rules()

    def partners(self, pane: PaneId) -> frozenset[PaneId]:
        """The panes that the program in a pane may type into without asking."""
        return self._partners.get(pane, frozenset())

    def set_partners(self, pane: PaneId, partners: Iterable[PaneId]) -> None:
        """Let the program in a pane type into others, until it ends, as the file of its team says."""
        self._partners[pane] = frozenset(partners)

    def end_partners(self, pane: PaneId) -> None:
        """The program of a pane has ended: what runs there next may not type into others."""
        self._partners.pop(pane, None)

    def waiting(self) -> list[PaneId]:
        """The panes whose programs need the user, the one that has waited longest first."""
        waiting = ((status.since, pane) for pane, status in self._statuses.items() if status.waits)
        return [pane for _, pane in sorted(waiting)]


async def _keep_nothing(pane: PaneId) -> None:
    pass
