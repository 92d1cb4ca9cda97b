"""Finds the agents that run in the foreground of panes. A pane that prints nothing costs nothing. Main thread only."""

from typing import Final

from fugue_tui.control.agents.output_watch import OutputWatch
from fugue_tui.control.restore.agent_resume import agent_in
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.agents import DECLARED
from fugue_tui.multiplexer.events.pane_events import Ended, PaneEvent, Started
from fugue_tui.terminal.emulator.events import PromptMark
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import Workspace

SECONDS: Final = (1.0, 2.0, 7.0)
"""Seconds from output until a pane is looked at, and from one look to the next; more output begins anew."""
DECLARED_SECONDS: Final = 0.05
"""The same for a pane that was opened for an agent."""


class AgentFinder:
    """Looks at panes after they have printed something, such as the command line that starts an agent."""

    def __init__(self, mux: Multiplexer) -> None:
        self._mux = mux
        self._watches: dict[PaneId, OutputWatch] = {}
        mux.on_event.connect(self._on_event)
        mux.on_change.connect(self._on_change)
        self._started = False

    def start(self) -> None:
        """Begin to look by itself."""
        self._started = True
        for pane in self._mux.terminals:
            self._watch(pane)
            self._look(pane, 0)

    def find(self) -> None:
        """Look at all panes now."""
        for pane in tuple(self._mux.terminals):
            self.look(pane)

    def look(self, pane: PaneId) -> None:
        """Look at a pane now."""
        look(self._mux, pane)

    def _on_event(self, pane: PaneId, event: PaneEvent) -> None:
        match event:
            case PromptMark(kind="A" | "D") | Ended():
                self._mux.agents.set_program(pane, "")  # What is printed from here on is not the agent's.
            case Started():
                self._mux.agents.set_program(pane, "")
                if self._started:
                    self._watch(pane)
                    if self._mux.terminals[pane].fed:
                        self._printed(pane)  # It has printed before it was watched, and may print no more.
            case _:
                pass

    def _on_change(self, old: Workspace, new: Workspace) -> None:
        for pane in old.panes.keys() - new.panes.keys():
            self._forget(pane)
            self._mux.agents.set_program(pane, "")
        for pane in (new.panes.keys() - old.panes.keys()) & self._mux.terminals.keys():
            if self._started:  # It may be one that was closed and comes back with its program.
                self._watch(pane)
                self._look(pane, 0)

    def _forget(self, pane: PaneId) -> None:
        if watch := self._watches.pop(pane, None):
            watch.stop()

    def _watch(self, pane: PaneId) -> None:
        self._forget(pane)
        if (terminal := self._mux.terminals.get(pane)) is not None:
            self._watches[pane] = OutputWatch(terminal, lambda: self._mux.post(lambda: self._printed(pane)))

    def _printed(self, pane: PaneId) -> None:
        if watch := self._watches.get(pane):
            seconds = DECLARED_SECONDS if _declared(self._mux, pane) else SECONDS[0]
            watch.wait(seconds, lambda: self._look(pane, 1))

    def _look(self, pane: PaneId, step: int) -> None:
        watch = self._watches.get(pane)
        if watch is None:
            return
        watch.rearm()
        self.look(pane)
        if 0 < step < len(SECONDS):
            watch.wait(SECONDS[step], lambda: self._look(pane, step + 1))


def look(mux: Multiplexer, pane: PaneId) -> None:
    """Look now which agent is in the foreground of a pane."""
    terminal = mux.terminals.get(pane)
    if terminal is not None:
        mux.agents.set_program(pane, _name(mux, pane, terminal) if terminal.exit is None else "")


def _name(mux: Multiplexer, pane: PaneId, terminal: Terminal) -> str:
    """The agent in the foreground: one that is known, or the program that the pane was opened for as an agent."""
    group = terminal.foreground_group
    return agent_in(group) or (_declared(mux, pane) if group == terminal.pid else "")


def _declared(mux: Multiplexer, pane: PaneId) -> str:
    """The agent that a pane was opened for; empty for none."""
    record = mux.workspace.panes.get(pane)
    declared = record.metadata.get(DECLARED, "") if record is not None else ""
    return declared if isinstance(declared, str) else ""
