"""Follows the signals of the programs in panes, and keeps the state of each agent. Main thread only.

A pane without an agent costs nothing but its reports. An agent that reports its state by itself is not looked at.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fugue_tui.control.agents.output_watch import OutputWatch
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.signals import SETTLED_SECONDS, SILENT_SECONDS, Seen, Signals, seen
from fugue_tui.multiplexer.agents.state import AgentState, Reading
from fugue_tui.multiplexer.author import Author
from fugue_tui.multiplexer.events.pane_events import (
    AgentChanged,
    AgentReported,
    AgentUsageReported,
    Ended,
    PaneEvent,
    Started,
)
from fugue_tui.terminal.emulator.events import (
    CommandStarted,
    Notification,
    PromptMark,
    StatusReport,
    TitleChanged,
)
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import Workspace

if TYPE_CHECKING:
    from fugue_tui.control.agents.program_rules import ProgramRules, RuleCache

LOOK_SECONDS: Final = 0.3
"""Seconds from output until the screen is searched; more output does not put that off."""
ROWS: Final = 24
"""Rows at the end of a screen that are searched."""


class AgentMonitor:
    """The states of a workspace's agents."""

    def __init__(self, mux: Multiplexer, on_fault: Callable[[str], None] = lambda fault: None) -> None:
        """`on_fault` is called with what is wrong with a file of rules of the user."""
        self._mux, self._on_fault = mux, on_fault
        self._signals = mux.agents.signals
        self._rules: RuleCache | None = None
        self._watches: dict[PaneId, OutputWatch] = {}
        mux.agents.on_found.connect(self._on_found)
        mux.on_event.connect(self._on_event)
        mux.on_typed.connect(self._on_typed)
        mux.on_change.connect(self._on_change)

    # Signals

    def _on_found(self, pane: PaneId) -> None:
        agent = self._mux.agents.programs.get(pane, "")
        if agent:
            signals = self._signals.setdefault(pane, Signals())
            signals.find_agent(agent, self._mux.clock())
            self._watch(pane)
        elif pane in self._signals:
            self._end_program(pane)
        self._update(pane)

    def _on_event(self, pane: PaneId, event: PaneEvent) -> None:
        now = self._mux.clock()
        match event:
            case AgentChanged():
                return
            case StatusReport():
                self._signals.setdefault(pane, Signals()).add_report(event, now)
            case AgentReported(reading) if pane in self._signals:
                self._signals[pane].add_hook(reading, now)
            case AgentUsageReported(usage) if pane in self._signals:
                self._signals[pane].add_usage(usage, now)
            case Notification(title, body) if pane in self._signals:
                reading = self._rules_of(pane).notification(f"{title}: {body}" if title else body)
                self._signals[pane].notification = Seen(reading, now) if reading else None
            case TitleChanged(title) if pane in self._signals:
                self._read_title(pane, title)
            case PromptMark(kind="A" | "D") | Ended() | Started() if pane in self._signals:
                self._end_program(pane)
            case CommandStarted() if pane in self._signals and not self._signals[pane].agent:
                self._signals[pane] = Signals()
            case _:
                return
        self._update(pane)

    def _on_typed(self, pane: PaneId, author: Author, count: int) -> None:
        if (signals := self._signals.get(pane)) is not None:
            signals.typed_at = self._mux.clock()
            self._update(pane)

    def _on_change(self, old: Workspace, new: Workspace) -> None:
        for pane in old.panes.keys() - new.panes.keys():
            self._unwatch(pane)
            if self._signals.pop(pane, None) is not None:
                self._mux.agents.set_status(pane, None)

    def _end_program(self, pane: PaneId) -> None:
        self._unwatch(pane)
        self._signals[pane].end_program()

    def _read_title(self, pane: PaneId, title: str) -> None:
        signals, reading = self._signals[pane], self._rules_of(pane).title(title)
        signals.title = seen(signals.title, reading, self._mux.clock()) if reading else None

    # Screens

    def _watch(self, pane: PaneId) -> None:
        self._unwatch(pane)
        terminal = self._mux.terminals[pane]
        self._watches[pane] = OutputWatch(terminal, lambda: self._mux.post(lambda: self._printed(pane)))
        self._read_title(pane, terminal.title)
        self._look(pane)

    def _unwatch(self, pane: PaneId) -> None:
        if watch := self._watches.pop(pane, None):
            watch.stop()

    def _printed(self, pane: PaneId) -> None:
        if watch := self._watches.get(pane):
            watch.wait(LOOK_SECONDS, lambda: self._look(pane))

    def _look(self, pane: PaneId) -> None:
        """Read the screen, unless the program reports its state in words; and again once its silence means
        something."""
        watch, signals = self._watches.get(pane), self._signals.get(pane)
        if watch is None or signals is None:
            return
        watch.rearm()
        now = self._mux.clock()
        signals.printed_at = max(signals.printed_at, watch.terminal.printed_at)
        reading = self._rules_of(pane).screen(last_rows(watch.terminal)) if signals.needs_screen else None
        signals.screen = seen(signals.screen, reading, now) if reading else None
        if signals.report is None:
            left = [each - (now - signals.printed_at) for each in (SILENT_SECONDS, SETTLED_SECONDS)]
            if (seconds := next((each for each in left if each > 0), 0.0)) > 0:
                watch.wait(seconds + 0.1, lambda: self._look(pane))
        self._update(pane)

    def _rules_of(self, pane: PaneId) -> "ProgramRules":
        if self._rules is None:
            from fugue_tui.control.agents.program_rules import RuleCache

            self._rules = RuleCache(self._on_fault)
        return self._rules.of(self._signals[pane].agent)

    # The result

    def _update(self, pane: PaneId) -> None:
        signals = self._signals.get(pane)
        status = signals.status(self._mux.clock()) if signals is not None else None
        before = self._mux.agents.statuses.get(pane)
        if status is not None and before is not None and status.since != before.since:
            status = replace(status, since=before.since) if _alike(before.reading, status.reading) else status
        if before is not None and status is not None and _has_read(before.state, status.state):
            self._mux.lease.settle(pane)
        self._mux.agents.set_status(pane, status)


def _has_read(before: AgentState, after: AgentState) -> bool:
    """Whether a change of state shows that an agent has read what was typed: it begins to work, or a dialog is
    answered."""
    return before is not after and (before is AgentState.BLOCKED or after is AgentState.WORKING)


def _alike(before: Reading, after: Reading) -> bool:
    """Whether two readings are of the same state, whatever the words."""
    return (before.state, before.kind) == (after.state, after.kind)


def last_rows(terminal: Terminal) -> list[str]:
    """The last rows of a screen, without the blank ones below them."""
    with terminal.locked() as screen:
        emulator = screen.emulator
        first = emulator.scrollback.lines
        rows = [row.rstrip() for row in emulator.lines(first, first + emulator.size.rows)]
    while rows and not rows[-1]:
        rows.pop()
    return rows[-ROWS:]
