"""Looks at what a monitored agent prints and runs, for repetitions and for the time of the last news. Main thread."""

from collections.abc import Callable
from typing import Final

from fugue_tui.control.agents.loop_detection import NewLines, Repetition
from fugue_tui.control.agents.output_watch import OutputWatch
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer

SECONDS: Final = 2.0
"""Seconds from output until the screen is looked at; more output does not put that off."""


class LoopWatch:
    """The output of one agent, which is in `Agents.monitored`."""

    def __init__(self, mux: Multiplexer, pane: PaneId, on_change: Callable[[], None]) -> None:
        """`on_change` is called when it begins to repeat itself, or does so no more."""
        self._mux, self._pane, self._on_change = mux, pane, on_change
        rules = mux.agents.monitored[pane].rules
        self._lines, self._repetition = NewLines(), Repetition(rules.repeats, rules.repeat_seconds)
        self._watch = OutputWatch(mux.terminals[pane], lambda: mux.post(self._printed))
        self._look()

    def stop(self) -> None:
        """Look no more."""
        self._watch.stop()

    def clear(self) -> None:
        """The agent does something else now: what it has shown before counts no more."""
        self._repetition.clear()
        self.review()

    def add_command(self, line: str) -> None:
        """A command was run in one of its panes."""
        self._repetition.add_command(line, self._mux.clock())
        self._update()

    def review(self) -> bool:
        """Take in that time has passed; whether that makes a difference."""
        monitored, now = self._mux.agents.monitored[self._pane], self._mux.clock()
        before, found = monitored.repeats_at, self._repetition.found(now)
        monitored.repeated = found or monitored.repeated
        monitored.repeats_at = None if not found else now if before is None else before
        return (monitored.repeats_at is None) is not (before is None)

    def _printed(self) -> None:
        self._watch.wait(SECONDS, self._look)

    def _look(self) -> None:
        self._watch.rearm()
        monitored, now = self._mux.agents.monitored.get(self._pane), self._mux.clock()
        if monitored is None:
            return
        with self._watch.terminal.locked() as screen:
            new = [] if screen.closed else self._lines.take(screen.emulator)
        if new:
            monitored.progress_at = now
            self._repetition.add_lines(new, now)
        self._update()

    def _update(self) -> None:
        if self.review():
            self._on_change()
